"""Naive Bayes classifiers, one file each, on one small base class.

====================== ==================================================================
base                   What do all classifiers share: fit, predict, explain?
gaussian_nb, flexible_nb, xnb, shrunken_centroids
                       How does each of these published classifiers decide?
class_specific_nb      How is evidence with other features for each class comparable?
class_specific_nb_cv   How many features, and which weight for each class? (recommended)
independent, evidence  What is the log density, or log ratio, of a sample's features?
inner_folds            Which samples test an inner model?
path_evidence, modules What is the evidence at every size, with correlated features once?
size_path, size_average, path_decisions
                       Which sizes are averaged, and which size is the core?
vector_scaling, evidence_calibration
                       Which slopes and intercepts calibrate the evidence?
conformal              Which classes may a sample have?
====================== ==================================================================

Those of a paper in `xnbflow.papers` can be imported from here as well: ``from xnbflow.naive_bayes
import GaussianNB`` and, while their paper is installed, any classifier of the registry by its name.
"""

from typing import Any

from xnbflow.core.plugins import shipped_estimator, shipped_estimators
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


def __dir__() -> list[str]:
    """Return the names of the classifiers, those of the papers included."""
    return sorted({*__all__, *shipped_estimators()})
