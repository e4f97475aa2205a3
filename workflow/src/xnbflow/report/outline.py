"""Which sections the page of a study has, and in which order; read by the rules and by the report."""

from xnbflow.analyses.registry import known_analyses
from xnbflow.config import Study

__all__ = ["section_modules"]


def section_modules(study: Study) -> list[str]:
    """Return the modules that hold the sections of a study's report, in order."""
    names = ["overview"]
    if study.diagnostics and study.datasets:
        names.append("diagnostics")
    if study.classifiers:
        names += ["accuracy", "explanation", "samples", "comparison"]
    general = "xnbflow.report.sections"
    sections = [known_analyses()[name].section for name in study.analyses]
    return [
        *(f"{general}.{name}" for name in names),
        *filter(None, sections),
        f"{general}.methods",
    ]
