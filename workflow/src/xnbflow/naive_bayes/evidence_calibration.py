"""Calibration: how much the summed evidence of a classifier is worth, fitted on predictions."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

__all__ = ["CALIBRATIONS", "Calibration", "fit_temperature", "fit_vector", "log_losses"]

CALIBRATIONS = ("vector", "temperature")

_HIGHEST_TEMPERATURE = 1e3

#: Posteriors below this count as this much, as in `xnbflow.evaluation.metrics`.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps

#: Evidence beyond this, in nats, says no more: sums of what is impossible stay finite.
_MOST_EVIDENCE = 1e6

#: So many classes have the same features.
_SAME_FEATURES = 2

#: One over the variance of the Gaussian priors of slopes and intercepts.
_PRECISION = 4.0

#: Newton's method: steps, halvings of a step, and the change of a slope or intercept that ends it.
_MOST_STEPS, _SHORTEST_STEP, _TOLERANCE = 100, 1e-6, 1e-7


@dataclass(frozen=True)
class Calibration:
    """What the summed evidence of each class is multiplied by, and what is added to it.

    Attributes
    ----------
    temperature : float
        One divisor for all classes, 1 or more.
    slope : ndarray of shape (n_classes,)
        From 0 to 1; with a temperature alone its inverse, for every class.
    intercept : ndarray of shape (n_classes,)
        In nats; with a temperature alone 0.
    """

    temperature: float
    slope: np.ndarray
    intercept: np.ndarray

    def __call__(self, sums: np.ndarray) -> np.ndarray:
        """Return calibrated sums, of shape (n_samples, n_classes) as those given."""
        return sums * self.slope + self.intercept


def fit_temperature(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> Calibration:
    """Return the temperature, from 1 to 1000, with the least mean log loss.

    It is never below 1: naive Bayes is not known to be too modest, and a few samples that are all
    predicted right would else ask for certainty.

    Parameters
    ----------
    sums : ndarray of shape (n_samples, n_classes)
        Summed evidence.
    log_prior : ndarray of shape (n_samples, n_classes)
        Minus infinity for a class that the sample's training set lacked.
    codes : ndarray of int, shape (n_samples,)
        True classes.
    weights : ndarray of shape (n_samples,), default=None
        Of the samples; None is 1 each.

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

    def slope(inverse: float) -> float:
        """Return the derivative of the log loss, which is convex, by the inverse temperature."""
        posterior = _posterior(sums * inverse + log_prior)
        expected = (posterior * sums).sum(axis=1)
        return float(weights @ (expected - sums[np.arange(len(codes)), codes]))

    if not len(codes) or slope(1.0) <= 0.0:
        temperature = 1.0
    elif slope(1.0 / _HIGHEST_TEMPERATURE) >= 0.0:
        temperature = _HIGHEST_TEMPERATURE
    else:
        temperature = float(1.0 / brentq(slope, 1.0 / _HIGHEST_TEMPERATURE, 1.0, xtol=1e-9))
    return Calibration(temperature, np.full(n_classes, 1.0 / temperature), np.zeros(n_classes))


def fit_vector(
    sums: np.ndarray,
    log_prior: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None = None,
    start: Calibration | None = None,
) -> Calibration:
    """Return the slope and the intercept of each class with the least penalised log loss.

    Features of one class may repeat one another more than those of another class, so that its
    evidence is worth less: vector scaling (Guo et al., 2017) tells the classes apart where one
    temperature cannot. Slopes times the temperature, and intercepts, have Gaussian priors with
    standard deviation 0.5 around 1 and 0, so that few samples say little. As with the temperature
    no slope is above 1. Two classes, whose features are the same, get the temperature alone.

    Parameters
    ----------
    sums, log_prior, codes, weights
        As for `fit_temperature`.
    start : Calibration, default=None
        Where to start, and the temperature; None fits it.

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
    known = _known(sums / start.temperature, log_prior, codes, weights)
    lowest = np.repeat([1.0 / _HIGHEST_TEMPERATURE, -np.inf], n_classes)
    highest = np.repeat([start.temperature, np.inf], n_classes)
    point = np.concatenate([start.slope * start.temperature, start.intercept])
    point = _minimise(_PenalisedLoss(*known), point, lowest, highest)
    slope, intercept = np.split(point, 2)
    return Calibration(start.temperature, slope / start.temperature, intercept)


@dataclass(frozen=True)
class _PenalisedLoss:
    """The log loss of slopes and intercepts with their Gaussian priors, which is convex in them.

    A point is the slopes of sums that were divided by the temperature, then the intercepts.
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    weights: np.ndarray

    def __call__(self, point: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the loss and the posteriors."""
        n_classes = self.sums.shape[1]
        joint = self.sums * point[:n_classes] + (point[n_classes:] + self.log_prior)
        joint -= joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint)
        totals = posterior.sum(axis=1)
        losses = np.log(totals) - joint[np.arange(len(joint)), self.codes]
        posterior /= totals[:, None]
        away = self._away(point)
        return float(self.weights @ losses + _PRECISION * (away @ away) / 2.0), posterior

    def derivatives(
        self, point: np.ndarray, posterior: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient and the Hessian."""
        n_classes = self.sums.shape[1]
        excess = self.weights[:, None] * posterior
        excess[np.arange(len(excess)), self.codes] -= self.weights
        gradient = np.concatenate([(excess * self.sums).sum(axis=0), excess.sum(axis=0)])
        expected = np.hstack([posterior * self.sums, posterior])
        weighted = self.weights[:, None] * expected
        squares = (weighted[:, :n_classes] * self.sums).sum(axis=0)
        means, totals = np.split(weighted.sum(axis=0), 2)
        squares, means, totals = np.diag(squares), np.diag(means), np.diag(totals)
        own = np.block([[squares, means], [means, totals]])
        hessian = own - weighted.T @ expected + _PRECISION * np.eye(len(point))
        return gradient + _PRECISION * self._away(point), hessian

    def _away(self, point: np.ndarray) -> np.ndarray:
        """Return how far a point is from where its prior is highest: slopes 1, intercepts 0."""
        away = point.copy()
        away[: self.sums.shape[1]] -= 1.0
        return away


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
    """Return each sample's log loss in nats, of shape (n_samples,), at most 36.

    Parameters
    ----------
    calibrated : ndarray of shape (n_samples, n_classes)
        Summed evidence, calibrated.
    log_prior, codes
        As for `fit_temperature`.
    """
    joint = calibrated + log_prior
    joint -= joint.max(axis=1, keepdims=True)
    posterior = joint[np.arange(len(codes)), codes] - np.log(np.exp(joint).sum(axis=1))
    return -np.maximum(posterior, np.log(_SMALLEST_PROBABILITY))


def _known(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what is given without samples whose class is not known; evidence finite."""
    known = np.isfinite(log_prior[np.arange(len(codes)), codes])
    weights = np.ones(len(codes)) if weights is None else weights
    finite = np.clip(sums[known], -_MOST_EVIDENCE, _MOST_EVIDENCE)
    return finite, log_prior[known], codes[known], weights[known]


def _posterior(joint: np.ndarray) -> np.ndarray:
    posterior = np.exp(joint - joint.max(axis=1, keepdims=True))
    posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior
