"""Gaussian naive Bayes: a normal density per class and feature (XNB paper, section 3)."""

from typing import ClassVar

import numpy as np

from xnbflow.distributions.gaussian import ConstantFeatureError, Gaussian
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

    def _arrange(self, X: np.ndarray) -> np.ndarray:
        """Return the transpose as a view: tiles are gathered from any memory layout."""
        return X.T

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        density = Gaussian(var_smoothing=self.var_smoothing)
        try:
            density.fit(features, codes, len(self.classes_))
        except ConstantFeatureError as error:
            msg = (
                f"feature {self._feature_names()[error.feature]} is constant in class "
                f"{self.classes_.tolist()[error.code]!r}; use a var_smoothing above 0"
            )
            raise InputError(msg) from error
        self.theta_, self.var_ = density.mean_.T, density.variance_.T
        self.epsilon_ = density.epsilon_
        self._set_group(density)
