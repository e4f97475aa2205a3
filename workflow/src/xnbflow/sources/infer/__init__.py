"""What the rows, columns and values of a table are, inferred from its names and its values."""
