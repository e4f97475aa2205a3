"""Normal densities: one per feature and class, and functions for all normal densities."""

from typing import Any, ClassVar, Self

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.parameters import number_constraint
from xnbflow.density.families.distribution import TiledDistribution, composite_gauss_legendre
from xnbflow.density.tiles import class_offsets, map_strips, tile_moments

#: Break points of integrals, in standard deviations from the mean: beyond 8 the density is 5e-15.
_STEPS = np.arange(-8.0, 9.0)


class ConstantFeatureError(InputError):
    """A feature without variance in a class, for which no normal density exists."""

    def __init__(self, feature: int, code: int) -> None:
        super().__init__(
            f"column {feature} is constant in class {code}; use a var_smoothing above 0"
        )
        self.feature = feature
        self.class_code = code


class Gaussian(TiledDistribution):
    """Gaussian densities; one term per feature.

    Parameters
    ----------
    var_smoothing : float, default=1e-9
        Share of the largest variance of all features that is added to every variance, as in
        scikit-learn.

    Attributes
    ----------
    mean_, variance_ : ndarray of shape (n_features, n_classes)
        Mean and smoothed variance of each feature in each class.
    epsilon_ : float
        The constant added to the variances; ``var_smoothing`` itself if all features are constant.

    Examples
    --------
    >>> family = Gaussian().fit(np.array([[1.0, 3.0, 6.0, 6.2]]), np.array([0, 0, 1, 1]), 2)
    >>> family.mean_.tolist(), family.variance_.round(4).tolist()
    ([[2.0, 6.1]], [[1.0, 0.01]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "var_smoothing": [number_constraint(0.0, closed="left")]
    }

    ns_per_point = 1.0

    def __init__(self, *, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit mean and variance per feature and class; see `Distribution.fit`.

        A variance that remains 0 after smoothing is a `ConstantFeatureError`.
        """
        self._validate_params()
        order, offsets = class_offsets(codes, n_classes)
        means, variances = np.empty((2, n_classes, len(features)))

        def work(strip: slice) -> None:
            tile = np.ascontiguousarray(features[strip].T[order])
            moments = np.empty((2, n_classes, tile.shape[1]))
            tile_moments(tile, offsets, *moments)
            means[:, strip], variances[:, strip] = moments

        map_strips(work, len(features), features.shape[1], ns_per_value=1.0)
        variances /= np.diff(offsets)[:, None]
        shares = np.bincount(codes, minlength=n_classes) / len(codes)
        with np.errstate(over="ignore", invalid="ignore"):
            total = means - shares @ means
            total *= total
            total += variances
            largest = (shares @ total).max(initial=0.0)
        self.n_classes_ = len(means)
        self._means = means
        self._variances = variances
        self.mean_ = means.T
        self.variance_ = variances.T
        self.epsilon_ = added_variance(self.var_smoothing, largest)
        self._variances += self.epsilon_
        if self._variances.min(initial=np.inf) == 0.0:
            code, feature = np.argwhere(self._variances == 0.0)[0]
            raise ConstantFeatureError(int(feature), int(code))
        return self

    def _log_density(self, terms: slice, code: int, tile: np.ndarray, out: np.ndarray) -> None:
        _log_density(tile, self._means[code, terms], self._variances[code, terms], out)

    def n_parameters(self) -> np.ndarray:
        """Return 2 per class: mean and variance."""
        return np.full(len(self.mean_), 2 * self.n_classes_)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a rule whose intervals are every class's standard deviations, 8 to each side."""
        scale = np.sqrt(self.variance_)
        breaks = self.mean_[:, :, None] + scale[:, :, None] * _STEPS
        breaks = np.sort(breaks.reshape(len(breaks), -1), axis=1)
        return composite_gauss_legendre(breaks, self.n_classes_)


def log_normal(
    squares: np.ndarray, log_scale: np.ndarray | float, dimension: int = 1
) -> np.ndarray:
    """Return log normal densities, by squared (Mahalanobis) distances from the mean.

    ``log_scale`` is the logarithm of the standard deviation, or of the determinant of the Cholesky
    factor of the covariance of ``dimension`` values.

    Examples
    --------
    >>> log_normal(np.array([0.0, 1.0]), 0.0).round(4).tolist()
    [-0.9189, -1.4189]
    """
    return -0.5 * squares - (log_scale + dimension / 2 * np.log(2 * np.pi))


def added_variance(var_smoothing: float, largest: float) -> float:
    """Return the constant that smoothing adds to every variance.

    That is the share ``var_smoothing`` of the largest variance of all features, or of 1 where that
    is 0. A variance that overflows is an `InputError`.

    Examples
    --------
    >>> added_variance(0.1, 4.0)
    0.4
    """
    if not np.isfinite(largest):
        msg = "a feature is so large that its variance overflows; scale the features down"
        raise InputError(msg)
    return float(var_smoothing * (largest if largest > 0 else 1.0))


@njit(nogil=True)
def _log_density(
    tile: np.ndarray, means: np.ndarray, variances: np.ndarray, out: np.ndarray
) -> None:
    """Write log densities at a tile (n_points, n_features); `log_normal` without its logarithms."""
    log_norm = -0.5 * np.log(2.0 * np.pi * variances)
    weight = -0.5 / variances
    for j in range(len(tile)):
        for f in range(len(means)):
            d = tile[j, f] - means[f]
            out[j, f] = weight[f] * d * d + log_norm[f]
