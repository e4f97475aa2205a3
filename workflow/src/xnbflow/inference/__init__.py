"""What results support: intervals, tests, verdicts, permutation, stability, learning curves."""
