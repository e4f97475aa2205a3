"""Transformers that prepare features for a classifier.

Those of a paper in `xnbflow.papers` can be imported from here as well, while it is installed.
"""

from typing import TYPE_CHECKING, Any

from xnbflow.core.plugins import public_name, shipped_estimator

if TYPE_CHECKING:
    from xnbflow.preprocessing.designs import CovariateAdjuster, GroupCentrer
    from xnbflow.preprocessing.imputation import Imputer
    from xnbflow.preprocessing.normalisation import (
        QuantileNormalizer,
        SampleRanks,
        SampleStandardizer,
    )

#: Where the public names are; a job imports those that it needs.
_MODULES = ("designs", "imputation", "normalisation")

__all__ = [
    "CovariateAdjuster",
    "GroupCentrer",
    "Imputer",
    "QuantileNormalizer",
    "SampleRanks",
    "SampleStandardizer",
]


def __getattr__(name: str) -> Any:
    """Import an estimator on first use, also one of a paper (PEP 562)."""
    if name in __all__:
        return public_name(__name__, _MODULES, name)
    return shipped_estimator(__name__, name)
