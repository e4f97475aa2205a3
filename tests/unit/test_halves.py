"""Stability of disjoint halves."""

import numpy as np
import pytest

from xnbflow.data.errors import InputError
from xnbflow.evaluation.halves import half_stability, selection_shares


def test_two_lists_of_equal_size_agree_as_kuncheva_says():
    """(r d - k²) / (k (d - k)), Kuncheva (2007), for r shared of k out of d."""
    pairs = [(set("abcd"), set("abxy"))] * 3
    expected = (2 * 100 - 16) / (4 * 96)
    assert half_stability(pairs, 100).value == pytest.approx(expected)


def test_random_lists_do_not_agree():
    rng = np.random.default_rng(0)
    names = [str(i) for i in range(50)]
    pairs = [tuple(set(rng.choice(names, 10, replace=False)) for _ in "ab") for _ in range(400)]
    found = half_stability(pairs, 50)
    assert found.lower == 0
    assert found.value < 0.03


def test_halves_that_never_share_have_an_interval_all_the_same():
    found = half_stability([({"a", "b"}, {"c", "d"})] * 20, 1000)
    assert found.lower == 0 < found.upper < 0.5


def test_without_lists_there_is_no_stability():
    assert np.isnan(half_stability([(set(), set())] * 5, 10)).all()
    with pytest.raises(InputError):
        half_stability([], 10)


def test_shares_count_every_half():
    assert selection_shares([({"a", "b"}, {"a"}), ({"b"}, {"b"})]) == {"b": 0.75, "a": 0.5}
