"""Rows of one name: the row of largest mean, the mean, the median, or all of them."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.errors import InputError
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.merging import _merge_rows, collapse_probes, merge_duplicates

VALUES = np.array([[1.0, 2.0], [9.0, 9.5], [5.0, 8.0], [0.0, np.nan], [3.0, 14.0]])
NAMES = ["A", "B", "A", "A", "A"]


@pytest.mark.parametrize(
    ("how", "of_a"),
    [("max_mean", [3.0, 14.0]), ("mean", [2.25, 8.0]), ("median", [2.0, 8.0])],
)
def test_rows_of_one_name_are_merged(how, of_a):
    merged, names, rows = _merge_rows(VALUES, NAMES, how)
    assert names.tolist() == ["A", "B"]
    np.testing.assert_array_equal(merged, [of_a, [9.0, 9.5]])
    assert rows.tolist() == [4 if how == "max_mean" else 0, 1]


def test_the_first_of_equal_means_is_kept_and_rows_without_values_never():
    values = np.array([[np.nan, np.nan], [1.0, 3.0], [3.0, 1.0]])
    merged, _, rows = _merge_rows(values, ["x", "x", "x"], "max_mean")
    assert (rows.tolist(), merged.tolist()) == ([1], [[1.0, 3.0]])


def features(names, symbols=None):
    return Features(
        names=np.array(list(names)),
        kinds=np.full(len(names), "linear", dtype=object),
        places=np.arange(len(names)),
        annotation=pd.DataFrame({} if symbols is None else {"symbol": symbols}, range(len(names))),
    )


@pytest.mark.parametrize("how", ["median", "max_mean"])
def test_probes_collapse_to_genes_without_those_of_none_or_several(how):
    probes = features("pqrst", ["A", "", "A", "A /// B", "A"])
    notes = []
    values, genes = collapse_probes("x", VALUES.copy(), probes, how, notes)
    assert genes.names.tolist() == ["A"]
    expected = {"median": [3.0, 8.0], "max_mean": [3.0, 14.0]}[how]
    np.testing.assert_array_equal(values, [expected])
    assert "3 probes were collapsed to 1 gene" in notes[0]
    assert "left out were 1 without a symbol and 1 of several genes" in notes[0]
    assert ("probe" in genes.annotation) == (how == "max_mean")


@pytest.mark.parametrize(
    ("how", "names", "note"),
    [
        ("max_mean", ["A", "B"], "one of largest mean was kept"),
        ("mean", ["A", "B"], "their mean was taken"),
        ("rename", ["A", "B", "A.1", "A.2", "A.3"], "got the suffix"),
    ],
)
def test_repeated_names_are_settled_as_the_option_says(how, names, note):
    notes = []
    values, merged = merge_duplicates("x", VALUES.copy(), features(NAMES), how, notes)
    assert merged.names.tolist() == names
    assert "1 feature name repeats: 'A' (4 times)" in notes[0]
    assert note in notes[0]
    if how == "mean":
        np.testing.assert_array_equal(values[0], [2.25, 8.0])
    if how == "max_mean":
        np.testing.assert_array_equal(values[0], [3.0, 14.0])


def test_repeated_names_are_refused_with_the_keys_that_settle_them():
    with pytest.raises(InputError, match="duplicates: max_mean") as error:
        merge_duplicates("x", VALUES, features(NAMES), "refuse", [])
    assert error.value.key == "duplicates"


def test_the_first_of_many_equal_rows_is_kept():
    names = ["A", "B"] * 100  # as many rows as a sort that is not stable exchanges
    _, unique, rows = _merge_rows(np.ones((200, 2)), names, "max_mean")
    assert (unique.tolist(), rows.tolist()) == (["A", "B"], [0, 1])


@pytest.mark.parametrize(("how", "merged"), [("mean", [4.0, 5.0]), ("median", [2.0, 4.0])])
def test_mean_and_median_of_three_rows_differ(how, merged):
    values = np.array([[1.0, 9.0], [2.0, 2.0], [9.0, 4.0]])
    np.testing.assert_array_equal(_merge_rows(values, ["g", "g", "g"], how)[0], [merged])


def test_a_separator_at_the_beginning_of_a_symbol_is_of_several_genes():
    probes = features("pqrst", ["A", "/// B", "A", "A", "A"])
    notes = []
    _, genes = collapse_probes("x", VALUES.copy(), probes, "max_mean", notes)
    assert genes.names.tolist() == ["A"]
    assert "0 without a symbol and 1 of several genes" in notes[0]


def test_symbols_are_needed_to_collapse():
    for symbols in (None, [""] * 5):
        with pytest.raises(InputError, match="collapse: median needs the symbols") as error:
            collapse_probes("x", VALUES, features("pqrst", symbols), "median", [])
        assert error.value.key == "annotation"
