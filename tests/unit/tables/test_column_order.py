"""Rows have names: the order of columns in ``tables.toml`` is that of files, and nothing else."""

import tomllib
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pandas as pd
import pytest
import whole_study

from xnbflow.tables.contract import FOLDS_TABLE, TableSchema
from xnbflow.tables.storage import read_parquet, table_of, write_parquet, write_tsv

SOURCES = Path(__file__).parents[3] / "workflow/src"
TABLES = [
    f"{group}.{name}"
    for path in sorted(SOURCES.rglob("tables.toml"))
    for group, tables in tomllib.loads(path.read_text()).items()
    for name, table in tables.items()
    if isinstance(table, dict) and "columns" in table
]
ROW = {"sample": "s", "fold": 1, "repeat": 0}


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"repeat": 0, "sample": "s"}, "column 'fold' is missing"),
        (ROW | {"folds": 1}, "column 'folds' is not known"),
    ],
)
def test_a_row_with_other_fields_is_refused_by_name(row, fault):
    with pytest.raises(TypeError, match=f"a row of the table 'folds' .*: {fault}"):
        table_of([ROW, row], FOLDS_TABLE)


def test_the_contract_orders_columns_in_files_and_in_what_is_read(tmp_path):
    path, text, declared = tmp_path / "t.parquet", tmp_path / "t.tsv", FOLDS_TABLE.fixed
    assert list(table_of([], FOLDS_TABLE, without=["fold"])) == ["repeat", "sample"]
    assert list(table_of([ROW], FOLDS_TABLE)) == declared
    earlier = replace(FOLDS_TABLE, columns=dict(reversed(FOLDS_TABLE.columns.items())))
    for table in (earlier, FOLDS_TABLE):
        write_parquet(pd.DataFrame([ROW]), path, table)
        write_tsv(pd.DataFrame([ROW]), text, table)
        assert list(pd.read_parquet(path)) == list(pd.read_csv(text, sep="\t")) == table.fixed
        pd.testing.assert_frame_equal(read_parquet(path, FOLDS_TABLE), table_of([ROW], FOLDS_TABLE))


def rotated(table):
    """Return the columns of a table, each in another place."""
    first, *others = vars(table)["columns"].items()
    return dict([*others, first])


#: In place of the attribute of all tables, also of those that are declared later.
ROTATED = property(rotated, lambda table, columns: vars(table).update(columns=columns))


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every table and a page in two folders; in the second all columns are in another place."""
    folders = [tmp_path_factory.mktemp(name) for name in ("declared", "rotated")]
    paths = whole_study.write(folders[0])
    with patch.object(TableSchema, "columns", ROTATED, create=True):
        whole_study.write(folders[1])
    return folders, paths


def fault_of(table, written):
    """Return how a table differs where its columns have another order; empty if it does not."""
    (declared, rotated_folder), paths = written
    n_rows = 0
    for path in paths.get(table, []):
        place = path.relative_to(declared)
        one, other = (pd.read_parquet(folder / place) for folder in (declared, rotated_folder))
        n_rows += len(one)
        if list(one) == list(other) and len(one.columns) > 1:
            return f"{place}: the columns have the same order"
        untimed = [name for name in one if "seconds" not in name]
        try:
            pd.testing.assert_frame_equal(one[untimed], other[untimed], check_exact=True)
        except AssertionError as error:
            return f"{place}: {error}"
    return "" if n_rows else "add its producer to whole_study.py"


@pytest.mark.slow
def test_every_table_holds_the_same_whatever_the_order_of_its_columns(written):
    assert len(TABLES) > 150
    faults = {table: fault_of(table, written) for table in TABLES}
    assert {table: fault for table, fault in faults.items() if fault} == {}


@pytest.mark.slow
@pytest.mark.parametrize("file", ["page.html", "curves.json"])
def test_a_page_shows_the_same_whatever_the_order_of_columns(written, file):
    one, other = ((folder / "s" / file).read_text() for folder in written[0])
    assert one == other
