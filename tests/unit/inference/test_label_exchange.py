"""Which labels are exchanged: whole groups, within groups, and both in mixed designs."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom
from toys import dataset

from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.label_test import label_test
from xnbflow.inference.second_cohort import _permutation_p


def orders_of(labels, groups=None, levels=None, n_draws=6000):
    """Return how often each order of the labels is drawn."""
    exchange = label_exchange(np.array(labels), groups, levels)
    drawn = exchange.draws(np.array(labels), n_draws, np.random.default_rng(0))
    return Counter(map(tuple, drawn.tolist()))


def test_labels_of_a_mixed_design_are_exchanged_within_and_among_groups():
    """Three patients of one class and one of both: 3 orders of patients times 2 within."""
    groups = np.array(list("aabbcdd"))
    orders = orders_of([0, 0, 1, 1, 1, 0, 1], groups)
    expected = set()
    for of_patients in set(itertools.permutations([0, 1, 1])):
        for within in ([0, 1], [1, 0]):
            expected.add((*np.repeat(of_patients, [2, 2, 1]).tolist(), *within))
    assert set(orders) == expected
    counts = np.array(list(orders.values()))
    assert abs(counts / 6000 - 1 / 6).max() < 5 * np.sqrt(5 / 36 / 6000)


@pytest.mark.parametrize(
    ("labels", "groups", "n_orders"),
    [
        ([0, 0, 1, 1], None, 6),
        ([0, 0, 1, 1, 1, 1], list("aabbcc"), 3),
        ([0, 1, 0, 1], list("aabb"), 4),
    ],
)
def test_pure_designs_exchange_all_within_or_among(labels, groups, n_orders):
    groups = None if groups is None else np.array(groups)
    assert len(orders_of(labels, groups, n_draws=500)) == n_orders


def test_one_draw_and_many_draws_have_the_same_orders():
    labels, groups = np.array([0, 0, 1, 1, 1, 0, 1]), np.array(list("aabbcdd"))
    exchange, rng = label_exchange(labels, groups), np.random.default_rng(0)
    single = {tuple(exchange.permute(labels, rng).tolist()) for _ in range(300)}
    assert single == set(orders_of(labels, groups))


def test_levels_bind_labels():
    orders = orders_of([0, 1, 0, 0, 1], levels=np.array([0, 0, 1, 1, 1]))
    assert {(order[:2].count(1), order[2:].count(1)) for order in orders} == {(1, 1)}
    assert len(orders) == 2 * 3


def test_groups_exchange_with_groups_of_the_same_levels():
    """Patients a and b are in level 0; c and d are in both levels."""
    groups, levels = np.array(list("abccdd")), np.array([0, 0, 0, 1, 0, 1])
    orders = orders_of([0, 1, 1, 1, 0, 0], groups, levels)
    assert set(orders) == {
        (*alone, both, both, 1 - both, 1 - both) for alone in ((0, 1), (1, 0)) for both in (0, 1)
    }


def test_a_patient_with_one_class_in_each_level_exchanges_the_samples_of_a_level():
    groups, levels = np.array(list("aabb")), np.array([0, 1, 0, 1])
    assert len(orders_of([0, 1, 1, 0], groups, levels)) == 4  # two in each level
    mixed = orders_of([0, 1, 0, 1], np.array(list("aaab")), np.array([0, 0, 1, 0]))
    assert set(mixed) == {(0, 1, 0, 1), (1, 0, 0, 1)}  # both classes of a patient in one level


@pytest.mark.slow
def test_one_patient_with_both_tissues_leaves_a_perfect_result_significant():
    """30 tumours and 30 normals, of which one patient gave both; the labels are recognised."""
    groups = np.append(np.arange(59), 0)
    codes = np.append(np.arange(59) >= 30, True).astype(int)
    assert (codes[groups == 0] == [0, 1]).all()
    assert _permutation_p(codes, codes, groups, n_permutations=999) == 0.001
    values = np.random.default_rng(0).normal(size=(100, 60))
    values[:20] += 3 * codes
    series = dataset(values, np.array(["a", "b"])[codes], groups=groups.astype(str))
    assert label_test(series, n_permutations=199, n_draws=1)["p_value"][0] <= 0.01


@pytest.mark.slow
def test_null_mixed_designs_are_rejected_at_their_level():
    """Samples of a patient are alike: 6 patients of both tissues, 12 of one with two samples."""
    patients = np.append(np.repeat(np.arange(6), 2), np.repeat(np.arange(6, 18), 2))
    codes = np.append(np.tile([0, 1], 6), np.repeat(np.arange(12) % 2, 2))
    n_studies, rng, rejected = 300, np.random.default_rng(2), 0
    for seed in range(n_studies):
        score = rng.normal(size=18)[patients] + 0.3 * rng.normal(size=36)
        predicted = (score > np.median(score)).astype(int)
        p = _permutation_p(codes, predicted, patients, n_permutations=99, seed=seed)
        rejected += p <= 0.05
    assert rejected <= binom.ppf(0.999, n_studies, 0.05)


@pytest.mark.parametrize(
    ("labels", "groups", "levels"),
    [
        ([0, 0, 1, 1, 2], None, None),
        ([0, 0, 1, 1, 1, 0, 1], list("aabbcdd"), None),
        ([0, 1, 0, 0, 1], None, [0, 0, 1, 1, 1]),
        ([0, 1, 1, 1, 0, 0], list("abccdd"), [0, 0, 0, 1, 0, 1]),
    ],
)
def test_the_distinct_orders_are_those_that_draws_have(labels, groups, levels):
    labels = np.array(labels)
    groups, levels = (None if part is None else np.array(part) for part in (groups, levels))
    exchange = label_exchange(labels, groups, levels)
    orders = exchange.distinct_orders(labels)
    assert orders[0].tolist() == labels.tolist()
    assert len(orders) == exchange.n_orders(labels)
    assert set(map(tuple, orders.tolist())) == set(orders_of(labels, groups, levels))
