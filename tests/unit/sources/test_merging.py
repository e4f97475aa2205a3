"""Rows of one name: the row of largest mean, the mean, the median, or all of them."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.errors import InputError
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.series.merging import _merge_rows, collapse_probes, settle_duplicates
from xnbflow.sources.series.raw_series import RawSeries

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


def row(**options):
    return DatasetEntry("x", "table", **options)


def raw_series(values, features, symbols=None):
    metadata = None if symbols is None else pd.DataFrame({"symbol": symbols})
    n = values.shape[1]
    return RawSeries(
        where="x",
        values=values,
        features=np.array(features),
        samples=np.array([f"s{i}" for i in range(n)]),
        labels=["a"] * n,
        kinds=np.full(len(features), "linear", dtype=object),
        feature_places=np.arange(len(features)),
        sample_places=np.arange(n),
        sample_metadata=pd.DataFrame(index=range(n)),
        feature_metadata=metadata,
    )


@pytest.mark.parametrize("how", ["median", "max_mean"])
def test_probes_collapse_to_genes_without_those_of_none_or_several(how):
    probes = raw_series(VALUES.copy(), list("pqrst"), ["A", "", "A", "A /// B", "A"])
    probes = collapse_probes(probes, row(collapse=how))
    assert list(probes.features) == ["A"]
    expected = {"median": [3.0, 8.0], "max_mean": [3.0, 14.0]}[how]
    np.testing.assert_array_equal(probes.values, [expected])
    assert "3 probes were collapsed to 1 gene" in probes.notes[0]
    assert "left out were 1 without a symbol and 1 of several genes" in probes.notes[0]
    assert ("probe" in probes.feature_metadata) == (how == "max_mean")


@pytest.mark.parametrize(
    ("how", "features", "note"),
    [
        ("max_mean", ["A", "B"], "one of largest mean was kept"),
        ("mean", ["A", "B"], "their mean was taken"),
        ("rename", ["A", "B", "A.1", "A.2", "A.3"], "got the suffix"),
    ],
)
def test_repeated_names_are_settled_as_the_option_says(how, features, note):
    series = raw_series(VALUES.copy(), NAMES)
    series = settle_duplicates(series, row(duplicates=how))
    assert list(series.features) == features
    assert "1 feature name repeats: 'A' (4 times)" in series.notes[0]
    assert note in series.notes[0]
    if how == "mean":
        np.testing.assert_array_equal(series.values[0], [2.25, 8.0])
    if how == "max_mean":
        np.testing.assert_array_equal(series.values[0], [3.0, 14.0])


def test_repeated_names_are_refused_by_default():
    with pytest.raises(InputError, match="duplicates: max_mean") as error:
        settle_duplicates(raw_series(VALUES, NAMES), row())
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
    probes = raw_series(VALUES.copy(), list("pqrst"), ["A", "/// B", "A", "A", "A"])
    probes = collapse_probes(probes, row(collapse="max_mean"))
    assert list(probes.features) == ["A"]
    assert "0 without a symbol and 1 of several genes" in probes.notes[0]


def test_symbols_are_needed_to_collapse():
    for symbols in (None, [""] * 5):
        with pytest.raises(InputError, match="collapse: median needs the symbols") as error:
            collapse_probes(raw_series(VALUES, list("pqrst"), symbols), row(collapse="median"))
        assert error.value.key == "annotation"
