"""What a study computes beyond the common tables: one module per analysis."""
