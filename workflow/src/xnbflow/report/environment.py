"""What a study was run with: versions, machine, and the seconds of its jobs."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

from xnbflow import __version__
from xnbflow.data.contract import JOBS
from xnbflow.evaluation.gathering import read_benchmark
from xnbflow.report.outline import benchmarks
from xnbflow.report.results import StudyResults

__all__ = ["job_seconds", "machine", "versions"]

_PACKAGES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "scikit-learn", "snakemake")


def versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of what the numbers come from."""
    found = {"xnbflow": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> str:
    """Return processor, cores, memory and operating system of this machine, not its name."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        processor = models[0] if models else processor
    parts = [processor, f"{os.cpu_count()} cores"]
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        parts.append(f"{memory / 2**30:.0f} GiB")
    return ", ".join([*parts, f"{platform.system()} {platform.release()}"])


def job_seconds(results: StudyResults) -> pd.DataFrame:
    """Return what Snakemake recorded of a study's jobs, by stage.

    Returns
    -------
    DataFrame
        ``stage``, ``jobs``, ``seconds`` (summed over jobs) and ``most_memory`` (MB). Stages without
        a record are left out.
    """
    stages = {
        stage: [read_benchmark(path) for pattern in jobs for path in results.root.glob(pattern)]
        for stage, jobs in benchmarks(results.study).items()
    }
    rows = []
    for stage in (stage for stage in JOBS if any(map(len, stages.get(stage, ())))):
        jobs = pd.concat(stages[stage])
        rows.append((stage, len(jobs), jobs["seconds"].sum(), jobs["max_memory_mb"].max()))
    return pd.DataFrame(rows, columns=["stage", "jobs", "seconds", "most_memory"])
