"""Strengths by their definition, and rankings at the limits of their tolerances."""

import numpy as np
import pytest

from xnbflow.preprocessing.selection.pair_rankings import PairRankings, RankedFeatures, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import DEFAULT_MIN_BANDWIDTH, pair_strengths

CODES = np.repeat([0, 1], 20)


def test_the_combined_strength_is_the_geometric_mean(rng):
    features = rng.normal(size=(6, 40)) + np.arange(6)[:, None] / 2 * CODES
    strengths = {
        name: pair_strengths(features, CODES, 2, distance=name)
        for name in ("combined", "separation", "hellinger")
    }
    expected = np.sqrt(strengths["separation"] * strengths["hellinger"])
    np.testing.assert_allclose(strengths["combined"], expected)


def test_the_least_bandwidth_is_three_tenths():
    assert DEFAULT_MIN_BANDWIDTH == 0.3


def rankings(strengths, values, codes, n_features):
    shortlist = Shortlist(2, n_features)
    shortlist.keep(np.array([strengths]), np.array(values), None)
    return PairRankings(shortlist, np.array(codes))


def test_less_overlap_of_ranges_ranks_first():
    """Two features with equal means and variances of the classes; their ranges differ."""
    codes = [0, 0, 0, 0, 1, 1, 1, 1]
    wide = [0.0, 2.0, 2.0, 4.0, 3.0, 5.0, 5.0, 7.0]  # ranges 0 to 4 and 3 to 7
    root = np.sqrt(2)
    narrow = [2 - root, 2 - root, 2 + root, 2 + root, 5 - root, 5 - root, 5 + root, 5 + root]
    for values, best in (([wide, narrow], 1), ([narrow, wide], 0)):
        assert rankings([1.0, 1.0], values, codes, 1).chosen(0).tolist() == [best]


def test_features_without_strength_are_not_candidates():
    values = np.random.default_rng(0).normal(size=(3, 8))
    shortlist = Shortlist(2, 3)
    shortlist.keep(np.array([[1.0, 1e-10, 0.0]]), values)
    assert shortlist.candidates[0].tolist() == [0]


def test_features_that_tie_with_the_last_are_candidates():
    values = np.random.default_rng(0).normal(size=(4, 8))
    shortlist = Shortlist(2, 1)
    shortlist.keep(np.array([[1.0, 1.0 - 1e-7, 0.5, 1.0]]), values)
    assert shortlist.candidates[0].tolist() == [0, 1, 2]
    assert shortlist.features.positions.tolist() == [0, 1, 3]
    assert isinstance(shortlist.features, RankedFeatures)


@pytest.mark.parametrize("difference", [0.0, 1e-10])
def test_strengths_equal_up_to_rounding_are_interchangeable(difference):
    rng = np.random.default_rng(0)
    feature = rng.normal(size=8) + np.repeat([0, 3], 4)
    actual = rankings([1.0, 1.0 - difference], [feature, feature], np.repeat([0, 1], 4), 1)
    assert actual.interchangeable(actual.chosen(0), 0)[0].tolist() == [1]
