"""Overview: classifiers on average, problems, data sets, versions and time."""

import itertools
import os
import platform
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from xnbflow import __version__
from xnbflow.core.counts import counted
from xnbflow.report.page.blocks import Block, Facts, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import JOBS, Column, usage_of


def section(results: StudyResults) -> Section:
    """Return the overview of the study."""
    seconds = _job_seconds(results)
    facts = Facts(_facts(results, seconds), results.tables.sources("headline"))
    blocks: list[Block] = [*_problems(results), facts]
    if len(results.tables["averages"]):
        shown = ["classifier", "accuracy", "balanced_accuracy", "places", "wins", "fit_seconds"]
        blocks.append(results.tables.show("averages", _AVERAGES, shown))
    if results.study.datasets:
        blocks.append(_datasets(results))
    notes = results.tables["notes"]
    if len(notes):
        table = results.tables.show("notes", "What was noticed when the data sets were acquired.")
        blocks.append(Group("Notes on the data", [table], f"{len(notes):,}", True))
    details: list[Block] = [Facts({**results.software, **results.trained_with})]
    if results.reported_with:
        other = ", ".join(f"{name} {number}" for name, number in results.reported_with.items())
        text = f"These versions trained the classifiers. The report was written with {other}."
        details.append(Prose(text, "warning"))
    if len(seconds):
        details.append(Table(seconds, "Run time and memory of the jobs, by stage.", _SECONDS))
    blocks.append(Group("Versions and run time", details))
    return Section(
        "overview",
        "What was run",
        "Classifiers and data sets, failures and warnings, time and memory.",
        blocks,
    )


_AVERAGES = (
    "The classifiers, averaged over the data sets where all could be fitted in every fold; ties "
    "for the first place count for each of them. Averages hide which data sets are hard."
)


def _problems(results: StudyResults) -> list[Block]:
    """Return failures and warnings, first in a sentence, then in tables."""
    if not results.study.classifiers:
        return []
    problems, small = results.tables["problems"], _small_classes(results)
    failed = len(results.rows("problems", kind="error"))
    warned = len(problems) - failed
    text = f"{counted(failed, 'fit')} failed; {warned:,} gave warnings"
    tables = []
    if len(problems):
        keys = ["dataset", "folds", "classifier", "kind", "text"]
        counts = problems.groupby(keys, sort=False).size().reset_index(name="fits")
        counts = counts.replace({"kind": {"error": "failed", "warnings": "warning"}})
        caption = "Failed fits and warnings, with the number of fits that had the same message."
        tables.append(results.tables.show("problems", caption, rows=counts, own={"fits": ","}))
    if len(small):
        verb = counted(len(small), "class", "has", "have")
        text += f"; {verb} fewer samples than there are folds"
        caption = "Classes with fewer samples than folds: some folds test none of them."
        tables.append(results.tables.show("class_sizes", caption, rows=small))
    sources = results.tables.sources("problems")
    if not tables:
        return [Prose(f"{text}.", sources=sources)]
    group = Group("Failures and warnings", tables, opened=bool(failed))
    return [Prose(f"{text}.", "warning", sources), group]


def _small_classes(results: StudyResults) -> pd.DataFrame:
    """Return the classes with fewer samples than a scheme of drawn folds has folds."""
    parts = [results.tables["class_sizes"].head(0).assign(folds="")]
    for name in results.study.folds:
        scheme = results.configuration.get("folds", {}).get(name, {})
        if "splits" in scheme and "file" not in scheme:
            sizes = results.tables["class_sizes"].assign(folds=f"{name} ({scheme['splits']})")
            parts.append(sizes[sizes["samples"] < scheme["splits"]])
    return pd.concat(parts, ignore_index=True)


def _facts(results: StudyResults, seconds: pd.DataFrame) -> dict[str, str]:
    study = results.study
    schemes = results.configuration.get("folds", {})
    facts = {"Study": study.id}
    if study.folds:
        facts["Folds"] = "; ".join(f"{n} ({_settings(schemes.get(n, {}))})" for n in study.folds)
        facts["Fits"] = f"{results.tables['headline']['fits'].iloc[0]:,}"
    if len(seconds):
        total = seconds["processor_seconds"].sum()
        facts["Processor time"] = f"{total:,.0f} s, all jobs together, without this page"
    facts["Machine"] = f"{platform.system()} {platform.release()}, {os.cpu_count()} cores"
    return facts | {"Version": f"xnbflow {__version__}"}


def _settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in settings.items())


def _datasets(results: StudyResults) -> Table:
    table = results.tables["datasets"]
    entries = results.configuration.get("datasets", {})
    rows = table.assign(
        **{
            column: [str(entries.get(name, {}).get(column, "")) for name in table["dataset"]]
            for column in ("source", "location")
        },
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
    if table["missing"].any():
        caption += (
            " Missing values are replaced in each fold by medians of the training samples, unless "
            "a classifier imputes itself; densities on this page use the medians of all samples."
        )
    return results.tables.show("datasets", caption, [*shown, "missing"], rows)


_SECONDS = {
    "processor_seconds": Column("number", "summed over jobs", "processor time (s)", ",.1f"),
    "seconds": Column("number", "wall time, summed over jobs", format=",.1f"),
    "most_memory": Column("number", "of a job", "most memory (MB)", ",.0f"),
}


def _job_seconds(results: StudyResults) -> pd.DataFrame:
    """Return the time and memory that this study's jobs recorded, by stage."""
    study, rows = results.study, []
    values = {
        "dataset": study.datasets,
        "folds": study.folds,
        "classifier": study.classifiers,
        "job": dict.fromkeys(study.job_of(name) for name in study.classifiers),
        "study": [study.id],
        "analysis": study.analyses,
    }
    for stage in JOBS:
        pattern = usage_of(stage)
        names = re.findall(r"{(\w+)}", JOBS[stage])
        jobs = itertools.product(*(values[name] for name in names))
        paths = [
            path
            for job in jobs
            for path in results.root.glob(pattern.of(**dict(zip(names, job, strict=True))))
        ]
        if paths and stage != "report":
            found = pd.concat(pd.read_csv(path, sep="\t") for path in paths)
            times = found[["processor_seconds", "seconds"]].sum()
            memory = found["max_memory_mb"].max()
            rows.append({"stage": stage, "jobs": len(found), **times, "most_memory": memory})
    return pd.DataFrame(rows, columns=["stage", "jobs", *_SECONDS])
