"""A job of *report*: the page of a study with its figures, record and curves."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from xnbflow.core.plugins import known_analyses
from xnbflow.core.study import Study
from xnbflow.report.results import StudyResults
from xnbflow.report.study_page import write_curves, write_record, write_report
from xnbflow.tables.contract import CURVES, FIGURES, RECORD, REPORT


def report_study(
    study: Study,
    *,
    labels: dict[str, str],
    configuration: dict[str, Any],
    root: Path,
    threads: int,
    check_code: Callable[[], None],
) -> None:
    """Write the report of a study.

    For ``labels``, ``configuration`` and ``root`` see `xnbflow.report.results.StudyResults`;
    ``check_code`` is called before files are written.
    """
    all_analyses = known_analyses()
    analyses: Mapping[str, Any] = {name: all_analyses[name] for name in study.analyses}
    results = StudyResults(study, labels, configuration, root=root, analyses=analyses)
    results.refuse_mixed_series()
    check_code()
    figures = root / FIGURES.of(study=study.id)
    figures.mkdir(parents=True, exist_ok=True)  # an output of the rule, also without figures
    write_report(results, root / REPORT.of(study=study.id), figures, threads)
    write_record(results, root / RECORD.of(study=study.id))
    write_curves(results, root / CURVES.of(study=study.id))
