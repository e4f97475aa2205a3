"""At a glance: what was run, how good it is, and what went wrong."""

from xnbflow.report.blocks import Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]


def section(results: StudyResults) -> Section:
    """Return the first section of a study's report."""
    problems = results.tables["problems"]
    blocks = [Table(results.tables["datasets"], "The data sets of this study.")]
    if len(problems):
        blocks.append(Table(problems, "Fits that failed, and warnings."))
    return Section("overview", "At a glance", "What was run, and what came of it.", blocks)
