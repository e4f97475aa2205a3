"""Naive effects of generalized naive Bayes: what its study computes, and its section."""

from xnbflow.analyses import Analysis
from xnbflow.analyses.effects.contract import TABLES

__all__ = ["ANALYSIS"]

ANALYSIS = Analysis(__name__, TABLES)
