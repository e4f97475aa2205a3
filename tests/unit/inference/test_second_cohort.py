"""The verdict in a second cohort, case by case, with independent counts of chance."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import hypergeom, mannwhitneyu, norm

from xnbflow.diagnostics.shared_samples import PatientMatch
from xnbflow.inference.estimates import performance
from xnbflow.inference.second_cohort import (
    _exchanged_classes,
    _permutation_p,
    _ranking,
    _samples_for_threshold,
    cohort_verdict,
)

CODES = np.repeat([0, 1], 10)
SAME = PatientMatch(20, 20, 0.0002)


@pytest.mark.parametrize(
    ("match", "level"),
    [
        (SAME, "cannot be judged"),
        (PatientMatch(20, 20, 0.0011), "held"),
        (PatientMatch(10, 20, 0.0002), "held"),
        (None, "held"),
    ],
)
def test_the_same_patients_limit_the_verdict(match, level):
    validated = performance(CODES, np.eye(2)[CODES])
    actual = cohort_verdict(validated, CODES, CODES, 2, patients=match)
    assert actual.level == level
    if level != "held":
        assert "20 of 20 pairs of samples are each other's nearest, p = 0.0002" in actual.reason
    wrong = cohort_verdict(validated, CODES, np.roll(CODES, 5), 2, patients=match)
    assert wrong.level == "not held"


def test_the_interval_of_a_ranking_counts_groups_without_inflation():
    """Newcombe's method 5: the area 1 of n and n solves its equation for the lower limit."""
    scores, patients = np.arange(20.0), np.arange(20) // 2
    for limit, n in (
        (_ranking(CODES, scores).lower, 10),
        (_ranking(CODES, scores, patients).lower, 5),
    ):
        spread = 1 + (n - 1) * ((1 - limit) / (2 - limit) + limit / (1 + limit))
        error = 1.959964**2 * limit * (1 - limit) * spread / n**2
        assert (1 - limit) ** 2 == pytest.approx(error, rel=1e-5)
    assert _ranking(CODES, scores, patients) == _ranking(np.repeat([0, 1], 5), np.arange(10.0))


def test_p_of_permuted_labels_counts_the_observed_order_and_ties():
    """Phipson and Smyth: of all orders of 2 and 2 labels one in six is as good."""
    codes = np.array([0, 0, 1, 1])
    assert _permutation_p(codes, codes, n_permutations=5) >= 1 / 6
    assert _permutation_p(codes, codes, n_permutations=6000) == pytest.approx(1 / 6, abs=0.02)
    assert _permutation_p(codes, np.array([0, 1, 1, 0]), n_permutations=3000) == pytest.approx(
        5 / 6, abs=0.03
    )


def predicted_with(codes, wrong):
    predicted = codes.copy()
    predicted[wrong] = 1 - predicted[wrong]
    return predicted


def validated(n=40, errors=4):
    codes = np.arange(n) % 2
    return performance(codes, np.eye(2)[predicted_with(codes, np.arange(errors))])


EVEN = np.repeat([0, 1], 25)


MANY = np.repeat([0, 1], 100)


#: Sensitivity of .87 and specificity of .8; the largest class alone has 90%.
SKEWED = np.repeat([0, 1], [45, 5])


@pytest.mark.parametrize(
    ("codes", "wrong", "before", "level", "reason"),
    [
        (EVEN, [0, 1, 2, 30, 31], (40, 4), "held", ""),
        (SKEWED, [0, 1, 2, 3, 4, 5, 45], (40, 4), "held", ""),
        (MANY, [0], (100, 0), "held", ""),
        (np.repeat([0, 1], [12, 9]), [3], (60, 0), "held", ""),
        (np.repeat([0, 1], [12, 9]), [3], (60, 8), "held", ""),  # the worse one held no better
        (MANY, range(0, 200, 4), (200, 4), "held", "loss against cross-validation"),
        (
            *(np.repeat([0, 1], [100, 30]), range(100, 116), (40, 8)),
            *("held", "a class is not recognised"),
        ),
        (
            *(np.repeat([0, 1], [100, 30]), range(100, 115), (40, 8)),  # exactly one half
            *("held", "a class is not recognised"),
        ),
        (np.zeros(40, dtype=int), [], (40, 4), "cannot be judged", "one class"),
        (
            *(MANY, range(0, 200, 2), (40, 4), "not held"),  # the middle of 50% and 90%
            "the interval is below 70%, the middle of chance and cross-validation",
        ),
        (np.repeat([0, 1], 4), range(0, 8, 2), (40, 4), "cannot be judged", "too few samples"),
        (np.arange(40) % 2, range(1, 40), (40, 4), "not held", "labels look exchanged"),
    ],
)
def test_the_rule_case_by_case(codes, wrong, before, level, reason):
    actual = cohort_verdict(validated(*before), codes, predicted_with(codes, list(wrong)), 2)
    assert (actual.level, actual.reason) == (level, reason)
    assert actual.exchanged == ({0: 1, 1: 0} if reason == "labels look exchanged" else {})


def test_values_of_another_unit_refute_nothing():
    wrong = predicted_with(MANY, list(range(0, 200, 2)))
    actual = cohort_verdict(validated(40, 4), MANY, wrong, 2, is_same_scale=False)
    assert (actual.level, actual.reason) == ("cannot be judged", "the values are on another scale")
    right = cohort_verdict(validated(100, 0), MANY, MANY, 2, is_same_scale=False)
    assert right.level == "held"


def test_a_ranking_that_holds_without_its_threshold_is_a_verdict_of_its_own(rng):
    log_odds = rng.normal(size=50) + 3 * EVEN + 20  # all on one side of the threshold
    scores = np.stack([np.zeros(50), log_odds], axis=1)
    predicted = np.ones(50, dtype=int)
    actual = cohort_verdict(validated(), EVEN, predicted, 2, scores=scores)
    assert (actual.level, actual.auc.value > 0.9) == ("held in ranking", True)
    assert cohort_verdict(validated(), EVEN, predicted, 2).level == "not held"
    for other in (scores[rng.permutation(50)], np.full((50, 2), np.nan)):
        assert cohort_verdict(validated(), EVEN, predicted, 2, scores=other).level == "not held"
    held = cohort_verdict(validated(), EVEN, EVEN, 2, scores=scores)
    assert (held.level, held.auc) == ("held", actual.auc)


@pytest.mark.parametrize(("sizes", "area"), [((10, 12), 0.84), ((8, 8), 0.95), ((7, 15), 0.6)])
def test_intervals_of_an_area_hold_it_and_patients_count_once(rng, sizes, area):
    codes, distance = np.repeat([0, 1], sizes), np.sqrt(2) * norm.ppf(area)
    covered = 0
    for _ in range(400):
        scores = rng.normal(size=len(codes)) + distance * codes
        actual = _ranking(codes, scores)
        covered += actual.lower <= area <= actual.upper
    assert covered / 400 > 0.92  # the binomial standard error of .95 is .011
    first, second = scores[codes == 0], scores[codes == 1]
    expected = mannwhitneyu(second, first).statistic / (len(first) * len(second))
    assert actual.value == pytest.approx(expected)
    patients = np.repeat(np.arange(len(codes)), 2)
    twice = _ranking(np.repeat(codes, 2), np.repeat(scores, 2), patients)
    assert twice == pytest.approx(actual)
    assert np.isnan(_ranking(np.ones(4), np.arange(4.0)).value)


@pytest.mark.parametrize("area", [0.7, 0.84, 0.95])
def test_as_many_samples_as_are_asked_for_place_a_threshold(rng, area):
    n, distance = _samples_for_threshold(area), np.sqrt(2) * norm.ppf(area)
    thresholds = rng.normal(size=(4000, 2, n)).mean(axis=(1, 2)) + distance / 2
    balanced = (norm.cdf(thresholds) + norm.sf(thresholds - distance)) / 2
    best = norm.cdf(distance / 2)
    assert 0.01 < best - np.quantile(balanced, 0.05) < 0.021


def test_a_shared_sample_ends_the_matter():
    assert cohort_verdict(validated(), EVEN, EVEN, 2, shared=1).level == "cannot be judged"


@pytest.mark.parametrize(
    ("codes", "groups", "p"),
    [
        # of four patients two have each class: one of six orders is the true one
        (np.repeat([0, 0, 1, 1], 5), np.repeat(np.arange(4), 5), 1 / 6),
        # four patients with one sample of each class
        (np.arange(8) % 2, np.arange(8) // 2, 1 / 16),
    ],
)
def test_patients_are_permuted_whole_or_within(codes, groups, p):
    actual = _permutation_p(codes, codes, groups, n_permutations=5000)
    assert actual == pytest.approx(p, abs=0.02)


@pytest.mark.parametrize("right", [3, 5, 7])
def test_permuted_labels_give_the_hypergeometric_p(right):
    """With the numbers of both classes fixed, one cell decides the table."""
    codes, predicted = np.repeat([0, 1], [8, 12]), np.repeat([0, 1, 0, 1], [right, 8 - right, 4, 8])
    named = int((predicted == 0).sum())
    expected = hypergeom.sf(right - 1, 20, 8, named)
    actual = _permutation_p(codes, predicted, n_permutations=20_000)
    assert actual == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000))


def test_the_best_renaming_is_the_best_of_all(rng):
    for _ in range(50):
        codes = np.repeat(np.arange(4), 6)
        predicted = rng.integers(0, 4, 24)
        recalls = np.zeros((4, 4))  # share of a true class that has a predicted one
        np.add.at(recalls, (codes, predicted), 1 / 6)
        best = max(sum(recalls[range(4), names]) for names in permutations(range(4)))
        renamed = _exchanged_classes(codes, predicted, 4)
        names = [renamed.get(i, i) for i in range(4)]
        assert recalls[range(4), names].sum() == pytest.approx(best)


@pytest.mark.parametrize(("per_class", "exchanged"), [(4, False), (6, True)])
def test_exchanged_labels_need_a_p_of_a_two_hundredth(per_class, exchanged):
    """All labels are exchanged: of 70 orders of 4 and 4 one is as good, of 924 of 6 and 6."""
    codes = np.repeat([0, 1], per_class)
    actual = cohort_verdict(validated(40, 2), codes, 1 - codes, 2)
    assert (actual.reason == "labels look exchanged") == exchanged


def test_a_renaming_that_agrees_no_better_is_none():
    assert _exchanged_classes(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), 2) == {}


def test_a_ranking_holds_only_if_its_interval_is_above_one_half():
    """A sample of the second class wins in 36 of 64 pairs."""
    codes = np.repeat([0, 1], 8)
    score = np.tile(np.arange(8.0), 2) + 0.5 * codes
    scores = np.stack([np.zeros(16), score + 5], axis=1)
    actual = cohort_verdict(validated(), codes, np.ones(16, dtype=int), 2, scores=scores)
    assert actual.auc.value == 0.5625
    assert actual.auc.lower < 0.5
    assert actual.level != "held in ranking"


@pytest.mark.parametrize(("sizes", "exchanged"), [((3, 2, 2), {}), ((4, 4, 4), {0: 1, 1: 0})])
def test_p_of_exchanged_labels_is_multiplied_by_the_number_of_renamings(sizes, exchanged):
    """Of three classes there are three renamings; of 210 orders of 3, 2 and 2 one is as good."""
    codes = np.repeat([0, 1, 2], sizes)
    classes = np.arange(60) % 3
    before = performance(classes, np.eye(3)[classes])
    actual = cohort_verdict(before, codes, np.array([1, 0, 2])[codes], 3, scores=np.eye(3)[codes])
    assert actual.exchanged == exchanged
    assert np.isnan(actual.auc.value)  # of two classes only


def test_exchanged_labels_agree_as_well_as_cross_validation():
    """36 of 50 labels are exchanged: .72 as renamed, 1.0 in cross-validation."""
    wrong = np.r_[0:18, 25:43]
    actual = cohort_verdict(validated(100, 0), EVEN, predicted_with(EVEN, wrong), 2)
    assert (actual.level, actual.exchanged) == ("not held", {})
    weak = cohort_verdict(validated(100, 24), EVEN, predicted_with(EVEN, wrong), 2)
    assert weak.reason == "labels look exchanged"


def test_a_p_of_a_twentyfifth_does_not_hold():
    """5 and 5 of 6 and 6: 37 of 924 orders are as good; the interval alone is above one half."""
    codes = np.repeat([0, 1], 6)
    actual = cohort_verdict(validated(), codes, predicted_with(codes, [0, 6]), 2)
    assert actual.p_value == pytest.approx(37 / 924, abs=0.012)
    assert actual.measured.balanced_accuracy.lower > 0.5
    assert actual.level == "cannot be judged"


def test_the_loss_is_over_the_classes_of_the_second_cohort():
    """The third class, of which cross-validation recognises 4 of 10, is not in the cohort."""
    classes = np.repeat([0, 1, 2], 10)
    predicted = classes.copy()
    predicted[24:] = 0
    actual = cohort_verdict(performance(classes, np.eye(3)[predicted]), EVEN, EVEN, 3)
    assert actual.loss.value == 0.0
    whole = np.repeat([0, 1, 2], 5)
    assert cohort_verdict(
        performance(classes, np.eye(3)[predicted]), whole, whole, 3
    ).loss.value == pytest.approx(0.2)


def test_at_least_five_samples_place_a_threshold():
    assert [_samples_for_threshold(area) for area in (0.5, 0.51, 0.9999)] == [5, 5, 5]
