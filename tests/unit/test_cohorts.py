"""What is said of a second cohort, case by case, with independent counts of chance."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import hypergeom

from xnbflow.evaluation.cohorts import (
    cohort_verdict,
    exchanged_classes,
    permutation_p,
    shared_samples,
)
from xnbflow.evaluation.verdicts import performance


def predicted_with(codes, wrong):
    predicted = codes.copy()
    predicted[wrong] = 1 - predicted[wrong]
    return predicted


def validated(n=40, errors=4):
    codes = np.arange(n) % 2
    return performance(codes, np.eye(2)[predicted_with(codes, np.arange(errors))])


def level(codes, predicted, before=None, **options):
    return cohort_verdict(before or validated(), codes, predicted, 2, **options).level


EVEN = np.repeat([0, 1], 25)


def test_the_same_accuracy_holds():
    assert level(EVEN, predicted_with(EVEN, [0, 1, 2, 30, 31])) == "held"


def test_other_shares_of_the_classes_change_no_verdict():
    """Sensitivity and specificity of .87 and .8; the largest class alone has 90 %."""
    codes = np.repeat([0, 1], [45, 5])
    assert level(codes, predicted_with(codes, [0, 1, 2, 3, 4, 5, 45])) == "held"


def test_one_class_cannot_tell():
    assert level(np.zeros(40, dtype=int), np.zeros(40, dtype=int)) == "cannot tell"


def test_39_of_40_exchanged():
    codes = np.arange(40) % 2
    found = cohort_verdict(validated(), codes, predicted_with(codes, np.arange(1, 40)), 2)
    assert found.level == "labels look exchanged"
    assert found.exchanged == {0: 1, 1: 0}


def test_a_shared_sample_ends_the_matter():
    assert level(EVEN, EVEN, shared=1) == "shares samples"


def test_no_information_did_not_hold_where_samples_are_enough():
    many = np.repeat([0, 1], 100)
    assert level(many, np.arange(200) % 2) == "did not hold"
    few = np.repeat([0, 1], 4)
    assert level(few, np.arange(8) % 2) == "cannot tell"


def test_one_error_in_200_holds_after_none_in_cross_validation():
    codes = np.arange(200) % 2
    assert level(codes, predicted_with(codes, [0]), validated(100, 0)) == "held"


def test_the_worse_classifier_is_not_said_to_hold_better():
    codes = np.repeat([0, 1], [12, 9])
    predicted = predicted_with(codes, [3])
    assert level(codes, predicted, validated(60, 0)) == "held"
    assert level(codes, predicted, validated(60, 8)) == "held"


def test_a_loss_beyond_both_errors_is_held_in_part():
    codes = np.arange(200) % 2
    found = cohort_verdict(validated(200, 4), codes, predicted_with(codes, np.arange(50)), 2)
    assert (found.level, found.reason) == ("held in part", "loss against cross-validation")
    assert found.loss.upper < 0


def test_a_class_that_is_missed_is_held_in_part():
    codes = np.repeat([0, 1], [100, 30])
    found = cohort_verdict(validated(40, 8), codes, predicted_with(codes, np.arange(100, 116)), 2)
    assert found.level == "held in part"


@pytest.mark.parametrize("right", [3, 5, 7])
def test_permuted_labels_give_the_hypergeometric_p(right):
    """With the numbers of both classes fixed, one cell decides the table."""
    codes, predicted = np.repeat([0, 1], [8, 12]), np.repeat([0, 1, 0, 1], [right, 8 - right, 4, 8])
    named = int((predicted == 0).sum())
    expected = hypergeom.sf(right - 1, 20, 8, named)
    found = permutation_p(codes, predicted, n_permutations=20_000)
    assert found == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000))


def test_patients_are_permuted_whole():
    """Four patients of five samples, two of each class: one of six orders is the true one."""
    codes, groups = np.repeat([0, 0, 1, 1], 5), np.repeat(np.arange(4), 5)
    found = permutation_p(codes, codes, groups, n_permutations=5000)
    assert found == pytest.approx(1 / 6, abs=0.02)


def test_paired_samples_are_permuted_within_patients():
    codes, groups = np.arange(8) % 2, np.arange(8) // 2
    found = permutation_p(codes, codes, groups, n_permutations=5000)
    assert found == pytest.approx(1 / 16, abs=0.015)


def test_the_best_renaming_is_the_best_of_all():
    rng = np.random.default_rng(0)
    for _ in range(50):
        codes = np.repeat(np.arange(4), 6)
        predicted = rng.integers(0, 4, 24)
        recalls = np.array(
            [[np.mean(predicted[codes == i] == j) for j in range(4)] for i in range(4)]
        )
        best = max(sum(recalls[range(4), names]) for names in permutations(range(4)))
        renamed = exchanged_classes(codes, predicted, 4)
        names = [renamed.get(i, i) for i in range(4)]
        assert recalls[range(4), names].sum() == pytest.approx(best)


def series(rng, n, genes=400):
    """Two classes of correlated genes: samples of one class are alike."""
    codes = np.arange(n) % 2
    shared = np.repeat(rng.normal(size=(genes // 10, n)), 10, axis=0)
    values = 0.7 * shared + 0.7 * rng.normal(size=(genes, n)) + 6
    values[:80] += 2 * codes
    return values


def names(n, start=0):
    return np.array([f"s{i}" for i in range(start, start + n)])


def test_independent_cohorts_share_nothing():
    rng = np.random.default_rng(0)
    for _ in range(20):
        first, second = series(rng, 30), series(rng, 25)
        assert shared_samples(first, second, (names(30), names(25, 100))).empty


def test_copies_are_found_by_values_and_after_another_normalisation():
    rng = np.random.default_rng(1)
    first, second = series(rng, 30), series(rng, 25)
    second[:, 3] = first[:, 7]
    second[:, 9] = 1.3 * first[:, 20] + 0.5 + 0.2 * rng.normal(size=400)
    found = shared_samples(first, second, (names(30), names(25, 100)))
    assert dict(zip(found["second"], found["first"], strict=True)) == {"s103": "s7", "s109": "s20"}
    assert found.set_index("second")["by"].to_dict() == {"s103": "values", "s109": "likeness"}


def test_a_cohort_with_two_labels_changed_is_the_same_cohort():
    first = series(np.random.default_rng(2), 30)
    found = shared_samples(first, first.copy(), (names(30), names(30, 100)))
    assert len(found) == 30


def test_accessions_count_whatever_the_values_and_other_names_do_not():
    rng = np.random.default_rng(3)
    first, second = series(rng, 5), series(rng, 5)
    assert shared_samples(first, second, (names(5), names(5, 4))).empty
    gsm = [np.char.add("GSM", each) for each in (names(5), names(5, 4))]
    found = shared_samples(first, second, tuple(gsm))
    assert found[["first", "by"]].to_numpy().tolist() == [["GSMs4", "name"]]
