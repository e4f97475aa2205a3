"""Separation scores of blocks of features: simulations, fits on microarrays, and their section."""

from xnbflow.analyses import Analysis
from xnbflow.analyses.separation.contract import TABLES

__all__ = ["ANALYSIS"]

ANALYSIS = Analysis(__name__, TABLES)
