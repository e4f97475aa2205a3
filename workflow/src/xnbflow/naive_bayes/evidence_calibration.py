"""Calibration of the summed evidence of a classifier, fitted on predictions."""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

_HIGHEST_TEMPERATURE = 1e3

#: Lower bound of posteriors, as in `xnbflow.evaluation.metrics`.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps

#: Bound of evidence, in nats, so that sums of impossible values are finite.
MOST_EVIDENCE = 1e6

#: Number of classes whose features are the same.
_SAME_FEATURES = 2

#: One over the variance of the Gaussian priors of slopes and intercepts.
_PRECISION = 4.0

#: Newton's method: most steps, most halvings of a step, and the change at convergence.
_MOST_STEPS, _SHORTEST_STEP, _TOLERANCE = 100, 1e-6, 1e-7

#: The same for the logarithm of a sharpness, and its bounds.
_CLOSE, _LOWEST, _HIGHEST = 1e-10, np.log(1e-4), np.log(1e3)

#: Weights of sizes below this share of the greatest are 0.
_WINDOW = 1e-3


@dataclass(frozen=True)
class Calibration:
    """A factor and a constant for the summed evidence of each class.

    The ``temperature``, 1 or more, is one divisor for all classes. ``slope``, from 0 to 1, and
    ``intercept``, in nats, have shape (n_classes,); with a temperature alone they are its inverse
    and 0.
    """

    temperature: float
    slope: np.ndarray
    intercept: np.ndarray

    @classmethod
    def of_temperature(cls, temperature: float, n_classes: int) -> "Calibration":
        """Return the calibration that divides the sums of all classes by one temperature."""
        return cls(temperature, np.full(n_classes, 1.0 / temperature), np.zeros(n_classes))

    def __call__(self, sums: np.ndarray) -> np.ndarray:
        """Return calibrated sums, of shape (n_samples, n_classes) as those given."""
        return sums * self.slope + self.intercept


def smoothed_targets(codes: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Return the class probabilities that calibration aims at, shape (n_samples, n_classes).

    The class of a sample gets ``(n_c + 1) / (n_c + 2)``, with ``n_c`` its number of samples, the
    others the rest in proportion to their priors (Platt, Advances in Large Margin Classifiers,
    1999).

    Log priors (n_samples, n_classes) are minus infinity for a class that is absent from the
    sample's training set.

    Examples
    --------
    >>> smoothed_targets(np.array([0, 0, 1]), np.log(np.full((3, 2), 0.5))).round(2).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.33, 0.67]]
    """
    own = np.arange(len(codes)), codes
    rest = 1.0 / (np.bincount(codes, minlength=log_prior.shape[1])[codes] + 2.0)
    targets = np.exp(log_prior)
    targets[own] = 0.0
    others = targets.sum(axis=1)
    rest[others == 0.0] = 0.0
    targets *= (rest / np.where(others > 0.0, others, 1.0))[:, None]
    targets[own] = 1.0 - rest
    return targets


def fit_sharpness(
    sums: np.ndarray, log_prior: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the factor of the evidence at each size with the least cross-entropy, (n_sizes,).

    The cross-entropy is convex, and minimised by Newton's method between 1e-4 and 1e3.

    Evidence ``sums`` (n_sizes, n_samples, n_classes) are of samples that were not trained on, which
    have ``weights`` (n_samples,); priors and targets are as for `smoothed_targets`.
    """
    point = np.zeros(len(sums))
    low, high = np.full(len(sums), _LOWEST), np.full(len(sums), _HIGHEST)
    aimed = np.einsum("kic,ic,i->k", sums, targets, weights)
    sums = np.ascontiguousarray(sums)  # one compilation for any layout
    open_ = np.arange(len(sums))
    for _ in range(_MOST_STEPS):
        own, factor = point[open_], np.exp(point[open_])
        mean, variance = _moments(sums, open_, log_prior, weights, factor)
        slope = (mean - aimed[open_]) * factor
        curvature = variance * factor**2 + slope
        low[open_] = np.where(slope > 0.0, low[open_], own)
        high[open_] = np.where(slope > 0.0, own, high[open_])
        safe = np.where(curvature > 0.0, curvature, 1.0)
        moved = np.where(curvature > 0.0, own - slope / safe, np.inf)
        inside = (moved > low[open_]) & (moved < high[open_])
        point[open_] = np.where(inside, moved, (low[open_] + high[open_]) / 2.0)
        open_ = open_[np.abs(point[open_] - own) >= _CLOSE]
        if not len(open_):
            break
    return np.exp(point)


@njit(nogil=True)
def _moments(
    sums: np.ndarray,
    sizes: np.ndarray,
    log_prior: np.ndarray,
    weights: np.ndarray,
    factor: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance of some sizes' sums under their posteriors, added over samples."""
    n_samples, n_classes = log_prior.shape
    means, variances = np.zeros(len(sizes)), np.zeros(len(sizes))
    terms = np.empty(n_classes)
    for k in range(len(sizes)):
        for i in range(n_samples):
            own = sums[sizes[k], i]
            greatest = -np.inf
            for c in range(n_classes):
                terms[c] = factor[k] * own[c] + log_prior[i, c]
                greatest = max(greatest, terms[c])
            for c in range(n_classes):
                terms[c] -= greatest
            exponentiate(terms)
            total = first = second = 0.0
            for c in range(n_classes):
                total += terms[c]
                first += terms[c] * own[c]
                second += terms[c] * own[c] * own[c]
            mean = first / total
            means[k] += weights[i] * mean
            variances[k] += weights[i] * max(second / total - mean * mean, 0.0)
    return means, variances


def cross_entropies(
    sums: np.ndarray, log_prior: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the mean cross-entropy of sums at each size, shape (n_sizes,); see `fit_sharpness`."""
    terms = targets * np.where(targets > 0.0, log_softmax(sums + log_prior, axis=2), 0.0)
    return -(terms.sum(axis=2) @ weights) / weights.sum()


def average_weights(losses: np.ndarray, n_units: int) -> np.ndarray:
    """Return the weights of sizes, proportional to ``exp(-n_units * loss)``.

    These are posterior weights of predictors whose likelihood is that of ``n_units`` independent
    held-out samples, with mean log losses (n_sizes,) in nats. Weights below a thousandth of the
    greatest are 0 (Occam's window: Madigan and Raftery, Journal of the American Statistical
    Association 89, 1994).

    Examples
    --------
    >>> average_weights(np.array([0.5, 0.5, 0.5 + np.log(2.0), 9.0]), 1).round(3).tolist()
    [0.4, 0.4, 0.2, 0.0]
    """
    weights = np.exp(-n_units * (losses - losses.min()))
    weights[weights < _WINDOW] = 0.0
    return weights / weights.sum()


def fit_temperature(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> Calibration:
    """Return the temperature, from 1 to 1000, with the least mean log loss.

    It is at least 1, since otherwise a few samples that are all predicted right would give
    certainty.

    Summed evidence and log priors (see `smoothed_targets`) have shape (n_samples, n_classes); the
    samples' true classes, and weights, of which None is 1 each, (n_samples,).

    Examples
    --------
    >>> sums = np.array([[8.0, 0.0], [8.0, 0.0], [8.0, 0.0], [8.0, 0.0]])
    >>> log_prior = np.log(np.full((4, 2), 0.5))
    >>> fitted = fit_temperature(sums, log_prior, np.array([0, 0, 0, 1]))
    >>> round(fitted.temperature, 3)  # 8 / log(3)
    7.282
    """
    n_classes = sums.shape[1]
    sums, log_prior, codes, weights = _known(sums, log_prior, codes, weights)
    targets = np.eye(n_classes)[codes]
    sharpness = float(fit_sharpness(sums[None], log_prior, targets, weights)[0])
    return Calibration.of_temperature(
        1.0 / min(max(sharpness, 1.0 / _HIGHEST_TEMPERATURE), 1.0), n_classes
    )


def fit_vector(
    sums: np.ndarray,
    log_prior: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None = None,
    start: Calibration | None = None,
) -> Calibration:
    """Return the slope and the intercept of each class with the least penalised log loss.

    Features may be more correlated in one class than in another. Vector scaling (Guo et al., 2017)
    has a factor for each class instead of one temperature. Slopes times the temperature, and
    intercepts, have Gaussian priors with standard deviation 0.5 around 1 and 0, so that calibration
    is weak with few samples. No slope is above 1. Two classes, whose features are the same, get the
    temperature alone.

    The fit begins at ``start``, whose temperature it keeps, or else at `fit_temperature`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.integers(3, size=10_000)
    >>> sums = rng.normal(size=(10_000, 3)) + (codes[:, None] == [0, 1, 2])
    >>> log_prior = np.log(np.full((10_000, 3), 1 / 3))
    >>> fit_vector(sums * [5.0, 2.0, 2.0], log_prior, codes).slope.round(1).tolist()
    [0.2, 0.5, 0.5]
    """
    n_classes = sums.shape[1]
    if start is None:
        start = fit_temperature(sums, log_prior, codes, weights)
    if n_classes <= _SAME_FEATURES:
        return start
    lowest = np.repeat([1.0 / _HIGHEST_TEMPERATURE, -np.inf], n_classes)
    highest = np.repeat([start.temperature, np.inf], n_classes)
    point = np.concatenate([start.slope * start.temperature, start.intercept])
    loss = _PenalisedLoss(*_known(sums / start.temperature, log_prior, codes, weights))
    slope, intercept = np.split(_minimise(loss, point, lowest, highest), 2)
    return Calibration(start.temperature, slope / start.temperature, intercept)


class _PenalisedLoss:
    """The log loss of slopes and intercepts with their Gaussian priors, which is convex in them.

    A point is the slopes of sums that were divided by the temperature, then the intercepts.
    """

    def __init__(
        self, sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray
    ) -> None:
        self.sums, self.log_prior, self.weights = sums, log_prior, weights
        self.own = np.arange(len(codes)), codes
        self.likeliest = np.repeat([1.0, 0.0], sums.shape[1])

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the loss and the posteriors."""
        slope, intercept = np.split(point, 2)
        joint = self.sums * slope + (intercept + self.log_prior)
        joint -= joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint)
        totals = posterior.sum(axis=1)
        losses = np.log(totals) - joint[self.own]
        posterior /= totals[:, None]
        away = point - self.likeliest
        return float(self.weights @ losses + _PRECISION * (away @ away) / 2.0), posterior

    def derivatives(
        self, point: np.ndarray, posterior: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient and the Hessian."""
        excess = self.weights[:, None] * posterior
        excess[self.own] -= self.weights
        gradient = np.concatenate([(excess * self.sums).sum(axis=0), excess.sum(axis=0)])
        expected = np.hstack([posterior * self.sums, posterior])
        weighted = self.weights[:, None] * expected
        squares = (weighted[:, : self.sums.shape[1]] * self.sums).sum(axis=0)
        means, totals = np.split(weighted.sum(axis=0), 2)
        squares, means, totals = np.diag(squares), np.diag(means), np.diag(totals)
        own = np.block([[squares, means], [means, totals]])
        hessian = own - weighted.T @ expected + _PRECISION * np.eye(len(point))
        return gradient + _PRECISION * (point - self.likeliest), hessian


def _minimise(
    loss: _PenalisedLoss, point: np.ndarray, lowest: np.ndarray, highest: np.ndarray
) -> np.ndarray:
    """Return where a convex loss is least within bounds, by projected Newton steps.

    Coordinates at a bound that the gradient points beyond stay there (Bertsekas, SIAM Journal on
    Control and Optimization 20, 1982).
    """
    here, posterior = loss(point)
    for _ in range(_MOST_STEPS):
        gradient, hessian = loss.derivatives(point, posterior)
        held = (point <= lowest) & (gradient > 0.0) | (point >= highest) & (gradient < 0.0)
        free = np.flatnonzero(~held)
        step = np.zeros_like(point)
        step[free] = np.linalg.solve(hessian[free][:, free], gradient[free])
        length = 1.0
        while length > _SHORTEST_STEP:
            there = np.clip(point - length * step, lowest, highest)
            moved = point - there
            lower, posterior = loss(there)
            if lower <= here - 1e-4 * float(gradient @ moved):
                break
            length /= 2.0
        else:
            return point
        point, here = there, lower
        if np.abs(moved).max() < _TOLERANCE:
            return point
    return point


def log_losses(calibrated: np.ndarray, log_prior: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return log losses in nats, at most 36, shape (n_samples,); see `fit_temperature`."""
    joint = calibrated + log_prior
    joint -= joint.max(axis=1, keepdims=True)
    own = joint[np.arange(len(codes)), codes]
    posterior = own - np.log(np.exp(joint, out=joint).sum(axis=1))
    return -np.maximum(posterior, np.log(_SMALLEST_PROBABILITY))


def _known(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return the samples whose class is in their training set, with finite evidence."""
    known = np.isfinite(log_prior[np.arange(len(codes)), codes])
    weights = np.ones(len(codes)) if weights is None else weights
    finite = np.clip(sums[known], -MOST_EVIDENCE, MOST_EVIDENCE)
    return finite, log_prior[known], codes[known], weights[known]
