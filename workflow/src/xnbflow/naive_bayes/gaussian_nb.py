"""Gaussian naive Bayes: a normal density per class and feature (XNB paper, section 3)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import PRIORS_CONSTRAINT, number_constraint
from xnbflow.density.families.gaussian import ConstantFeatureError, Gaussian
from xnbflow.naive_bayes.independent import IndependentNB


class GaussianNB(IndependentNB):
    """Gaussian naive Bayes, with parameters and results as in scikit-learn.

    Parameters
    ----------
    priors : array-like of shape (n_classes,), default=None
        Prior probabilities of the classes; None means their shares of the training samples.
    var_smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance.

    Attributes
    ----------
    theta_, var_ : ndarray of shape (n_classes, n_features)
        Mean and variance of each class and feature.
    class_count_ : ndarray of shape (n_classes,)
        Training samples of each class.
    epsilon_ : float
        The constant added to the variances; ``var_smoothing`` itself if all features are constant.

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
        "priors": PRIORS_CONSTRAINT,
        "var_smoothing": [number_constraint(0.0, closed="left")],
    }

    def __init__(
        self,
        *,
        priors: Sequence[float] | np.ndarray | None = None,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    @property
    def class_prior_(self) -> np.ndarray:
        """Probability of each class, shape (n_classes,)."""
        check_is_fitted(self)
        return np.exp(self.class_log_prior_)

    def _fit(self, features: np.ndarray, codes: np.ndarray) -> None:
        """Fit a normal density to each feature in each class."""
        density = Gaussian(var_smoothing=self.var_smoothing)
        try:
            density.fit(features, codes, len(self.classes_))
        except ConstantFeatureError as error:
            msg = (
                f"feature {self._feature_names()[error.feature]} is constant in class "
                f"{self.classes_.tolist()[error.class_code]!r}; use a var_smoothing above 0"
            )
            raise InputError(msg) from error
        self.theta_ = density.mean_.T
        self.var_ = density.variance_.T
        self.epsilon_ = density.epsilon_
        self._set_group(density)
