"""Gaussian naive Bayes: a normal density per class and feature (XNB paper, section 3)."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number
from xnbflow.data.columns import refuse_beyond_squares
from xnbflow.data.labels import refuse_missing
from xnbflow.data.samples import Labels, Samples, plain_labels
from xnbflow.density.families.gaussian import ConstantFeatureError, Gaussian
from xnbflow.naive_bayes.independent import IndependentNB

__all__ = ["GaussianNB"]


class GaussianNB(IndependentNB):
    """Gaussian naive Bayes, with the parameters and the results of scikit-learn's.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None takes their shares of the training samples.
    var_smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance.

    Attributes
    ----------
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and variance of each class and feature.
    class_count_ : ndarray of shape (n_classes,)
        Training samples of each class, or their summed weights.
    epsilon_ : float
        What was added to the variances; ``var_smoothing`` itself where all features are constant.

    See Also
    --------
    FlexibleNB : Kernel densities instead of normal ones.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> float(GaussianNB().fit(X, y).score(X, y))
    0.96
    """

    _any_layout = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "priors": ["array-like", None],
        "var_smoothing": [number(0.0, closed="left")],
    }

    def __init__(
        self,
        *,
        priors: Sequence[float] | np.ndarray | None = None,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    def fit(
        self,
        X: Samples,
        y: Labels,
        sample_weight: Labels | None = None,
    ) -> "GaussianNB":
        """Fit the classifier; each sample counts ``sample_weight`` (n_samples,) times."""
        if sample_weight is None:
            return super().fit(X, y)
        values, given = self._validated(X, y)
        weights = _checked_weights(sample_weight, len(values))
        codes = self._learn_classes(given)
        self._forget_moments()
        self._take_in(values.T, codes, weights)
        return self

    def partial_fit(
        self,
        X: Samples,
        y: Labels,
        classes: Labels | None = None,
        sample_weight: Labels | None = None,
    ) -> "GaussianNB":
        """Fit on further samples.

        ``classes`` are all labels that will ever come, needed in the first call only. Each sample
        counts ``sample_weight`` (n_samples,) times. Returns self.
        """
        first = not hasattr(self, "classes_")
        if first and classes is None:
            msg = "classes must be passed on the first call to partial_fit."
            raise InputError(msg)
        labels = self.classes_ if classes is None else unique_labels(classes)
        if not first and not np.array_equal(self.classes_, labels):
            msg = f"classes was {self.classes_!r} in the first call and is {labels!r}; leave it out"
            raise InputError(msg)
        if first:
            values, given = self._validated(X, y)
        else:
            y = plain_labels(y, X)
            refuse_missing(y)
            values, given = self._validated(X), column_or_1d(y)
            check_consistent_length(values, given)
            refuse_beyond_squares(values, getattr(self, "feature_names_in_", None))
        unknown = np.setdiff1d(given, labels)
        if len(unknown):
            msg = (
                f"The target label(s) {unknown} in y do not exist in the initial classes {labels}; "
                "name all labels in the first call"
            )
            raise InputError(msg)
        weights = _checked_weights(sample_weight, len(values))
        if first:
            self.classes_ = labels
            self._forget_moments()
        self._take_in(values.T, np.searchsorted(labels, given), weights)
        return self

    @property
    def class_prior_(self) -> np.ndarray:
        """Probability of each class, shape (n_classes,)."""
        check_is_fitted(self)
        return np.exp(self.class_log_prior_)

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        density = Gaussian(var_smoothing=self.var_smoothing)
        self._set_density(density, partial(density.fit, features, codes, len(self.classes_)))

    def _forget_moments(self) -> None:
        shape = len(self.classes_), self.n_features_in_
        self.theta_, self.var_ = np.zeros((2, *shape))
        self.class_count_, self.epsilon_ = np.zeros(len(self.classes_)), 0.0

    def _take_in(self, features: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        """Add samples to the moments (Chan, Golub and LeVeque 1979)."""
        counts, means = self.class_count_.astype(float), self.theta_.copy()
        variances = self.var_ - self.epsilon_
        for code in np.unique(codes):
            mine = codes == code
            new, past = weights[mine].sum(), counts[code]
            if not new > 0.0:
                continue
            shares = weights[mine] / new
            mean = features[:, mine] @ shares
            variance = (features[:, mine] - mean[:, None]) ** 2 @ shares
            share = new / (past + new)
            step = mean - means[code]
            variances[code] += share * (variance - variances[code])
            variances[code] += share * (1.0 - share) * step**2
            means[code] += share * step
            counts[code] += new
        density = Gaussian(var_smoothing=self.var_smoothing)
        largest = features.var(axis=1).max()
        self._set_density(density, partial(density.take_moments, means, variances, largest))
        self.class_count_ = counts
        self.class_log_prior_ = self._log_prior(counts / counts.sum())

    def _set_density(self, density: Gaussian, learn: Callable[[], Any]) -> None:
        try:
            learn()
        except ConstantFeatureError as error:
            msg = (
                f"feature {self._feature_names()[error.feature]} is constant in class "
                f"{self.classes_.tolist()[error.code]!r}; use a var_smoothing above 0"
            )
            raise InputError(msg) from error
        self.theta_, self.var_ = density.mean_.T, density.variance_.T
        self.epsilon_ = density.epsilon_
        self._set_group(density)


def _checked_weights(sample_weight: Labels | None, n_samples: int) -> np.ndarray:
    """Return a weight per sample; refuse negative ones and nothing but zeros."""
    if sample_weight is None:
        return np.ones(n_samples)
    try:
        weights = check_array(
            sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight"
        )
    except (TypeError, ValueError) as error:
        msg = f"sample_weight: {error}"
        raise InputError(msg) from error
    if weights.shape != (n_samples,) or (weights < 0.0).any() or not weights.any():
        msg = (
            f"sample_weight has shape {weights.shape}, negative numbers or nothing but zeros; "
            f"give {n_samples} weights from 0 on"
        )
        raise InputError(msg)
    return weights
