"""Nogueira's stability index, against printed values."""

import numpy as np
import pytest

from xnbflow.inference.stability import correlated_stability, stability_index

#: The random selection of 4 out of 10 features printed in the demonstration of Nogueira's package.
NOGUEIRA_Z3 = "1111000000 0001011100 0100011100 1100101000 0110110000 0111001000 1001000011"


NOGUEIRA_Z3 += " 0001011100 0011110000 0000100111"


def as_sets(matrix):
    return [{f"g{j}" for j in np.flatnonzero(row)} for row in np.asarray(matrix)]


def from_text(rows):
    return np.array([[int(digit) for digit in row] for row in rows])


def test_values_printed_by_nogueira_s_package():
    assert stability_index(as_sets(from_text(["110"] * 3)), 3).value == 1
    assert stability_index(as_sets(from_text(["110", "011", "101"])), 3).value == pytest.approx(
        -0.5
    )
    random = stability_index(as_sets(from_text(NOGUEIRA_Z3.split())), 10)
    assert random.value == pytest.approx(-0.037037037037)
    assert random.variance == pytest.approx(0.00516666666667)
    margin = 1.959963984540054 * np.sqrt(0.00516666666667)
    assert random.lower == 0.0  # Nogueira's package goes on to -.178
    assert random.upper == pytest.approx(-0.037037037037 + margin)


def test_sets_of_unequal_sizes_are_raters_whose_agreement_is_corrected_for_chance():
    """Fleiss' kappa, and the variance of the influence that each set has on it, as fractions."""
    actual = stability_index(as_sets(from_text(["11000", "11100", "10000", "11011"])), 5)
    assert actual[:2] == pytest.approx((1 / 5, 1 / 50))


@pytest.mark.parametrize(
    ("sets", "n_features"),
    [([set(), set(), set()], 5), ([{"a", "b"}, {"a", "b"}], 2), ([{"a"}], 5)],
    ids=["nothing selected", "everything selected", "one fold"],
)
def test_stability_is_missing_where_it_is_not_defined(sets, n_features):
    assert np.isnan(stability_index(sets, n_features)).all()


def test_without_correlation_the_index_of_correlated_features_is_nogueira_s():
    """Also with sets of unequal sizes, and with the features that no set has left out."""
    matrix = from_text(NOGUEIRA_Z3.split()).astype(bool)
    matrix[0, :6] = True
    expected = stability_index(as_sets(matrix), 30).value
    actual = correlated_stability(matrix, np.eye(10), n_features=30, mean_similarity=0.0)
    assert actual == pytest.approx(expected)


def test_the_index_of_correlated_features_is_one_less_a_ratio_of_traces():
    """Sechidis and others (2020), Definition 3, over all features and not only the selected."""
    rng = np.random.default_rng(0)
    sets = rng.random((6, 12)) < 0.3
    similarity = rng.random((12, 12)) ** 3
    similarity = (similarity + similarity.T) / 2
    np.fill_diagonal(similarity, 1.0)
    covariance = np.cov(sets.T.astype(float))
    sizes, d = sets.sum(axis=1), 12
    share = sizes.mean() / d
    random = np.full((d, d), (np.mean(sizes**2) - sizes.mean()) / (d * (d - 1)) - share**2)
    np.fill_diagonal(random, share * (1 - share))
    expected = 1 - np.trace(similarity @ covariance) / np.trace(similarity @ random)
    used = sets.any(axis=0)
    mean = (similarity.sum() - d) / (d * (d - 1))
    actual = correlated_stability(sets[:, used], similarity[np.ix_(used, used)], d, mean)
    assert actual == pytest.approx(expected)


def test_features_that_replace_each_other_are_as_good_as_equal_ones():
    sets = np.array([[True, True, False], [True, False, True]])
    similar = np.eye(3)
    similar[1, 2] = similar[2, 1] = 1.0
    assert correlated_stability(sets, similar, 50, 0.0) == pytest.approx(1.0)
    assert np.isnan(correlated_stability(sets[:1], similar, 50, 0.0))
    assert np.isnan(correlated_stability(np.zeros((2, 3), dtype=bool), similar, 50, 0.0))
