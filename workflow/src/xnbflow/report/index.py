"""The index: one page over all studies, those that have run and those that have not."""

from collections.abc import Sequence
from pathlib import Path

from xnbflow.report.html import ENVIRONMENT
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.overview import headline
from xnbflow.tables import write_atomically

__all__ = ["write_index"]


def write_index(studies: Sequence[StudyResults], path: str | Path) -> None:
    """Write a page that leads to every study's report.

    Parameters
    ----------
    studies : sequence of StudyResults
        All configured studies. One without a report is listed with the command that runs it.
    path : path
        The HTML file, in the folder ``results``.
    """
    rows = [
        {
            "id": results.study.id,
            "title": results.study.title,
            "summary": results.study.summary,
            "finished": (results.folder / "report.html").exists(),
            "headline": _headline(results),
            "datasets": len(results.study.datasets),
            "classifiers": [results.labels[name] for name in results.study.classifiers],
        }
        for results in studies
    ]
    html = ENVIRONMENT.get_template("index.html").render(studies=rows)
    write_atomically(path, lambda part: part.write_text(html, encoding="utf-8"))


def _headline(results: StudyResults) -> str:
    finished = (results.folder / "summary.parquet").exists()
    return headline(results) if finished and results.study.classifiers else ""
