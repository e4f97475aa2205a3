"""Inference: intervals, tests, verdicts, permutation, stability, learning curves."""
