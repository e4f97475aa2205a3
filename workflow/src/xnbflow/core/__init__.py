"""What every package uses: errors, compilation, seeds, files and entries."""
