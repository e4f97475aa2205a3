"""Stability of a selection from disjoint halves."""

import dataclasses

import numpy as np
import pytest
from toys import dataset

from xnbflow.core.errors import InputError
from xnbflow.inference import halves


def test_two_lists_of_equal_size_agree_as_kuncheva_says():
    """(r d - k²) / (k (d - k)), Kuncheva (2007), for r shared of k out of d."""
    pairs = [(set("abcd"), set("abxy"))] * 3
    expected = (2 * 100 - 16) / (4 * 96)
    assert halves.half_stability(pairs, 100).value == pytest.approx(expected)


def test_halves_that_never_share_have_an_interval_all_the_same():
    actual = halves.half_stability([({"a", "b"}, {"c", "d"})] * 20, 1000)
    assert actual.lower == 0 < actual.upper < 0.5


def test_without_lists_there_is_no_stability():
    assert np.isnan(halves.half_stability([(set(), set())] * 5, 10)).all()
    with pytest.raises(InputError, match="no pair of halves"):
        halves.half_stability([], 10)


@pytest.fixture(scope="module")
def planted():
    """Patients of three samples; one gene differs between their classes by far."""
    rng = np.random.default_rng(0)
    labels = np.repeat(["a", "b"], 18)
    values = rng.normal(size=(40, 36))
    values[7] += 8 * (labels == "b")
    groups = np.repeat([f"p{i}" for i in range(12)], 3)
    return dataset(values, labels, groups=groups)


def test_every_half_selects_the_gene_that_tells_the_classes_apart(planted):
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    table = halves.halves_table(planted, {"method": method, "params": {"n_features": 2}}, 6)
    assert table["halves"].unique().tolist() == [12]
    shares = halves.selection_shares(table)
    assert shares["a", "g7"] == shares["b", "g7"] == 1
    assert sum(shares.values()) == pytest.approx(4)  # two features of each of two classes
    pairs = halves.pairs_of(table)
    assert [len(half) for pair in pairs for half in pair] == [2] * 12
    assert halves.half_stability(pairs, 40).value > 0.4


def test_classes_that_cannot_be_halved_have_no_halves(planted):
    whole = dataclasses.replace(planted, groups=planted.labels)
    method = "xnbflow.naive_bayes.class_specific_nb.ClassSpecificNB"
    assert halves.halves_table(whole, {"method": method}, 3).empty
