"""Stratified folds are those of scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from xnbflow.data.stratified import stratified_folds


@pytest.mark.parametrize("seed", [None, 0, 7])
@pytest.mark.parametrize("n_splits", [2, 3, 10])
@pytest.mark.parametrize("sizes", [(12, 10), (1, 30), (7, 11, 13, 10), (100,)])
def test_the_folds_are_those_of_scikit_learn(seed, n_splits, sizes):
    labels = np.repeat(list("bcad")[: len(sizes)], sizes)
    labels = np.random.default_rng(len(sizes)).permutation(labels)
    peer = StratifiedKFold(n_splits, shuffle=seed is not None, random_state=seed)

    folds = stratified_folds(labels, n_splits, seed)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer samples than folds
        expected = list(peer.split(np.zeros(len(labels)), labels))
    assert len(folds) == n_splits
    for (train, test), (expected_train, expected_test) in zip(folds, expected, strict=True):
        np.testing.assert_array_equal(train, expected_train)
        np.testing.assert_array_equal(test, expected_test)
