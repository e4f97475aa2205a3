"""Tables record the software that they come from, and replace older tables."""

from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest

from xnbflow.core.rounding import ROUNDING
from xnbflow.tables import storage
from xnbflow.tables.contract import (
    GROUPS,
    Column,
    TableSchema,
    _log_of,
    text_of,
)
from xnbflow.tables.storage import (
    recorded_versions,
    table_of,
    tsv,
    write_parquet,
    write_tables,
)

NUMBERS = TableSchema("numbers", "", "a row", {"x": Column("number")}, text=True)
FRAME = pd.DataFrame({"x": [0.5, np.nan]})


def test_versions_of_several_tables_are_joined(tmp_path):
    paths = [tmp_path / name for name in ("a.parquet", "b.parquet", "c.parquet")]
    for path, version in zip(paths, ("1.0", "1.1", "1.0"), strict=True):
        with patch.object(storage, "software", lambda version=version: {"numpy": version}):
            write_parquet(FRAME, path, NUMBERS)
    assert recorded_versions(paths) == {"numpy": "1.0 and 1.1"}


def test_tables_of_the_job_that_it_does_not_write_again_are_removed_and_nothing_else(tmp_path):
    others = {"unknown.parquet", "unknown.tsv", ".host.1.ab.part.numbers.tsv", "notes.md"}
    for name in ("earlier.parquet", "earlier.tsv", *others):
        (tmp_path / name).touch()
    write_tables({"numbers": FRAME}, tmp_path, {"numbers": NUMBERS, "earlier": NUMBERS})
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"numbers.parquet", "numbers.tsv"} | others


def test_a_table_that_is_not_in_the_contract_is_refused(tmp_path):
    with pytest.raises(TypeError, match=r"table 'other' for .* is not in the contract"):
        write_tables({"other": FRAME}, tmp_path, {"numbers": NUMBERS})


@pytest.mark.parametrize("cell", ["=a", "+a", "-a", "@a", "\ta", "\ra"])
def test_text_that_a_spreadsheet_may_run_gets_an_apostrophe(cell):
    assert storage.without_formula(cell) == f"'{cell}"


def test_numbers_in_text_have_six_digits():
    assert tsv(pd.DataFrame({"x": [1234567.0, 0.1234567]})) == "x\n1.23457e+06\n0.123457\n"


@pytest.mark.parametrize("n_rows", [0, 1, 2, 5])
def test_text_that_is_converted_in_blocks_has_every_row_once(monkeypatch, tmp_path, n_rows):
    frame = pd.DataFrame({"name": list("abcde")[:n_rows], "x": [0.5, 1.0, np.nan, 3, 4][:n_rows]})
    table = TableSchema("t", "", "a row", {"name": Column("text"), "x": Column("number")})
    monkeypatch.setattr(storage, "_TEXT_ROWS_AT_ONCE", 2)
    expected = ["name\tx", "a\t0.5", "b\t1", "c\t", "d\t3", "e\t4"][: n_rows + 1]
    storage.write_tsv(frame, tmp_path / "t.tsv", table)
    assert (tmp_path / "t.tsv").read_bytes().decode() == "\n".join([*expected, ""])


def test_a_column_with_a_wildcard_matches_its_prefix_only():
    table = GROUPS["training"].tables["predictions"]
    assert table.column("log_posterior.a") is not None
    assert table.column("log_prior.a") is None
    assert GROUPS["model"].tables["signature"].column("distance_to.b").label == "to b"


def test_numbers_on_a_page_have_three_decimals_and_whole_ones_commas():
    assert Column("number").shown("auc").format == ".3f"
    assert Column("integer").shown("n_genes").format == ","
    assert Column("number", format=".1f").shown("auc").format == ".1f"
    assert Column("integer").shown("n_genes").label == "n genes"


def test_a_table_that_is_written_as_text_has_both_files():
    assert GROUPS["model"].texts == [text_of(GROUPS["model"].files["signature"])]
    assert text_of("results/a.parquet") == "results/a.tsv"


def test_the_path_of_a_template_needs_all_wildcards_and_no_others():
    template = _log_of("diagnose")
    assert template.of(dataset="wine") == "results/logs/diagnose/wine.log"
    with pytest.raises(TypeError, match="needs dataset"):
        template.of()
    with pytest.raises(TypeError, match="has no fold"):
        template.of(dataset="wine", fold="1")


@pytest.mark.parametrize(("kind", "cells"), [("integer", [1, None]), ("boolean", [True, None])])
def test_whole_numbers_and_truth_values_may_not_be_missing(tmp_path, kind, cells):
    dtype = {"integer": "Int64", "boolean": "boolean"}[kind]
    frame = pd.DataFrame({"x": pd.array(cells, dtype=dtype)})
    table = TableSchema("t", "", "a row", {"x": Column(kind)})
    with pytest.raises(TypeError, match=f"holds .* with missing values, not {kind}"):
        write_parquet(frame, tmp_path / "t.parquet", table)


def test_numbers_equal_up_to_rounding_are_a_billionth_apart():
    """Shares of two different counts of up to 10,000 samples differ by more than 1e-8."""
    assert ROUNDING == 1e-9
    assert ROUNDING < (1 / 9_999 - 1 / 10_000) / 10


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ({"class": "", "feature": "g", "p": 0.5}, "column 'W' is missing"),
        ({"class": "", "feature": "g", "p": 0.5, "W": 0.9, "w": 1}, "column 'w' is not known"),
    ],
)
def test_a_row_with_other_fields_is_refused_by_name(row, fault):
    complete = {"class": "", "feature": "g", "W": 0.9, "p": 0.5}
    with pytest.raises(TypeError, match=f"a row of the table 'normality' .*: {fault}"):
        table_of([complete, row], GROUPS["diagnostic"].tables["normality"])
