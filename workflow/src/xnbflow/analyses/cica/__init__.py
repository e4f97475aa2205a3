"""Conditionally independent components: what the study of them computes, and its section."""

from xnbflow.analyses import Analysis
from xnbflow.analyses.cica.contract import TABLES

__all__ = ["ANALYSIS"]

ANALYSIS = Analysis(__name__, TABLES)
