"""A tiny study, run through the whole workflow in a folder of its own; the command `xnbflow`."""

import io
import os
import sys
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest
import snakemake_process
import yaml

from xnbflow.running.cli.app import run

ROOT = Path(__file__).parents[2]

STUDY = yaml.safe_load(Path(__file__).with_name("tiny.yaml").read_text())


def prepare(folder, study=STUDY):
    """Write the tiny study's configuration into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.yaml").write_text(yaml.safe_dump(study))
    return folder


def snakemake_command(folder, *arguments, cores=2, root=ROOT):
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(root / "Snakefile")),
        *("--directory", str(folder), "--configfile", str(folder / "tiny.yaml")),
        *("--cores", str(cores), *arguments),
    ]


def snakemake(folder, *arguments, fails=False, **options):
    """Run Snakemake in a folder; returns what it wrote."""
    _, _, _, *words = snakemake_command(folder, *arguments, **options)
    done = snakemake_process.run(words, folder)
    assert (done.returncode != 0) == fails, done.stdout
    return done.stdout


def xnbflow(*arguments, cwd):
    """Call the command `xnbflow` in this process."""

    def end(code):
        raise SystemExit(code)

    out, err = io.StringIO(), io.StringIO()
    words = ["xnbflow", *map(str, arguments)]
    with (
        chdir(cwd), redirect_stdout(out), redirect_stderr(err), warnings.catch_warnings(),
        mock.patch.object(sys, "argv", words), mock.patch.object(os, "_exit", end),
        pytest.raises(SystemExit) as ended,
    ):  # fmt: skip
        run()
    return SimpleNamespace(
        returncode=ended.value.code, stdout=out.getvalue(), stderr=err.getvalue()
    )


def jobs(folder, *arguments, root=ROOT):
    """Return how often each rule would run, from a dry run."""
    planned = snakemake(folder, *arguments, "-n", "--quiet", "rules", root=root)
    rows = [line.split() for line in planned.splitlines()]
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}
    targets = {"total", "all", "default", "figures"}
    return {rule: count for rule, count in counts.items() if rule not in targets}


def tables(folder):
    """Bytes of every table of a run, of data sets and studies, by its path."""
    paths = sorted((folder / "results").rglob("*.parquet"))
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """The folder of the tiny study, run to its end with two cores."""
    folder = prepare(tmp_path_factory.mktemp("finished"))
    snakemake(folder)
    return folder
