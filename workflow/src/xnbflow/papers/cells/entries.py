"""Entries of the study of single cells."""

from xnbflow.core.entries import Analysis, whole

ANALYSIS = Analysis(
    name="cells",
    compute="xnbflow.papers.cells.compute",
    section="xnbflow.papers.cells.section",
    parameters={"splits": whole(2), "repeats": whole(1), "top": whole(1), "trees": whole(1)},
)
