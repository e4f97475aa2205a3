"""From a file to a `RawTable`: one module for each format."""
