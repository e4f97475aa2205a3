"""The figures of a study as files: the job of the stage *draw*, and figures for print."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xnbflow.core.study import Study
from xnbflow.report.figure_files import draw_figures, write_figures
from xnbflow.report.outline import figure_labels
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import results_of, sections_of
from xnbflow.tables.contract import FIGURES


def draw_study(
    study: Study,
    configured: Mapping[str, Any],
    folder: str,
    threads: int,
    check: Callable[[], None],
) -> None:
    """Draw the figures of a study as files, a job of the stage *draw*.

    ``configured`` and ``check`` are those of `write_study`; ``threads`` processes draw.
    """
    results = results_of(study, configured, folder.removesuffix(FIGURES.of(study=study.id)))
    check()
    draw_figures(sections_of(results), Path(folder), threads)


def print_figures(
    results: StudyResults, folder: Path, width: float, threads: int = 1
) -> dict[str, float]:
    """Write a study's figures for print; see `xnbflow.report.figure_files.write_figures`."""
    study = results.study
    datasets = list(study.datasets)
    for settings in study.analyses.values():
        datasets += settings.get("datasets", [])

    def subject(figure: str) -> str:
        labels = figure_labels(figure, datasets, study.folds, study.classifiers)
        classifier = results.labels.get(labels["classifier"], "")
        return ", ".join(filter(None, [labels["data set"], classifier, labels["folds"]]))

    return write_figures(
        sections_of(results), folder=folder, width=width, subject=subject, threads=threads
    )
