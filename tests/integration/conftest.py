"""A tiny study, run through the whole workflow in a folder of its own; the command `xnbflow`."""

import io
import os
import subprocess
import sys
import time
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pandas as pd
import pytest
import snakemake_process
import yaml

from xnbflow.running.cli.app import run

ROOT = Path(__file__).parents[2]

STUDY = yaml.safe_load(Path(__file__).with_name("tiny.yaml").read_text())
RECORDED_TIMES = {"seconds.parquet", "seconds.tsv", "averages.parquet", "averages.tsv"}


def prepare(folder, study=STUDY):
    """Write the tiny study's configuration into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tiny.yaml").write_text(yaml.safe_dump(study))
    return folder


def snakemake_command(folder, *arguments, cores=2, root=ROOT):
    return [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(root / "workflow/Snakefile")),
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
    return {rule: count for rule, count in counts.items() if rule not in {"total", "all"}}


def tables(folder):
    """Bytes of every table of the study, but for recorded seconds and the report."""
    study = folder / "results/studies/tiny"
    actual = {
        path.name: path.read_bytes()
        for path in sorted((study / "tables").iterdir())
        if path.name not in RECORDED_TIMES
    }
    averages = pd.read_parquet(study / "tables/averages.parquet").drop(columns="fit_seconds")
    return actual | {"averages": averages.to_csv()}


def forks_of(temporary):
    """Return the processes whose command names a folder: a prepared process and its forks."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if f"\0{temporary}/xnbflow-".encode() in path.read_bytes():
                processes.append(path.parent.name)
    return processes


@dataclass(frozen=True, kw_only=True)
class WatchedRun:
    """A run that has ended, and the most processes that its prepared process and forks were."""

    folder: Path
    output: str
    exit_code: int
    most: int


def run_and_watch(folder, temporary, ended_by=None):
    """Run the study with two cores, and wait until no prepared process and file of it is left.

    ``temporary`` is a new folder for temporary files. The group of processes of the run gets the
    signal ``ended_by``, as by Ctrl-C, when two jobs work.
    """
    temporary.mkdir()
    with (folder / "out.txt").open("w") as out:
        process = subprocess.Popen(
            snakemake_command(folder),
            stdout=out,
            stderr=out,
            env=os.environ | {"TMPDIR": str(temporary)},
            start_new_session=True,
        )
        most = 0
        while process.poll() is None:
            present = len(forks_of(temporary))
            most = max(most, present)
            logs = (folder / "results/logs").rglob("*.log")
            if ended_by and present == 3 and any(logs):  # the prepared process and two jobs
                os.killpg(process.pid, ended_by)
                process.wait()
            time.sleep(0.05)
    end = time.monotonic() + 30
    while forks_of(temporary) or list(temporary.glob("xnbflow-*")):
        assert time.monotonic() < end, forks_of(temporary)
        time.sleep(0.05)
    output = (folder / "out.txt").read_text()
    (folder / "out.txt").unlink()
    return WatchedRun(folder=folder, output=output, exit_code=process.returncode, most=most)


@pytest.fixture(scope="session")
def finished_run(tmp_path_factory):
    """The run of the tiny study to its end, in a folder of its own."""
    folder = prepare(tmp_path_factory.mktemp("finished"))
    return run_and_watch(folder, tmp_path_factory.mktemp("temporary") / "t")


@pytest.fixture(scope="session")
def finished(finished_run):
    """The folder of the tiny study, run to its end with two cores."""
    assert finished_run.exit_code == 0, finished_run.output
    return finished_run.folder
