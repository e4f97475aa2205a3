"""What was run: classifiers on average, what went wrong, data sets, versions, time and seeds."""

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow import __version__
from xnbflow.data.contract import JOBS, Column
from xnbflow.data.counts import counted
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.gathering import read_benchmark
from xnbflow.evaluation.methods import known_methods
from xnbflow.report.outline import benchmarks
from xnbflow.report.page.blocks import Block, Facts, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]


def section(results: StudyResults) -> Section:
    """Return what was run, and whether anything went wrong."""
    blocks: list[Block] = [
        *_problems(results),
        Facts(_facts(results), results.tables.sources("headline")),
    ]
    if len(results.tables["averages"]):
        blocks.append(_classifiers(results))
    if results.study.datasets:
        blocks += [_datasets(results), *_incomplete(results), *_noted(results)]
    blocks += _steps(results)
    seconds = _job_seconds(results)
    details: list[Block] = [Facts(_versions())]
    if len(seconds):
        caption = "Run time and memory of the jobs as they recorded them, by stage."
        details.append(Table(seconds, caption, _SECONDS))
    if results.study.folds:
        details.append(_seeds(results))
    blocks.append(Group("Versions, run time and seeds", details))
    return Section(
        "overview",
        "What was run",
        "Classifiers and data sets, whether anything went wrong, and what it took.",
        blocks,
    )


def _classifiers(results: StudyResults) -> Table:
    table = results.tables["averages"]
    n = int(table["places"].iloc[0])
    what = "pairs of data set and folds" if len(results.study.folds) > 1 else "data sets"
    caption = (
        f"The classifiers, averaged over the {n} {what if n > 1 else what.replace('sets', 'set')} "
        f"where all could be fitted in every fold; of {len(results.places)} in the study. “Most "
        "accurate on” counts all of them, ties with every classifier that shares the first place; "
        "the seconds are the median of a fold. Averages over data sets hide what is easy and what "
        "is hard: read each data set by itself."
    )
    shown = ["classifier", "accuracy", "balanced_accuracy", "wins", "fit_seconds"]
    return results.tables.show("averages", caption, shown)


def _problems(results: StudyResults) -> list[Block]:
    """Return what failed or was warned about, first in a sentence, then in tables."""
    if not results.study.classifiers:
        return []
    problems, small = results.tables["problems"], _small_classes(results)
    failed = len(problems[problems["kind"] == "error"])
    warned = len(problems) - failed
    said = [
        f"{counted(failed, 'fit')} failed" if failed else "No fit failed",
        f"{warned:,} gave warnings" if warned else "no classifier warned",
    ]
    tables = []
    if len(problems):
        keys = ["dataset", "folds", "classifier", "kind", "text"]
        counts = problems.groupby(keys, sort=False).size().reset_index(name="fits")
        counts = counts.replace({"kind": {"error": "failed", "warnings": "warning"}})
        caption = "Failed fits and warnings, with the number of fits that had the same message."
        tables.append(results.tables.show("problems", caption, rows=counts, own={"fits": ","}))
    if len(small):
        said.append(
            f"{counted(len(small), 'class', 'has', 'have')} fewer samples than there are folds"
        )
        caption = "Classes with fewer samples than folds: some folds test none of them."
        tables.append(results.tables.show("class_sizes", caption, rows=small))
    text = f"{'; '.join(said)}."
    sources = results.tables.sources("problems")
    if not tables:
        return [Prose(text, sources=sources)]
    group = Group("Failures and warnings", tables, opened=bool(failed))
    return [Prose(text, "warning", sources), group]


def _small_classes(results: StudyResults) -> pd.DataFrame:
    """Return the classes with fewer samples than a scheme of drawn folds has folds."""
    sizes = results.tables["class_sizes"]
    parts = [pd.DataFrame(columns=["dataset", "class", "samples", "folds"])]
    for name in results.study.folds:
        scheme = results.configuration.get("folds", {}).get(name, {})
        if "splits" in scheme and "file" not in scheme:
            small = sizes[sizes["samples"] < scheme["splits"]]
            parts.append(small.assign(folds=f"{name} ({scheme['splits']})"))
    return pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True)


def _facts(results: StudyResults) -> dict[str, str]:
    study = results.study
    schemes = results.configuration.get("folds", {})
    facts = {"Study": study.id}
    if study.datasets:
        facts["Data sets"] = str(len(study.datasets))
    if study.classifiers:
        facts["Classifiers"] = ", ".join(results.labels[name] for name in study.classifiers)
    if study.folds:
        facts["Folds"] = ", ".join(_scheme(name, schemes.get(name)) for name in study.folds)
        facts["Fits"] = f"{results.tables['headline']['fits'].iloc[0]:,}"
    seconds = _job_seconds(results)["seconds"].sum()
    if seconds:
        facts["Computing time"] = f"{_duration(seconds)}, summed over jobs"
    facts["Machine"] = _machine()
    facts["Version"] = f"xnbflow {_versions()['xnbflow']}"
    return facts


def _scheme(name: str, scheme: dict[str, Any] | None) -> str:
    if not scheme:
        return name
    if scheme.get("file"):
        return f"{name} (predefined)"
    if scheme.get("leave_one_group_out"):
        return f"{name} (each leaves one group of samples out)"
    return f"{name} ({scheme.get('repeats', 1)} × {scheme['splits']} stratified folds)"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"


def _datasets(results: StudyResults) -> Table:
    table = results.tables["datasets"]
    entries = results.configuration.get("datasets", {})
    sheet = [entries.get(name, {}) for name in table["dataset"]]
    rows = table.assign(
        source=[str(row.get("source", "")) for row in sheet],
        location=[str(row.get("location", "")) for row in sheet],
        missing=[
            f"{n:,} filled in" if missing else "none"
            for missing, n in zip(table["missing"], table["imputed"], strict=True)
        ],
    )
    shown = ["dataset", "source", "location", "samples", "features", "classes"]
    caption = "The data sets of this study and where they come from."
    if table["groups"].notna().any():
        shown.append("groups")
        caption += " Samples of one group (a patient, a batch) are never on both sides of a fold."
    return results.tables.show("datasets", caption, [*shown, "missing"], rows)


def _incomplete(results: StudyResults) -> list[Block]:
    """Return which data sets lack values, and what stands for them."""
    table = results.tables["datasets"]
    table = table[table["missing"].astype(bool)]
    if table.empty:
        return []
    names = [
        f"{name} ({counted(imputed, 'value')})" if imputed else name
        for name, imputed in zip(table["dataset"], table["imputed"], strict=True)
    ]
    text = (
        f"Values are missing in {', '.join(names)}. In each fold, medians of the training samples "
        "stand for them, unless a classifier imputes by a step of its own; the tables “fits” count "
        "them by fold. Densities and medians on this page have the medians over all samples "
        "instead."
    )
    return [Prose(text, sources=results.tables.sources("datasets"))]


def _steps(results: StudyResults) -> list[Block]:
    """Return what is done to values before a classifier sees them, with the reasons given."""
    owners = dict(results.configuration.get("preprocessing", {}))
    entries = results.configuration.get("classifiers", {})
    for name in results.study.classifiers:
        owners[results.labels[name]] = entries.get(name, {}).get("steps", [])[:-1]
    rows = [
        (
            owner,
            number,
            _title(step),
            ", ".join(f"{key}: {value}" for key, value in step.get("params", {}).items()),
            step.get("reason", ""),
        )
        for owner, steps in owners.items()
        for number, step in enumerate(steps, 1)
    ]
    if not rows:
        return []
    headings = ["of", "step", "what", "parameters", "reason"]
    caption = (
        "Preprocessing, in its order: steps of a data set stand before those of every classifier. "
        "In each fold they are fitted on the training samples alone. Diagnostics, densities and "
        "analyses on this page look at the values as they were acquired."
    )
    return [Table(pd.DataFrame(rows, columns=headings), caption)]


def _title(step: dict[str, Any]) -> str:
    method = step.get("method", "a pipeline")
    known = known_methods().get(method)
    return method.rpartition(".")[2] if known is None else known.title


def _noted(results: StudyResults) -> list[Block]:
    """Return what was noticed when the data sets were acquired."""
    notes = results.tables["notes"]
    if notes.empty:
        return []
    table = results.tables.show("notes", "What was noticed when the data sets were acquired.")
    return [Group("Notes on the data", [table], f"{len(notes):,}", True)]


_SECONDS = {
    "seconds": Column("number", "summed over jobs", format=",.1f"),
    "most_memory": Column("number", "of a job", "most memory (MB)", ",.0f"),
}


def _seeds(results: StudyResults) -> Table:
    rows = [
        (name, repeat, *(derive_seed(name, repeat, what) for what in ("folds", "classifier")))
        for name in results.study.datasets
        for repeat in sorted(results.tables["metrics"]["repeat"].unique())
    ]
    frame = pd.DataFrame(rows, columns=["data set", "repeat", "folds", "classifiers"])
    caption = (
        "Seeds of the random numbers, fixed by the names of the data set and the repeat: the same "
        "on any machine and with any number of cores."
    )
    return Table(frame, caption)


_PACKAGES = ("numpy", "scipy", "numba", "pandas", "pyarrow", "scikit-learn", "snakemake")


def _versions() -> dict[str, str]:
    """Return the versions of this package, of Python and of what the numbers come from."""
    found = {"xnbflow": __version__, "Python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _machine() -> str:
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


def _job_seconds(results: StudyResults) -> pd.DataFrame:
    """Return seconds (summed over jobs) and memory (MB) that Snakemake recorded, by stage."""
    stages = {
        stage: [read_benchmark(path) for pattern in jobs for path in results.root.glob(pattern)]
        for stage, jobs in benchmarks(results.study).items()
    }
    rows = []
    for stage in (stage for stage in JOBS if any(map(len, stages.get(stage, ())))):
        jobs = pd.concat(stages[stage])
        rows.append((stage, len(jobs), jobs["seconds"].sum(), jobs["max_memory_mb"].max()))
    return pd.DataFrame(rows, columns=["stage", "jobs", "seconds", "most_memory"])
