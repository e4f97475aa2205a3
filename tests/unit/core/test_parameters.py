"""Bounds of parameters belong to the valid values only where they are closed."""

import numpy as np
import pytest

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import (
    columns_constraint,
    number_constraint,
    satisfies,
    whole_constraint,
)
from xnbflow.naive_bayes import XNB


@pytest.mark.parametrize(
    ("closed", "at_left", "at_right"),
    [
        ("neither", False, False),
        ("left", True, False),
        ("right", False, True),
        ("both", True, True),
    ],
)
def test_a_bound_is_valid_if_its_side_is_closed(closed, at_left, at_right):
    constraint = number_constraint(0, 1, closed=closed)
    assert satisfies(0.0, constraint) == at_left
    assert satisfies(1.0, constraint) == at_right
    assert satisfies(0.5, constraint)
    assert not satisfies(-0.1, constraint)
    assert not satisfies(1.1, constraint)


def test_whole_numbers_have_at_most_64_bits():
    assert satisfies(2**63 - 1, whole_constraint(0))
    assert not satisfies(2**63, whole_constraint(0))


@pytest.mark.parametrize("value", [True, np.True_, np.longdouble(0.5), np.nan, np.inf, "0.5", None])
def test_truth_values_extended_precision_and_infinity_are_not_numbers(value):
    assert not satisfies(value, number_constraint(0, 1))


@pytest.mark.parametrize("value", ["g1", 0, ["g1", 0], slice("g1", None), [True, False]])
def test_columns_may_be_names_positions_slices_and_masks(value):
    assert satisfies(value, columns_constraint())


@pytest.mark.parametrize("value", [True, 0.5, slice(0, 5, 0), slice(0.5, None), [0.5], 2**63])
def test_other_values_are_not_columns(value):
    assert not satisfies(value, columns_constraint())


@pytest.mark.parametrize(("length", "is_whole"), [(58, True), (59, False)])
def test_a_message_has_at_most_sixty_characters_of_a_value(length, is_whole):
    """Two of them are the quotation marks."""
    value = "x" * length
    with pytest.raises(InputError) as error:
        XNB(kernel=value).fit([[0.0], [1.0]], [0, 1])
    shown = str(error.value).partition(" is ")[2].partition(";")[0]
    assert (shown == repr(value)) == is_whole
    assert len(shown) == 60
