"""CorrelationBlocks: who belongs together, and that nothing is lost."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.errors import InputError
from xnbflow.preprocessing import CorrelationBlocks


def planted(n_groups, size, n_samples=60, seed=0):
    """Features in shuffled groups that share a factor within classes, and their groups."""
    rng = np.random.default_rng(seed)
    factors = np.repeat(rng.normal(size=(n_samples, n_groups)), size, axis=1)
    X = factors + 0.3 * rng.normal(size=factors.shape)
    order = rng.permutation(n_groups * size)
    y = np.arange(n_samples) % 2
    return (X + 10 * y[:, None])[:, order], y, np.repeat(np.arange(n_groups), size)[order]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_planted_groups_are_found(size):
    X, y, group = planted(12, size)
    blocks = CorrelationBlocks(size=size).fit(X, y).blocks_
    assert len(blocks) == 12
    assert all(len(set(group[block])) == 1 for block in blocks)


def test_pairs_are_the_greedy_matching_of_residual_correlations():
    """All pairs by falling |r|, from NumPy's correlations of residuals."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 41)), np.arange(30) % 3
    residuals = X - np.array([X[y == c].mean(axis=0) for c in y])
    r = np.abs(np.corrcoef(residuals.T))
    rows, columns = np.triu_indices(41, 1)
    free, expected = set(range(41)), []
    for pair in np.argsort(-r[rows, columns]):
        i, j = int(rows[pair]), int(columns[pair])
        if i in free and j in free:
            free -= {i, j}
            expected.append([i, j])
    expected = [*sorted(expected), sorted(free)]
    found = CorrelationBlocks(size=2).fit(X, y).blocks_
    assert [block.tolist() for block in found] == expected


@pytest.mark.parametrize(("n_features", "size"), [(200, 2), (201, 4), (50, 7), (3, 8), (6, 1)])
def test_every_feature_is_in_one_block(n_features, size):
    rng = np.random.default_rng(2)
    blocks = CorrelationBlocks(size=size).fit(rng.normal(size=(12, n_features)), [0, 1] * 6).blocks_
    assert sorted(np.concatenate(blocks)) == list(range(n_features))
    assert {len(block) for block in blocks[:-1]} <= {size}
    assert 1 <= len(blocks[-1]) <= size


def test_features_constant_within_classes_are_left_for_the_end():
    X, y, _ = planted(3, 2)
    X = np.column_stack([y, X, 2 * y])
    assert CorrelationBlocks(size=2).fit(X, y).blocks_[-1].tolist() == [0, 7]


def test_transform_puts_blocks_side_by_side():
    X, y, _ = planted(4, 2)
    frame = pd.DataFrame(X, columns=[f"probe{i}" for i in range(8)])
    finder = CorrelationBlocks(size=2).fit(frame, y)
    order = np.concatenate(finder.blocks_)
    np.testing.assert_array_equal(finder.transform(frame), X[:, order])
    assert finder.get_feature_names_out().tolist() == [f"probe{i}" for i in order]


def test_residuals_need_samples():
    with pytest.raises(InputError, match="2 more samples than classes"):
        CorrelationBlocks().fit(np.eye(3), [0, 1, 1])
