"""Commands without Snakemake, without a package, and in a folder that cannot be written."""

import inspect
import json
import os
import shutil
import sys
from unittest.mock import Mock

import pytest
from toys import run_program

from xnbflow.core.errors import InputError
from xnbflow.running import snakemake_program
from xnbflow.running.cli import app, finished_studies, run_command, terminal
from xnbflow.running.cli.configuration import find_configuration


def test_a_command_without_its_package_names_the_extra():
    needed = pytest.raises(InputError, match="needs jinja2; install xnbflow with its extra `work")
    with needed, finished_studies._workflow_extra():
        raise ModuleNotFoundError(name="jinja2")


def test_a_run_without_snakemake_or_a_folder_that_can_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="Snakemake is not installed; install xnbflow with its"):
        run_command._call_snakemake("demo", [])
    monkeypatch.setattr(shutil, "which", Mock(return_value="snakemake"))
    monkeypatch.setattr(os, "access", Mock(return_value=False))
    with pytest.raises(InputError, match="cannot be written; run in another folder"):
        run_command._call_snakemake("demo", ["-n"])


@pytest.fixture
def called(monkeypatch):
    """The arguments with which Snakemake replaces this process."""
    calls = []
    monkeypatch.setattr(os, "execve", lambda program, arguments, _: calls.append(arguments))
    return calls


@pytest.mark.parametrize(
    ("options", "all_cores", "own_lines"),
    [
        ([], True, True),
        (["--cores", "2"], False, True),
        (["-c2"], True, True),  # Snakemake takes the last
        (["--jobs=3"], False, True),
        (["--profile", "slurm"], False, True),
        (["-n"], True, False),
        (["--dry-run"], True, False),
        (["--quiet", "host"], True, False),
    ],
)
def test_a_run_has_all_cores_and_the_lines_of_the_plugin_unless_options_differ(
    called, options, all_cores, own_lines
):
    run_command._call_snakemake("demo", options)
    (arguments,) = called
    assert ("all" in arguments) == all_cores
    assert (arguments[-2:] == ["--logger", "xnbflow"]) == own_lines


def test_an_interruption_while_snakemake_plans_is_one_sentence(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["snakemake_program", "demo"])
    monkeypatch.setattr("snakemake.cli.main", Mock(side_effect=KeyboardInterrupt))
    with pytest.raises(SystemExit, match="Interrupted before a job began"):
        snakemake_program.main()


def test_one_fold_is_refused_before_a_table_is_read():
    with pytest.raises(InputError, match="--folds is 1; use 2 or more, or 0"):
        app.fit("no-such-file.csv", folds=1)


def test_a_model_is_cross_validated_on_ten_folds_of_the_recommended_classifier():
    parameters = inspect.signature(app.fit).parameters
    assert (parameters["folds"].default, parameters["method"].default) == (10, "csnb-cv")


def test_numbers_that_are_not_finite_are_null_in_json(capsys):
    terminal.print_json({"a": float("nan"), "b": [float("inf"), 1.5]})
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5]}


@pytest.mark.parametrize(("drawn", "is_named"), [(85.4, False), (85.6, True)])
def test_a_figure_that_is_wider_than_requested_is_named(monkeypatch, capsys, drawn, is_named):
    monkeypatch.setattr(finished_studies, "read_study", lambda study: None)
    monkeypatch.setattr(finished_studies, "print_figures", lambda *_: {"roc": drawn})
    app.figures("s")
    assert ("roc is 86 mm wide" in capsys.readouterr().err) == is_named


@pytest.mark.parametrize("option", ["--configfile", "--configfiles"])
def test_a_configuration_that_the_user_names_is_the_only_one(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colon.yaml").write_text("run: [colon]")
    assert find_configuration("colon", [option, "x.yaml"]) == []


@pytest.mark.parametrize("module", ["configuration", "proposals"])
def test_a_study_is_proposed_and_run_without_the_libraries_of_its_jobs(module):
    """Their imports take longer than the rest of the command; `numpy` and `pandas` read tables."""
    finished = run_program("libraries_of_command.py", module)
    libraries, numpy = finished.stdout.split("\n")[:2]
    assert (libraries, numpy) == ("", str(module == "proposals"))


def test_a_run_goes_on_where_a_job_fails(called):
    """One dead series leaves the jobs of the others, and their pages."""
    run_command._call_snakemake("demo", ["-n"])
    assert "--keep-going" in called[0]
