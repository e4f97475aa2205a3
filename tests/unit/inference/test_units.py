"""Samples, or patients, that are too few for any result."""

import itertools

import numpy as np
import pytest
from toys import dataset

from xnbflow.inference.estimates import performance
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.units import _least_p, _suffice, units
from xnbflow.inference.verdicts import LabelTest, verdict

PAIRS = np.repeat(np.arange(4), 2)


@pytest.mark.parametrize(
    ("codes", "groups"),
    [
        (np.repeat([0, 1], 3), None),
        (np.repeat([0, 1], [4, 2]), None),
        (np.repeat([0, 1, 2], 2), None),
        (np.repeat([0, 1, 2], [3, 2, 2]), None),
        (np.tile([0, 1], 4), PAIRS),
        (np.repeat([0, 0, 1, 1], 2), PAIRS),  # patients of one class with two samples
        (np.array([0, 1, 0, 1, 0, 0, 1, 1]), PAIRS),  # two pairs and two patients of one class
    ],
)
def test_the_smallest_p_counts_all_orders_that_are_equal_but_for_names(codes, groups):
    """Enumerate all orders of the units within their strata, up to a renaming of the classes."""
    exchange = label_exchange(codes, groups)
    first = codes[exchange.first]
    orders = {
        order
        for order in itertools.permutations(first)
        if all(
            sorted(np.array(order)[exchange.stratum == s]) == sorted(first[exchange.stratum == s])
            for s in np.unique(exchange.stratum)
        )
    }
    renamed = set()
    for names in itertools.permutations(np.unique(codes)):
        renamed.add(tuple(np.array(names)[first]))
    assert _least_p(codes, groups) == pytest.approx(len(renamed & orders) / len(orders))


@pytest.mark.parametrize(
    ("codes", "groups", "enough"),
    [
        (np.repeat([0, 1], 3), None, False),
        (np.repeat([0, 1], 4), None, False),  # 2 of 70 orders
        (np.repeat([0, 1], 5), None, True),
        (np.tile([0, 1], 6), np.repeat(np.arange(6), 2), False),  # 2 of 64 orders
        (np.tile([0, 1], 7), np.repeat(np.arange(7), 2), True),
        (np.repeat([0, 1], 12), np.repeat(np.arange(6), 4), False),  # three patients of each class
        (np.repeat([0, 1], [16, 4]), None, True),
        # of three and five patients p can be .018, and no interval is above chance
        (np.repeat([0, 1], [6, 10]), np.repeat(np.arange(8), 2), False),
    ],
)
def test_samples_suffice_if_a_classifier_without_error_would_be_supported(codes, groups, enough):
    assert _suffice(codes, groups) == enough


def test_too_few_samples_neither_support_a_result_nor_contradict_it(rng):
    codes = np.repeat([0, 1], 3)
    (finding,) = units(dataset(rng.normal(size=(50, 6)), np.array(["a", "b"])[codes]))
    for predicted in (codes, 1 - codes):
        measured = performance(codes, np.eye(2)[predicted])
        judged = verdict(measured, LabelTest(0.1), [finding], suffice=False)
        assert judged.level == "cannot be judged"
        assert not any(one.kind == "label test" for one in judged.findings)
    assert (finding.numbers["count"], finding.numbers["total"]) == (6, 5)
    assert not units(dataset(rng.normal(size=(50, 20)), np.repeat(["a", "b"], 10)))
