"""Naive Bayes regression with kernel densities (CICA paper, sections 2 and 4)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.base import RegressorMixin

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number, one_of, whole
from xnbflow.data.samples import Labels, Samples
from xnbflow.papers.cica.joint import WIDTH_FACTORS
from xnbflow.preprocessing.estimator import Estimator

_MARGIN = 4.0  # widths that the grid reaches beyond the targets
_CHUNK_VALUES = 2_000_000
_NEARLY_NOTHING = 1e-280


class KernelNBRegressor(RegressorMixin, Estimator):
    """Predict a real target by naive Bayes over joint kernel densities of feature and target.

    ``p(y | x)`` is proportional to ``p(y)**(1 - d) * prod_i p(x_i, y)`` (Eq. 1), the densities
    being Gaussian kernel estimates (Eq. 10), and is computed in logarithms on a grid of y. Where
    the features depend on each other given y, make them independent first, with `CICA`.

    Parameters
    ----------
    width : {"cv", "paper"} or float, default="cv"
        Kernel widths in units of ``sigma * n_samples**(-1/6)``, sigma a feature's or the target's
        standard deviation. "paper" is 1. "cv" takes the one with the largest leave-one-out
        likelihood of the targets given the features, narrowing from 1 while it grows.
    n_grid : int, default=200
        Grid points of y, from 4 widths below the least training target to 4 above the greatest.

    Attributes
    ----------
    width_ : float
        Kernel width used, in the same units as ``width``.
    grid_ : ndarray of shape (n_grid,)
        Values of y at which densities are computed.
    samples_, targets_ : ndarray of shape (n_samples, n_features), (n_samples,)
        Training samples.

    See Also
    --------
    xnbflow.preprocessing.CICA : Makes features independent given the target.
    FlexibleNB : The same densities for classes.

    References
    ----------
    S. Akaho, Conditionally independent component extraction for naive Bayes inference, 2001.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.uniform(-3, 3, 200)
    >>> X = np.column_stack([y, y**2]) + rng.uniform(-1, 1, (200, 2))
    >>> model = KernelNBRegressor().fit(X, y)
    >>> model.predict([[2.0, 4.0], [-2.0, 4.0]]).round(1)
    array([ 2., -2.])
    >>> model.predict_quantiles([[2.0, 4.0]], [0.1, 0.9]).round(1)
    array([[1.7, 2.2]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "width": [one_of("cv", "paper"), number(1e-6, 1e6, closed="both")],
        "n_grid": [whole(2, 100_000)],
    }

    def __init__(self, *, width: str | float = "cv", n_grid: int = 200) -> None:
        self.width = width
        self.n_grid = n_grid

    def fit(self, X: Samples, y: Labels) -> "KernelNBRegressor":
        """Keep the training samples, and choose the kernel width; constant features have no effect.

        Raises
        ------
        InputError
            If y is constant or a parameter is out of range.
        """
        checked, targets = self._validated(X, y, y_numeric=True, ensure_min_samples=2)
        if np.ptp(targets) == 0.0:
            msg = f"y is constant ({targets[0]}): there is nothing to predict; give another target"
            raise InputError(msg)
        self.samples_ = _own(checked, X)
        self.targets_ = _own(targets.astype(np.float64, copy=False), y)
        if self.width == "cv":
            self._choose_width()
        else:
            self.width_ = 1.0 if self.width == "paper" else float(self.width)
        self.grid_ = self._grid(self.width_)
        return self

    def predict(self, X: Samples) -> np.ndarray:
        """Return the mean of ``p(y | x)`` for each sample of X."""
        density = self.predict_density(X)
        return density @ self.grid_ / density.sum(axis=1)

    def predict_quantiles(
        self, X: Samples, quantiles: Sequence[float] = (0.05, 0.5, 0.95)
    ) -> np.ndarray:
        """Return ``quantiles`` of ``p(y | x)`` for each sample of X.

        They are interpolated linearly between grid points; the shape is (n_samples, n_quantiles).
        """
        if not all(0.0 <= quantile <= 1.0 for quantile in quantiles):
            msg = f"quantiles are {list(quantiles)}; they must be between 0 and 1"
            raise InputError(msg)
        density = self.predict_density(X)
        cumulative = np.cumsum((density[:, 1:] + density[:, :-1]) / 2, axis=1)
        cumulative = np.pad(cumulative / cumulative[:, -1:], ((0, 0), (1, 0)))
        return np.array([np.interp(quantiles, row, self.grid_) for row in cumulative])

    def predict_density(self, X: Samples) -> np.ndarray:
        """Return ``p(y | x)`` of each sample of X at the points of `grid_`.

        The shape is (n_samples, n_grid); each row integrates to 1 over the grid.
        """
        values = self._validated(X)
        chunks = self._chunks(len(values))
        rows = [self._density(values[chunk], self.width_, self.grid_) for chunk in chunks]
        return np.concatenate(rows)

    def _choose_width(self) -> None:
        """Narrow the width while the leave-one-out likelihood grows."""
        highest = -np.inf
        for factor in WIDTH_FACTORS:
            likelihood = self._held_out_likelihood(factor)
            if likelihood <= highest:
                break
            highest, self.width_ = likelihood, float(factor)

    def _held_out_likelihood(self, factor: float) -> float:
        """Return the sum of log p(y_a | x_a), sample a left out of the densities.

        One part in n_samples is a uniform density, so that no single target decides alone.
        """
        grid, n_samples = self._grid(factor), len(self.targets_)
        uniform = 1.0 / np.ptp(grid)
        total = 0.0
        for chunk in self._chunks(n_samples):
            left_out = np.arange(n_samples)[chunk]
            density = self._density(self.samples_[chunk], factor, grid, left_out)
            expected = _interpolate(self.targets_[chunk], grid, density)
            total += np.log(expected + (uniform - expected) / n_samples).sum()
        return total

    def _density(
        self, X: np.ndarray, factor: float, grid: np.ndarray, left_out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return p(y | x) on the grid; row i without the training sample ``left_out[i]``."""
        distances = (grid[:, np.newaxis] - self.targets_) / self._width(factor, self.targets_)
        kernels = -0.5 * distances**2
        weights = np.zeros((len(X), len(self.targets_)))
        if left_out is not None:
            weights[np.arange(len(X)), left_out] = -np.inf
        log_density = log_marginal = _log_sums(weights, kernels)
        for i in np.flatnonzero(np.ptp(self.samples_, axis=0)):
            training = self.samples_[:, i]
            distances = (X[:, i, np.newaxis] - training) / self._width(factor, training)
            log_density = log_density + _log_sums(weights - 0.5 * distances**2, kernels)
            log_density -= log_marginal
        density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
        return density / np.trapezoid(density, grid, axis=1)[:, np.newaxis]

    def _grid(self, factor: float) -> np.ndarray:
        margin = _MARGIN * self._width(factor, self.targets_)
        return np.linspace(self.targets_.min() - margin, self.targets_.max() + margin, self.n_grid)

    def _width(self, factor: float, values: np.ndarray) -> float:
        """Return the kernel width of training values, section 4."""
        return factor * values.std() * len(values) ** (-1 / 6)

    def _chunks(self, n_rows: int) -> list[slice]:
        """Return slices of rows whose kernels at all training samples need little memory."""
        size = max(1, _CHUNK_VALUES // len(self.targets_))
        return [slice(start, start + size) for start in range(0, n_rows, size)]


def _own(array: np.ndarray, given: Any) -> np.ndarray:
    """Return the array if validation made it, else a copy, since the caller may change it later."""
    return array if array is not given and array.flags.owndata else array.copy()


def _interpolate(targets: np.ndarray, grid: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Return each row's density at its target, by linear interpolation."""
    pairs = zip(targets, density, strict=True)
    return np.array([np.interp(target, grid, row) for target, row in pairs])


def _log_sums(weights: np.ndarray, kernels: np.ndarray) -> np.ndarray:
    """Return ``log sum_b exp(weights[t, b] + kernels[g, b])``, shape (t, g).

    A matrix product of exponentials, except where all of its terms underflow.
    """
    largest = weights.max(axis=1, keepdims=True)
    sums = np.exp(weights - largest) @ np.exp(kernels).T
    logs = largest + np.log(np.maximum(sums, _NEARLY_NOTHING))
    rows, columns = np.nonzero(sums < _NEARLY_NOTHING)
    size = max(1, _CHUNK_VALUES // weights.shape[1])
    for start in range(0, len(rows), size):
        at = rows[start : start + size], columns[start : start + size]
        logs[at] = logsumexp(weights[at[0]] + kernels[at[1]], axis=1)
    return logs
