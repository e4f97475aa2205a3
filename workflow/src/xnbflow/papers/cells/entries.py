"""Entries of the study of single cells."""

from xnbflow.core.entries import Analysis, whole

ANALYSIS = Analysis(
    "cells",
    "xnbflow.papers.cells.compute",
    "xnbflow.papers.cells.section",
    {"splits": whole(2), "repeats": whole(1), "top": whole(1), "trees": whole(1)},
)
