"""Entry of the rerun of the XNB paper (Aguilar-Ruiz, Romero and Cicconardi 2024)."""

from xnbflow.core.entries import Analysis

ANALYSIS = Analysis(
    "xnb_paper",
    "xnbflow.papers.xnb_paper.compute",
    "xnbflow.papers.xnb_paper.section",
    comparison="xnbflow.papers.xnb_paper.compute",
    needs=("repeats", "diagnostics"),
    parts=("nb", "xnb"),
)
