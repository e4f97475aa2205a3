"""SLURM clusters without accounting are recognised before a run waits for ever."""

import subprocess
from types import SimpleNamespace

import pytest

from xnbflow.running import cluster
from xnbflow.running.cluster import _lacks_accounting, why_it_would_wait


@pytest.fixture
def scontrol(tmp_path, monkeypatch):
    """Put a program `scontrol` on the path that prints an accounting type, or fails."""

    def put(accounting, code=0):
        program = tmp_path / "bin/scontrol"
        program.parent.mkdir(exist_ok=True)
        lines = f"AccountingStorageTRES   = cpu\nAccountingStorageType   = {accounting}\n"
        program.write_text(f"#!/bin/sh\nprintf '{lines}'\nexit {code}\n")
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")

    return put


@pytest.mark.parametrize(
    ("accounting", "lacks"),
    [
        ("accounting_storage/none", True),
        ("(null)", True),
        ("accounting_storage/slurmdbd", False),
    ],
)
def test_the_controller_says_whether_there_is_accounting(scontrol, accounting, lacks):
    scontrol(accounting)
    assert _lacks_accounting() is lacks


def test_a_machine_without_slurm_lacks_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert _lacks_accounting() is False


def test_a_controller_that_does_not_answer_lacks_nothing(scontrol, monkeypatch):
    scontrol("accounting_storage/none")

    def wait(*_, timeout, **__):
        raise subprocess.TimeoutExpired("scontrol", timeout)

    monkeypatch.setattr(cluster.subprocess, "run", wait)
    assert _lacks_accounting() is False


def test_the_sentence_names_the_option(scontrol):
    """Settings of the plugin are those of profiles and of the command line together."""
    asks_sacct = SimpleNamespace(status_command="sacct")
    scontrol("accounting_storage/none")
    assert "--slurm-status-command squeue" in why_it_would_wait("slurm", asks_sacct)
    assert why_it_would_wait("slurm", SimpleNamespace(status_command="squeue")) == ""
    assert why_it_would_wait("local", None) == ""
    scontrol("accounting_storage/slurmdbd")
    assert why_it_would_wait("slurm", asks_sacct) == ""
