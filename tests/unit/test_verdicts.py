"""Intervals that count patients, and the rule of verdicts: designs, bootstrap, simulation."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from xnbflow.evaluation import intervals
from xnbflow.evaluation.rank_tests import adjust_pairwise
from xnbflow.evaluation.verdicts import holm, overconfidence_p, performance, verdict


def test_design_effect_is_the_variance_ratio_of_a_bootstrap_over_groups():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 9, 400)
    groups = np.repeat(np.arange(400), sizes)
    right = (rng.random(len(groups)) < rng.beta(2, 1, 400)[groups]).astype(float)
    totals = np.bincount(groups, right)
    drawn = rng.integers(0, 400, (4000, 400))
    shares = totals[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    p = right.mean()
    expected = shares.var() / (p * (1 - p) / len(right))
    assert intervals.design_effect(right, groups) == pytest.approx(expected, rel=0.08)


def test_groups_of_one_change_nothing():
    right = np.arange(30) % 3 > 0
    assert intervals.share_interval(right, np.arange(30)) == intervals.share_interval(right)
    expected = [float(limit) for limit in intervals.proportion_interval(20, 30)]
    assert intervals.share_interval(right)[1:] == pytest.approx(expected)


def test_patients_who_are_all_right_do_not_count_their_samples():
    groups = np.repeat(np.arange(20), 5)
    alone = intervals.share_interval(np.ones(20))
    together = intervals.share_interval(np.ones(100), groups)
    assert together.lower == pytest.approx(alone.lower, abs=0.05)
    assert intervals.effective_samples(np.ones(5), np.zeros(5)) == 0
    assert intervals.share_interval(np.ones(5), np.zeros(5)) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize("n_groups", [10, 20, 40])
def test_intervals_over_patients_cover(n_groups):
    """Beta-binomial patients of 5 samples with an intraclass correlation of one half."""
    rng = np.random.default_rng(n_groups)
    groups = np.repeat(np.arange(n_groups), 5)
    held = []
    for _ in range(600):
        right = rng.random(len(groups)) < rng.beta(0.7, 0.3, n_groups)[groups]
        _, lower, upper = intervals.share_interval(right, groups)
        held.append(lower <= 0.7 <= upper)
    assert np.mean(held) >= 0.95 - 2.6 * np.sqrt(0.05 * 0.95 / 600)


def test_intervals_of_a_mean_of_recalls_cover():
    """All outcomes of 20 and 8 samples, weighed by their exact probabilities."""
    truth, sizes = (0.85, 0.7), (20, 8)
    held = 0.0
    for first in range(sizes[0] + 1):
        for second in range(sizes[1] + 1):
            weight = binom.pmf(first, sizes[0], truth[0]) * binom.pmf(second, sizes[1], truth[1])
            parts = [
                intervals.Estimate(hits / n, *map(float, intervals.proportion_interval(hits, n)))
                for hits, n in zip((first, second), sizes, strict=True)
            ]
            found = intervals.mean_of(parts)
            held += weight * (found.lower <= np.mean(truth) <= found.upper)
    assert 0.93 <= held <= 0.98


def predictions(codes, wrong, n_classes=2):
    hot = np.eye(n_classes)[codes]
    hot[wrong] = np.roll(hot[wrong], 1, axis=1)
    return hot


CODES = np.repeat([0, 1], 20)


def test_choosing_the_best_of_six_multiplies_p_and_widens_intervals():
    one, six = (performance(CODES, predictions(CODES, [0, 25]), choices=n) for n in (1, 6))
    assert six.accuracy.lower < one.accuracy.lower
    assert verdict(one, 0.005).level == "well supported"
    assert verdict(six, 0.005, choices=6).level == "not supported"


@pytest.mark.parametrize(
    ("lower", "upper", "reasons"),
    [(0.4, 1.0, []), (0.39, 1.0, ["stability unknown"]), (0.0, 0.4, ["stability unknown"]),
     (0.0, 0.39, ["stability"]), (np.nan, np.nan, [])],
)  # fmt: skip
def test_stability_is_judged_by_its_interval(lower, upper, reasons):
    found = verdict(
        performance(CODES, predictions(CODES, [])), 0.01, intervals.Estimate(0.5, lower, upper)
    )
    assert found.reasons == reasons
    assert found.level == ("partly supported" if reasons else "well supported")


def test_always_naming_the_largest_class_is_never_supported():
    codes = np.repeat([0, 1], [90, 10])
    found = performance(codes, np.eye(2)[np.zeros(100, dtype=int)])
    assert not any(row.recognised for row in found.classes)
    assert verdict(found, 0.005).level == "not supported"


def test_recognition_needs_more_than_half_and_more_than_false_alarms():
    """Of class 1 six of ten are found, but so are 40 of 90 others."""
    codes = np.repeat([0, 1], [90, 10])
    found = performance(codes, predictions(codes, [*range(40), *range(90, 94)]), inflation=1.0)
    assert found.classes[1].recall.value == pytest.approx(0.6)
    assert not found.classes[1].recognised


def test_overconfidence_is_exact():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.5, 1, 10)
    for right in (4, 7, 10):
        expected = sum(
            np.prod(np.where(outcome, p, 1 - p))
            for outcome in itertools.product([True, False], repeat=10)
            if sum(outcome) <= right
        )
        assert overconfidence_p(p, np.arange(10) < right) == pytest.approx(expected)


def test_patients_count_once_for_overconfidence():
    p, groups = np.full(40, 0.9), np.repeat(np.arange(8), 5)
    right = np.repeat([1, 1, 1, 1, 1, 1, 0, 0], 5)
    expected = overconfidence_p(p[:8], right[::5])
    assert overconfidence_p(p, right, groups) == pytest.approx(expected)
    assert overconfidence_p(p, right) < expected


def test_holm_is_that_of_pairs():
    p = np.array([0.02, 0.5, 0.004, 0.03, 0.2, 0.011])
    expected = adjust_pairwise(p, 4)["holm"].to_numpy()
    assert holm(p) == pytest.approx(expected)
    assert np.isnan(holm([0.01, np.nan])).tolist() == [False, True]


def test_what_a_class_is_taken_for():
    codes = np.repeat([0, 1, 2], 10)
    predicted = codes.copy()
    predicted[20:27], predicted[27] = 0, 1
    row = performance(codes, np.eye(3)[predicted]).classes[2]
    assert (row.taken_for, row.taken) == (0, 7)
    assert performance(codes, np.eye(3)[codes]).classes[0].taken_for == -1
