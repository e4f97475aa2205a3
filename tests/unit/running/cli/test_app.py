"""Commands without Snakemake, without a package, and in a folder that cannot be written."""

import os
import shutil
import sys
from unittest.mock import Mock

import pytest

from xnbflow.core.errors import InputError
from xnbflow.running.cli import app, commands


def test_a_command_without_its_package_names_the_extra():
    needed = pytest.raises(InputError, match="needs jinja2; install xnbflow with its extra `work")
    with needed, commands.workflow_extra():
        raise ModuleNotFoundError(name="jinja2")


def test_a_run_without_snakemake_or_a_folder_that_can_be_written_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match="Snakemake is not installed; install xnbflow with its"):
        app.call_snakemake("demo", [])
    monkeypatch.setattr(shutil, "which", Mock(return_value="snakemake"))
    monkeypatch.setattr(os, "access", Mock(return_value=False))
    with pytest.raises(InputError, match="cannot be written; run in another folder"):
        app.call_snakemake("demo", ["-n"])
