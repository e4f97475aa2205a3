"""Samples compared within strata: areas and exact p by brute force and SciPy; strata of columns."""

import itertools

import numpy as np
import pytest
from scipy.stats import binom, mannwhitneyu
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from xnbflow.inference import within_strata
from xnbflow.inference.within_strata import (
    LEAST_SCORE,
    _discriminant,
    area_within,
    crossed_strata,
    numeric_strata,
    p_within,
    score_of_pair,
)


def area_by_pairs(score, is_first, strata):
    """Every pair of samples of two classes and one stratum, one by one."""
    wins, pairs = 0.0, 0
    for i, j in itertools.product(np.flatnonzero(is_first), np.flatnonzero(~is_first)):
        if strata[i] == strata[j]:
            wins += (score[i] > score[j]) + (score[i] == score[j]) / 2
            pairs += 1
    return (wins / pairs if pairs else np.nan), pairs


def p_by_orders(score, is_first, strata, orders):
    """The share of orders of the labels whose area by pairs is as large as the true one."""
    observed = area_by_pairs(score, is_first, strata)[0]
    areas = [area_by_pairs(score, order, strata)[0] for order in orders]
    return np.mean(np.nan_to_num(areas, nan=0.5) >= observed - 1e-12)


def orders_within(is_first, strata):
    """Every choice of as many samples of the first class in each stratum."""
    choices = []
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        choices.append(itertools.combinations(members, int(is_first[members].sum())))
    for chosen in itertools.product(*choices):
        order = np.zeros(len(is_first), dtype=bool)
        order[list(itertools.chain(*chosen))] = True
        yield order


def test_areas_are_those_of_all_pairs_one_by_one(rng):
    for _ in range(20):
        score = rng.integers(0, 4, 30).astype(float)  # many ties
        is_first, strata = rng.random(30) < 0.5, rng.integers(0, 3, 30)
        expected = area_by_pairs(score, is_first, strata)
        assert area_within(score, is_first, strata) == pytest.approx(expected)


@pytest.mark.parametrize("sizes", [(5, 7), (13, 1), (1, 13), (20, 30), (60, 50)])
def test_p_of_one_stratum_is_that_of_mann_and_whitney(rng, sizes):
    is_first = np.arange(sum(sizes)) < sizes[0]
    for shift in (0.0, 0.5, 3.0):
        score = rng.normal(size=sum(sizes)) + shift * is_first
        expected = mannwhitneyu(
            score[is_first], score[~is_first], alternative="greater", method="exact"
        )
        p = p_within(score, is_first, np.zeros(sum(sizes)))
        assert p == pytest.approx(expected.pvalue, abs=1e-11)


@pytest.mark.parametrize("has_ties", [False, True])
def test_p_of_several_strata_is_the_share_of_all_orders_within_them(rng, has_ties):
    strata = np.repeat(["p", "q", "r", "s"], [5, 4, 3, 1])
    for _ in range(4):
        score = rng.normal(size=13) if not has_ties else rng.integers(0, 3, 13).astype(float)
        is_first = rng.permutation(np.arange(13) < 6)
        expected = p_by_orders(score, is_first, strata, orders_within(is_first, strata))
        p = p_within(score, is_first, strata)
        has_pairs = area_within(score, is_first, strata).pairs > 0
        assert p == pytest.approx(expected if has_pairs else np.nan, nan_ok=True)


@pytest.mark.parametrize("sign", [1, -1])
def test_pairs_that_all_have_one_order_have_an_exact_p(sign):
    """Thirteen pairs in order: the true labels are one of 14 orders. None in order: p is 1."""
    is_first = np.arange(14) == 13
    score = sign * np.arange(14.0)
    assert area_within(score, is_first, np.zeros(14)) == (sign > 0, 13)
    assert p_within(score, is_first, np.zeros(14)) == pytest.approx(1 / 14 if sign > 0 else 1.0)


def test_a_twentieth_of_the_orders_is_a_p_of_a_twentieth():
    """10 of 200 orders: a sum of probabilities in binary numbers is .05000000000000002."""
    is_first = np.array([1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0]) == 1
    score = np.array([10, 3, 6, 5, 5, 1, 12, 7, 8, 13, 0], dtype=float)
    strata = np.repeat([0, 1], [5, 6])
    assert p_by_orders(score, is_first, strata, orders_within(is_first, strata)) == 10 / 200
    assert p_within(score, is_first, strata) <= 0.05


def test_without_pairs_there_is_no_p():
    is_first = np.repeat([True, False], 5)
    assert area_within(np.arange(10.0), is_first, is_first).pairs == 0
    assert np.isnan(p_within(np.arange(10.0), is_first, is_first))


def test_patients_of_equal_size_are_the_units_of_the_exact_test(rng):
    """Six patients with two samples each in two strata: 3 x 3 orders of their labels."""
    patients = np.repeat(np.arange(6), 2)
    strata = np.repeat([0, 1], 6)
    of_patient = np.array([True, False, False, False, True, False])
    score = rng.normal(size=12) + of_patient[patients]
    orders = []
    for first, second in itertools.product(range(3), range(3, 6)):
        orders.append(np.isin(patients, [first, second]))
    expected = p_by_orders(score, of_patient[patients], strata, orders)
    assert p_within(score, of_patient[patients], strata, patients) == pytest.approx(expected)


def test_patients_of_unequal_size_have_the_p_of_all_orders_of_their_labels(rng):
    patients = np.repeat(np.arange(5), [1, 2, 3, 1, 4])
    of_patient = np.array([True, False, True, False, False])
    orders = [np.isin(patients, pair) for pair in itertools.combinations(range(5), 2)]
    for _ in range(5):
        score = rng.normal(size=11) + of_patient[patients]
        expected = p_by_orders(score, of_patient[patients], np.zeros(11), orders)
        p = p_within(score, of_patient[patients], np.zeros(11), patients)
        assert p == pytest.approx(expected)


def test_drawn_orders_have_nearly_the_exact_p(rng, monkeypatch):
    """Of 999 draws; five standard errors of a p of .2 are .063."""
    is_first = np.arange(40) < 20
    score = rng.normal(size=40) + 0.25 * is_first
    strata = np.tile([0, 1], 20)
    exact = p_within(score, is_first, strata)
    monkeypatch.setattr(within_strata, "_MOST_ADDITIONS", 0)
    assert p_within(score, is_first, strata) == pytest.approx(exact, abs=0.063)


def test_many_samples_have_a_p_of_a_thousand_orders():
    is_first = np.arange(400) < 200
    assert p_within(1.0 * is_first, is_first, np.zeros(400)) == 0.001


@pytest.mark.parametrize("nested", [True, False])
def test_patients_are_exchanged_as_units(nested):
    """Five samples of a patient score alike: as samples, half of such null studies are rejected."""
    rng = np.random.default_rng(5)
    rejected = 0
    rejected_by_sample = 0
    n_studies = 60
    patients = np.repeat(np.arange(12), 5)
    for _ in range(n_studies):
        of_patient = rng.permutation(np.repeat([False, True], 6))[patients]
        is_first = of_patient if nested else np.tile([False, False, False, True, True], 12)
        score = rng.normal(size=12)[patients] + 0.1 * rng.normal(size=60)
        levels = patients % 2
        rejected += p_within(score, is_first, levels, patients) <= 0.05
        rejected_by_sample += p_within(score, is_first, levels) <= 0.05
    most_by_chance = binom.ppf(0.999, n_studies, 0.05)
    assert rejected <= most_by_chance
    if nested:
        assert rejected_by_sample > most_by_chance


def test_one_patient_of_both_classes_does_not_bind_the_labels_of_the_others():
    """40 patients, of whom one gave samples of both classes; all are ranked correctly."""
    patients = np.append(np.arange(40), 0)
    is_first = np.append(np.arange(40) % 2, 1) == 0
    assert p_within(1.0 * is_first, is_first, np.zeros(41), patients) < 0.02


def test_impossible_classes_have_the_least_score_and_other_scores_keep_their_order():
    scores = np.array([[-np.inf, 0.0], [-900.0, 0.0], [-800.0, 0.0], [0.0, -np.inf]])
    score = score_of_pair(scores, 0, 1)
    assert score.tolist() == [LEAST_SCORE, -900.0, -800.0, -LEAST_SCORE]
    assert (np.diff(score) > 0).all()


@pytest.mark.parametrize(
    ("n_samples", "n_strata"), [(3, 1), (5, 1), (6, 2), (8, 2), (9, 2), (11, 3), (40, 10)]
)
def test_a_stratum_of_numbers_has_about_four_samples(n_samples, n_strata):
    strata = numeric_strata(np.arange(float(n_samples)))
    assert strata.max() + 1 == n_strata
    assert (np.diff(strata) >= 0).all()


def test_equal_numbers_share_a_stratum():
    assert len(set(numeric_strata(np.repeat(5.0, 12)))) == 1
    halves = numeric_strata(np.repeat([1.0, 2.0], 8))
    assert halves[:8].tolist() == [0] * 8
    assert len(set(halves[8:])) == 1


def test_numbers_are_divided_within_each_combination_of_categories():
    plates = np.repeat([0, 1], 8)
    numbers = np.concatenate([np.arange(8.0), 100 + np.arange(8.0)])
    strata = crossed_strata(np.tile([True, False], 8), [plates], [numbers])
    assert strata.tolist() == np.repeat([0, 1, 2, 3], 4).tolist()


def test_several_numbers_are_combined_to_the_linear_discriminant(rng):
    is_first = np.repeat([True, False], 20)
    numbers = [rng.normal(size=40) + is_first, 100 * rng.normal(size=40)]
    score = _discriminant(is_first, numbers)
    fitted = LinearDiscriminantAnalysis().fit(np.column_stack(numbers), is_first)
    expected = fitted.decision_function(np.column_stack(numbers))
    assert np.corrcoef(score, expected)[0, 1] == pytest.approx(1.0)
    strata = crossed_strata(is_first, [], numbers)
    assert (strata == numeric_strata(score)).all()
    assert (crossed_strata(is_first, [], numbers[:1]) == numeric_strata(numbers[0])).all()
