"""The index: one page over all studies, those that have run and those that have not."""

import shlex
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from xnbflow.data.atomic import write_atomically
from xnbflow.data.contract import REPORT, STUDY_TABLE, STUDY_TABLES
from xnbflow.data.tables import read_parquet
from xnbflow.report.page.page import ENVIRONMENT
from xnbflow.report.results import StudyResults

__all__ = ["write_index"]


def write_index(
    studies: Sequence[StudyResults], path: str | Path, options: Sequence[str] = ("--cores", "all")
) -> None:
    """Write a page that leads to every study's report.

    Parameters
    ----------
    studies : sequence of StudyResults
        All configured studies. One without a report is listed with the command that runs it.
        Reports beside theirs, of studies that are not configured, are listed after them.
    path : path
        The HTML file, in the folder ``results``.
    options : sequence of str
        The options of that command.
    """
    path, written = Path(path), None
    while True:  # another report may have appeared: the last to write knows of all
        rows = [_configured(results, options) for results in studies]
        rows += _others(path.parent / "studies", {results.study.id for results in studies})
        html = ENVIRONMENT.get_template("index.html").render(studies=rows)
        if html == written:
            return
        write_atomically(path, partial(Path.write_text, data=html, encoding="utf-8"))
        written = html


def _configured(results: StudyResults, options: Sequence[str]) -> dict[str, Any]:
    study = results.study
    headline = _headline(results.root / STUDY_TABLE.of(study=study.id, table="headline"))
    return {
        "id": study.id,
        "title": study.title,
        "summary": study.summary,
        "finished": (results.root / REPORT.of(study=study.id)).exists(),
        "headline": headline.get("text", ""),
        "datasets": len(study.datasets),
        "classifiers": [results.labels[name] for name in study.classifiers],
        "command": shlex.join(["snakemake", study.id, *options]),
    }


def _headline(path: Path) -> dict[str, str]:
    """Return a study's table ``headline`` as a mapping; empty where it was not written yet."""
    if not path.exists():
        return {}
    return read_parquet(path, STUDY_TABLES["headline"]).iloc[0].to_dict()


def _others(folder: Path, configured: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the studies of which the results alone are left, as their headlines call them."""
    for report in sorted(folder.glob("*/report.html")):
        name = report.parent.name
        if name not in configured:
            found = _headline(report.parent / "headline.parquet")
            yield {
                "id": name,
                "finished": True,
                "title": found.get("title", name),
                "summary": found.get("summary", ""),
                "headline": found.get("text", ""),
                "datasets": 0,
                "classifiers": [],
            }
