"""Intervals of proportions: the mass of their posterior, and their ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from xnbflow.evaluation.intervals import proportion_interval


@pytest.mark.parametrize(("right", "n"), [(5, 10), (3.7, 12), (60, 83), (1, 7)])
def test_each_end_leaves_out_a_fortieth_of_the_posterior(right, n):
    """The posterior is binomial likelihood times Jeffreys' prior, 1 / sqrt(p (1 - p)).

    It is integrated here over the angle of which p is the squared sine, where it has no pole.
    """

    def mass(below):
        power = (2 * right, 2 * (n - right))
        return quad(lambda t: np.sin(t) ** power[0] * np.cos(t) ** power[1], 0, below)[0]

    lower, upper = proportion_interval(right, n)
    whole = mass(np.pi / 2)
    assert mass(np.arcsin(np.sqrt(lower))) / whole == pytest.approx(0.025, rel=1e-6)
    assert mass(np.arcsin(np.sqrt(upper))) / whole == pytest.approx(0.975, rel=1e-6)


@given(st.integers(1, 500), st.floats(0, 1))
def test_limits_hold_the_share_and_stay_within_zero_and_one(n, share):
    lower, upper = proportion_interval(share * n, n)
    assert 0 <= lower <= share + 1e-12
    assert share - 1e-12 <= upper <= 1


def test_none_and_all_reach_the_ends():
    lower, upper = proportion_interval([0, 16], 16)
    assert (lower[0], upper[1]) == (0, 1)
    assert upper[0] == pytest.approx(1 - lower[1])


def test_nothing_has_no_interval():
    assert np.isnan(proportion_interval(0, 0)).all()
