"""Imputation of missing values by the medians of the training samples."""

import warnings

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.preprocessing.estimator import UnsupervisedTransformer


class Imputer(OneToOneFeatureMixin, UnsupervisedTransformer):
    """Fill in missing values (NaN) by the feature's median over the training samples.

    `fit` warns about features without a value, and refuses samples if all values are missing.

    Attributes
    ----------
    medians_ : ndarray, shape (n_features,)
    n_missing_, n_empty_ : int
        Missing values among the training samples; features without any value there, which get the
        median of all values.

    See Also
    --------
    sklearn.impute.KNNImputer : The mean of the nearest samples instead of the median.

    References
    ----------
    O. Troyanskaya et al., Missing value estimation methods for DNA microarrays, Bioinformatics 17
    (2001), 520-525.

    Examples
    --------
    >>> X = np.array([[1.0, 10.0], [2.0, np.nan], [9.0, 90.0]])
    >>> Imputer().fit_transform(X)[1].tolist()
    [2.0, 50.0]
    """

    def _learn(self, X: np.ndarray) -> None:
        """Learn the median of each feature; the median of all values for an empty feature."""
        missing = np.isnan(X)
        if missing.all():
            msg = "all values of the training samples are missing; there is nothing to impute from"
            raise InputError(msg)
        empty = missing.all(axis=0)
        self.n_missing_ = int(missing.sum())
        self.n_empty_ = int(empty.sum())
        self.medians_ = np.empty(X.shape[1])
        if empty.any():
            self.medians_[empty] = np.nanmedian(X)
        complete = ~missing.any(axis=0)
        self.medians_[complete] = np.median(X[:, complete], axis=0)  # faster than `nanmedian`
        incomplete = ~complete & ~empty
        self.medians_[incomplete] = np.nanmedian(X[:, incomplete], axis=0)
        if empty.any():
            msg = (
                f"{counted(self.n_empty_, 'feature', 'has', 'have')} no value among "
                f"{counted(len(X), 'training sample')}; the median of all values replaces theirs"
            )
            warnings.warn(msg, UserWarning, stacklevel=3)

    def _transform_values(self, X: np.ndarray) -> np.ndarray:
        filled = np.array(X, order="F")
        missing = np.isnan(X)
        for column in np.flatnonzero(missing.any(axis=0)):
            filled[missing[:, column], column] = self.medians_[column]
        return filled
