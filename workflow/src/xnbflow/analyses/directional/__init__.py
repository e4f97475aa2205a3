"""Directional naive Bayes: what its study computes beyond the common tables, and its section."""

from xnbflow.analyses import Analysis
from xnbflow.analyses.directional.contract import TABLES

__all__ = ["ANALYSIS"]

ANALYSIS = Analysis(
    __name__,
    TABLES,
    needs=("summary",),
    printed=tuple(f"directional_table{number}" for number in (1, 3, 4, 5)),
)
