"""Naive effects of generalized naive Bayes: what its study computes, and its section."""
