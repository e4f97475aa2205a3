"""The contract of paths and tables: light, whole, and kept by what writes and reads them."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from toys import mistakes, refused, run_program

from xnbflow.core.entries import Analysis
from xnbflow.core.errors import InputError
from xnbflow.core.study import Study
from xnbflow.tables import contract
from xnbflow.tables.contract import GROUPS, Column, TableSchema
from xnbflow.tables.storage import (
    read_parquet,
    read_stacked,
    tsv,
    write_parquet,
    write_stacked,
    write_tsv,
)

DECLARED = Path(__file__).with_name("toy_tables.toml").read_text()


def declared(folder, text):
    (folder / "tables.toml").write_text(text)
    (folder / "toy_compute.py").touch()
    return contract.analysis_tables(Analysis(name="toy", compute="toy_compute"))


def test_an_analysis_declares_its_tables_in_a_file(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    table = declared(tmp_path, DECLARED)["counts"]
    assert (table.name, table.title, table.row) == ("counts", "how many", "a place")
    assert table.columns == {
        "place": Column("text", "where", label="site"),
        "samples": Column("integer"),
        "count": Column("number", format=".1f"),
        "note": Column("text or none"),
    }


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        *(
            (DECLARED.replace(old, new), "toy.counts", r"\[toy\.counts\]")
            for old, new in mistakes("declaration")
        ),
        ("[toy", None, r"as a declaration of tables \(Expected ']'"),
        (
            DECLARED.replace("toy.", "other."),
            "toy",
            r"declares no table \[toy\.name\]; known: other",
        ),
    ],
)
def test_a_declaration_of_another_form_names_its_file_and_table(
    tmp_path, monkeypatch, text, key, message
):
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(InputError, match=message) as error:
        declared(tmp_path, text)
    assert error.value.file == str(tmp_path / "tables.toml")
    assert error.value.key == key


FOLD_COLUMNS = {
    "repeat": Column("integer"),
    "fold": Column("integer"),
    "sample": Column("text"),
}
FOLDS_TABLE = TableSchema("folds", "", "a sample of a repeat", FOLD_COLUMNS)
FOLDS = pd.DataFrame({"repeat": [0, 0], "fold": [0, 1], "sample": ["s", "t"]})


def test_the_rules_import_nothing_heavy_for_it():
    assert run_program("libraries_of_contract.py").stdout == "[]\n"


def test_a_study_wants_its_page_and_the_tables_of_what_it_asks_for():
    study = Study(
        id="s",
        title="",
        summary="",
        datasets=("wine",),
        classifiers=("nb", "xnb"),
        folds=("f",),
        diagnostics=True,
        analyses={},
        final=("xnb",),
    )
    assert contract.GROUPS["report"].targets(study) == ["results/studies/s/report.html"]
    models = contract.GROUPS["model"].targets(study)
    assert models[0] == "results/studies/s/models/wine/xnb/signature.parquet"
    assert models[-1] == "results/studies/s/models/wine/xnb/signature.tsv"
    asked = {name for name, group in contract.GROUPS.items() if group.targets(study)}
    assert asked == {"study", "model", "report"}


TYPES = {"text": "text", "perhaps": "text or none", "whole": "integer", "share": "number"}
TYPES |= {"is_so": "boolean", "either": "text or number"}
COLUMNS = {name: Column(kind) for name, kind in TYPES.items()}
ALL_KINDS = TableSchema("all_kinds", "a column of each type", "a row", COLUMNS)
CELLS = [["a", "b"], ["a", None], [1, 2], [0.5, np.nan], [True, False], [1.5, 2.5]]
FRAME = pd.DataFrame(dict(zip(TYPES, CELLS, strict=True)))
OF_OTHER_TYPES = {"text": ([1, 2], ["a", None]), "perhaps": ([1, 2],), "is_so": ([0, 1],)}
OF_OTHER_TYPES |= {"whole": ([1.0, 2.0], [True, False]), "share": (["x", "y"], [True, False])}
OF_OTHER_TYPES |= {"either": ([1.5, np.nan],)}


@pytest.mark.parametrize(
    ("frame", "fault"),
    [
        *(
            (FRAME.assign(**{column: cells}), f"column '{column}' holds")
            for column, wrong in OF_OTHER_TYPES.items()
            for cells in wrong
        ),
        (FRAME.drop(columns="whole"), "column 'whole' is missing"),
        (FRAME.assign(more=1), "column 'more' is not known"),
        (pd.concat([FRAME, FRAME[["text"]]], axis=1), "two columns have the same name"),
    ],
)
def test_a_producer_that_deviates_writes_nothing(tmp_path, frame, fault):
    with pytest.raises(TypeError, match=f"table 'all_kinds' for .*: {fault}"):
        write_parquet(frame, tmp_path / "t.parquet", ALL_KINDS)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("values", "kind"), [(["a", "b"], "large_string"), ([1.5, 2], "double"), ([1, 2], "int64")]
)
def test_text_or_numbers_keep_their_type(tmp_path, values, kind):
    write_parquet(FRAME.assign(either=values), tmp_path / "t.parquet", ALL_KINDS)
    assert str(pq.read_schema(tmp_path / "t.parquet").field("either").type) == kind
    assert read_parquet(tmp_path / "t.parquet", ALL_KINDS)["either"].tolist() == values


@pytest.mark.parametrize("name", ["=cmd|' /C calc'!A0", "+1+1", "-x", "@SUM(A1)", "\tx"])
def test_text_that_a_spreadsheet_would_run_is_written_so_that_it_does_not(tmp_path, name):
    frame = pd.DataFrame({"feature": [name, "g1"], "value": [-1.5, 2.0], name: ["a", "b"]})
    columns = {name: Column("text") for name in frame}
    write_tsv(frame, tmp_path / "t.tsv", TableSchema("t", "", "", columns))
    read = pd.read_csv(tmp_path / "t.tsv", sep="\t")
    assert read["feature"].tolist() == [f"'{name}", "g1"]
    assert read["value"].tolist() == [-1.5, 2.0]
    assert read.columns[-1] == f"'{name}"
    assert frame["feature"][0] == name


def test_numbers_in_text_are_as_python_writes_them_with_six_digits(rng):
    tens = 10.0 ** np.arange(-8, 9)
    numbers = np.concatenate(
        [
            10 ** rng.uniform(-7, 8, 2000) * rng.choice([-1, 1], 2000),
            (rng.integers(100_000, 1_000_000, 2000) + 0.5) / 10.0 ** rng.integers(-2, 9, 2000),
            *(tens, np.nextafter(tens, 0), np.nextafter(tens, np.inf)),
            [999_999.5, 99_999.95, 0.0, -0.0, np.inf, -np.inf, 5e-324, 1.7e308],
        ]
    )
    lines = tsv(pd.DataFrame({"number": [*numbers, np.nan], "missing": np.nan})).splitlines()
    assert lines == ["number\tmissing", *(f"{number:.6g}\t" for number in numbers), "\t"]


def test_text_that_csv_would_misread_is_quoted():
    frame = pd.DataFrame({"name": ["a\tb", 'a"b', "a\nb", "é"], "held": [True, None, 1, ""]})
    read = pd.read_csv(StringIO(tsv(frame)), sep="\t", dtype=str, keep_default_na=False)
    assert read["name"].tolist() == frame["name"].tolist()
    assert read["held"].tolist() == ["True", "", "1", ""]
    assert tsv(pd.DataFrame({"alone": [2 / 3, None]}, dtype=object)) == 'alone\n0.666667\n""\n'


def test_a_table_of_another_version_is_refused_by_its_name(tmp_path):
    path = tmp_path / "folds.parquet"
    columns = {name: c for name, c in FOLDS_TABLE.columns.items() if name != "sample"}
    other = FOLDS_TABLE.columns | {"fold": Column("number")}
    for frame, written, message in (
        (FOLDS[["repeat", "fold"]], columns, "column 'sample' is missing"),
        (FOLDS, other, "column 'fold' holds double, not integer"),
    ):
        write_parquet(frame, path, TableSchema("folds", "", "", written))
        with pytest.raises(InputError, match=message) as error:
            read_parquet(path, FOLDS_TABLE)
        assert error.value.file == str(path)
        assert "delete it" in error.value.remedy
    with pytest.raises(InputError, match=r"absent.parquet is missing; run the workflow again"):
        read_parquet(tmp_path / "absent.parquet", FOLDS_TABLE)


def test_what_is_written_is_what_is_read_and_what_pandas_reads(tmp_path):
    predictions = FOLDS.assign(true="a", predicted="b", set_size=[1.0, np.nan], covered=np.nan)
    predictions["log_posterior.a"] = [-np.inf, np.nan]
    path = tmp_path / "predictions.parquet"
    write_parquet(predictions, path, GROUPS["training"].tables["predictions"])
    for read in (
        read_parquet(path, GROUPS["training"].tables["predictions"]),
        pd.read_parquet(path),
    ):
        pd.testing.assert_frame_equal(read, predictions)


@pytest.mark.parametrize(
    "table", [*GROUPS["study"].tables.values(), *GROUPS["training"].tables.values()]
)
def test_an_empty_table_keeps_the_types_of_the_contract(tmp_path, table):
    path = tmp_path / "t.parquet"
    write_parquet(pd.DataFrame(columns=table.fixed), path, table)
    read = read_parquet(path, table)
    kinds = {"integer": "i", "number": "f", "boolean": "b", "text": "O", "text or none": "O"}
    expected = {name: kinds[table.columns[name].type] for name in table.fixed}
    assert {name: dtype.kind for name, dtype in read.dtypes.items()} == expected


STACKED = contract.GROUPS["training"].tables["explanations"]


def explanations(*values):
    """Return rows of a fold, as a classifier's training has them."""
    rows = {"repeat": 0, "fold": range(len(values)), "sample": "s", "class": "a", "feature": "g"}
    rows |= {"log_likelihood": list(values), "scale": "density"}
    return pd.DataFrame(rows)[STACKED.fixed]


def test_the_tables_of_several_classifiers_share_a_file_and_are_read_apart(tmp_path):
    path = tmp_path / "explanations.parquet"
    nothing = explanations()
    write_stacked(
        {"nb": explanations(-1.0, -2.0), "forest": nothing, "xnb": explanations(-3.0)},
        path,
        STACKED,
    )
    read = read_stacked(path, STACKED, ["xnb", "forest", "nb"])
    assert list(read) == ["xnb", "forest", "nb"]
    pd.testing.assert_frame_equal(read["nb"], explanations(-1.0, -2.0))
    pd.testing.assert_frame_equal(read["xnb"], explanations(-3.0))
    assert read["forest"].empty
    assert list(read["forest"]) == STACKED.fixed
    some = read_stacked(path, STACKED, ["xnb", "forest", "nb"], ["log_likelihood"])
    assert some["nb"].to_dict("list") == {"log_likelihood": [-1.0, -2.0]}
    assert next(iter(contract.stacked_schema(STACKED).columns)) == "classifier"


def test_rows_of_a_classifier_that_the_job_does_not_train_are_refused(tmp_path):
    path = tmp_path / "explanations.parquet"
    write_stacked({"nb": explanations(-1.0), "old": explanations(-2.0)}, path, STACKED)
    with refused("has rows of the classifier old, which is not of this job", file=path):
        read_stacked(path, STACKED, ["nb"])


def test_no_data_set_can_have_the_name_of_a_folder_of_results():
    assert {"all_cohorts", "benchmarks", "logs", "studies"} == contract.RESERVED_DATASETS
