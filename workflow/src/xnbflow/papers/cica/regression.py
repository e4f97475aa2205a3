"""Naive Bayes regression with kernel densities (CICA paper, sections 2 and 4)."""

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.special import logsumexp
from sklearn.base import RegressorMixin

from xnbflow.core.errors import InputError
from xnbflow.core.parameters import number_constraint, one_of, whole_constraint
from xnbflow.data.samples import Labels, SamplesLike
from xnbflow.papers.cica.joint import WIDTH_FACTORS
from xnbflow.papers.cica.joint_tables import JointTables, normalise
from xnbflow.preprocessing.estimator import Estimator

#: Widths that the grid reaches beyond the targets.
_MARGIN = 4.0
#: Values of an array that are in memory at once.
_DENSITY_CHUNK_VALUES = 2_000_000
#: Sums below it have lost their digits to underflow.
_NEARLY_NOTHING = 1e-280
#: A density of less than exp(-40) of the greatest one in its row has no effect.
_LOG_NEGLIGIBLE = 40.0


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
        "width": [one_of("cv", "paper"), number_constraint(1e-6, 1e6, closed="both")],
        "n_grid": [whole_constraint(2, 100_000)],
    }

    def __init__(self, *, width: str | float = "cv", n_grid: int = 200) -> None:
        self.width = width
        self.n_grid = n_grid

    def fit(self, X: SamplesLike, y: Labels) -> "KernelNBRegressor":
        """Keep the training samples, and choose the kernel width; constant features have no effect.

        Raises
        ------
        InputError
            If y is constant or a parameter is out of range.
        """
        checked, targets = self._validate_training(X, y, y_numeric=True, ensure_min_samples=2)
        if np.ptp(targets) == 0.0:
            msg = f"y is constant ({targets[0]}): there is nothing to predict; give another target"
            raise InputError(msg)
        self.samples_ = _copy_of(checked, X)
        self.targets_ = _copy_of(targets.astype(np.float64, copy=False), y)
        if self.width == "cv":
            self._choose_width()
        else:
            self.width_ = 1.0 if self.width == "paper" else float(self.width)
            self._tables = self._tabulate(self.width_)
        self.grid_ = self._grid(self.width_)
        return self

    def predict(self, X: SamplesLike) -> np.ndarray:
        """Return the mean of ``p(y | x)`` for each sample of X."""
        density = self.predict_density(X)
        return density @ self.grid_ / density.sum(axis=1)

    def predict_quantiles(
        self, X: SamplesLike, quantiles: Sequence[float] = (0.05, 0.5, 0.95)
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

    def predict_density(self, X: SamplesLike) -> np.ndarray:
        """Return ``p(y | x)`` of each sample of X at the points of `grid_`.

        The shape is (n_samples, n_grid); each row integrates to 1 over the grid.
        """
        values = self._validate_samples(X)
        rows = [
            self._density(values[rows], self.width_, self._tables)
            for rows in _chunks(len(values), len(self.grid_))
        ]
        return np.concatenate(rows)

    def _choose_width(self) -> None:
        """Narrow the width while the leave-one-out likelihood grows."""
        greatest = -np.inf
        for factor in WIDTH_FACTORS:
            tables = self._tabulate(factor)
            likelihood = self._held_out_likelihood(factor, tables)
            if likelihood <= greatest:
                break
            greatest = likelihood
            self.width_ = float(factor)
            self._tables = tables

    def _held_out_likelihood(self, factor: float, tables: JointTables | None) -> float:
        """Return the sum of log p(y_a | x_a), sample a left out of the densities.

        One part in n_samples is a uniform density, so that no single target decides alone.
        """
        grid = self._grid(factor)
        n_samples = len(self.targets_)
        uniform = 1.0 / np.ptp(grid)
        log_likelihood = 0.0
        for rows in _chunks(n_samples, len(grid)):
            left_out = np.arange(n_samples)[rows]
            density = self._density(self.samples_[rows], factor, tables, left_out)
            at_target = _interpolate(self.targets_[rows], grid, density)
            log_likelihood += np.log(at_target + (uniform - at_target) / n_samples).sum()
        return log_likelihood

    def _density(
        self,
        X: np.ndarray,
        factor: float,
        tables: JointTables | None,
        left_out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return p(y | x) on the grid; row i without the training sample ``left_out[i]``.

        Rows that the tables do not give accurately are summed over all training samples.
        """
        if tables is None:
            density = np.empty((len(X), self.n_grid))
            uncertain = np.arange(len(X))
        else:
            own_targets = None if left_out is None else self.targets_[left_out]
            density, certain = tables.posterior(X[:, self._varying()], own_targets)
            uncertain = np.flatnonzero(~certain)
        for chunk in _chunks(len(uncertain), len(self.targets_)):
            rows = uncertain[chunk]
            left_out_of_rows = None if left_out is None else left_out[rows]
            density[rows] = self._summed_density(X[rows], factor, left_out_of_rows)
        return density

    def _summed_density(
        self, X: np.ndarray, factor: float, left_out: np.ndarray | None
    ) -> np.ndarray:
        """Return p(y | x) on the grid by sums over all training samples."""
        grid = self._grid(factor)
        distances = (grid[:, np.newaxis] - self.targets_) / self._width(factor, self.targets_)
        target_exponents = -0.5 * distances**2
        weights = np.zeros((len(X), len(self.targets_)))
        if left_out is not None:
            weights[np.arange(len(X)), left_out] = -np.inf
        exponents = [weights]
        for i in self._varying():
            training = self.samples_[:, i]
            distances = (X[:, i, np.newaxis] - training) / self._width(factor, training)
            exponents.append(weights - 0.5 * distances**2)
        return normalise(_log_posterior(exponents, target_exponents), grid)

    def _tabulate(self, factor: float) -> JointTables | None:
        """Return the tables for a width; None where sums over samples are as fast."""
        samples = self.samples_[:, self._varying()]
        return JointTables.tabulate(
            samples,
            self.targets_,
            widths=np.array([self._width(factor, feature) for feature in samples.T]),
            target_width=self._width(factor, self.targets_),
            grid=self._grid(factor),
        )

    def _varying(self) -> np.ndarray:
        """Return the features that are not constant."""
        return np.flatnonzero(np.ptp(self.samples_, axis=0))

    def _grid(self, factor: float) -> np.ndarray:
        """Return the values of y at which densities are computed with a width."""
        margin = _MARGIN * self._width(factor, self.targets_)
        return np.linspace(self.targets_.min() - margin, self.targets_.max() + margin, self.n_grid)

    def _width(self, factor: float, values: np.ndarray) -> float:
        """Return the kernel width of training values, section 4."""
        return factor * values.std() * len(values) ** (-1 / 6)


def _chunks(n_rows: int, values_per_row: int) -> list[slice]:
    """Return slices of rows that need little memory."""
    size = max(1, _DENSITY_CHUNK_VALUES // values_per_row)
    return [slice(start, start + size) for start in range(0, n_rows, size)]


def _copy_of(array: np.ndarray, original: Any) -> np.ndarray:
    """Return the array if validation made it; otherwise a copy, as the caller may change it."""
    return array if array is not original and array.flags.owndata else array.copy()


def _interpolate(targets: np.ndarray, grid: np.ndarray, density: np.ndarray) -> np.ndarray:
    """Return each row's density at its target, by linear interpolation in an even grid."""
    places = (targets - grid[0]) / (grid[1] - grid[0])
    cells = np.clip(places.astype(np.int64), 0, len(grid) - 2)
    rows = np.arange(len(targets))
    below = density[rows, cells]
    above = density[rows, cells + 1]
    return below + (places - cells) * (above - below)


def _log_posterior(exponents: list[np.ndarray], target_exponents: np.ndarray) -> np.ndarray:
    """Return ``log m + sum_i (log S_i - log m)``, shape (n_rows, n_grid), up to a constant.

    ``exponents[0]`` (n_rows, n_samples) are those of the marginal m, 0 or -inf for a sample that is
    left out, the others those of each feature's kernels; ``target_exponents`` has shape
    (n_grid, n_samples). Sums are matrix products of exponentials. Where all terms of a sum
    underflow, its logarithm is bounded from above; a row in which such a grid point could have any
    probability is summed again in logarithms.
    """
    target_kernels = np.exp(target_exponents).T
    shape = (len(exponents[0]), len(target_exponents))
    log_marginal = np.zeros(shape)
    log_density = np.zeros(shape)
    underflown = np.zeros(shape, dtype=bool)
    for i, weights in enumerate(exponents):
        largest = weights.max(axis=1, keepdims=True)
        sums = np.exp(weights - largest) @ target_kernels
        underflown |= sums < _NEARLY_NOTHING
        logs = largest + np.log(np.maximum(sums, _NEARLY_NOTHING))
        if i == 0:
            log_marginal = logs
            log_density += logs
        else:
            # A feature's sum is never above the marginal.
            log_density += np.minimum(logs - log_marginal, 0.0)
    greatest = log_density.max(axis=1, keepdims=True)
    possible = np.any(underflown & (log_density > greatest - _LOG_NEGLIGIBLE), axis=1)
    for row in np.flatnonzero(possible):
        marginal = logsumexp(exponents[0][row] + target_exponents, axis=1)
        log_density[row] = marginal
        for weights in exponents[1:]:
            joint = logsumexp(weights[row] + target_exponents, axis=1)
            log_density[row] += joint - marginal
    return log_density
