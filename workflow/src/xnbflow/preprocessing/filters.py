"""An unsupervised filter of features, by variance."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.parameters import number, whole
from xnbflow.preprocessing.estimator import Unlabelled

__all__ = ["VarianceFilter"]


class VarianceFilter(SelectorMixin, Unlabelled):
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
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[np.argsort(-self.variances_, kind="stable")[:n_kept]] = True

    def _get_support_mask(self) -> np.ndarray:
        check_is_fitted(self)
        return self.support_
