"""Rows have names: the order of columns in ``tables.toml`` is that of files, and nothing else."""

import os
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
import yaml

from xnbflow.tables.contract import FOLDS_TABLE
from xnbflow.tables.storage import read_parquet, table_of, write_parquet, write_tsv

TESTS, SOURCES = Path(__file__).parents[1], Path(__file__).parents[2] / "workflow/src"
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


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Every table and a page in two folders; in the second all columns are in another place."""
    folders = [tmp_path_factory.mktemp(name) for name in ("declared", "rotated")]
    path = os.pathsep.join(map(str, (SOURCES, TESTS)))
    jobs = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                f"{first}import whole_study; whole_study.write({str(folder)!r})",
            ],
            env=os.environ | {"PYTHONPATH": path},
            stderr=subprocess.PIPE,
            text=True,
        )
        for first, folder in zip(("", "import rotated_columns; "), folders, strict=True)
    ]
    for job in jobs:
        errors = job.communicate()[1]
        assert job.returncode == 0, errors
    return folders


@pytest.mark.slow
@pytest.mark.parametrize("table", TABLES)
def test_every_table_holds_the_same_whatever_the_order_of_its_columns(written, table):
    paths = yaml.safe_load((written[0] / "tables.yaml").read_text()).get(table, [])
    pairs = [[pd.read_parquet(folder / path) for folder in written] for path in paths]
    assert sum(len(one) for one, _ in pairs), f"add the producer of {table} to whole_study.py"
    for one, other in pairs:
        assert list(one) != list(other) or len(one.columns) == 1
        untimed = [name for name in one if "seconds" not in name]
        pd.testing.assert_frame_equal(one[untimed], other[untimed], check_exact=True)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["page.html", "curves.json", "multiqc.json"])
def test_a_page_shows_the_same_whatever_the_order_of_columns(written, file):
    one, other = ((folder / "s" / file).read_text() for folder in written)
    assert one == other
