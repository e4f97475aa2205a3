"""Same patients in a second cohort, and boundaries of its verdict."""

import numpy as np
import pytest
from scipy.stats import binom

from xnbflow.diagnostics.likeness import PatientMatch, matched_patients, shared_samples
from xnbflow.inference.estimates import performance
from xnbflow.inference.second_cohort import cohort_verdict, permutation_p, ranking

LABELS = np.repeat(["aml", "healthy"], 10)
CODES = np.repeat([0, 1], 10)
SAME = PatientMatch(20, 20, 0.0002)


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


@pytest.mark.parametrize(
    ("match", "level"),
    [
        (SAME, "held in part"),
        (PatientMatch(20, 20, 0.0011), "held"),
        (PatientMatch(10, 20, 0.0002), "held"),
        (None, "held"),
    ],
)
def test_the_same_patients_limit_the_verdict(match, level):
    validated = performance(CODES, np.eye(2)[CODES])
    found = cohort_verdict(validated, CODES, CODES, 2, patients=match)
    assert found.level == level
    if level != "held":
        assert found.reason == (
            "probably the same patients: 20 of 20 pairs of samples are each other's nearest, "
            "p = 0.0002"
        )
    wrong = cohort_verdict(validated, CODES, np.roll(CODES, 5), 2, patients=match)
    assert wrong.level == "did not hold"


def test_the_interval_of_a_ranking_counts_groups_without_inflation():
    """Newcombe's method 5: the area 1 of n and n solves its equation for the lower limit."""
    scores, patients = np.arange(20.0), np.arange(20) // 2
    for limit, n in (
        (ranking(CODES, scores).lower, 10),
        (ranking(CODES, scores, patients).lower, 5),
    ):
        spread = 1 + (n - 1) * ((1 - limit) / (2 - limit) + limit / (1 + limit))
        error = 1.959964**2 * limit * (1 - limit) * spread / n**2
        assert (1 - limit) ** 2 == pytest.approx(error, rel=1e-5)
    assert ranking(CODES, scores, patients) == ranking(np.repeat([0, 1], 5), np.arange(10.0))


def test_p_of_permuted_labels_counts_the_observed_order_and_ties():
    """Phipson and Smyth: of all orders of 2 and 2 labels one in six is as good."""
    codes = np.array([0, 0, 1, 1])
    assert permutation_p(codes, codes, n_permutations=5) >= 1 / 6
    assert permutation_p(codes, codes, n_permutations=6000) == pytest.approx(1 / 6, abs=0.02)
    assert permutation_p(codes, np.array([0, 1, 1, 0]), n_permutations=3000) == pytest.approx(
        5 / 6, abs=0.03
    )
