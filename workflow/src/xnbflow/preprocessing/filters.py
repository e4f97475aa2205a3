"""Filters of features that look at no label: by variance and by level of expression."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number, whole
from xnbflow.preprocessing.estimator import Unlabelled

__all__ = ["ExpressionFilter", "VarianceFilter"]


class _Filter(SelectorMixin, Unlabelled):
    """A selection of features learned from the training samples alone."""

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_

    def _settle(self, support: np.ndarray, what: str) -> None:
        if not support.any():
            msg = f"{what} leaves none of {len(support)} features; lower it"
            raise InputError(msg)
        self.support_ = support


class VarianceFilter(_Filter):
    """Keep the features of largest variance over the training samples.

    Parameters
    ----------
    keep : float or int, default=0.5
        The share of features (a float up to 1.0), or their number (an int). Of equal variances the
        first features are kept.

    Attributes
    ----------
    variances_ : ndarray, shape (n_features,)
        Over the values that are not missing; 0 where there are none.
    support_ : ndarray of bool, shape (n_features,)

    See Also
    --------
    ExpressionFilter : By how much features are expressed.

    Examples
    --------
    >>> X = np.array([[0.0, 1.0, 5.0], [0.1, 9.0, 5.0]])
    >>> VarianceFilter(keep=1).fit(X).get_support().tolist()
    [False, True, False]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "keep": [number(0.0, 1.0, closed="right"), whole(1)]
    }

    def __init__(self, *, keep: float = 0.5) -> None:
        self.keep = keep

    def _learn(self, X: np.ndarray) -> None:
        n_features, is_number = X.shape[1], isinstance(self.keep, Integral)
        n_kept = int(self.keep if is_number else np.ceil(self.keep * n_features))
        present = ~np.isnan(X)
        count = np.maximum(1, present.sum(axis=0))
        mean = np.where(present, X, 0.0).sum(axis=0) / count
        self.variances_ = (np.where(present, X - mean, 0.0) ** 2).sum(axis=0) / count
        support = np.zeros(n_features, dtype=bool)
        support[np.argsort(-self.variances_, kind="stable")[:n_kept]] = True
        self._settle(support, f"keep={self.keep!r}")


class ExpressionFilter(_Filter):
    """Keep the features that reach a level of expression in enough training samples.

    Parameters
    ----------
    level : float
        What a value must reach.
    share : float, default=0.2
        The share of training samples in which it must.

    Attributes
    ----------
    support_ : ndarray of bool, shape (n_features,)

    See Also
    --------
    VarianceFilter : By how much features vary.

    Examples
    --------
    >>> X = np.array([[2.0, 9.0], [3.0, 8.0], [7.0, 1.0]])
    >>> ExpressionFilter(level=6, share=0.5).fit(X).get_support().tolist()
    [False, True]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "level": [number()],
        "share": [number(0.0, 1.0, closed="both")],
    }

    def __init__(self, *, level: float, share: float = 0.2) -> None:
        self.level = level
        self.share = share

    def _learn(self, X: np.ndarray) -> None:
        reached = (self.level <= X).mean(axis=0)
        self._settle(reached >= self.share, f"level={self.level!r} in a share of {self.share!r}")
