"""Tables as text: exact for a reader, harmless for a spreadsheet."""

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from xnbflow.data.contract import Column, TableSchema
from xnbflow.data.tables import read_parquet, tsv, write_parquet, write_tsv

TYPES = {
    "text": "text",
    "perhaps": "text or none",
    "whole": "integer",
    "share": "number",
    "is_so": "boolean",
    "either": "text or number",
}
COLUMNS = {name: Column(kind) for name, kind in TYPES.items()}
ALL_KINDS = TableSchema("all_kinds", "a column of each type", "a row", COLUMNS)
FRAME = pd.DataFrame(
    {
        "text": ["a", "b"],
        "perhaps": ["a", None],
        "whole": [1, 2],
        "share": [0.5, np.nan],
        "is_so": [True, False],
        "either": [1.5, 2.5],
    }
)


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)", "\tx"])
def test_text_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(tmp_path, name):
    frame = pd.DataFrame({"feature": [name, "g1"], "value": [-1.5, 2.0], name: ["a", "b"]})
    write_tsv(frame, tmp_path / "t.tsv")
    read = pd.read_csv(tmp_path / "t.tsv", sep="\t")
    assert read["feature"].tolist() == [f"'{name}", "g1"]
    assert read["value"].tolist() == [-1.5, 2.0]
    assert read.columns[-1] == f"'{name}"
    assert frame["feature"][0] == name


def test_labels_that_are_numbers_stay_as_they_are():
    assert tsv(pd.DataFrame({"class": ["-1", "+1", "1e-5"]})) == "class\n-1\n+1\n1e-5\n"


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("text", [1, 2]),
        ("text", ["a", None]),
        ("text", [np.nan, np.nan]),
        ("perhaps", [1, 2]),
        ("whole", [1.0, 2.0]),
        ("whole", [True, False]),
        ("whole", [np.nan, np.nan]),
        ("share", ["x", "y"]),
        ("share", ["x", None]),
        ("share", [True, False]),
        ("is_so", [0, 1]),
        ("either", [True, False]),
        ("either", [1.5, np.nan]),
    ],
)
def test_a_column_of_another_type_is_not_written(tmp_path, column, values):
    with pytest.raises(TypeError, match=f"'all_kinds' for .* column '{column}'"):
        write_parquet(FRAME.assign(**{column: values}), tmp_path / "t.parquet", ALL_KINDS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("column", ["perhaps", "share"])
def test_what_may_be_missing_may_be_missing_throughout(tmp_path, column):
    frame = FRAME.assign(**{column: [None, None]})
    write_parquet(frame, tmp_path / "t.parquet", ALL_KINDS)
    assert read_parquet(tmp_path / "t.parquet", ALL_KINDS)[column].isna().all()


@pytest.mark.parametrize(
    ("values", "kind"), [(["a", "b"], "large_string"), ([1.5, 2], "double"), ([1, 2], "int64")]
)
def test_text_or_numbers_keep_their_type(tmp_path, values, kind):
    frame = FRAME.assign(either=values)
    write_parquet(frame, tmp_path / "t.parquet", ALL_KINDS)
    assert str(pq.read_schema(tmp_path / "t.parquet").field("either").type) == kind
    assert read_parquet(tmp_path / "t.parquet", ALL_KINDS)["either"].tolist() == values


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        (FRAME.drop(columns="whole"), "column 'whole' is missing"),
        (FRAME.assign(more=1), "column 'more' is not known"),
        (FRAME[FRAME.columns[::-1]], "columns are not in the order text, perhaps, whole"),
        (pd.concat([FRAME, FRAME[["text"]]], axis=1), "two columns have the same name"),
    ],
)
def test_other_columns_are_not_written(tmp_path, frame, fault):
    with pytest.raises(TypeError, match=fault):
        write_parquet(frame, tmp_path / "t.parquet", ALL_KINDS)
