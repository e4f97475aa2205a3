"""Foundations of all packages: errors, compilation, seeds, files and entries."""
