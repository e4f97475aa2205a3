"""The report: sections of blocks (text, tables, figures) on one self-contained page per study."""
