"""Properties of every interval of a mean, and exact coverage in designs of pairs."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom

from xnbflow.inference.intervals import (
    CROSS_VALIDATED,
    TUNED_INFLATION,
    Estimate,
    _correlations,
    accuracy_interval,
    balanced_interval,
    proportion_interval,
    share_interval,
)

INFLATIONS = [1.0, CROSS_VALIDATED, TUNED_INFLATION]
#: Rounding of limits.
NEAR = 1e-9


def paired_answers(both, first, second, neither):
    """Return the right answers of class 0 and of class 1 in pairs, by the outcome of the pairs."""
    of_class_0 = np.repeat([1.0, 1.0, 0.0, 0.0], [both, first, second, neither])
    of_class_1 = np.repeat([1.0, 0.0, 1.0, 0.0], [both, first, second, neither])
    return np.concatenate([of_class_0, of_class_1])


@cache
def paired_limits(n_pairs, inflation):
    """Return the interval of the balanced accuracy by outcome (both, first, second, neither)."""
    classes = np.repeat([0, 1], n_pairs)
    pairs = np.tile(np.arange(n_pairs), 2)
    limits = {}
    for outcome in itertools.product(range(n_pairs + 1), repeat=4):
        if sum(outcome) == n_pairs:
            right = paired_answers(*outcome)
            limits[outcome] = balanced_interval(right, classes, pairs, inflation=inflation)
    return limits


def better_outcomes(outcome):
    """Yield the outcomes of pairs with one more right answer."""
    both, first, second, neither = outcome
    if first:
        yield both + 1, first - 1, second, neither
    if second:
        yield both + 1, first, second - 1, neither
    if neither:
        yield both, first + 1, second, neither - 1
        yield both, first, second + 1, neither - 1


def random_design(rng):
    """Return classes and groups of a random design: samples, patients of one class, or mixed."""
    n_classes = int(rng.integers(2, 4))
    classes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=30)])
    kind = rng.integers(3)
    if kind == 0:
        return classes, None
    groups = rng.integers(10, size=len(classes))
    if kind == 1:
        groups += 100 * classes
    return classes, groups


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("interval_of", [balanced_interval, accuracy_interval])
def test_no_limit_of_a_mean_is_outside_the_limits_of_all_its_parts(interval_of, inflation):
    rng = np.random.default_rng(5)
    for _ in range(400):
        classes, groups = random_design(rng)
        right = (rng.random(len(classes)) < rng.uniform(0.3, 1.05)).astype(float)
        parts = []
        for label in np.unique(classes):
            members = classes == label
            class_groups = None if groups is None else groups[members]
            parts.append(share_interval(right[members], class_groups, inflation=inflation))
        actual = interval_of(right, classes, groups, inflation=inflation)
        assert actual.lower >= min(part.lower for part in parts) - NEAR
        assert actual.upper <= max(part.upper for part in parts) + NEAR
        assert actual.lower <= actual.value <= actual.upper


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("n_pairs", [6, 10, pytest.param(18, marks=pytest.mark.slow)])
def test_one_more_right_answer_of_a_pair_lowers_no_limit(n_pairs, inflation):
    limits = paired_limits(n_pairs, inflation)
    for outcome, interval in limits.items():
        for better in better_outcomes(outcome):
            assert limits[better].lower >= interval.lower - NEAR
            assert limits[better].upper >= interval.upper - NEAR


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("sizes", [(10, 10), (16, 4), (5, 6, 7)])
@pytest.mark.parametrize("interval_of", [balanced_interval, accuracy_interval])
def test_one_more_right_answer_of_a_sample_lowers_no_limit(interval_of, sizes, inflation):
    classes = np.repeat(np.arange(len(sizes)), sizes)

    def interval(hits):
        right = [np.arange(size) < hit for size, hit in zip(sizes, hits, strict=True)]
        return interval_of(np.concatenate(right).astype(float), classes, inflation=inflation)

    for hits in itertools.product(*(range(size) for size in sizes)):
        at_hits = interval(hits)
        for code in range(len(sizes)):
            more = interval([hit + (i == code) for i, hit in enumerate(hits)])
            assert more.lower >= at_hits.lower - NEAR
            assert more.upper >= at_hits.upper - NEAR


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("n_pairs", [6, 8, 10, 12, 16, 20])
def test_balanced_accuracy_and_accuracy_of_pairs_are_one_estimate(n_pairs, inflation):
    """Both are the share of right answers, in particular where all are right."""
    classes = np.repeat([0, 1], n_pairs)
    pairs = np.tile(np.arange(n_pairs), 2)
    for outcome in [(n_pairs, 0, 0, 0), (n_pairs - 2, 1, 1, 0), (n_pairs - 3, 2, 0, 1)]:
        right = paired_answers(*outcome)
        balanced = balanced_interval(right, classes, pairs, inflation=inflation)
        assert accuracy_interval(right, classes, pairs, inflation=inflation) == pytest.approx(
            balanced
        )


def test_perfect_pairs_have_the_interval_of_their_recalls():
    """With all answers right nothing contradicts that a pair is one observation."""
    classes = np.repeat([0, 1], 10)
    pairs = np.tile(np.arange(10), 2)
    of_class = share_interval(np.ones(10))
    actual = balanced_interval(np.ones(20), classes, pairs)
    assert actual == pytest.approx(Estimate(1.0, of_class.lower, 1.0))
    assert actual.lower == pytest.approx(0.783, abs=0.001)  # .749 with the factor twice


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("per_class", [4, 9, 20])
def test_balanced_accuracy_of_equal_classes_has_the_interval_of_the_accuracy(
    per_class, n_classes, inflation
):
    """Any errors of samples, of patients of one class, and of patients with all classes."""
    rng = np.random.default_rng([per_class, n_classes])
    classes = np.repeat(np.arange(n_classes), per_class)
    samples = np.arange(len(classes))
    for _ in range(10):
        right = (rng.random(len(classes)) < rng.choice([0.5, 0.8, 0.95, 1.0])).astype(float)
        for groups in (None, samples, samples // 2 if per_class % 2 == 0 else None):
            balanced = balanced_interval(right, classes, groups, inflation=inflation)
            assert balanced == accuracy_interval(right, classes, groups, inflation=inflation)
        paired = balanced_interval(right, classes, samples % per_class, inflation=inflation)
        of_accuracy = accuracy_interval(right, classes, samples % per_class, inflation=inflation)
        assert paired == pytest.approx(of_accuracy)


@pytest.mark.parametrize("inflation", INFLATIONS)
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_perfect_results_of_equal_classes_are_one_estimate(n_classes, inflation):
    """Samples, and patients with a sample of each class."""
    classes = np.repeat(np.arange(n_classes), 9)
    for groups in (None, np.tile(np.arange(9), n_classes)):
        right = np.ones(len(classes))
        balanced = balanced_interval(right, classes, groups, inflation=inflation)
        assert accuracy_interval(right, classes, groups, inflation=inflation) == pytest.approx(
            balanced
        )


def test_correlations_of_recalls_are_at_most_one():
    for n_pairs, n_wrong in itertools.product([2, 3, 6, 10], range(3)):
        wrong = np.arange(n_pairs) < n_wrong
        actual = _correlations(
            np.tile(~wrong, 2).astype(float),
            np.repeat([0, 1], n_pairs),
            np.tile(np.arange(n_pairs), 2),
        )
        assert actual == pytest.approx(np.ones((2, 2)))  # right and wrong together


def exact_coverage(limits, shares, correlation):
    """Return the probabilities that the truth is below, and above, the interval."""
    first, second = shares
    product = correlation * np.sqrt(first * (1 - first) * second * (1 - second))
    product = min(product, first * (1 - second), second * (1 - first))
    both = first * second + product
    of_outcomes = np.array([both, first - both, second - both, 1 - first - second + both])
    outcomes = np.array(list(limits))
    logs = gammaln(outcomes.sum(axis=1) + 1) - gammaln(outcomes + 1).sum(axis=1)
    logs += outcomes @ np.log(np.maximum(of_outcomes, 1e-300))
    probability = np.exp(logs)
    intervals = np.array([limits[tuple(outcome)] for outcome in outcomes.tolist()])
    truth = sum(shares) / 2
    below = probability[intervals[:, 1] > truth + NEAR].sum()
    above = probability[intervals[:, 2] < truth - NEAR].sum()
    return below, above


@pytest.mark.slow
@pytest.mark.parametrize("n_pairs", [6, 8, 10, 12, 16, 18])
def test_intervals_of_pairs_cover(n_pairs):
    """Exact, over shares of .6 to .98 and correlations of 0 to 1 within pairs.

    Pairs that are right and wrong together are one sample each, so that the interval of one fixed
    classifier cannot cover more than Jeffreys' interval of as many samples; it has at least .93 or
    that coverage. A cross-validation, whose effective samples are fewer, has .93 everywhere.
    """
    shares = [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98]
    designs = [(share, share) for share in shares] + [(0.98, 0.7), (0.95, 0.8), (0.9, 0.6)]
    for inflation in INFLATIONS:
        limits = paired_limits(n_pairs, inflation)
        coverages = []
        for design, correlation in itertools.product(designs, [0.0, 0.5, 1.0]):
            coverage = 1 - sum(exact_coverage(limits, design, correlation))
            least = 0.93
            if inflation == 1.0 and design[0] == design[1]:
                least = min(least, coverage_of_one_class(n_pairs, design[0]))
            assert coverage >= least - NEAR
            coverages.append(coverage)
        assert np.mean(coverages) >= 0.96


def coverage_of_one_class(n_samples, share):
    """Return the coverage of Jeffreys' interval of independent samples."""
    hits = np.arange(n_samples + 1)
    lower, upper = proportion_interval(hits, n_samples)
    inside = (lower <= share + NEAR) & (share <= upper + NEAR)
    return float(binom.pmf(hits, n_samples, share)[inside].sum())
