"""The command open: what it opens and prints."""

import webbrowser

import numpy as np
import pytest
from report_study import study_of_tables
from toys import put
from typer.testing import CliRunner

from xnbflow.data.dataset import DataSet
from xnbflow.report.study_page import write_record
from xnbflow.running.cli.app import app
from xnbflow.tables.contract import SERIES

REPORT = "results/studies/s/report.html"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a finished study, in which the commands run."""
    study = study_of_tables(tmp_path, {"headline": [{"classifier": ""}], "datasets": []})
    write_record(study, study.folder / "run.json")
    put(tmp_path, "<p>page</p>", REPORT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("browser", [True, False])
def test_open_opens_the_page_or_prints_its_path(folder, monkeypatch, browser):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or browser)
    result = CliRunner().invoke(app, ["open", "s"])
    assert result.exit_code == 0, result.output
    assert opened == [(folder / REPORT).as_uri()]
    assert REPORT in result.output
    assert ("no browser can be started here" in result.output) != browser


def test_a_study_of_several_data_sets_is_no_gct(folder):
    result = CliRunner().invoke(app, ["export", "s"])
    assert result.exit_code == 1
    assert "write its workbook by -o s.xlsx, or name one of its data sets" in str(result.exception)


@pytest.mark.parametrize("output", ["x", "x.gct", "x.CLS"])
def test_the_ending_of_an_export_is_written_once(tmp_path, monkeypatch, output):
    series = DataSet(
        name="d",
        values=np.arange(4.0).reshape(2, 2),
        features=np.array(["g1", "g2"]),
        samples=np.array(["s1", "s2"]),
        labels=np.array(["a", "b"]),
    )
    path = tmp_path / SERIES.of(dataset="d")
    path.parent.mkdir(parents=True)
    series.write(path)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, ["export", "d", "-o", output])
    assert result.exit_code == 0, result.output
    assert sorted(file.name for file in tmp_path.glob("x*")) == ["x.cls", "x.gct"]
