"""The workbook of a study: its sheets have the tables, and no cell is a formula."""

import json
import sys
from dataclasses import replace

import pandas as pd
import pytest
from report_study import SCRIPT, changed, study_of_tables, write_study

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.report import workbook
from xnbflow.report.study_page import write_record
from xnbflow.running.cli import finished_studies

openpyxl = pytest.importorskip("openpyxl")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    results = write_study(tmp_path_factory.mktemp("study"))
    title = replace(results.study, title="=cmd|' /C calc'!A0")
    return replace(results, study=title)


@pytest.fixture(scope="module")
def sheets(study, tmp_path_factory):
    """The cells of each sheet, without computed values."""
    path = tmp_path_factory.mktemp("book") / "study.xlsx"
    results = changed(study, "samples", "sample == 'sample 7'", sample="+SUM(A1)")
    workbook.write_workbook(results, path)
    book = openpyxl.load_workbook(path)
    return {sheet.title: list(sheet.iter_rows()) for sheet in book}


def frame(sheets, name):
    head, *rows = [[cell.value for cell in row] for row in sheets[name]]
    return pd.DataFrame(rows, columns=head)


def test_no_cell_is_a_formula(sheets):
    cells = [cell for rows in sheets.values() for row in rows for cell in row]
    assert {cell.data_type for cell in cells} <= {"s", "inlineStr", "n", "b"}
    texts = {str(cell.value) for cell in cells}
    assert {"'=cmd|' /C calc'!A0", "'+SUM(A1)"} <= texts


def test_the_summary_has_the_verdicts_and_the_versions(sheets, study):
    summary = frame(sheets, "summary").set_index("item")["text"]
    assert summary["summary"] == study.study.summary
    assert summary["verdict: alpha"].startswith(("Well", "Partly", "Not"))
    assert summary["version: numpy"] == study.software["numpy"]


def test_each_finding_has_its_sentence(sheets, study):
    findings = frame(sheets, "findings")
    assert len(findings) == len(study.tables["findings"]) > 0
    assert findings["sentence"].str.endswith(".").all()


def test_genes_have_a_sheet_for_each_contrast_and_two_classes_one(sheets, study):
    names = [name for name in sheets if name.startswith("genes ")]
    classes = ["genes alpha healthy", "genes alpha tumour <A>", "genes alpha tumour B"]
    assert names == [*classes, "genes GSE7904 tumour"]
    genes = study.tables_of("genes", dataset="GSE7904")["genes"]
    expected = genes[genes["class"] == "tumour"].sort_values("rank")
    actual = frame(sheets, "genes GSE7904 tumour")
    assert actual["feature"].tolist() == expected["feature"].tolist()
    assert SCRIPT in actual["feature"].tolist()
    assert actual["t"].astype(float).tolist() == pytest.approx(expected["t"].tolist(), nan_ok=True)


def test_estimates_and_samples_name_classifiers_as_people_do(sheets, study):
    actual = frame(sheets, "estimates")
    expected = study.tables["estimates"]
    assert len(actual) == len(expected)
    assert set(actual["classifier"]) == set(study.labels.values())
    assert actual["estimate"].astype(float).tolist() == pytest.approx(
        expected["estimate"].tolist(), nan_ok=True
    )
    assert len(frame(sheets, "samples")) == len(study.tables["samples"])
    assert "core" not in sheets  # the study keeps no model
    assert len(frame(sheets, "methods")) > 3


def test_names_of_sheets_are_short_and_unique_in_any_case():
    names = set()
    first = workbook._sheet_name("x" * 40, names)
    second = workbook._sheet_name("X" * 40, names)
    assert (len(first), len(second)) == (31, 31)
    assert first.casefold() != second.casefold()
    assert workbook._sheet_name("a[b]:c*?/\\'d", names) == "a b c d"


def test_control_characters_are_replaced():
    assert workbook._workbook_cell("a\x00b\x1f") == "a�b�"
    assert workbook._workbook_cell(-1.5) == -1.5


def test_the_command_writes_a_workbook_or_names_the_missing_package(study, tmp_path, monkeypatch):
    path = tmp_path / "a.xlsx"
    assert finished_studies.write_workbook(study, path) == path
    assert path.is_file()
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(InputError, match="needs openpyxl; install xnbflow with its extra"):
        finished_studies.write_workbook(study, path)


def test_a_page_that_was_not_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="run the study in this folder: xnbflow run s"):
        finished_studies.page_of("s")
    page = tmp_path / "results/studies/s/report.html"
    page.parent.mkdir(parents=True)
    page.write_text("")
    assert finished_studies.page_of("s").resolve() == page


def test_the_record_has_the_verdicts_and_sizes_that_the_index_shows(study, tmp_path):
    write_record(study, tmp_path / "run.json")
    record = json.loads((tmp_path / "run.json").read_text())
    chosen = study.tables["headline"]["classifier"].iloc[0]
    levels = study.rows("verdicts", classifier=chosen).set_index("dataset")["level"].to_dict()
    assert record["verdicts"] == levels
    assert record["sizes"][0] == {"dataset": "alpha", "samples": 36, "features": 40}


@pytest.mark.parametrize(("reference", "shown", "mirror"), [("", "b", "a"), ("b", "a", "b")])
def test_models_have_sheets_of_their_core_and_their_signature(tmp_path, reference, shown, mirror):
    rows = [
        {"class": "b", "feature": "g1", "rank": 1, "core": True},
        {"class": "b", "feature": "g2", "rank": 2, "core": False},
    ]
    genes = [
        {"class": label, "feature": name, "rank": rank, "difference": sign}
        for label, sign in (("a", -1.0), ("b", 1.0))
        for name, rank in (("g2", 2), ("g1", 1))
    ]
    tables = {
        "model.signature": rows,
        "genes.genes": genes,
        "headline": [{"classifier": ""}],
    }
    designs = {"d": Design(reference=reference)}
    results = study_of_tables(tmp_path, tables, final=("xnb",), designs=designs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workbook, "_methods_lines", lambda _: [])
        sheets = dict(workbook._workbook_sheets(results))
    assert sheets["core"]["feature"].tolist() == ["g1"]
    assert sheets["signature"]["feature"].tolist() == ["g1", "g2"]
    assert sheets["signature"].columns[:2].tolist() == ["dataset", "classifier"]
    assert set(sheets["signature"]["classifier"]) == {"XNB"}
    assert f"genes d {mirror}" not in sheets
    assert sheets[f"genes d {shown}"]["feature"].tolist() == ["g1", "g2"]  # by rank
    sign = 1.0 if shown == "b" else -1.0
    assert sheets[f"genes d {shown}"]["difference"].tolist() == [sign, sign]


def test_sheets_without_rows_are_left_out(sheets):
    assert all(len(rows) > 1 for rows in sheets.values())


def test_a_column_is_as_wide_as_its_longest_text_within_limits():
    assert workbook._column_width(pd.Series(["x" * 30], name="a")) == 30
    assert workbook._column_width(pd.Series(["x" * 99], name="a")) == 60
    assert workbook._column_width(pd.Series([1.5], name="a")) == 12
    assert workbook._column_width(pd.Series([1.5], name="a_long_name_of_a_column")) == 25


def test_a_study_without_rows_has_a_summary_only(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "_methods_lines", lambda _: [])
    tables = {"headline": [{"classifier": ""}]}
    workbook.write_workbook(study_of_tables(tmp_path, tables), tmp_path / "a.xlsx")
    assert openpyxl.load_workbook(tmp_path / "a.xlsx").sheetnames == ["summary"]
