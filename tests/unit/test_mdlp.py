"""Claims about MDLPDiscretizer."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from xnbflow.preprocessing import MDLPDiscretizer
from xnbflow.preprocessing.mdlp import mdlp_cut_points


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
    parts = [y[x <= low], y[x > low]]
    k, *ks = (len(np.unique(part)) for part in (y, *parts))
    delta = np.log2(3**k - 2) - (
        k * entropy(y) - sum(j * entropy(part) for j, part in zip(ks, parts, strict=True))
    )
    if entropy(y) - weighted <= (np.log2(len(y) - 1) + delta) / len(y):
        return []
    below, above = x <= low, x > low
    return [
        *cuts_by_recursion(x[below], y[below]),
        (low + high) / 2,
        *cuts_by_recursion(x[above], y[above]),
    ]


def test_cut_points_of_iris_are_those_of_the_r_package_discretization():
    # the example of its function mdlp
    X, y = load_iris(return_X_y=True)
    cuts = MDLPDiscretizer().fit(X, y).cut_points_
    expected = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.80, 1.75]]
    for found, printed in zip(cuts, expected, strict=True):
        np.testing.assert_allclose(found, printed)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 4), st.integers(2, 120))
def test_cut_points_are_those_of_the_procedure(seed, n_classes, n_samples):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n_samples)
    values = np.round(rng.normal(codes * rng.choice([0.0, 1.0, 4.0])), 1)
    # ties between equally good cuts are broken alike: the lowest
    np.testing.assert_allclose(
        mdlp_cut_points(values, codes, n_classes), cuts_by_recursion(values, codes)
    )


@pytest.mark.parametrize(
    ("below", "above", "n_cuts"), [("0", "11111", 1), ("0000", "11110", 1), ("0000", "11100", 0)]
)
def test_the_cost_of_a_cut_is_that_of_the_paper_to_the_bit(below, above, n_cuts):
    # gains of the first two lie between the costs with 3**k - 2 and with 3**k - 1
    codes = np.array([int(c) for c in below + above])
    values = np.repeat([0.0, 1.0], [len(below), len(above)])
    assert len(mdlp_cut_points(values, codes, 2)) == n_cuts == len(cuts_by_recursion(values, codes))


def test_a_value_on_a_cut_point_belongs_below():
    discretizer = MDLPDiscretizer().fit(np.r_[0:10, 20:30][:, None], np.repeat([0, 1], 10))
    assert discretizer.cut_points_[0].tolist() == [14.5]
    assert discretizer.transform([[14.5], [14.6], [-99.0], [99.0]]).ravel().tolist() == [0, 1, 0, 1]


def test_hundreds_of_classes_do_not_overflow():
    codes = np.repeat(np.arange(800), 3)
    cuts = mdlp_cut_points(codes.astype(float), codes, 800)
    assert np.isfinite(cuts).all()
