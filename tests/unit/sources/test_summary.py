"""The proposal of a table: its label, its scale, its descriptions, and their limits."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from xnbflow.sources import summary
from xnbflow.sources.sheet import SheetRow
from xnbflow.sources.summary import (
    class_score,
    described_numbers,
    distinct_values,
    natural_key,
    summarise_table,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.mark.parametrize(
    ("name", "texts", "score"),
    [
        ("diagnosis", "aabb", 3),  # a name and values of a class
        ("note", "aabb", 2),
        ("note", ["1", "1", "2", "2"], 1),  # numbers without such a name
        ("grade", ["1", "1", "2", "2"], 3),
        ("description", "aabb", 1),
        ("title", "aabb", 0),
        ("sex", "aabb", 0),
        ("note", "abcd", 0),
        ("note", "aab", 0),  # one value alone repeats
        ("note", "aaaa", 0),
        ("note", [*"aabb"] + [""] * 4, 2),  # half of the samples have a value
        ("note", [*"aabb"] + [""] * 5, 0),
        ("note", [chr(97 + i) for i in range(10)] * 2, 2),
        ("note", [chr(97 + i) for i in range(11)] * 2, 0),
        ("note", [*"aaaabbbb", "c", "d"], 2),  # a fifth of the samples is alone in its class
        ("note", [*"aaaabbbb", "c", "d", "e"], 0),
        ("days_to_death", "aabb", 0),
    ],
)
def test_the_score_of_a_column_as_a_class(name, texts, score):
    assert class_score(name, texts) == score


def test_values_are_described_by_frequency_and_in_natural_order():
    table = distinct_values(pd.DataFrame({"time": ["24 h", "0 h", "6 h", "x", "x", "10 h", ""]}))
    assert table["value"].tolist() == ["x", "(none)", "0 h", "6 h", "10 h", "24 h"]
    assert table["samples"].tolist() == [2, 1, 1, 1, 1, 1]
    assert sorted(["s10", "s9", "S2.5"], key=natural_key) == ["S2.5", "s9", "s10"]


@pytest.mark.parametrize(("n_values", "are_numbers"), [(12, False), (13, True)])
def test_more_than_twelve_numbers_are_described_by_their_limits(n_values, are_numbers):
    cells = [f"{i},5" for i in range(n_values)] + ["NA"] * (n_values == 13)
    table = described_numbers(pd.DataFrame({"x": cells}))
    assert (len(table) == 1) == are_numbers
    if are_numbers:
        assert table.iloc[0].tolist() == ["x", 0.5, 6.5, 12.5, 14, 1]


def write(folder, values, **columns):
    """Write a table with samples in rows; the class of every second sample is b."""
    table = pd.DataFrame(values, columns=[f"g{i}" for i in range(values.shape[1])])
    table.insert(0, "type", ["a", "b"] * (len(values) // 2))
    table.insert(0, "sample", [f"s{i}" for i in range(len(values))])
    for name, cells in columns.items():
        table.insert(2, name, cells)
    table.to_csv(folder / "x.csv", index=False)
    return SheetRow("x", "table", str(folder / "x.csv"))


def logarithms(n_features, largest):
    values = np.random.default_rng(0).uniform(2, largest - 0.1, (12, n_features)).round(3)
    values[0, 0] = largest
    return values


@pytest.mark.parametrize(
    ("n_features", "largest", "scale"),
    [(500, 12.0, "log2"), (499, 12.0, None), (500, 11.1, None), (500, 11.3, "log2")],
)
def test_logarithms_to_base_2_are_proposed_for_arrays(tmp_path, n_features, largest, scale):
    summary = summarise_table(write(tmp_path, logarithms(n_features, largest)))
    assert summary.row.options.get("scale") == scale


@pytest.mark.parametrize(
    ("n_missing", "option"), [(48, "impute"), (49, "drop_features:0.3"), (0, None)]
)
def test_a_tenth_of_missing_values_is_imputed(tmp_path, n_missing, option):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    places = np.arange(480).reshape(12, 40).T.ravel()[::7][:n_missing]
    values.ravel()[places] = np.nan
    summary = summarise_table(write(tmp_path, values))
    assert summary.row.options.get("missing") == option
    assert ("of the values are missing" in summary.reason) == bool(n_missing)


def test_texts_are_the_label_before_numbers_that_are_nearer_to_the_samples(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    row = write(tmp_path, values, score=["1", "2", "3"] * 4)
    assert summarise_table(row).row.label == "type"


def test_repeated_names_and_missing_values_are_settled_together(tmp_path):
    values = np.random.default_rng(0).normal(8, 1, (12, 40)).round(3)
    values[0, 5] = np.nan
    row = write(tmp_path, values)
    path = tmp_path / "x.csv"
    path.write_text(path.read_text().replace("g7,", "g6,", 1))
    summary = summarise_table(row)
    assert summary.row.options["missing"] == "impute"
    assert summary.row.options["duplicates"] == "max_mean"
    assert "Proposed is duplicates=max_mean" in summary.reason


@pytest.mark.parametrize(("n", "orientation"), [(1000, "columns"), (1001, "rows")])
def test_up_to_a_thousand_columns_may_be_samples(monkeypatch, n, orientation):
    """A table with more columns has features in them, whatever its rows are called."""

    def recognised(row, downloads):
        return SimpleNamespace(row=row, samples=["s"] * n)

    def with_label(layout):
        return replace(layout.row, label="diagnosis"), []

    monkeypatch.setattr(summary, "recognise_layout", recognised)
    monkeypatch.setattr(summary, "_with_label", with_label)
    layout = recognised(SheetRow("d", "table", "d.csv"), None)
    chosen, row, _ = summary._with_samples_in_columns(layout, None)
    assert chosen.row.orientation == orientation
    assert row.orientation == orientation
