"""A data set in memory and in files, where it comes from, and the tables that are made of it."""
