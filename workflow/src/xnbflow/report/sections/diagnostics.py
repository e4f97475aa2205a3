"""Diagnostics: whether the features are normal, and independent given the class."""

from xnbflow.report.blocks import Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]


def section(results: StudyResults) -> Section:
    """Return Table 1 of the XNB paper for the study's data sets."""
    frame = results.tables["diagnostics"]
    formats = {
        column: ".3f" for column in frame.columns if "ratio" in column or column == "max_abs_r"
    }
    return Section(
        "diagnostics",
        "Diagnostics",
        "What naive Bayes assumes, and how far the data keep to it.",
        [Table(frame, "Ratios of features that break an assumption.", formats)],
    )
