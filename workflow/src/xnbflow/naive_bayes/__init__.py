"""Naive Bayes classifiers, one file each, on one small base class.

Those of a paper in `xnbflow.papers` can be imported from here as well: ``from xnbflow.naive_bayes
import GaussianNB`` and, while their paper is installed, any classifier of the registry by its name.
"""

from typing import TYPE_CHECKING, Any

from xnbflow.core.plugins import public_name, shipped_estimator

if TYPE_CHECKING:
    from xnbflow.naive_bayes.base import BaseNaiveBayes
    from xnbflow.naive_bayes.class_specific_nb import ClassSpecificNB
    from xnbflow.naive_bayes.class_specific_nb_cv import ClassSpecificNBCV
    from xnbflow.naive_bayes.flexible_nb import FlexibleNB
    from xnbflow.naive_bayes.gaussian_nb import GaussianNB
    from xnbflow.naive_bayes.xnb import XNB

#: Where the public names are; a job imports those that it needs.
_MODULES = (
    "base",
    "class_specific_nb",
    "class_specific_nb_cv",
    "flexible_nb",
    "gaussian_nb",
    "xnb",
)

__all__ = [
    "XNB",
    "BaseNaiveBayes",
    "ClassSpecificNB",
    "ClassSpecificNBCV",
    "FlexibleNB",
    "GaussianNB",
]


def __getattr__(name: str) -> Any:
    """Import an estimator on first use, also one of a paper (PEP 562)."""
    if name in __all__:
        return public_name(__name__, _MODULES, name)
    return shipped_estimator(__name__, name)
