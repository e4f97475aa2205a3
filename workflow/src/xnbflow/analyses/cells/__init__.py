"""Single cells: which method finds markers by which a common classifier tells the types."""

from xnbflow.entries import Analysis, whole

ANALYSIS = Analysis(
    "cells",
    "xnbflow.analyses.cells.compute",
    "xnbflow.analyses.cells.contract",
    "xnbflow.analyses.cells.section",
    {"splits": whole(2), "repeats": whole(1), "top": whole(1), "trees": whole(1)},
)
