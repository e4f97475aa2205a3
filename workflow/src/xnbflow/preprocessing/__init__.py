"""Transformers that prepare features for a classifier.

============== ==================================================================
estimator      Are parameters, samples and labels valid? (the base of all estimators)
counts         Which features have enough reads, and what are their log counts per million?
normalisation  How do samples become comparable: z-scores, ranks or quantiles?
decorrelation  What has a feature beyond those that it is correlated with?
imputation     Which value replaces a missing one?
selection      Which features distinguish a class from others?
============== ==================================================================

Those of a paper in `xnbflow.papers` can be imported from here as well, while it is installed.
"""

from typing import Any

from xnbflow.core.plugins import shipped_estimator
from xnbflow.preprocessing.counts import CountNormalizer, ReadFilter
from xnbflow.preprocessing.decorrelation import Decorrelator
from xnbflow.preprocessing.imputation import Imputer
from xnbflow.preprocessing.normalisation import (
    QuantileNormalizer,
    SampleRanks,
    SampleStandardizer,
)

__all__ = [
    "CountNormalizer",
    "Decorrelator",
    "Imputer",
    "QuantileNormalizer",
    "ReadFilter",
    "SampleRanks",
    "SampleStandardizer",
]


def __getattr__(name: str) -> Any:
    """Import an estimator of a paper on first use (PEP 562)."""
    return shipped_estimator(__name__, name)
