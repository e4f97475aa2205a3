"""Single cells: which method finds markers with which a common classifier recognises the types."""

from xnbflow.core.entries import Analysis, whole

CSNB = "ClassSpecificNB"
XNB_PUBLISHED = "XNB"
WILCOXON = "Wilcoxon"
SCANPY = "Wilcoxon by scanpy"
NS_FOREST = "NS-Forest"
ALL_GENES = "all genes"

ANALYSIS = Analysis(
    "cells",
    "xnbflow.papers.cells.compute",
    "xnbflow.papers.cells.section",
    {"splits": whole(2), "repeats": whole(1), "top": whole(1), "trees": whole(1)},
)
