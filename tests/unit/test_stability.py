"""Stability: values that Nogueira's own programs print, Fleiss' kappa, coverage and edge cases."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from xnbflow.evaluation.stability import stability_index

#: The random selection of 4 out of 10 features printed in the demonstration of Nogueira's package.
NOGUEIRA_Z3 = [
    "1111000000",
    "0001011100",
    "0100011100",
    "1100101000",
    "0110110000",
    "0111001000",
    "1001000011",
    "0001011100",
    "0011110000",
    "0000100111",
]


def as_sets(matrix):
    return [{f"g{j}" for j in np.flatnonzero(row)} for row in np.asarray(matrix)]


def from_text(rows):
    return np.array([[int(digit) for digit in row] for row in rows])


def test_values_printed_by_nogueira_s_package():
    assert stability_index(as_sets(from_text(["110"] * 3)), 3).value == 1
    assert stability_index(as_sets(from_text(["110", "011", "101"])), 3).value == pytest.approx(
        -0.5
    )
    random = stability_index(as_sets(from_text(NOGUEIRA_Z3)), 10)
    assert random.value == pytest.approx(-0.037037037037)
    assert random.variance == pytest.approx(0.00516666666667)
    margin = 1.959963984540054 * np.sqrt(0.00516666666667)
    assert random.lower == 0.0  # Nogueira's package goes on to -.178
    assert random.upper == pytest.approx(-0.037037037037 + margin)


def observed_and_chance_agreement(matrix):
    """Index and variance as agreement of raters corrected for chance: another way to the theorem.

    With p_a the agreement of pairs of sets over features and p_e that by chance, the index is
    Fleiss' kappa; each set's influence follows from its own agreement and chance.
    """
    m, d = matrix.shape
    sizes, p = matrix.sum(axis=1) / d, matrix.mean(axis=0)
    size = sizes.mean()
    by_chance = size**2 + (1 - size) ** 2
    pairs = matrix @ matrix.T + (1 - matrix) @ (1 - matrix).T
    agreement = (pairs.sum() - np.trace(pairs)) / (m * (m - 1) * d)
    index = (agreement - by_chance) / (1 - by_chance)
    own = 1 - sizes - size + 2 * (matrix @ p) / d
    own_chance = (1 - index) * (size * sizes + (1 - size) * (1 - sizes))
    influence = (own - own_chance) / (1 - by_chance)
    return index, 4 / m**2 * np.sum((influence - influence.mean()) ** 2)


@settings(deadline=None, max_examples=80)
@given(
    st.integers(2, 8).flatmap(
        lambda d: st.lists(st.lists(st.booleans(), min_size=d, max_size=d), min_size=2, max_size=7)
    )
)
def test_index_is_fleiss_kappa_and_variance_that_of_its_influences(rows):
    matrix = np.array(rows, dtype=float)
    assume(0 < matrix.mean() < 1)
    ours = stability_index(as_sets(matrix), matrix.shape[1])
    index, variance = observed_and_chance_agreement(matrix)
    assert ours.value == pytest.approx(index, abs=1e-12)
    assert ours.variance == pytest.approx(variance, abs=1e-12)
    assert 0.0 <= ours.lower <= ours.upper <= 1.0


@pytest.mark.parametrize(
    ("sets", "n_features"),
    [([set(), set(), set()], 5), ([{"a", "b"}, {"a", "b"}], 2), ([{"a"}], 5)],
    ids=["nothing selected", "everything selected", "one fold"],
)
def test_stability_is_missing_where_it_is_not_defined(sets, n_features):
    assert np.isnan(stability_index(sets, n_features)).all()


def test_confidence_interval_covers_the_population_s_stability():
    rng = np.random.default_rng(0)
    p = np.concatenate([np.full(5, 0.9), np.full(15, 0.3), np.full(30, 0.02)])
    size = p.mean()
    population = 1 - np.mean(p * (1 - p)) / (size * (1 - size))
    covered = 0
    for _ in range(400):
        stability = stability_index(as_sets(rng.uniform(size=(60, 50)) < p), 50)
        covered += stability.lower < population < stability.upper
    assert 0.91 < covered / 400 < 0.99  # 0.95 nominal, standard error 0.011
