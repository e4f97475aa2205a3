"""The report of a study: which sections it has, put together and written."""

import importlib
from pathlib import Path

from xnbflow.report.page import write_page
from xnbflow.report.results import StudyResults

__all__ = ["write_report"]

_FIRST = ("overview",)
_CLASSIFICATION = ("accuracy",)
_LAST = ("methods",)


def write_report(
    results: StudyResults, path: str | Path, figures: str | Path, threads: int
) -> None:
    """Write a study's page and its figures.

    Parameters
    ----------
    results : StudyResults
        The finished study.
    path : path
        The HTML file.
    figures : path
        Folder for the figures.
    threads : int
        Processes that draw.
    """
    study = results.study
    names = [*_FIRST]
    if study.diagnostics and study.datasets:
        names.append("diagnostics")
    if study.classifiers:
        names += _CLASSIFICATION
    names += [*study.analyses, *_LAST]
    modules = [importlib.import_module(f"xnbflow.report.sections.{name}") for name in names]
    sections = [section for module in modules if (section := module.section(results)) is not None]
    write_page(Path(path), study.title, study.summary, sections, Path(figures), threads)
