"""The command open: what it opens and prints."""

import webbrowser

import pytest
from report_study import study_of_tables
from toys import put
from typer.testing import CliRunner

from xnbflow.report.study_page import write_record
from xnbflow.running.cli.app import app

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
