"""SLURM clusters without accounting are recognised before a run waits for ever."""

import subprocess

import pytest

from xnbflow.running import cluster
from xnbflow.running.cluster import asks_sacct, lacks_accounting, why_it_would_wait


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
    assert lacks_accounting() is lacks


def test_a_machine_without_slurm_lacks_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lacks_accounting() is False


@pytest.mark.parametrize(
    ("settings", "arguments", "asks"),
    [
        ("executor: slurm\n", [], True),
        ("executor: slurm\nslurm-status-command: squeue\n", [], False),
        ("executor: slurm\n", ["--slurm-status-command", "squeue"], False),
        ("executor: slurm\nslurm-status-command: squeue\n", ["--slurm-status-command=sacct"], True),
        ("executor: slurm\n", ["--executor", "local"], False),
        ("cores: 4\n", ["-e", "slurm"], True),
        ("cores: 4\n", [], False),
        ("[damaged", [], False),
    ],
)
def test_profile_and_options_say_what_is_asked(tmp_path, settings, arguments, asks):
    (tmp_path / "config.yaml").write_text(settings)
    assert asks_sacct(["all", "--profile", str(tmp_path), *arguments]) is asks


def test_a_profile_is_found_by_its_name_and_in_the_environment(tmp_path, monkeypatch):
    folder = tmp_path / "snakemake/mine"
    folder.mkdir(parents=True)
    (folder / "config.v9+.yaml").write_text("executor: slurm\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert asks_sacct(["--profile=mine"])
    monkeypatch.setenv("SNAKEMAKE_PROFILE", "mine")
    assert asks_sacct([])
    assert not asks_sacct(["--profile", "no-such-profile"])


def test_a_profile_is_a_file_of_any_name(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text("executor: slurm\n")
    assert asks_sacct(["--profile", str(file)])


@pytest.mark.parametrize(
    ("name", "is_read"),
    [("config.v9+.yaml", True), ("profile.v8+.yaml", True), ("config.v1000+.yaml", False)],
)
def test_of_several_files_of_a_profile_that_of_the_newest_version_is_read(tmp_path, name, is_read):
    (tmp_path / "config.yaml").write_text("cores: 4\n")
    (tmp_path / name).write_text("executor: slurm\n")
    assert asks_sacct(["--profile", str(tmp_path)]) is is_read


def test_settings_of_several_profiles_add_up(tmp_path, monkeypatch):
    for name, setting in (("first", "executor: slurm\n"), ("second", "jobs: 4\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.yaml").write_text(setting)
    monkeypatch.setenv("SNAKEMAKE_PROFILE", f"{tmp_path}/first,{tmp_path}/second")
    assert asks_sacct([])


def test_a_profile_of_the_whole_machine_is_found_last(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    names = []
    monkeypatch.setattr(cluster.Path, "is_file", lambda path: names.append(str(path)) or False)
    assert not asks_sacct(["--profile", "mine"])
    assert names == ["mine", f"{tmp_path}/snakemake/mine", "/etc/xdg/snakemake/mine"]


def test_a_controller_that_does_not_answer_lacks_nothing(scontrol, monkeypatch):
    scontrol("accounting_storage/none")

    def wait(*_, timeout, **__):
        raise subprocess.TimeoutExpired("scontrol", timeout)

    monkeypatch.setattr(cluster.subprocess, "run", wait)
    assert lacks_accounting() is False


def test_the_sentence_names_the_option(scontrol):
    scontrol("accounting_storage/none")
    assert "--slurm-status-command squeue" in why_it_would_wait(["--executor", "slurm"])
    assert why_it_would_wait(["--cores", "2"]) == ""
    scontrol("accounting_storage/slurmdbd")
    assert why_it_would_wait(["--executor", "slurm"]) == ""
