"""The report of a study: which sections it has, put together and written."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from xnbflow.report.outline import section_modules
from xnbflow.report.page.blocks import Section
from xnbflow.report.page.page import write_page
from xnbflow.report.results import StudyResults

__all__ = ["sections_of", "write_report"]


def write_report(
    results: StudyResults, path: str | Path, figures: str | Path, threads: int
) -> None:
    """Write a study's page and its figures; see `xnbflow.report.page.page.write_page`."""
    study = results.study
    sections = sections_of(results)
    write_page(Path(path), study.title, study.summary, sections, Path(figures), threads)


def sections_of(results: StudyResults) -> Iterator[Section]:
    """Yield a section when it is ready, so that its figures are drawn while the next is made."""
    for name in section_modules(results.study, results.analyses):
        section = importlib.import_module(name).section(results)
        if section is not None:
            yield section
