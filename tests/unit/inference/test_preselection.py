"""The largest of many values, against a direct computation."""

import numpy as np

from xnbflow.inference.preselection import keep_largest


def test_of_equal_features_the_first_are_kept(rng):
    values = rng.integers(0, 30, 500).astype(np.float32)
    largest, places = np.full(40, -1, dtype=np.float32), np.zeros(40, dtype=np.int64)
    for first in (0, 200, 400):  # in parts
        keep_largest(values[first : first + 200], first, largest, places)
    assert sorted(places) == sorted(np.argsort(-values, kind="stable")[:40])
    assert (values[places] == largest).all()
