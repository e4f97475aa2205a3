"""Naive Bayes classifiers, one file each, on one small base class.

Those of a paper in `xnbflow.papers` can be imported from here as well: ``from xnbflow.naive_bayes
import GaussianNB`` and, while their paper is installed, any classifier of the registry by its name.
"""

from typing import Any

from xnbflow.core.plugins import shipped_estimator
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
from xnbflow.naive_bayes.class_specific_nb_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.flexible_nb import FlexibleNB
from xnbflow.naive_bayes.gaussian_nb import GaussianNB
from xnbflow.naive_bayes.shrunken_centroids import ShrunkenCentroids
from xnbflow.naive_bayes.xnb import XNB

__all__ = [
    "XNB",
    "BaseNaiveBayes",
    "ClassSpecificNB",
    "ClassSpecificNBCV",
    "FlexibleNB",
    "GaussianNB",
    "ShrunkenCentroids",
]


def __getattr__(name: str) -> Any:
    """Import an estimator of a paper on first use (PEP 562)."""
    return shipped_estimator(__name__, name)
