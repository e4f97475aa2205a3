"""Nogueira's stability index, against printed values."""

import numpy as np
import pytest

from xnbflow.inference.stability import stability_index

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
