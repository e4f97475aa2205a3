"""Imputation of missing values from training samples: medians, or the nearest samples."""

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.base import OneToOneFeatureMixin
from sklearn.metrics.pairwise import nan_euclidean_distances

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError
from xnbflow.core.parameters import one_of, whole
from xnbflow.preprocessing.estimator import Unlabelled

__all__ = ["Imputer"]


class Imputer(OneToOneFeatureMixin, Unlabelled):
    """Fill in missing values (NaN) by what the training samples have.

    `fit` warns of features without a value, and refuses samples without any.

    Parameters
    ----------
    method : {"median", "nearest"}, default="median"
        The feature's median over the training samples, or its mean over the nearest of those that
        have it.
    n_neighbors : int, default=5
        How many are the nearest, by the mean squared difference of the features that both samples
        have.

    Attributes
    ----------
    medians_ : ndarray, shape (n_features,)
    n_missing_, n_empty_ : int
        Missing values among the training samples; features without any value there, which get the
        median of all values.

    See Also
    --------
    VarianceFilter : What may follow.
    sklearn.impute.KNNImputer : The nearest neighbours by a further way.

    References
    ----------
    O. Troyanskaya et al., Missing value estimation methods for DNA microarrays, Bioinformatics 17
    (2001), 520-525.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [2.0, np.nan], [9.0, 90.0]])
    >>> Imputer().fit_transform(X)[1].tolist()
    [2.0, 50.0]
    >>> Imputer(method="nearest", n_neighbors=1).fit_transform(X)[1].tolist()
    [2.0, 10.0]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [one_of("median", "nearest")],
        "n_neighbors": [whole(1)],
    }

    def __init__(self, *, method: str = "median", n_neighbors: int = 5) -> None:
        self.method = method
        self.n_neighbors = n_neighbors

    def _learn(self, X: np.ndarray) -> None:
        missing = np.isnan(X)
        if missing.all():
            msg = "all values of the training samples are missing; there is nothing to impute from"
            raise InputError(msg)
        empty = missing.all(axis=0)
        self.n_missing_, self.n_empty_ = int(missing.sum()), int(empty.sum())
        self.medians_ = np.empty(X.shape[1])
        self.medians_[empty] = np.nanmedian(X) if empty.any() else 0.0
        whole = ~missing.any(axis=0)
        self.medians_[whole] = np.median(X[:, whole], axis=0)
        partly = ~whole & ~empty
        self.medians_[partly] = np.nanmedian(X[:, partly], axis=0)
        if empty.any():
            msg = (
                f"{counted(self.n_empty_, 'feature', 'has', 'have')} no value among "
                f"{len(X)} training samples; the median of all values replaces theirs"
            )
            warnings.warn(msg, UserWarning, stacklevel=3)
        # a copy: the caller may change what he gave
        self._training: Any = X.copy() if self.method == "nearest" else None

    def _transformed(self, X: np.ndarray) -> np.ndarray:
        filled = np.array(X, order="F")
        missing = np.isnan(X)
        if not missing.any():
            return filled
        columns = np.flatnonzero(missing.any(axis=0))
        if self.method == "nearest":
            rows = np.flatnonzero(missing.any(axis=1))
            distances = nan_euclidean_distances(X[rows], self._training)
            distances[np.isnan(distances)] = np.inf
            order = np.argsort(distances, axis=1, kind="stable")
            near = np.isfinite(np.take_along_axis(distances, order, axis=1))
            for column in columns:
                lacking = missing[rows, column]
                values = self._training[order[lacking], column]
                usable = ~np.isnan(values) & near[lacking]
                usable &= np.cumsum(usable, axis=1) <= self.n_neighbors
                count, sums = usable.sum(axis=1), np.where(usable, values, 0.0).sum(axis=1)
                means = np.where(count > 0, sums / np.maximum(1, count), np.nan)
                filled[rows[lacking], column] = means
            missing = np.isnan(filled)  # where no neighbour has the feature
            columns = np.flatnonzero(missing.any(axis=0))
        for column in columns:
            filled[missing[:, column], column] = self.medians_[column]
        return filled
