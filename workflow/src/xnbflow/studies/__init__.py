"""Analyses of the studies, one module each: what a study computes beyond the common tables."""
