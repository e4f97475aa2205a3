"""What a study computes beyond the common tables: one folder an analysis, its section included."""
