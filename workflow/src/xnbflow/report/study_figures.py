"""The figures of a study for print: ``xnbflow figures``."""

from pathlib import Path

from xnbflow.report.figure_files import write_figures
from xnbflow.report.outline import figure_labels
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import sections_with_figures


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
        sections_with_figures(results), folder=folder, width=width, subject=subject, threads=threads
    )
