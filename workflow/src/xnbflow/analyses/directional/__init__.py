"""Directional naive Bayes: what its study computes beyond the common tables, and its section."""
