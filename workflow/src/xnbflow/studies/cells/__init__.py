"""Single cells: which method finds markers by which a common classifier tells the types."""

from xnbflow.data.entries import Analysis, whole

ANALYSIS = Analysis(
    "cells",
    "xnbflow.studies.cells.compute",
    "xnbflow.studies.cells.contract",
    "xnbflow.studies.cells.section",
    {"splits": whole(2), "repeats": whole(1), "top": whole(1), "trees": whole(1)},
)
