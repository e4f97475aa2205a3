"""What it costs to plan a large study: 200 data sets and 8 classifiers.

    python -m benchmarks.planning [data sets]

A dry run on simulated data sets; nothing is simulated. Prints the number of jobs, wall and
processor seconds and the peak of memory. The second row has a job for each classifier
(the key `job`). Every job of a cluster reads the Snakefile, too, but plans itself alone:
that is the third. The last is a run that is stopped when its first job begins: a dry run prepares
to print every job, a run does not.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import psutil

ROOT = Path(__file__).parents[1]
CLASSIFIERS = ["nb", "fnb", "xnb", "csnb", "csnb-cv", "forest", "svm", "logistic"]
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, Any] = {}
SMALL_WORDS = ("2",)
HEADER = "id\tsource\tlocation\tsamples\tfeatures\tclasses\toptions\n"


class PlanningCost(NamedTuple):
    """Jobs, wall and processor seconds, and gigabytes of memory."""

    jobs: int
    wall: float
    processor: float
    memory: float


def main(words: list[str]) -> None:
    """Plan a study of a number of data sets, and one of its jobs, and print what that took."""
    n_datasets = int(words[0]) if words else 200
    one = "results/studies/large/training/large0000/10x10-fold/main/fits.parquet"
    with tempfile.TemporaryDirectory() as folder:
        write_study(folder, n_datasets)
        print(f"{'':18}{'jobs':>8}{'wall':>10}{'processor':>12}{'memory':>10}")
        jobs = {name: {"job": name} for name in CLASSIFIERS}
        split = ["--config", f"classifiers={json.dumps(jobs)}"]
        rows = {"the study": [], "a classifier a job": split, "one job": [one]}
        for what, arguments in rows.items():
            show(what, plan(folder, arguments))
        show("to its first job", begin(folder))


def write_study(folder: str, n_datasets: int) -> None:
    """Write the sheet and the configuration of the study `large` to a folder."""
    names = [f"large{number:04d}" for number in range(n_datasets)]
    study = {"title": "Large", "datasets": names, "classifiers": CLASSIFIERS}
    configuration = {
        "run": ["large"],
        "sheets": ["config/datasets.tsv", "large.tsv"],
        "studies": {"large": {**study, "folds": ["10x10-fold"]}},
    }
    rows = [f"{name}\tsimulate\t\t60\t2000\t3\tseed={i}\n" for i, name in enumerate(names)]
    Path(folder, "large.tsv").write_text(HEADER + "".join(rows))
    Path(folder, "large.yaml").write_text(json.dumps(configuration))


def show(what: str, cost: PlanningCost) -> None:
    """Print a row."""
    print(f"{what:18}{cost.jobs:8d}{cost.wall:8.1f} s{cost.processor:10.1f} s{cost.memory:7.2f} GB")


def call(folder: str, arguments: list[str]) -> "subprocess.Popen[bytes]":
    """Start Snakemake for the study."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile")),
        *("--directory", folder, *arguments, "--configfile", f"{folder}/large.yaml"),
        *("--cores", "1"),
    ]
    alone = {**os.environ, "SLURM_CONF": os.devnull}  # a cluster that does not answer costs seconds
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=alone)


def plan(folder: str, arguments: list[str]) -> PlanningCost:
    """Return the cost of a dry run."""
    start = time.perf_counter()
    with call(folder, [*arguments, "--dry-run", "--quiet", "rules"]) as process:
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(output)
    return PlanningCost(
        jobs=total(output),
        wall=time.perf_counter() - start,
        processor=usage.ru_utime + usage.ru_stime,
        memory=usage.ru_maxrss / 1e6,
    )


def begin(folder: str) -> PlanningCost:
    """Return the cost of a run until its first job begins."""
    start = time.perf_counter()
    output = ""
    with call(folder, []) as process:
        for line in process.stdout:
            output += line.decode()
            if re.match(rb"(local)?rule |Job [0-9]+:", line):  # with a message, or without
                break
        else:
            sys.exit(output)
        wall = time.perf_counter() - start
        snakemake = psutil.Process(process.pid)
        times = snakemake.cpu_times()
        memory = snakemake.memory_info().rss
        process.send_signal(signal.SIGTERM)
        process.communicate()
    return PlanningCost(
        jobs=total(output), wall=wall, processor=times.user + times.system, memory=memory / 1e9
    )


def total(output: str) -> int:
    """Return the number of jobs in Snakemake's list."""
    return int(re.findall(r"^total +(\d+)$", output, re.MULTILINE)[-1])


if __name__ == "__main__":
    main(sys.argv[1:])
