"""Gaussian naive Bayes: a normal density per class and feature (XNB paper, section 3)."""

from typing import ClassVar

import numpy as np

from xnbflow.distributions.gaussian import Gaussians, added_variance, class_moments
from xnbflow.errors import InputError
from xnbflow.naive_bayes.independent import IndependentNB
from xnbflow.parameters import number

__all__ = ["GaussianNB"]


class GaussianNB(IndependentNB):
    """Gaussian naive Bayes.

    Parameters
    ----------
    var_smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance.

    Attributes
    ----------
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and variance of each class and feature.
    epsilon_ : float
        What was added to the variances; ``var_smoothing`` itself where all features are constant.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> float(GaussianNB().fit(X, y).score(X, y))
    0.96
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "var_smoothing": [number(0.0, closed="left")]
    }

    def __init__(self, *, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        self.theta_, variances = class_moments(features, codes, len(self.classes_))
        shares = np.exp(self.class_log_prior_)
        total = self.theta_ - shares @ self.theta_
        total *= total
        total += variances
        self.epsilon_ = added_variance(self.var_smoothing, (shares @ total).max())
        self.var_ = variances
        self.var_ += self.epsilon_
        if self.var_.min() == 0.0:
            self._refuse_constant()

    def _refuse_constant(self) -> None:
        code, column = np.argwhere(self.var_ == 0.0)[0]
        msg = (
            f"feature {self._feature_names()[column]} is constant in class "
            f"{self.classes_.tolist()[code]!r}; use a var_smoothing above 0"
        )
        raise InputError(msg)

    def _class_densities(self, code: int) -> Gaussians:
        return Gaussians(self.theta_[code], self.var_[code])
