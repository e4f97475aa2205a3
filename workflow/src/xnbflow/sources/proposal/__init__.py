"""What a file probably contains, and the row of the sheet that fits it."""
