"""Samples and labels with which estimators are tested for what they refuse.

All have twelve samples: `NOISE` has four features, `CONSTANT` and `HALF` three, `CODES`, `THREE`,
`ONE` and `TWO` are labels.
"""

import numpy as np

CODES = np.arange(12) % 2
THREE = np.arange(12) % 3
NOISE = np.random.default_rng(1).normal(size=(12, 4))
CONSTANT = np.column_stack([NOISE[:, :2], 0.1 + 0.2 * CODES])  # within each class
HALF = np.column_stack([NOISE[:, :2], np.where(CODES, NOISE[:, 2], 0.5)])  # in the first class
ONE = np.array([0, 1] * 5 + [1, 2])  # the last class has one sample
TWO = np.array([0, 1] * 5 + [2, 2])  # the last class has two samples
