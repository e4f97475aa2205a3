"""Families of distributions: fit per class, log-density per feature."""
