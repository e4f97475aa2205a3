"""What a person is told who has made a mistake, and that nothing half-written stays."""

import copy

import pytest
from integration.conftest import SHEET, STUDY, prepare, snakemake

TABLE_ROW = "mine\ttable\tmine.csv\t\t\t\t\tdiagnosis\tpatient\trows\t\n"


def changed(change):
    study = copy.deepcopy(STUDY)
    change(study)
    return study


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda s: s["studies"]["tiny"].update(clasifiers=[]), "did you mean 'classifiers'?"),
        (lambda s: s.update(run=["tinny"]), "unknown study 'tinny'; did you mean 'tiny'?"),
        (lambda s: s.update(sheets=["absent.tsv"]), "absent.tsv does not exist"),
        (lambda s: s.update(sheets=[5]), "sheets.0: found 5; use text"),
        (lambda s: s["studies"].update({5: {"title": "x"}}), "studies: found 5; use a name"),
        (lambda s: s["studies"].update(report={"title": "x"}), "'report' is the name of a rule"),
        (lambda s: s.update(folds_per_job=5.0), "folds_per_job: found 5.0; use 'all' or"),
        (
            lambda s: s.update(classifiers={"x": {"label": "x", "method": "xnbb"}}),
            "classifiers.x.method: unknown method 'xnbb'; did you mean 'xnb'?",
        ),
        (
            lambda s: s["studies"]["tiny"].update(analyses={"efects": {}}),
            "unknown analysis 'efects'; did you mean 'effects'?",
        ),
        (
            lambda s: s.update(download={"base_urls": {"cumidda": ["x"]}}),
            "unknown source 'cumidda'; did you mean 'cumida'?",
        ),
        (lambda s: s.update(sheets="tiny.tsv"), "sheets: found 'tiny.tsv'; use a list"),
    ],
)
def test_a_mistake_in_the_configuration_is_told_before_anything_runs(tmp_path, change, message):
    done = snakemake(prepare(tmp_path, changed(change)), "-n")
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_a_repeated_id_in_a_sheet_is_told_with_its_line(tmp_path):
    folder = prepare(tmp_path)
    (folder / "tiny.tsv").write_text(SHEET + SHEET.splitlines()[1] + "\n")
    done = snakemake(folder, "-n")
    assert "tiny.tsv, line 3: id 'toy' occurs before" in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patient,diagnosis,g1\np1,a,1\np2,b,high\n", "'high'"),
        ("patient,diagnosis,g1\np1,a,1\np1,b,2\n", "'p1'"),
        ("patient,diagnosis,g1\np1,a,1\np2,a,2\n", "at least two classes"),
        ("patient,group,g1\np1,a,1\np2,b,2\n", "'diagnosis'"),
        ("<!doctype html><html><body>404</body></html>", "HTML"),
    ],
)
def test_a_bad_table_is_told_by_the_job_and_leaves_nothing(tmp_path, text, message):
    folder = prepare(tmp_path)
    (folder / "tiny.tsv").write_text(SHEET + TABLE_ROW)
    (folder / "mine.csv").write_text(text)
    done = snakemake(folder, "resources/series/mine.parquet")
    assert done.returncode != 0
    told = next(line for line in done.stderr.splitlines() if line.startswith("Error: "))
    assert message in told
    assert "mine" in told
    assert not list((folder / "resources").rglob("*.part*"))
    assert not (folder / "resources/series/mine.parquet").exists()
