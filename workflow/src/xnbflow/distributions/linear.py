"""Families of real-valued features: a Gaussian or a kernel density per feature and class."""

from typing import ClassVar, Self

import numpy as np

from xnbflow.density.bandwidth import BANDWIDTHS
from xnbflow.density.kernels import KERNELS
from xnbflow.distributions.family import Distribution, composite_gauss_legendre
from xnbflow.distributions.gaussian import added_variance, class_moments
from xnbflow.distributions.kernel import fit_kernel_densities
from xnbflow.errors import InputError
from xnbflow.parameters import number, one_of

__all__ = ["Gaussian", "Kernel"]

_STEPS = np.arange(-8.0, 9.0)
_QUANTILES = np.linspace(0.0, 1.0, 33)
_TAIL = np.array([1.0, 2.0, 4.0, 8.0])


class Gaussian(Distribution):
    """Gaussian densities; one term per feature.

    Parameters
    ----------
    var_smoothing : float, default=1e-9
        Share of the block's largest variance that is added to every variance, as in scikit-learn.

    Attributes
    ----------
    mean_, variance_ : ndarray of shape (n_features, n_classes)
        Mean and smoothed variance of each feature in each class.

    Examples
    --------
    >>> family = Gaussian().fit(np.array([[1.0, 3.0, 6.0, 6.2]]), np.array([0, 0, 1, 1]), 2)
    >>> family.mean_.tolist(), family.variance_.round(4).tolist()
    ([[2.0, 6.1]], [[1.0, 0.01]])
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "var_smoothing": [number(0.0, closed="left")]
    }

    def __init__(self, *, var_smoothing: float = 1e-9) -> None:
        self.var_smoothing = var_smoothing

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit mean and variance per feature and class; see `Distribution.fit`."""
        self._validate_params()
        self.n_classes_ = n_classes
        means, variances = class_moments(_for_kernels(features), codes, n_classes)
        with np.errstate(over="ignore", invalid="ignore"):
            largest = features.var(axis=1).max(initial=0.0)
        self.mean_ = means.T
        self.variance_ = variances.T + added_variance(self.var_smoothing, largest)
        if not self.variance_.all():
            row, code = np.argwhere(self.variance_ == 0)[0]
            msg = f"column {row} is constant in class {code}; use a var_smoothing above 0"
            raise InputError(msg)
        return self

    def log_density(self, features: np.ndarray) -> np.ndarray:
        """Return log densities, of all classes at once; see `Distribution.log_density`."""
        with np.errstate(over="ignore"):
            density = features[:, None, :] - self.mean_[:, :, None]
            density *= density
            density *= (-0.5 / self.variance_)[:, :, None]
        density -= (0.5 * np.log(2 * np.pi * self.variance_))[:, :, None]
        return density

    def n_parameters(self) -> np.ndarray:
        """Return 2 per class: mean and variance."""
        return np.full(len(self.mean_), 2 * self.n_classes_)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a rule whose intervals are every class's standard deviations, 8 to each side."""
        scale = np.sqrt(self.variance_)
        breaks = self.mean_[:, :, None] + scale[:, :, None] * _STEPS
        breaks = np.sort(breaks.reshape(len(breaks), -1), axis=1)
        return composite_gauss_legendre(breaks, self.n_classes_)


class Kernel(Distribution):
    """Kernel densities; one term per feature.

    Parameters
    ----------
    bandwidth : str, default="silverman"
        Rule for the bandwidth of each class and feature, as in `xnbflow.naive_bayes.FlexibleNB`.
    kernel : str, default="gaussian"
        The kernel, as there.

    Attributes
    ----------
    densities_ : list of KernelDensities
        One per class.

    Examples
    --------
    >>> family = Kernel().fit(np.array([[0.0, 1.0, 2.0]]), np.zeros(3, int), 1)
    >>> np.exp(family.log_density(np.array([[1.0]]))).round(3).tolist()
    [[[0.325]]]
    """

    _parameter_constraints: ClassVar[dict[str, list]] = {
        "bandwidth": [one_of(*BANDWIDTHS)],
        "kernel": [one_of(*KERNELS)],
    }

    def __init__(self, *, bandwidth: str = "silverman", kernel: str = "gaussian") -> None:
        self.bandwidth = bandwidth
        self.kernel = kernel

    def fit(self, features: np.ndarray, codes: np.ndarray, n_classes: int) -> Self:
        """Fit a density per feature and class; see `Distribution.fit`."""
        self._validate_params()
        self.n_classes_ = n_classes
        features = _for_kernels(features)
        self.densities_ = fit_kernel_densities(
            features, codes, n_classes, bandwidth=self.bandwidth, kernel=self.kernel
        )
        return self

    def log_density(self, features: np.ndarray) -> np.ndarray:
        """Return log densities; see `Distribution.log_density`."""
        features = _for_kernels(features)
        return np.stack([fitted.log_density(features) for fitted in self.densities_], axis=1)

    def n_parameters(self) -> np.ndarray:
        """Return 1 per class, the bandwidth; the samples are no parameters."""
        return np.full(len(self.densities_[0].bandwidths), self.n_classes_)

    def quadrature(self) -> tuple[np.ndarray, np.ndarray]:
        """Return a rule whose intervals hold equal shares of every class's samples."""
        breaks = []
        for fitted in self.densities_:
            quantiles = np.quantile(fitted.samples, _QUANTILES, axis=1).T
            widths = fitted.bandwidths.reshape(len(quantiles), -1).max(axis=1)
            tail = widths[:, None] * _TAIL
            breaks += [quantiles[:, :1] - tail, quantiles, quantiles[:, -1:] + tail]
        return composite_gauss_legendre(np.sort(np.hstack(breaks), axis=1), self.n_classes_)


def _for_kernels(features: np.ndarray) -> np.ndarray:
    """Return features contiguous and read-only, the one layout that the kernels compile for."""
    features = np.ascontiguousarray(features).view()
    features.flags.writeable = False
    return features
