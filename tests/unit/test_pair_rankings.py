"""Rankings of features per pair: by strength, ties by the data, and a path over sizes."""

import numpy as np
import pytest
from scipy.stats import norm

from xnbflow.preprocessing.selection.pair_rankings import NEVER, PairRankings, Shortlist
from xnbflow.preprocessing.selection.pair_strengths import distance_of_strength, pair_strengths


@pytest.fixture
def rng():
    return np.random.default_rng(2)


def rankings(strengths, values, codes, n_features=3):
    shortlist = Shortlist(int(max(codes)) + 1, n_features)
    shortlist.absorb(np.asarray(strengths, dtype=float), np.asarray(values, dtype=float))
    return shortlist, PairRankings(shortlist, np.asarray(codes))


def positions(shortlist, chosen):
    return shortlist.features.positions[chosen].tolist()


# --- strengths ----------------------------------------------------------------------------------


def test_separation_is_the_bhattacharyya_distance_of_normal_densities(rng):
    codes = np.repeat([0, 1], [30, 20])
    features = rng.normal(size=(6, 50)) * 10.0 ** np.arange(-3, 3)[:, None]
    features[:, codes == 1] *= 2.5
    found = pair_strengths(features, codes, 2, distance="separation", min_bandwidth=0.4)[0]
    for row, strength in zip(features, found, strict=True):
        moments = []
        for code in (0, 1):
            own = np.sort(row[codes == code])
            at = (np.arange(len(own)) + 0.5) / len(own)
            lower, upper = np.interp([0.25, 0.75], at, own)
            spread = min(own.std(ddof=1), (upper - lower) / 1.349)
            h = max(0.9 * spread, 0.4 * row.std(ddof=1)) * len(own) ** -0.2
            moments.append((own.mean(), own.var() + h**2, len(own)))
        (m1, v1, n1), (m2, v2, n2) = moments
        sd = np.sqrt((n1 * v1 + n2 * v2) / (n1 + n2))
        grid = np.linspace(-40, 40, 200_001) * sd + (m1 + m2) / 2
        overlap = np.sqrt(norm.pdf(grid, m1, sd) * norm.pdf(grid, m2, sd)).sum()
        assert strength == pytest.approx(-np.log(overlap * (grid[1] - grid[0])), rel=1e-6)


def test_the_combined_strength_is_the_geometric_mean(rng):
    codes = np.arange(36) % 3
    features = rng.normal(size=(20, 36)) + codes
    found = {
        name: pair_strengths(features, codes, 3, distance=name)
        for name in ("combined", "separation", "hellinger")
    }
    np.testing.assert_allclose(
        found["combined"] ** 2, found["separation"] * found["hellinger"], rtol=1e-12
    )


def test_some_of_the_samples_are_as_good_as_a_matrix_of_these(rng):
    codes = np.arange(40) % 3
    features = rng.normal(size=(50, 40)) + codes
    samples = rng.permutation(40)[:30]
    np.testing.assert_allclose(
        pair_strengths(features, codes[samples], 3, samples=samples),
        pair_strengths(features[:, samples], codes[samples], 3),
        rtol=1e-12,
    )


def test_strengths_are_distances_without_an_upper_bound():
    assert distance_of_strength(np.array([0.0])) == 0.0
    hellinger = 0.6
    assert distance_of_strength(-np.log1p(-(np.array([hellinger]) ** 2)))[0] == pytest.approx(0.6)


# --- ties ---------------------------------------------------------------------------------------

CODES = np.array([0, 0, 0, 0, 1, 1, 1, 1])


def test_strength_goes_before_all_other_criteria():
    values = [[0, 1, 2, 3, 1, 2, 3, 4], [0, 1, 2, 3, 90, 91, 92, 93]]
    shortlist, ranked = rankings([[2.0, 1.0]], values, CODES, n_features=1)
    assert positions(shortlist, ranked.chosen(0)) == [0]


def test_equal_strengths_are_ranked_by_the_separation_of_the_means():
    values = [[0, 1, 2, 3, 5, 6, 7, 8], [0, 1, 2, 3, 9, 10, 11, 12], [0, 1, 2, 3, 7, 8, 9, 10]]
    rounded = [[1.0, 1.0 - 1e-13, 1.0 + 1e-13]]
    shortlist, ranked = rankings(rounded, values, CODES)
    assert positions(shortlist, ranked.orders[0]) == [1, 2, 0]
    assert len(set(ranked.ties[0])) == 3


def test_equal_separations_are_ranked_by_the_overlap_of_the_ranges():
    # Equal means and variances; the second class reaches less far into the first.
    values = [[0, 0, 0, 4, 3, 7, 7, 7], [0, 4, 4, 4, 7, 7, 7, 3], [0, 0, 0, 4, 7, 3, 3, 3]]
    values[2] = [4 - x for x in values[0][:4]] + [10 - x for x in values[0][4:]]
    gaps = [min(max(v[:4]), max(v[4:])) - max(min(v[:4]), min(v[4:])) for v in values]
    shortlist, ranked = rankings([[1.0, 1.0, 1.0]], values, CODES)
    assert sorted(gaps) == [gaps[f] for f in positions(shortlist, ranked.orders[0])]


def test_what_ties_in_everything_is_interchangeable(rng):
    row = np.concatenate([rng.normal(size=4), rng.normal(size=4) + 5])
    values = [row, 3.0 * row + 7.0, rng.normal(size=8), 0.01 * row]
    strengths = pair_strengths(np.array(values), CODES, 2)
    shortlist, ranked = rankings(strengths, values, CODES, n_features=1)
    (chosen,) = ranked.chosen(0)
    others = ranked.interchangeable(np.array([chosen]), 0)[int(chosen)]
    assert sorted([*positions(shortlist, others), *positions(shortlist, [chosen])]) == [0, 1, 3]


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


# --- the shortlist and the path -----------------------------------------------------------------


@pytest.mark.parametrize("n_features", [None, 1, 7, 500])
def test_chunks_give_the_same_shortlist_as_the_whole(rng, n_features):
    codes = np.arange(20) % 4
    strengths = rng.exponential(size=(6, 300))
    strengths[:, ::7] = strengths[:, :1]
    values = rng.normal(size=(300, 20))
    whole, parts = Shortlist(4, n_features), Shortlist(4, n_features)
    whole.absorb(strengths, values)
    for start in range(0, 300, 64):
        part = slice(start, start + 64)
        parts.absorb(strengths[:, part], values[part])
    np.testing.assert_array_equal(parts.features.positions, whole.features.positions)
    found = [PairRankings(each, codes).orders for each in (parts, whole)]
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_entries_say_from_which_size_on_a_class_has_a_feature(rng):
    codes = np.arange(30) % 3
    strengths = rng.exponential(size=(3, 12))
    values = rng.normal(size=(12, 30))
    longest, ranked = rankings(strengths, values, codes, n_features=6)
    entries = ranked.entries()
    for size in range(1, 7):
        shortlist, own = rankings(strengths, values, codes, n_features=size)
        for code in range(3):
            expected = positions(shortlist, own.chosen(code))
            found = positions(longest, np.flatnonzero(entries[code] <= size))
            assert found == expected
    assert (entries.min(axis=0) <= 6).any()
    assert entries.max() == NEVER
