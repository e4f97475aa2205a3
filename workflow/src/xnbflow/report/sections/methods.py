"""Methods and citation: the exact configuration, the formulas' sources, the tables."""

import json

from xnbflow.report.blocks import Prose, Section
from xnbflow.report.results import StudyResults

__all__ = ["section"]


def section(results: StudyResults) -> Section:
    """Return what is needed to repeat and to cite the study."""
    text = json.dumps(results.configuration, indent=2, default=str)
    return Section("methods", "Methods and citation", "What exactly was run.", [Prose(text)])
