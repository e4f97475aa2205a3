"""Which columns a parameter names."""

import numpy as np
import pytest

from xnbflow.data.columns import column_mask, column_positions
from xnbflow.data.errors import InputError

NAMES = np.array(["a", "b", "c", "d"], dtype=object)


@pytest.mark.parametrize(
    ("columns", "positions"),
    [
        *((columns, [3, 1]) for columns in ([3, 1], (-1, 1), ["d", "b"], ["d", 1])),
        *((np.array(columns), [3, 1]) for columns in ([3, 1], ["d", "b"])),
        ([np.str_("d"), np.int64(-3)], [3, 1]),
        *((columns, [1]) for columns in (1, -3, "b", ["b"], slice(1, 2), slice("b", "b"))),
        *((kind([False, False, True, True]), [2, 3]) for kind in (list, np.array)),
        (np.array([False, False, True, True], dtype=object), [2, 3]),
        *((columns, []) for columns in ((), [], np.array([]), [False] * 4)),
    ],
)
def test_columns_are_returned_in_the_order_named(columns, positions):
    assert column_positions(columns, NAMES, "x").tolist() == positions
    assert np.flatnonzero(column_mask(columns, NAMES, "x")).tolist() == sorted(positions)
    assert not column_mask(None, NAMES, "x").any()


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ("e", "'e'"),
        ("ab", "'ab'"),
        ([0, 4], "4"),
        ([-5], "-5"),
        ([1.0], "1.0"),
        (slice("a", "e"), "'e'"),
        ([True, False], "mask of 2 columns"),
        ([[0, 1], [2, 3]], "shape"),
        (len, "len"),
    ],
)
def test_columns_that_are_not_there_are_refused(columns, named):
    with pytest.raises(InputError, match=f"angular .*{named}"):
        column_positions(columns, NAMES, "angular")


def test_names_need_to_exist_and_to_be_of_one_column():
    repeated = np.array(["a", "b", "a"], dtype=object)
    for columns, names in (("a", np.arange(3)), (["b", "a"], repeated)):
        with pytest.raises(InputError, match="'a'"):
            column_positions(columns, names, "angular")
    assert column_positions(["b"], repeated, "angular").tolist() == [1]
