"""A plugin: a classifier, a source of data sets and an analysis, found by entry points."""
