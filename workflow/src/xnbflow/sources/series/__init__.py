"""From a `RawTable` and the roles of its rows and columns to a data set, step by step."""
