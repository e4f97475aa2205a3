"""What `xnbflow study` proposes for a table: its row reads the table as a person would."""

import numpy as np
import pandas as pd
import pytest

from xnbflow.data.dataset import DataSet
from xnbflow.data.errors import InputError
from xnbflow.data.sources.genepattern import read_classes, write_gct_and_cls
from xnbflow.data.sources.sheet import SheetRow, read_sheet
from xnbflow.data.sources.summary import summarise_table
from xnbflow.data.sources.table import read_table
from xnbflow.models.reading import described
from xnbflow.workflow.cli import commands

pytestmark = pytest.mark.filterwarnings("ignore:data set")
RNG = np.random.default_rng(3)
VALUES = RNG.normal(8, 1, (12, 5)).round(3)
DIAGNOSIS = ["ill", "well"] * 6


def frame(**columns):
    table = pd.DataFrame(VALUES, columns=[f"g{i}" for i in range(5)])
    for place, (name, cells) in enumerate(columns.items()):
        table.insert(place, name, cells)
    return table


OWN = {
    "sample": [f"s{i}" for i in range(12)],
    "patient": [f"P{i // 2}" for i in range(12)],
    "sex": ["f", "m", "m"] * 4,
    "age": range(40, 52),
    "diagnosis": DIAGNOSIS,
}


def read_as_proposed(path, folder, **given):
    """Read a table by the sheet that is written for it."""
    summary = summarise_table(SheetRow("mine", "table", str(path), **given))
    (folder / "sheet.tsv").write_text(summary.sheet)
    row = read_sheet(folder / "sheet.tsv")["mine"]
    return row, read_table(path, row)


def comma(table):
    return table.map(lambda cell: str(cell).replace(".", ",") if isinstance(cell, float) else cell)


def of_rows(folder):
    frame(**OWN).to_csv(folder / "x.csv", index=False)
    return folder / "x.csv", {}


def of_columns(folder):
    table = frame(**OWN).set_index("sample").drop(columns=["sex", "age"])
    table.T.to_csv(folder / "x.tsv", sep="\t", index_label="gene")
    return folder / "x.tsv", {"label": "diagnosis"}


def of_a_workbook(folder):
    comma(frame(**OWN)).to_excel(folder / "x.xlsx", index=False)
    return folder / "x.xlsx", {}


def with_a_phenotype(folder):
    table = frame(**OWN).set_index("sample")
    table.filter(like="g").drop(columns="age").T.to_csv(folder / "x.csv", index_label="gene")
    table[["diagnosis", "patient", "sex"]].iloc[::-1].to_csv(folder / "pheno.csv")
    return folder / "x.csv", {"options": {"phenotype": str(folder / "pheno.csv")}}


def of_gct_and_cls(folder):
    series = DataSet("x", VALUES.T, [f"g{i}" for i in range(5)], OWN["sample"], DIAGNOSIS)
    path, labels = write_gct_and_cls(series, folder / "x")
    return path, {"options": {"phenotype": str(labels)}}


WRITTEN = [of_rows, of_columns, of_a_workbook, with_a_phenotype, of_gct_and_cls]


@pytest.mark.parametrize("written", WRITTEN)
def test_the_proposed_row_reads_the_table(tmp_path, written):
    path, given = written(tmp_path)
    row, series = read_as_proposed(path, tmp_path, **given)
    assert row.label == ("class" if written is of_gct_and_cls else "diagnosis")
    assert series.features.tolist() == [f"g{i}" for i in range(5)]
    np.testing.assert_array_equal(series.values, VALUES.T)
    assert list(series.labels) == DIAGNOSIS
    assert list(series.samples) == OWN["sample"]
    if written not in (of_columns, of_gct_and_cls):
        assert list(series.groups) == OWN["patient"]
        assert list(series.sample_metadata["sex"]) == OWN["sex"]


def test_labels_of_a_cls_file_are_those_of_the_format_or_refused(tmp_path):
    """The first label that occurs is of the first class (GenePattern, file formats guide)."""
    table, labels = of_gct_and_cls(tmp_path)[0], tmp_path / "l.cls"
    for third, problem in (
        ("x x y y x y x y x y x y", None),
        ("1 1 0 0 1 0 1 0 1 0 1 0", "first label"),
        ("well ill " * 6, "first label"),
        ("0 1", "2 labels"),
    ):
        labels.write_text(f"12 2 1\n# ill well\n{third}\n")
        if problem:
            with pytest.raises(InputError, match=problem):
                read_classes(labels, table)
        else:
            found = read_classes(labels, table)["class"]
            assert found.tolist() == [{"x": "ill", "y": "well"}[label] for label in third.split()]
            assert found.index.tolist() == OWN["sample"]


def test_logarithms_are_proposed_for_intensities_and_counts_alone(tmp_path):
    logged = RNG.normal(8, 1, (600, 8))
    tables = {"": logged, "log2": 2**logged, "log_cpm": RNG.negative_binomial(1, 0.001, (600, 8))}
    for transform, values in tables.items():
        table = pd.DataFrame(values.T, columns=[f"g{i}" for i in range(600)])
        table.insert(0, "type", ["a", "b"] * 4)
        table.to_csv(tmp_path / "x.csv", index=False)
        summary = summarise_table(SheetRow("mine", "table", str(tmp_path / "x.csv")))
        assert summary.row.options.get("transform", "") == transform


def test_without_a_class_nothing_is_written_and_the_columns_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame(note=[f"n{i}" for i in range(12)]).to_csv("x.csv", index=False)
    summary = commands.summary_of(described("x.csv"))
    assert summary.row is None
    with pytest.raises(InputError, match=r"--label; columns of text: note"):
        commands.write_study(summary, "a/mine")
    for name in ("demo", "classify", "digits", "a b"):  # it would be the project's, too
        with pytest.raises(InputError, match=r"another name|cannot name"):
            commands.write_study(summary, f"a/{name}")
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]
