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
        (lambda s: s.update(sheets=["absent.tsv"]), "absent.tsv does not exist"),
        (lambda s: s["studies"].update(report={"title": "x"}), "'report' is the name of a rule"),
    ],
)
def test_a_mistake_in_the_configuration_is_told_before_anything_runs(tmp_path, change, message):
    done = snakemake(prepare(tmp_path, changed(change)), "-n")
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("patient,diagnosis,g1\np1,a,1\np2,b,high\n", "'high'"),
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
