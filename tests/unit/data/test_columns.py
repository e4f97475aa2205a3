"""Values whose squares overflow or underflow are refused at their limits."""

import numpy as np
import pytest
from toys import refused

from xnbflow.core.errors import InputError
from xnbflow.data.columns import column_positions, name_bad_value, refuse_beyond_squares


def test_values_up_to_2_to_the_500_are_allowed():
    refuse_beyond_squares(np.array([[1.0, 2.0**500], [3.0, -(2.0**500)]]))
    with refused("column 1 reaches 3.27e\\+150"):
        refuse_beyond_squares(np.array([[1.0, 2.0**500], [3.0, -(2.0**500) * (1 + 2**-52)]]))


def test_columns_that_vary_by_2_to_the_minus_500_are_allowed():
    refuse_beyond_squares(np.array([[1.0, 2.0**-500], [3.0, 2.0**-499]]))
    with refused("column 1 varies by 1.53e-151"):
        refuse_beyond_squares(np.array([[1.0, 2.0**-501], [3.0, 2.0**-500]]))


def test_tiny_constants_and_zeros_are_allowed():
    refuse_beyond_squares(np.array([[2.0**-600, 0.0], [2.0**-600, 0.0]]))


def test_a_slice_of_names_includes_both_ends_and_one_of_positions_the_first():
    names = np.array(["a", "b", "c", "d"])
    assert column_positions(slice("b", "c"), names, "columns").tolist() == [1, 2]
    assert column_positions(slice(1, 2), names, "columns").tolist() == [1]
    assert column_positions(slice(None, "b"), names, "columns").tolist() == [0, 1]


def test_negative_positions_count_from_the_end():
    names = np.array(["a", "b", "c"])
    assert column_positions([-1, "a"], names, "columns").tolist() == [2, 0]
    with refused("columns names column -4, but there are 3 columns: a, b, c"):
        column_positions([-4], names, "columns")
    with refused("columns names column 3, but there are 3 columns, without names"):
        column_positions([3], np.arange(3), "columns")


NAMES = np.array(["a", "b", "c", "d"], dtype=object)


@pytest.mark.parametrize(
    ("columns", "positions"),
    [
        *((columns, [3, 1]) for columns in ([3, 1], (-1, 1), ["d", "b"], ["d", 1])),
        ([np.str_("d"), np.int64(-3)], [3, 1]),
        *((columns, [1]) for columns in (1, -3, "b", slice(1, 2), slice("b", "b"))),
        *((kind([False, False, True, True]), [2, 3]) for kind in (list, np.array)),
        *((columns, []) for columns in ([], np.array([]), [False] * 4)),
    ],
)
def test_columns_are_returned_in_the_order_named(columns, positions):
    assert column_positions(columns, NAMES, "x").tolist() == positions


def test_names_need_to_exist_and_to_be_of_one_column():
    repeated = np.array(["a", "b", "a"], dtype=object)
    for columns, names in (("a", np.arange(3)), (["b", "a"], repeated)):
        with pytest.raises(InputError, match="'a'"):
            column_positions(columns, names, "angular")
    assert column_positions(["b"], repeated, "angular").tolist() == [1]


def test_a_value_of_an_array_is_named_by_its_row_and_column():
    missing = np.array([[1.0, 2.0], [3.0, np.nan]])
    with refused("column 1 holds nan in row 1"):
        name_bad_value(missing, ValueError("Input X contains NaN."))


def test_missing_values_are_not_named_where_infinite_ones_are_refused():
    values = np.array([[np.nan, 2.0], [3.0, np.inf]])
    with refused("column 1 holds inf in row 1"):
        name_bad_value(values, ValueError("Input X contains infinity or a value too large"))
