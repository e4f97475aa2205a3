"""The commands pack, open and export: what they write and print."""

import webbrowser
from zipfile import ZipFile

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


def test_pack_writes_a_zip_file_named_by_the_study(folder):
    result = CliRunner().invoke(app, ["pack", "s"])
    assert result.exit_code == 0, result.output
    assert "s.zip: 2 files; unpack it and open index.html" in result.output
    with ZipFile(folder / "s.zip") as packed:
        assert sorted(packed.namelist()) == ["s/index.html", f"s/{REPORT}"]


@pytest.mark.parametrize("browser", [True, False])
def test_open_opens_the_page_or_prints_its_path(folder, monkeypatch, browser):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or browser)
    result = CliRunner().invoke(app, ["open", "s"])
    assert result.exit_code == 0, result.output
    assert opened == [(folder / REPORT).as_uri()]
    assert REPORT in result.output
    assert ("no browser can be started here" in result.output) != browser
