"""The multivariate Gaussian distribution (Directional naive Bayes classifiers, section 3.4)."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number_constraint, one_of
from xnbflow.density.families.distribution import Distribution, class_means
from xnbflow.density.families.gaussian import added_variance, log_normal

#: One covariance matrix for all classes, or one for each.
COVARIANCES = ("pooled", "per_class")


class MultivariateGaussian(Distribution):
    """Gaussian density of several columns together, which are one term.

    Parameters
    ----------
    covariance : {"pooled", "per_class"}, default="per_class"
        "pooled": one covariance matrix for all classes, the mean within them, with linear decision
        surfaces; "per_class": one for each class, with quadratic decision surfaces.
    var_smoothing : float, default=1e-9
        Share of the largest variance of a column that is added to every variance.

    Attributes
    ----------
    mean_ : ndarray of shape (dimension, n_classes)
        Class means.
    covariance_ : ndarray of shape (n_classes, dimension, dimension)
        Covariance matrices, maximum likelihood.

    References
    ----------
    P. L. Lopez-Cruz, C. Bielza and P. Larranaga, Directional naive Bayes classifiers, section 3.4.

    Examples
    --------
    >>> family = MultivariateGaussian().fit(np.eye(2)[:, [0, 1, 0, 1]], np.array([0, 0, 1, 1]), 2)
    >>> family.covariance_[0].round(2).tolist()
    [[0.25, -0.25], [-0.25, 0.25]]
    """

    multivariate = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "covariance": [one_of(*COVARIANCES)],
        "var_smoothing": [number_constraint(0.0, closed="left")],
    }

    def __init__(self, *, covariance: str = "per_class", var_smoothing: float = 1e-9) -> None:
        self.covariance = covariance
        self.var_smoothing = var_smoothing

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit mean and covariance per class; see `Distribution.fit`."""
        self._validate_params()
        self.n_classes_ = n_classes
        self.mean_ = class_means(features, codes, n_classes)
        residuals = features - self.mean_[:, codes]
        if self.covariance == "pooled":
            scatter = residuals @ residuals.T / features.shape[1]
            covariance = np.repeat(scatter[None], n_classes, axis=0)
        else:
            groups = [residuals[:, codes == code] for code in range(n_classes)]
            covariance = np.array([group @ group.T / group.shape[1] for group in groups])
        added = added_variance(self.var_smoothing, features.var(axis=1).max(initial=0.0))
        self.covariance_ = covariance + added * np.eye(len(features))
        variance = np.einsum("cii->ci", self.covariance_)
        try:
            self._factors = np.linalg.cholesky(self.covariance_)
            pivots = np.einsum("cii->ci", self._factors) ** 2
            singular = (pivots <= len(features) * np.finfo(np.float64).eps * variance).any()
        except np.linalg.LinAlgError:
            singular = True
        if singular:
            msg = (
                "a covariance matrix is singular: in a class columns are constant, depend on each "
                "other or outnumber the samples. Use a greater var_smoothing, fewer columns or "
                "covariance='pooled'"
            )
            raise InputError(msg)
        return self

    def _evaluate(self, terms: slice, features: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """Return log densities, shape (1, n_classes, n_points)."""
        density = np.empty((1, self.n_classes_, features.shape[1]))
        for code, factor in enumerate(self._factors):
            log_scale = np.log(np.diag(factor)).sum()
            with np.errstate(over="ignore"):
                centred = features - self.mean_[:, code, None]
                standardized = solve_triangular(factor, centred, lower=True, check_finite=False)
                squares = (standardized**2).sum(axis=0)
                density[0, code] = log_normal(squares, log_scale, len(factor))
        return density

    def n_parameters(self) -> np.ndarray:
        """Return the means and the halves of the covariance matrices with their diagonals."""
        dimension, n_classes = self.mean_.shape
        n_matrices = 1 if self.covariance == "pooled" else n_classes
        return np.array([self.mean_.size + n_matrices * dimension * (dimension + 1) // 2])
