"""Which sections the report of a study has; light enough for the rules to read."""

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
    return [
        *(f"{general}.{name}" for name in names),
        *(f"xnbflow.analyses.{name}.section" for name in study.analyses),
        f"{general}.methods",
    ]
