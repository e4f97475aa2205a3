"""Intervals: constants and corrections against derivations, and coverage by simulation."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, norm, t

from xnbflow.core.entries import Method
from xnbflow.core.significance import ONE_SIDED_LEVEL
from xnbflow.evaluation.methods import shipped_methods
from xnbflow.inference import intervals
from xnbflow.inference.intervals import (
    BELOW,
    CROSS_VALIDATED,
    TUNED_INFLATION,
    Estimate,
    _correlations,
    _design_effect,
    _few_groups_factor,
    area_interval,
    balanced_interval,
    difference,
    effective_samples,
    inflation_of,
    mean_of,
    proportion_interval,
    share_interval,
    share_p,
)


@pytest.mark.parametrize(("n_groups", "quantile"), [(5, 2.776445), (20, 2.093024)])
def test_few_groups_count_by_students_t_with_one_degree_of_freedom_less(n_groups, quantile):
    """Quantiles of Student's t with 4 and 19 degrees of freedom, from a printed table."""
    assert _few_groups_factor(n_groups) == pytest.approx((1.959964 / quantile) ** 2, rel=1e-5)
    right = np.tile([1.0, 1.0, 0.0, 1.0], n_groups)
    groups = np.repeat(np.arange(n_groups), 4)
    expected = 4 * n_groups * (norm.ppf(0.975) / t.ppf(0.975, n_groups - 1)) ** 2
    assert effective_samples(right, groups) == pytest.approx(
        expected / _design_effect(right, groups)
    )
    assert effective_samples(right, np.zeros(4 * n_groups)) == 0.0


def test_a_cross_validation_counts_half_and_a_tuned_one_two_fifths_of_its_samples():
    """Above the estimate; below it four sevenths count, 120 / 7 right ones of 160 / 7."""
    assert (CROSS_VALIDATED, TUNED_INFLATION, BELOW) == (2.0, 2.5, 1.75)
    right = (np.arange(40) >= 10).astype(float)
    for inflation, upper in ((2.0, beta.ppf(0.975, 15.5, 5.5)), (2.5, beta.ppf(0.975, 12.5, 4.5))):
        actual = share_interval(right, inflation=inflation)
        assert actual.lower == pytest.approx(beta.ppf(0.025, 120 / 7 + 0.5, 40 / 7 + 0.5))
        assert actual.upper == pytest.approx(upper)
        assert share_p(right, 0.6, inflation=inflation) == pytest.approx(
            beta.cdf(0.6, 120 / 7 + 0.5, 40 / 7 + 0.5)
        )
    assert share_interval(right).lower == pytest.approx(beta.ppf(0.025, 30.5, 10.5))


def test_perfect_results_of_equal_classes_have_the_lower_limit_of_the_accuracy():
    classes = np.repeat([0, 1, 2], 8)
    whole = share_interval(np.ones(24), inflation=2.0)
    assert balanced_interval(np.ones(24), classes, inflation=2.0) == pytest.approx(whole)
    unequal = np.repeat([0, 1, 2], [8, 8, 9])
    assert balanced_interval(np.ones(25), unequal, inflation=2.0).lower < whole.lower


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
    actual = balanced_interval(right, classes, inflation=2.0)
    of_class = share_interval(right[:per_class], inflation=2.0)
    above = (of_class.upper - 0.5) * np.sqrt(2 + 2 * correlation) / 2
    assert actual.upper == pytest.approx(0.5 + above)
    assert actual.lower == pytest.approx(share_interval(right, inflation=2.0).lower)


@pytest.mark.parametrize("smaller", [4, 8, 16, 1000])
def test_the_upper_limit_of_an_area_is_widened_for_few_samples_of_the_smaller_class(smaller):
    wider = area_interval(0.8, smaller, 1200, inflation=2.0)
    factor = np.sqrt(1 + 16 / smaller)
    plain = area_interval(0.8, smaller / 2, 600)
    assert wider.lower == plain.lower
    assert wider.upper == pytest.approx(min(1.0, 0.8 + (plain.upper - 0.8) * factor))


def test_the_lower_limit_of_an_area_is_at_least_that_of_the_balanced_accuracy():
    """The area is above the two lines through the point of the threshold, whose area it is."""
    classes = np.repeat([0, 1], 10)
    balanced = balanced_interval(np.ones(20), classes, inflation=2.5)
    assert area_interval(1.0, 10, 10, inflation=2.5).lower < balanced.lower
    assert area_interval(1.0, 10, 10, inflation=2.5, balanced=balanced) == balanced
    # an area below the balanced accuracy contradicts this relation, but no limit is below chance
    area = area_interval(0.9, 10, 10, inflation=2.5, balanced=balanced)
    assert area.lower == pytest.approx(balanced.lower - 0.1)
    half_right = balanced_interval(np.tile([0, 1, 1, 1], 5), classes, inflation=2.5)
    assert half_right.lower < 0.5
    plain = area_interval(0.7, 10, 10, inflation=2.5)
    assert area_interval(0.7, 10, 10, inflation=2.5, balanced=half_right) == plain


def test_classes_are_weighted_equally_unless_by_size():
    parts = [Estimate(0.9, 0.8, 1.0), Estimate(0.5, 0.4, 0.6)]
    assert mean_of(parts).value == pytest.approx(0.7)
    assert mean_of(parts, weights=[3, 1]).value == pytest.approx(0.8)
    assert mean_of(parts, np.ones((2, 2))).lower == pytest.approx(0.6)


def test_design_effect_is_the_variance_ratio_of_a_bootstrap_over_groups(rng):
    sizes = rng.integers(1, 9, 400)
    groups = np.repeat(np.arange(400), sizes)
    right = (rng.random(len(groups)) < rng.beta(2, 1, 400)[groups]).astype(float)
    totals = np.bincount(groups, right)
    drawn = rng.integers(0, 400, (4000, 400))
    shares = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    p = right.mean()
    expected = shares.var() / (p * (1 - p) / len(right))
    assert intervals._design_effect(right, groups) == pytest.approx(expected, rel=0.08)


def test_groups_of_one_change_nothing_and_patients_who_are_all_right_count_once():
    right = np.arange(30) % 3 > 0
    assert intervals.share_interval(right, np.arange(30)) == intervals.share_interval(right)
    assert intervals.share_interval(right)[1:] == pytest.approx(proportion_interval(20, 30))
    groups = np.repeat(np.arange(20), 5)
    alone = intervals.share_interval(np.ones(20))
    together = intervals.share_interval(np.ones(100), groups)
    assert together.lower == pytest.approx(alone.lower, abs=0.05)
    assert intervals.share_interval(np.ones(5), np.zeros(5)) == (1.0, 0.0, 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(("n_groups", "samples"), [(8, 2), (10, 5), (20, 5), (40, 2)])
def test_intervals_over_patients_of_both_classes_cover(n_groups, samples):
    """Beta-binomial patients with an intraclass correlation of one half."""
    rng = np.random.default_rng(n_groups)
    groups = np.repeat(np.arange(n_groups), samples)
    classes = np.arange(len(groups)) % 2
    covered = []
    for _ in range(600):
        right = rng.random(len(groups)) < rng.beta(0.7, 0.3, n_groups)[groups]
        accuracy = intervals.share_interval(right, groups)
        balanced = intervals.balanced_interval(right, classes, groups)
        covered.append(
            [interval.lower <= 0.7 <= interval.upper for interval in (accuracy, balanced)]
        )
    # 2.6 standard errors of the share of 600 draws below the nominal 95 %
    assert np.mean(covered, axis=0).min() >= 0.95 - 2.6 * np.sqrt(0.05 * 0.95 / 600)


def test_intervals_of_a_mean_of_recalls_cover():
    """All outcomes of 20 and 8 samples, weighed by their exact probabilities."""
    truth, sizes = (0.85, 0.7), (20, 8)
    held = 0.0
    for hits in itertools.product(*(range(n + 1) for n in sizes)):
        parts = [intervals.share_interval(np.arange(n) < hits[i]) for i, n in enumerate(sizes)]
        actual = intervals.mean_of(parts)
        inside = actual.lower <= np.mean(truth) <= actual.upper
        held += inside * np.prod(binom.pmf(hits, sizes, truth))
    assert 0.93 <= held <= 0.98


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


def test_a_method_declares_that_it_tunes_itself(monkeypatch):
    methods = shipped_methods()
    tuning = {name for name, method in methods.items() if method.tunes_itself}
    assert tuning == {name for name, method in methods.items() if "cv" in method.parameters}
    for entry in ({"method": "csnb_cv"}, {"method": shipped_methods()["csnb_cv"].estimator}):
        assert inflation_of({"steps": [{"method": "imputer"}, entry]}) == TUNED_INFLATION
    lasso = {"method": "sklearn.linear_model.LogisticRegressionCV"}
    assert inflation_of(lasso) == TUNED_INFLATION  # no entry: scikit-learn's name
    added = Method(name="lasso", estimator=lasso["method"], title="", source="")
    monkeypatch.setattr("xnbflow.inference.intervals.known_methods", lambda: {"lasso": added})
    assert inflation_of(lasso) == CROSS_VALIDATED


def test_the_level_of_verdicts_is_a_fortieth():
    assert ONE_SIDED_LEVEL == 0.025


def test_the_design_effect_of_four_patients_by_hand():
    """Two of two, two, one and none right, and half a right and half a wrong group of two.

    The share is 6 / 10. Squared deviations add up to .64 + .64 + .04 + 1.44, and those of the
    halves to (.8² + 1.2²) / 2 = 1.04: 3.8 * 5 / 4 over 10 * .6 * .4 is 1.9792.
    """
    right = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert _design_effect(right, np.repeat(np.arange(4), 2)) == pytest.approx(4.75 / 2.4)


def test_samples_of_classes_count_by_weight_in_the_design_effect():
    """Patient a has two samples of class 0, b and c one of either class; c has an error in each.

    With equal weights samples of class 0 count 6 / (2 * 4) and those of class 1 6 / (2 * 2) times:
    the groups have 1.5, 2.25 and 2.25, 2 on average, of which half is of either class. The shares
    are (2.25 + .5) / (3 + 1) and (1.5 + .5) / 4, on average .59375. Deviations are 1.5 - 1.03125,
    2.25 - 1.265625 and -1.265625.
    """
    right = np.array([1.0, 1.0, 1.0, 1.0, 0.0, 0.0])
    patients = np.array(list("aabbcc"))
    classes = np.array([0, 0, 0, 1, 0, 1])
    deviations = 0.46875**2 + 0.984375**2 + 1.265625**2
    halves = 2 * (0.59375**2 + 0.40625**2)
    expected = (deviations + halves) * 4 / 3 / (8 * 0.59375 * 0.40625)
    actual = _design_effect(right, patients, classes, np.array([0.5, 0.5]))
    assert actual == pytest.approx(expected)


def test_the_design_effect_is_at_least_one():
    assert _design_effect(np.tile([1.0, 0.0], 4), np.repeat(np.arange(4), 2)) == 1.0


def test_two_patients_count_by_students_t_with_one_degree_of_freedom():
    """One is right and one wrong: 4 samples, a design effect of 3 * 3 / 2 / 1.5, t 12.706205."""
    actual = effective_samples(np.array([1.0, 1.0, 0.0, 0.0]), np.array([0, 0, 1, 1]))
    assert actual == pytest.approx(4 * (1.959964 / 12.706205) ** 2 / 3, rel=1e-5)


def test_a_single_patient_is_no_evidence_above_a_limit():
    assert share_p(np.ones(10), 0.5, np.zeros(10)) == 1.0


def test_the_limits_of_an_area_solve_newcombes_equation():
    """Method 5, with n* = (10 + 12) / 2 - 1."""
    actual = area_interval(0.8, 10, 12)
    for limit in (actual.lower, actual.upper):
        spread = 1 + 10 * ((1 - limit) / (2 - limit) + limit / (1 + limit))
        assert (0.8 - limit) ** 2 == pytest.approx(
            1.959964**2 * limit * (1 - limit) * spread / 120, rel=1e-5
        )


def test_recalls_of_one_fixed_classifier_are_independent():
    classes = np.repeat([0, 1], [8, 12])
    right = np.tile([1.0, 0.0], 10)
    above = [share_interval(right[:8]).upper - 0.5, share_interval(right[8:]).upper - 0.5]
    actual = balanced_interval(right, classes)
    assert actual.upper == pytest.approx(0.5 + np.hypot(*above) / 2)
    assert actual.lower == pytest.approx(0.5 - np.hypot(*above) / 2)


@pytest.mark.parametrize(
    ("of_second", "correlation"),
    [([1, 1, 0, 0], 0.75 / np.sqrt(1.0625 * 1.25)), ([0, 0, 1, 0], 0.0)],
)
def test_the_correlation_of_recalls_over_four_patients_by_hand(of_second, correlation):
    """Deviations of (1, 1, 0, 1) from .75 have the product .75 with themselves.

    Half groups add 4 (.75² + .25²) / 8 = .3125; with (1, 1, 0, 0) the products are .5 + .25 and
    1 + .25. Negative correlations are 0.
    """
    right = np.array([1, 1, 0, 1, *of_second], dtype=float)
    actual = _correlations(right, np.repeat([0, 1], 4), np.tile(np.arange(4), 2))
    assert actual == pytest.approx(np.array([[1.0, correlation], [correlation, 1.0]]))


def test_limits_of_a_mean_stay_within_0_and_1():
    wide = [Estimate(0.95, 0.0, 1.0), Estimate(0.05, 0.0, 1.0)]
    actual = mean_of(wide, np.ones((2, 2)))
    assert actual == pytest.approx((0.5, 0.0, 1.0))
    assert mean_of([Estimate(1.0, 0.5, 1.2)]).upper == 1.0


def test_the_limits_of_a_difference_combine_the_opposite_ends():
    """Newcombe (1998), method 10: sqrt(.1² + .15²) below .2, and sqrt(.2² + .1²) above it."""
    actual = difference(Estimate(0.8, 0.7, 1.0), Estimate(0.6, 0.5, 0.75))
    assert actual == pytest.approx((0.2, 0.2 - np.sqrt(0.0325), 0.2 + np.sqrt(0.05)))


@pytest.mark.parametrize(
    ("entry", "inflation"),
    [
        ({"method": "own.Estimator", "params": {"cv": 5}}, 2.5),
        ({"method": "own.Estimator", "params": {"C": 5}}, 2.0),
        ({"method": "own.Estimator"}, 2.0),
        ({"steps": [{"method": "own.FilterCV"}, {"method": "own.Estimator"}]}, 2.0),
    ],
)
def test_the_last_step_decides_whether_a_classifier_tunes_itself(entry, inflation):
    assert inflation_of(entry) == inflation
