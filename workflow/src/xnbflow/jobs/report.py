"""A job of *report*: the page of a study with its record and curves."""

from pathlib import Path
from typing import Any

from xnbflow.core.study import Study
from xnbflow.report.study_page import results_of, write_curves, write_record, write_report
from xnbflow.tables.contract import CURVES, RECORD, REPORT


def report_study(
    study: Study,
    *,
    labels: dict[str, str],
    configuration: dict[str, Any],
    root: Path,
    provenance: dict[str, Any],
) -> None:
    """Write the report of a study.

    For ``labels``, ``configuration``, ``root`` and ``provenance`` see
    `xnbflow.report.results.StudyResults`.
    """
    results = results_of(
        study, labels=labels, configuration=configuration, root=root, provenance=provenance
    )
    write_report(results, root / REPORT.of(study=study.id))
    write_record(results, root / RECORD.of(study=study.id))
    write_curves(results, root / CURVES.of(study=study.id))
