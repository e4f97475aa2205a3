"""Stratified folds are those of scikit-learn."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from xnbflow.data.stratified import stratified_folds, stratified_group_folds


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


@pytest.mark.parametrize("seed", range(30))
def test_the_folds_of_groups_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n_groups = int(rng.integers(6, 30))
    groups = np.concatenate([np.arange(n_groups), rng.integers(0, n_groups, 40)])
    n_classes = int(rng.integers(2, 5))
    if seed % 2:  # groups of one class
        labels = rng.integers(0, n_classes, n_groups)[groups]
    else:
        labels = rng.integers(0, n_classes, len(groups))
    n_splits = int(rng.integers(2, 6))
    peer = StratifiedGroupKFold(n_splits, shuffle=True, random_state=seed)

    folds = stratified_group_folds(labels, groups, n_splits, seed)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a class with fewer samples than folds
        expected = list(peer.split(np.zeros(len(labels)), labels, groups))
    for (train, test), (expected_train, expected_test) in zip(folds, expected, strict=True):
        np.testing.assert_array_equal(train, expected_train)
        np.testing.assert_array_equal(test, expected_test)


def test_more_folds_than_groups_or_samples_of_a_class_are_refused():
    labels, groups = np.repeat([0, 1], 6), np.repeat([0, 1, 2], 4)
    with pytest.raises(ValueError, match="4 folds of 3 groups"):
        stratified_group_folds(labels, groups, 4, 0)
    with pytest.raises(ValueError, match="the largest class has 6"):
        stratified_group_folds(labels, np.arange(12), 7, 0)
