"""Constants and corrections of intervals, each against a derivation with literal numbers."""

import numpy as np
import pytest
from scipy.stats import beta, norm, t

from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    TUNED,
    Estimate,
    area_interval,
    balanced_interval,
    design_effect,
    effective_samples,
    few_groups_factor,
    mean_of,
    share_interval,
    share_p,
)


@pytest.mark.parametrize(("n_groups", "quantile"), [(5, 2.776445), (20, 2.093024)])
def test_few_groups_count_by_students_t_with_one_degree_of_freedom_less(n_groups, quantile):
    """Quantiles of Student's t with 4 and 19 degrees of freedom, from a printed table."""
    assert few_groups_factor(n_groups) == pytest.approx((1.959964 / quantile) ** 2, rel=1e-5)
    right = np.tile([1.0, 1.0, 0.0, 1.0], n_groups)
    groups = np.repeat(np.arange(n_groups), 4)
    expected = 4 * n_groups * (norm.ppf(0.975) / t.ppf(0.975, n_groups - 1)) ** 2
    assert effective_samples(right, groups) == pytest.approx(
        expected / design_effect(right, groups)
    )
    assert effective_samples(right, np.zeros(4 * n_groups)) == 0.0


def test_a_cross_validation_counts_half_and_a_tuned_one_two_fifths_of_its_samples():
    assert (CROSS_VALIDATED, TUNED) == (2.0, 2.5)
    right = np.arange(40) >= 10
    found = share_interval(right.astype(float), inflation=CROSS_VALIDATED)
    assert found.lower == pytest.approx(beta.ppf(0.025, 15.5, 5.5))
    assert found.upper == pytest.approx(beta.ppf(0.975, 15.5, 5.5))
    assert share_p(right.astype(float), 0.6, inflation=CROSS_VALIDATED) == pytest.approx(
        beta.cdf(0.6, 15.5, 5.5)
    )


@pytest.mark.parametrize(("errors", "upper_is_one"), [(2, True), (3, False)])
def test_at_most_one_effective_error_has_an_upper_limit_of_one(errors, upper_is_one):
    right = (np.arange(40) >= errors).astype(float)
    assert (share_interval(right, inflation=2.0).upper == 1.0) == upper_is_one
    assert share_interval(right).upper < 1.0  # one fixed classifier


@pytest.mark.parametrize(("per_class", "correlation"), [(16, 0.5), (8, 1.0), (4, 1.0)])
def test_upper_limits_of_few_samples_are_combined_with_a_correlation(per_class, correlation):
    """8 over the samples of a class: of two equal distances d the root is d sqrt(2 + 2 r) / 2."""
    classes = np.repeat([0, 1], per_class)
    right = np.tile((np.arange(per_class) >= per_class // 2).astype(float), 2)
    found = balanced_interval(right, classes, inflation=2.0)
    of_class = share_interval(right[:per_class], inflation=2.0)
    above = (of_class.upper - 0.5) * np.sqrt(2 + 2 * correlation) / 2
    assert found.upper == pytest.approx(0.5 + above)
    assert found.lower == pytest.approx(0.5 - (0.5 - of_class.lower) / np.sqrt(2))


@pytest.mark.parametrize("smaller", [4, 8, 16, 1000])
def test_the_upper_limit_of_an_area_is_widened_for_few_samples_of_the_smaller_class(smaller):
    plain = area_interval(0.8, 10, 12)
    wider = area_interval(0.8, 10, 12, smaller_class=smaller)
    factor = np.sqrt(1 + 16 / smaller)
    assert wider.lower == plain.lower
    assert wider.upper == pytest.approx(min(1.0, 0.8 + (plain.upper - 0.8) * factor))


def test_classes_are_weighted_equally_unless_by_size():
    parts = [Estimate(0.9, 0.8, 1.0), Estimate(0.5, 0.4, 0.6)]
    assert mean_of(parts).value == pytest.approx(0.7)
    assert mean_of(parts, weights=[3, 1]).value == pytest.approx(0.8)
    assert mean_of(parts, np.ones((2, 2))).lower == pytest.approx(0.6)
