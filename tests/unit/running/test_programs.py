"""A program that an option of Snakemake needs is looked for before the first job."""

import pytest

from xnbflow.running.programs import missing_program


@pytest.mark.parametrize(
    ("arguments", "program"),
    [
        (["--sdm", "conda"], "conda or mamba or micromamba"),
        (["--software-deployment-method=conda"], "conda or mamba or micromamba"),
        (["--sdm", "apptainer"], "apptainer or singularity"),
        (["--default-storage-provider", "fs"], "rsync"),
    ],
)
def test_a_missing_program_is_named_with_the_option(monkeypatch, tmp_path, arguments, program):
    monkeypatch.setenv("PATH", str(tmp_path))
    message = missing_program(["all", *arguments])
    assert f"needs the program {program}, which is not found" in message
    assert arguments[0].partition("=")[0] in message
    for name in program.split(" or ")[-1:]:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    assert missing_program(arguments) == ""


def test_other_values_need_no_program(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_program(["--sdm", "env-modules"]) == ""
    assert missing_program(["--default-storage-provider", "s3"]) == ""
    assert missing_program(["conda", "--cores", "1"]) == ""
