"""A job of *draw*: the figures of a study as files."""

from pathlib import Path
from typing import Any

from xnbflow.core.study import Study
from xnbflow.report.figure_files import draw_figures
from xnbflow.report.study_page import results_of, sections_with_figures
from xnbflow.tables.contract import FIGURES_FOLDER


def draw_study(
    study: Study,
    *,
    labels: dict[str, str],
    configuration: dict[str, Any],
    root: Path,
    threads: int,
) -> None:
    """Draw the figures of a study by ``threads`` processes.

    For the other arguments see `xnbflow.jobs.report.report_study`.
    """
    results = results_of(study, labels=labels, configuration=configuration, root=root)
    draw_figures(sections_with_figures(results), root / FIGURES_FOLDER.of(study=study.id), threads)
