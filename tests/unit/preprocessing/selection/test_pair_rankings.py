"""Which features are selected: rankings per pair, their true separation, SelectiveNB."""

import numpy as np
import published_xnb
import pytest
from scipy.stats import norm

from xnbflow.preprocessing.selection.pair_rankings import PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import pair_strengths


def rankings(strengths, values, codes, n_features=3):
    shortlist = Shortlist(int(max(codes)) + 1, n_features)
    shortlist.keep(np.asarray(strengths, dtype=float), np.asarray(values, dtype=float))
    return shortlist, PairRankings(shortlist, np.asarray(codes))


def positions(shortlist, chosen):
    return shortlist.features.positions[chosen].tolist()


def test_separation_is_the_bhattacharyya_distance_of_normal_densities(rng):
    codes = np.repeat([0, 1], [30, 20])
    features = rng.normal(size=(6, 50)) * 10.0 ** np.arange(-3, 3)[:, None]
    features[:, codes == 1] *= 2.5
    actual = pair_strengths(features, codes, 2, distance="separation", min_bandwidth=0.4)[0]
    for row, strength in zip(features, actual, strict=True):
        moments = []
        for code in (0, 1):
            class_values = row[codes == code]
            h = max(
                published_xnb.bandwidth(class_values),
                0.4 * row.std(ddof=1) * len(class_values) ** -0.2,
            )
            moments.append((class_values.mean(), class_values.var() + h**2, len(class_values)))
        (m1, v1, n1), (m2, v2, n2) = moments
        sd = np.sqrt((n1 * v1 + n2 * v2) / (n1 + n2))
        grid = np.linspace(-40, 40, 200_001) * sd + (m1 + m2) / 2
        overlap = np.sqrt(norm.pdf(grid, m1, sd) * norm.pdf(grid, m2, sd)).sum()
        assert strength == pytest.approx(-np.log(overlap * (grid[1] - grid[0])), rel=1e-6)


def test_some_of_the_samples_are_as_good_as_a_matrix_of_these(rng):
    codes = np.arange(40) % 3
    features = rng.normal(size=(50, 40)) + codes
    samples = rng.permutation(40)[:30]
    actual = pair_strengths(features, codes[samples], 3, samples=samples)
    expected = pair_strengths(features[:, samples], codes[samples], 3)
    np.testing.assert_allclose(actual, expected, rtol=1e-12)


def test_equal_strengths_are_ranked_by_the_separation_of_the_means():
    values = [[0, 1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 3, 9, 10, 11, 12], [0, 1, 2, 3, 7, 8, 9, 10]]
    rounded = [[1.0, 1.0 - 1e-13, 1.0 + 1e-13]]
    shortlist, ranked = rankings(rounded, values, np.repeat([0, 1], 4))
    assert positions(shortlist, ranked.orders[0]) == [1, 2, 0]
    assert len(set(ranked.ties[0])) == 3


def test_which_of_the_interchangeable_is_taken_does_not_depend_on_order(rng):
    # The values of each class in another order: all marginal criteria tie.
    base = np.concatenate([rng.normal(size=6), rng.normal(size=6) + 3])
    codes = np.repeat([0, 1], 6)
    shuffled = [np.concatenate([rng.permutation(base[:6]), rng.permutation(base[6:])])]
    values = np.array([base, *shuffled, *rng.normal(size=(3, 12))])
    strengths = pair_strengths(values, codes, 2)
    shortlist, ranked = rankings(strengths, values, codes, n_features=1)
    first = shortlist.features.values[ranked.chosen(0)][0]
    for _ in range(10):
        rows, samples = rng.permutation(5), rng.permutation(12)
        other = values[np.ix_(rows, samples)]
        strengths = pair_strengths(other, codes[samples], 2)
        shortlist, ranked = rankings(strengths, other, codes[samples], n_features=1)
        np.testing.assert_array_equal(
            shortlist.features.values[ranked.chosen(0)][0], first[samples]
        )


def test_equal_separations_are_ranked_by_the_overlap_of_the_ranges():
    # Both have mean 0 and variance 1 in the first class, and the same 2 higher in the second.
    wide = np.array([-np.sqrt(2.0), 0.0, 0.0, np.sqrt(2.0)])
    narrow = np.array([-1.0, -1.0, 1.0, 1.0])
    values = [np.concatenate([row, row + 2.0]) for row in (wide, narrow)]
    shortlist, ranked = rankings([[1.0, 1.0]], values, np.repeat([0, 1], 4))
    assert positions(shortlist, ranked.orders[0]) == [1, 0]
    assert len(set(ranked.ties[0])) == 2


def test_interchangeable_features_are_ranked_by_their_covariance_with_the_squared_profile():
    first = [0.0, 1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0]
    second = [3.0, 2.0, 1.0, 0.0, 8.0, 7.0, 6.0, 5.0]
    common = [0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 4.0]  # its square is high where the first is high
    for order in ([first, second], [second, first]):
        strengths = [[1.0, 1.0, *[0.5] * 5]]
        codes = np.repeat([0, 1], 4)
        shortlist, ranked = rankings(strengths, [*order, *[common] * 5], codes)
        assert shortlist.features.values[ranked.orders[0]][0].tolist() == first
        assert ranked.ties[0][0] == ranked.ties[0][1]


def test_features_without_strength_are_not_taken():
    values = np.random.default_rng(0).normal(size=(3, 8))
    shortlist, ranked = rankings([[0.5, 0.0, 1e-10]], values, np.repeat([0, 1], 4))
    assert positions(shortlist, ranked.chosen(0)) == [0]


def test_a_tie_in_strength_is_decided_by_the_separation_before_the_overlap():
    """Means 4.4 apart in standard deviations of 1.27, with a common range of .1; or 1.05 in .32.

    The squared ratios are 11.9 and 10.9.
    """
    codes = np.repeat([0, 1], 10)
    far_and_overlapping = np.r_[np.zeros(9), 6.0, np.linspace(4.95, 5.05, 10)]
    near_and_apart = np.r_[np.linspace(0.0, 1.0, 10), np.linspace(1.05, 2.05, 10)]
    for values in ([near_and_apart, far_and_overlapping], [far_and_overlapping, near_and_apart]):
        _, ranked = rankings([[1.0, 1.0]], values, codes, n_features=1)
        first = ranked.orders[0][0]
        assert values[first] is far_and_overlapping
