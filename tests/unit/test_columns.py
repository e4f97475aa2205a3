"""Which columns a parameter names."""

import numpy as np
import pytest

from xnbflow.data.columns import column_mask, column_positions
from xnbflow.data.errors import InputError

NAMES = np.array(["a", "b", "c", "d"], dtype=object)


@pytest.mark.parametrize(
    "columns",
    [
        [3, 1],
        (-1, 1),
        np.array([3, 1], dtype=np.uint8),
        ["d", "b"],
        np.array(["d", "b"]),
        ["d", 1],
        [np.str_("d"), np.int64(-3)],
    ],
)
def test_several_are_returned_in_the_order_named(columns):
    assert column_positions(columns, NAMES, "angular").tolist() == [3, 1]


@pytest.mark.parametrize("columns", [1, -3, "b", ["b"], slice(1, 2), slice("b", "b")])
def test_one_may_stand_alone(columns):
    assert column_positions(columns, NAMES, "angular").tolist() == [1]
    assert column_mask(columns, NAMES, "angular").tolist() == [False, True, False, False]


@pytest.mark.parametrize("kind", [list, np.array, lambda mask: np.array(mask, dtype=object)])
def test_a_mask_is_no_list_of_positions(kind):
    assert column_positions(kind([False, False, True, True]), NAMES, "x").tolist() == [2, 3]
    assert column_positions(kind([False] * 4), NAMES, "x").tolist() == []


@pytest.mark.parametrize("columns", [(), [], np.array([]), None])
def test_none_may_be_named(columns):
    assert not column_mask(columns, NAMES, "categorical").any()


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ("e", "angular names column 'e', but there are 4 columns: a, b, c, ..."),
        ("ab", "angular names column 'ab', but"),
        ([0, 4], "angular names column 4, but"),
        ([-5], "angular names column -5, but"),
        ([1.0], "angular names column 1.0, but"),
        (slice("a", "e"), "angular names column 'e', but"),
        ([True, False], "angular is a mask of 2 columns, but there are 4 columns"),
        ([[0, 1], [2, 3]], r"angular has shape \(2, 2\); give a list of columns"),
        (len, "angular names column <built-in function len>, but"),
    ],
)
def test_columns_that_are_not_there_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        column_positions(columns, NAMES, "angular")


def test_names_need_to_exist_and_to_be_of_one_column():
    with pytest.raises(InputError, match="column 'a', but there are 3 columns, without names"):
        column_positions("a", np.arange(3), "angular")
    repeated = np.array(["a", "b", "a"], dtype=object)
    with pytest.raises(InputError, match="column 'a', but 2 columns have that name"):
        column_positions(["b", "a"], repeated, "angular")
    assert column_positions(["b"], repeated, "angular").tolist() == [1]
