"""Samples and patients that two cohorts share."""

import numpy as np
import pytest
from scipy.stats import binom

from xnbflow.diagnostics.shared_samples import PatientMatch, matched_patients, shared_samples


def series(rng, n, genes=400):
    """Two classes of correlated genes: samples of one class are alike."""
    codes = np.arange(n) % 2
    shared = np.repeat(rng.normal(size=(genes // 10, n)), 10, axis=0)
    values = 0.7 * shared + 0.7 * rng.normal(size=(genes, n)) + 6
    values[:80] += 2 * codes
    return values


def names(n, start=0):
    return np.array([f"s{i}" for i in range(start, start + n)])


def test_independent_cohorts_share_nothing(rng):
    for _ in range(20):
        first, second = series(rng, 30), series(rng, 25)
        assert shared_samples(first, second, (names(30), names(25, 100))).empty


def test_copies_are_found_by_values_and_after_another_normalisation(rng):
    first, second = series(rng, 30), series(rng, 25)
    second[:, 3] = first[:, 7]
    second[:, 9] = 1.3 * first[:, 20] + 0.5 + 0.2 * rng.normal(size=400)
    actual = shared_samples(first, second, (names(30), names(25, 100)))
    assert dict(zip(actual["second"], actual["first"], strict=True)) == {
        "s103": "s7",
        "s109": "s20",
    }
    assert actual.set_index("second")["by"].to_dict() == {"s103": "values", "s109": "likeness"}


def test_accessions_count_whatever_the_values_and_other_names_do_not(rng):
    first, second = series(rng, 5), series(rng, 5)
    assert shared_samples(first, second, (names(5), names(5, 4))).empty
    gsm = [np.char.add("GSM", numbers) for numbers in (names(5), names(5, 4))]
    actual = shared_samples(first, second, tuple(gsm))
    assert actual[["first", "by"]].to_numpy().tolist() == [["GSMs4", "name"]]


LABELS = np.repeat(["aml", "healthy"], 10)


CODES = np.repeat([0, 1], 10)


def cells_of(patients, rng, noise=1.2):
    """Another cell type of the same patients: a shift of all genes, and noise."""
    shift = rng.normal(size=(len(patients), 1))
    return patients + shift + noise * rng.normal(size=patients.shape)


def test_other_cells_of_the_same_patients_are_found_and_are_not_the_same_samples(rng):
    patients = rng.normal(size=(400, 20)) + np.where(CODES, 1.0, 0.0)
    first, second = cells_of(patients, rng, 0.6), cells_of(patients, rng, 0.6)
    order = rng.permutation(20)  # other names and another order
    match = matched_patients(first, second[:, order], (LABELS, LABELS[order]))
    assert match.mutual == match.possible == 20
    assert match.p <= 0.001
    names = (np.array([f"s{i}" for i in range(20)]), np.array([f"t{i}" for i in range(20)]))
    assert shared_samples(first, second, names).empty


def test_other_patients_are_seldom_called_the_same():
    """Two cohorts with the same correlated genes and classes."""
    n_studies, called = 40, 0
    for seed in range(n_studies):
        rng = np.random.default_rng(seed)
        loadings = rng.normal(size=(300, 10))
        cohorts = [
            loadings @ rng.normal(size=(10, 20)) + rng.normal(size=(300, 20)) + 2 * CODES
            for _ in range(2)
        ]
        match = matched_patients(*cohorts, (LABELS, LABELS))
        called += match.p <= 0.05
        assert not match.same_patients
    assert called <= binom.ppf(0.999, n_studies, 0.05)


def test_few_features_and_few_samples_of_a_class_are_not_tested(rng):
    values = rng.normal(size=(99, 20))
    assert matched_patients(values, values, (LABELS, LABELS)) == PatientMatch(0, 0, 1.0)
    few = np.repeat(["aml", "healthy"], [18, 2])
    match = matched_patients(*[rng.normal(size=(120, 20))] * 2, (few, few))
    assert match.possible == 18


def test_half_of_the_possible_pairs_are_not_most_of_them():
    assert PatientMatch(mutual=6, possible=10, p=0.001).same_patients
    assert not PatientMatch(mutual=5, possible=10, p=0.001).same_patients
    assert not PatientMatch(mutual=6, possible=10, p=0.0011).same_patients


@pytest.mark.parametrize(("samples", "shared"), [((1, 3), 24), ((2, 2), 24), ((1, 1), 14)])
def test_patients_with_several_samples_or_of_whom_some_are_new_are_found(rng, samples, shared):
    """24 patients in each cohort with a correlation of .3; pairs alone are seldom mutual."""
    patients = rng.normal(size=(600, 24))
    labels = np.array(["a", "b"])[np.arange(24) % 2]
    cohorts, classes = [], []
    for n, is_second in zip(samples, (False, True), strict=True):
        of_cohort = patients.copy()
        if is_second:
            of_cohort[:, shared:] = rng.normal(size=(600, 24 - shared))
        of_samples = np.repeat(of_cohort, n, axis=1)
        noise = rng.normal(size=of_samples.shape)
        cohorts.append(np.sqrt(0.3) * of_samples + np.sqrt(0.7) * noise)
        classes.append(np.repeat(labels, n))
    match = matched_patients(*cohorts, tuple(classes))
    assert match.same_patients
    assert match.share == pytest.approx(shared / 24, abs=0.1)


def test_small_unrecorded_batches_in_both_cohorts_are_no_patients():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        cohorts = []
        for _ in range(2):
            batches = np.repeat(rng.normal(size=(600, 8)), 4, axis=1)
            cohorts.append(0.5 * batches + rng.normal(size=(600, 32)))
        labels = np.repeat(["a", "b"], 16)
        assert not matched_patients(*cohorts, (labels, rng.permutation(labels))).same_patients
