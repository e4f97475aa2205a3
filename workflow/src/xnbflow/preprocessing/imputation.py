"""Imputation of missing values from training samples: medians, or the nearest samples."""

import warnings
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from sklearn.base import OneToOneFeatureMixin, TransformerMixin
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.parameters import Declared, one_of, whole

__all__ = ["Imputer"]


class Imputer(OneToOneFeatureMixin, TransformerMixin, Declared):
    """Fill in missing values (NaN) by what the training samples have.

    As a step of a pipeline it is fitted within each fold, so that nothing of the tested samples
    enters.

    Parameters
    ----------
    method : {"median", "nearest"}, default="median"
        The feature's median over the training samples, or its mean over the nearest of those that
        have it.
    n_neighbors : int, default=5
        How many are the nearest, by the mean squared difference of the features that both samples
        have. A training sample is no neighbour of itself, for what it lacks it cannot give.

    Attributes
    ----------
    medians_ : ndarray, shape (n_features,)
    n_missing_ : int
        Missing values among the training samples.
    n_empty_ : int
        Features without any value there; they get the median of all values.

    See Also
    --------
    VarianceFilter : What may follow.
    sklearn.impute.KNNImputer : The nearest neighbours by a further way.

    Notes
    -----
    Troyanskaya et al. look for neighbours among *genes*; neighbours among samples need nothing but
    the training fold when a new sample comes.

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

    def fit(self, X: np.ndarray | pd.DataFrame, y: object = None) -> "Imputer":  # noqa: ARG002
        """Learn what stands for missing values.

        Raises
        ------
        InputError
            If a parameter is wrong or no value is there at all.

        Warns
        -----
        UserWarning
            If features have no value among the training samples.
        """
        self._validate_params()
        X = self._checked(X, reset=True)
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
                f"{len(X)} training samples; the median of all values stands for theirs"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
        # a copy: the caller may change what he gave
        self._training: Any = X.copy() if self.method == "nearest" else None
        return self

    def transform(self, X: np.ndarray | pd.DataFrame) -> np.ndarray:
        """Return X without missing values.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Feature-major, as the classifiers want it.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        filled = np.array(X, order="F")
        missing = np.isnan(X)
        if not missing.any():
            return filled
        columns = np.flatnonzero(missing.any(axis=0))
        if self.method == "nearest":
            rows = np.flatnonzero(missing.any(axis=1))
            order, reachable = self._neighbours(X[rows])
            for column in columns:
                lacking = missing[rows, column]
                filled[rows[lacking], column] = self._means(
                    self._training[:, column], order[lacking], reachable[lacking]
                )
            missing = np.isnan(filled)  # where no neighbour has the feature
            columns = np.flatnonzero(missing.any(axis=0))
        for column in columns:
            filled[missing[:, column], column] = self.medians_[column]
        return filled

    def _neighbours(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the training samples of each sample by distance, and which share a feature."""
        distances = nan_euclidean_distances(X, self._training)
        distances[np.isnan(distances)] = np.inf
        order = np.argsort(distances, axis=1, kind="stable")
        return order, np.isfinite(np.take_along_axis(distances, order, axis=1))

    def _means(self, training: np.ndarray, order: np.ndarray, reachable: np.ndarray) -> np.ndarray:
        """Return the mean of one feature over the nearest training samples that have it."""
        values = training[order]
        usable = ~np.isnan(values) & reachable
        usable &= np.cumsum(usable, axis=1) <= self.n_neighbors
        count = usable.sum(axis=1)
        sums = np.where(usable, values, 0.0).sum(axis=1)
        return np.where(count > 0, sums / np.maximum(1, count), np.nan)

    def _checked(self, X: np.ndarray | pd.DataFrame, *, reset: bool) -> np.ndarray:
        return validate_data(self, X, dtype=np.float64, reset=reset, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
