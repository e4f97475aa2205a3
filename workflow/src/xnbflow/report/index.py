"""The index: one page over all studies, those that have run and those that have not."""

import shlex
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from xnbflow.atomic import write_atomically
from xnbflow.contract import REPORT, STUDY_TABLE
from xnbflow.report.page.html import ENVIRONMENT
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.overview import headline

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
    path = Path(path)
    rows = [_configured(results, options) for results in studies]
    rows += _others(path.parent / "studies", {results.study.id for results in studies})
    html = ENVIRONMENT.get_template("index.html").render(studies=rows)
    write_atomically(path, lambda part: part.write_text(html, encoding="utf-8"))


def _configured(results: StudyResults, options: Sequence[str]) -> dict[str, Any]:
    study = results.study
    return {
        "id": study.id,
        "title": study.title,
        "summary": study.summary,
        "finished": (results.root / REPORT.of(study=study.id)).exists(),
        "headline": _headline(results),
        "datasets": len(study.datasets),
        "classifiers": [results.labels[name] for name in study.classifiers],
        "command": shlex.join(["snakemake", study.id, *options]),
    }


def _headline(results: StudyResults) -> str:
    summary = STUDY_TABLE.of(study=results.study.id, table="summary")
    finished = (results.root / summary).exists()
    return headline(results) if finished and results.study.classifiers else ""


def _others(folder: Path, configured: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the studies of which the report alone is left, as it calls itself."""
    for report in sorted(folder.glob("*/report.html")):
        if report.parent.name not in configured:
            heading = _Heading({"title": report.parent.name, "summary": "", "headline": ""})
            heading.feed(report.read_text(encoding="utf-8").partition("</section>")[0])
            unknown = {"datasets": 0, "classifiers": []}
            yield {"id": report.parent.name, "finished": True, **unknown, **heading.texts}


class _Heading(HTMLParser):
    """Reads the title, summary and headline of a report into ``texts``, where it has them."""

    def __init__(self, texts: dict[str, str]) -> None:
        super().__init__()
        self.texts = texts
        self._kinds = {"title": "title", "lead": "summary", "headline": "headline"}
        self._inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin one of the three; in ``main`` a lead is that of a section."""
        if tag == "main":
            del self._kinds["lead"]
        name = tag if tag == "title" else dict(attrs).get("class")
        self._inside = self._kinds.get(name or "", "")
        if self._inside:
            self.texts[self._inside] = ""

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002  HTMLParser's signature
        """End it."""
        self._inside = ""

    def handle_data(self, data: str) -> None:
        """Add to it."""
        if self._inside:
            self.texts[self._inside] += data
