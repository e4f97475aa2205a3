"""The combination of statistics by their least weighted p, against its definition."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import beta

from xnbflow.inference.combined_test import _counts_at_least, combined_test, limits_of_p

SHARES = {"means": 5, "spread": 1, "all": 4}


def least_weighted_p(scores):
    """Return the p of every order by the definition, in fractions: ranks of ranks, pair by pair."""
    n_orders = len(scores["means"])
    least = []
    for order in range(n_orders):
        weighted = []
        for name, values in scores.items():
            p = Fraction(sum(value >= values[order] for value in values), n_orders)
            weighted.append(p / Fraction(SHARES[name], 10))
        least.append(min(weighted))
    return [Fraction(sum(m <= least[order] for m in least), n_orders) for order in range(n_orders)]


@pytest.mark.parametrize("decimals", [1, 8])
def test_p_is_that_of_the_definition_with_and_without_ties(rng, decimals):
    for _ in range(20):
        scores = {name: rng.normal(size=37).round(decimals) for name in SHARES}
        test = combined_test(scores, SHARES)
        assert Fraction(test.at_least, test.n_orders) == least_weighted_p(scores)[0]


def test_p_of_every_order_has_at_most_its_level(rng):
    """Each order in the place of the true one: at most a share a of them has p <= a."""
    scores = {"means": rng.normal(size=40).round(1), "all": rng.normal(size=40)}
    scores["spread"] = scores["means"] + 0.1 * rng.normal(size=40)  # they may depend on each other
    p_values = []
    for order in range(40):
        rolled = {name: np.roll(values, -order) for name, values in scores.items()}
        p_values.append(combined_test(rolled, SHARES).p_value)
    for level in np.arange(1, 41) / 40:
        assert np.mean(np.array(p_values) <= level) <= level


def test_scores_that_differ_by_rounding_are_equal_in_every_order():
    values = [0.5, 0.5 + 4e-7, 0.5 + 8e-7, 0.7, 0.3]
    for order in itertools.permutations(range(5)):
        counts = _counts_at_least(np.array(values)[list(order)])
        assert counts[np.argsort(order)].tolist() == [4, 4, 4, 1, 5]


def test_the_statistic_that_decides_has_the_least_weighted_p():
    """p of .2, .1 and .5, divided by .5, .1 and .4: .4, 1 and 1.25."""
    values = np.arange(10.0)
    scores = {"means": np.roll(values, 2), "spread": np.roll(values, 1), "all": np.roll(values, 5)}
    test = combined_test(scores, SHARES)
    assert test.p_values == {"means": 0.2, "spread": 0.1, "all": 0.5}
    assert test.statistic == "means"


def test_limits_are_those_of_the_permutations_without_the_true_order():
    """7 of 19 permutations are as good: the limits of Clopper and Pearson for 7 of 19."""
    scores = {"means": np.array([0.5] + [1.0] * 7 + [0.0] * 12)}
    lower, upper = limits_of_p(scores, SHARES, {"means": 0.0})
    assert (lower, upper) == pytest.approx((beta.ppf(0.025, 7, 13), beta.ppf(0.975, 8, 12)))
    assert limits_of_p(scores, SHARES, {"means": 0.0}, is_complete=True) == (0.4, 0.4)


def test_limits_include_the_margins_of_the_true_score():
    """.5 with a margin of .2 among 99 scores: those above .7 and above .3."""
    null = np.linspace(0.005, 0.995, 100)[:-1]
    scores = {"means": np.concatenate([[0.5], null])}
    lower, upper = limits_of_p(scores, SHARES, {"means": 0.2})
    n_above, n_above_less = np.sum(null > 0.7), np.sum(null > 0.3)
    assert lower == pytest.approx(beta.ppf(0.025, n_above, 100 - n_above))
    assert upper == pytest.approx(beta.ppf(0.975, n_above_less + 1, 99 - n_above_less))
