"""Blocks of correlated features: all pairs in the order of their correlation."""

import itertools

import numpy as np
import pytest

from xnbflow.papers.separation.correlation_blocks import _unite_correlated


def united_pair_by_pair(correlations, size):
    """Return the groups of features after all pairs, by falling correlation, have been tried."""
    groups = [{i} for i in range(len(correlations))]
    pairs = list(itertools.combinations(range(len(correlations)), 2))
    for i, j in sorted(pairs, key=lambda pair: -abs(correlations[pair])):
        first = next(group for group in groups if i in group)
        second = next(group for group in groups if j in group)
        if first is not second and len(first) + len(second) <= size:
            groups.remove(second)
            first |= second
    return {frozenset(group) for group in groups}


@pytest.mark.parametrize("seed", [0, 11, 15, 22])
def test_eight_partners_for_each_place_give_the_blocks_of_all_pairs(seed):
    """With 33 features and blocks of four, 32 partners are all others.

    With four partners the blocks of the last three seeds differ: weaker pairs come first.
    """
    residuals = np.random.default_rng(seed).normal(size=(33, 4))
    residuals -= residuals.mean(axis=1, keepdims=True)
    residuals /= np.linalg.norm(residuals, axis=1, keepdims=True)
    group = _unite_correlated(residuals, 4)
    blocks = {frozenset(np.flatnonzero(group == number).tolist()) for number in set(group)}
    assert blocks == united_pair_by_pair(residuals @ residuals.T, 4)
