"""MDLP: cut points of the R package discretization, and of the procedure step by step."""

import itertools

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from xnbflow.papers.directional.mdlp import cut_features, interval_numbers


def entropy(y):
    share = np.unique(y, return_counts=True)[1] / len(y)
    return -np.sum(share * np.log2(share))


def cuts_by_recursion(x, y):
    """Fayyad and Irani's procedure as their paper words it, one cut at a time."""
    values = np.unique(x)
    best = None
    for low, high in itertools.pairwise(values):
        left, right = y[x <= low], y[x > low]
        weighted = (len(left) * entropy(left) + len(right) * entropy(right)) / len(y)
        if best is None or weighted < best[0] - 1e-12:
            best = (weighted, low, high)
    if best is None:
        return []
    weighted, low, high = best
    left, right = y[x <= low], y[x > low]
    k = len(np.unique(y))
    in_parts = len(np.unique(left)) * entropy(left) + len(np.unique(right)) * entropy(right)
    delta = np.log2(3**k - 2) - (k * entropy(y) - in_parts)
    if entropy(y) - weighted <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    below = cuts_by_recursion(x[x <= low], y[x <= low])
    above = cuts_by_recursion(x[x > low], y[x > low])
    return [*below, (low + high) / 2, *above]


def test_cut_points_of_iris_are_those_of_the_r_package_discretization():
    # the example of its function mdlp
    X, y = load_iris(return_X_y=True)
    cuts = cut_features(X.T, y, 3)
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.80, 1.75]]
    for actual, printed in zip(cuts, expected, strict=True):
        np.testing.assert_allclose(actual, printed)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 120))
@example(326, 4, 5)  # two cuts are equally good
@example(33, 4, 60)  # a part lacks two classes, which its cost does not count
def test_cut_points_are_those_of_the_procedure(seed, n_classes, n_samples):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n_samples)
    values = np.round(rng.normal(codes * rng.choice([0.0, 1.0, 4.0])), 1)
    np.testing.assert_allclose(
        cut_features(values[None], codes, n_classes)[0], cuts_by_recursion(values, codes)
    )


def test_a_cut_point_belongs_to_the_interval_below():
    features = np.array([[1.0, 5.5, 5.6, 9.0], [0.0, 1.0, 2.0, 3.0]])
    cuts = [np.array([5.5, 8.0]), np.empty(0)]
    assert interval_numbers(features, cuts).tolist() == [[0, 0, 1, 2], [0, 0, 0, 0]]
