"""Preselection of features in training sets, against a direct computation."""

import itertools

import numpy as np

from xnbflow.inference.preselection import Preselection, keep_largest


def test_the_screen_is_that_of_the_training_samples_alone(rng):
    values, codes = rng.normal(size=(300, 60)), rng.integers(0, 3, 60)
    spread = values.std(axis=1)
    training_sets = [rng.permutation(60)[:45] for _ in range(2)]
    training_sets.append(np.flatnonzero(codes < 2))
    expected = []
    for train in training_sets:
        best = set()
        for i, j in itertools.combinations(np.unique(codes[train]), 2):
            first = values[:, train[codes[train] == i]]
            second = values[:, train[codes[train] == j]]
            for moment in (np.mean, np.std):
                difference = np.abs(moment(first, axis=1) - moment(second, axis=1)) / spread
                best |= set(np.argsort(-difference)[:10].tolist())
        expected.append(sorted(best))
    preselection = Preselection(values)
    assert [
        selected.tolist() for selected in preselection.best(codes, training_sets, 20)
    ] == expected
    assert [list(selected) for selected in preselection.best(codes, training_sets[:1], 300)] == [
        [*range(300)]
    ]


def test_of_equal_features_the_first_are_kept(rng):
    values = rng.integers(0, 30, 500).astype(np.float32)
    largest, places = np.full(40, -1, dtype=np.float32), np.zeros(40, dtype=np.int64)
    for first in (0, 200, 400):  # in parts
        keep_largest(values[first : first + 200], first, largest, places)
    assert sorted(places) == sorted(np.argsort(-values, kind="stable")[:40])
    assert (values[places] == largest).all()
