"""Names of features that are capitals, and fields that are classes."""

import pytest

from xnbflow.sources.proposal.layout import _are_capitals
from xnbflow.sources.proposal.summary import class_score


@pytest.mark.parametrize(("n_small", "capitals"), [(2, True), (3, False)])
def test_four_fifths_of_names_in_capitals_are_symbols_of_genes(n_small, capitals):
    names = ["TP53"] * (10 - n_small) + ["age"] * n_small
    assert _are_capitals(names) == capitals


def test_a_field_with_one_repeated_text_is_no_class():
    assert class_score("diagnosis", ["a", "a", "a", "a", "a", "b"]) == 0
    assert class_score("diagnosis", ["a", "a", "a", "a", "b", "b"]) > 0
