"""Calibration of the summed evidence of a classifier by one factor, fitted on predictions.

Features that repeat each other are counted repeatedly, so that sums of evidence are overconfident.
Here are the factor for all classes (`fit_temperature`, `fit_sharpness`) and what is fitted with it:
the targets and the losses. `xnbflow.naive_bayes.vector_scaling` has a factor for each class.

Throughout, summed evidence ``sums`` has shape (n_samples, n_classes), or (n_sizes, n_samples,
n_classes) along a path of sizes; ``log_prior`` (n_samples, n_classes) is minus infinity for a class
that is absent from the training set of the sample; ``codes`` (n_samples,) are true classes and
``weights`` (n_samples,) those of the samples.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import log_softmax

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

#: The highest temperature, which also bounds the slopes of `xnbflow.naive_bayes.vector_scaling`.
HIGHEST_TEMPERATURE = 1e3

#: Lower bound of posteriors, as in `xnbflow.evaluation.metrics`.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps

#: Bound of evidence, in nats, so that sums of impossible values are finite.
MOST_EVIDENCE = 1e6

#: Bounds of the logarithm of a sharpness.
_LOWEST_LOG = np.log(1e-4)
_HIGHEST_LOG = np.log(1e3)
#: Its change at convergence.
_CLOSE = 1e-10
#: Most steps of Newton's method.
_MOST_STEPS = 100


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
        """Return calibrated sums, shape (n_samples, n_classes)."""
        return sums * self.slope + self.intercept


def smoothed_targets(codes: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Return the class probabilities that calibration aims at, shape (n_samples, n_classes).

    The class of a sample gets ``(n_c + 1) / (n_c + 2)``, with ``n_c`` its number of samples, the
    others the rest in proportion to their priors (Platt, Advances in Large Margin Classifiers,
    1999). An absent class has target 0.

    Examples
    --------
    >>> smoothed_targets(np.array([0, 0, 1]), np.log(np.full((3, 2), 0.5))).round(2).tolist()
    [[0.75, 0.25], [0.75, 0.25], [0.33, 0.67]]
    """
    true_class = np.arange(len(codes)), codes
    class_counts = np.bincount(codes, minlength=log_prior.shape[1])
    rest = 1.0 / (class_counts[codes] + 2.0)
    targets = np.exp(log_prior)
    targets[true_class] = 0.0
    prior_of_others = targets.sum(axis=1)
    rest[prior_of_others == 0.0] = 0.0
    targets *= (rest / np.where(prior_of_others > 0.0, prior_of_others, 1.0))[:, None]
    targets[true_class] = 1.0 - rest
    return targets


def fit_sharpness(
    sums: np.ndarray, log_prior: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the factor of the evidence at each size with the least cross-entropy, (n_sizes,).

    Sums (n_sizes, n_samples, n_classes) are of samples that were not trained on, ``targets`` as
    from `smoothed_targets`. The cross-entropy of the factor ``a`` is convex. Its derivative is
    ``sum of w (E[S] - T)``, with ``E[S]`` the mean of the sums ``S`` under the posterior and ``T``
    that under the targets, and its second derivative their variance. Newton's method goes in ``log
    a``, between 1e-4 and 1e3; a step out of the interval that is known to hold the minimum is
    replaced by its middle.
    """
    log_factor = np.zeros(len(sums))
    low = np.full(len(sums), _LOWEST_LOG)
    high = np.full(len(sums), _HIGHEST_LOG)
    target_sums = np.einsum("kic,ic,i->k", sums, targets, weights)
    sums = np.ascontiguousarray(sums)  # one compilation for any layout
    unfinished = np.arange(len(sums))
    for _ in range(_MOST_STEPS):
        before = log_factor[unfinished]
        factor = np.exp(before)
        mean, variance = _moments(sums, unfinished, log_prior, weights, factor)
        slope = (mean - target_sums[unfinished]) * factor
        curvature = variance * factor**2 + slope
        # The minimum lies below where the loss ascends, and above where it descends.
        low[unfinished] = np.where(slope > 0.0, low[unfinished], before)
        high[unfinished] = np.where(slope > 0.0, before, high[unfinished])
        divisor = np.where(curvature > 0.0, curvature, 1.0)
        newton = np.where(curvature > 0.0, before - slope / divisor, np.inf)
        inside = (newton > low[unfinished]) & (newton < high[unfinished])
        middle = (low[unfinished] + high[unfinished]) / 2.0
        log_factor[unfinished] = np.where(inside, newton, middle)
        unfinished = unfinished[np.abs(log_factor[unfinished] - before) >= _CLOSE]
        if not len(unfinished):
            break
    return np.exp(log_factor)


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
    means = np.zeros(len(sizes))
    variances = np.zeros(len(sizes))
    terms = np.empty(n_classes)
    for k in range(len(sizes)):
        for i in range(n_samples):
            evidence = sums[sizes[k], i]
            greatest = -np.inf
            for c in range(n_classes):
                terms[c] = factor[k] * evidence[c] + log_prior[i, c]
                greatest = max(greatest, terms[c])
            for c in range(n_classes):
                terms[c] -= greatest
            exponentiate(terms)
            total = first = second = 0.0
            for c in range(n_classes):
                total += terms[c]
                first += terms[c] * evidence[c]
                second += terms[c] * evidence[c] * evidence[c]
            mean = first / total
            means[k] += weights[i] * mean
            variances[k] += weights[i] * max(second / total - mean * mean, 0.0)
    return means, variances


def cross_entropies(
    sums: np.ndarray, log_prior: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the mean cross-entropy of sums at each size, shape (n_sizes,); see `fit_sharpness`."""
    log_posterior = log_softmax(sums + log_prior, axis=2)
    terms = targets * np.where(targets > 0.0, log_posterior, 0.0)
    return -(terms.sum(axis=2) @ weights) / weights.sum()


def fit_temperature(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None = None
) -> Calibration:
    """Return the temperature, from 1 to 1000, with the least mean log loss.

    It is at least 1, since otherwise a few samples that are all predicted correctly would give
    certainty. Without ``weights`` each sample has 1.

    Examples
    --------
    >>> sums = np.array([[8.0, 0.0], [8.0, 0.0], [8.0, 0.0], [8.0, 0.0]])
    >>> log_prior = np.log(np.full((4, 2), 0.5))
    >>> fitted = fit_temperature(sums, log_prior, np.array([0, 0, 0, 1]))
    >>> round(fitted.temperature, 3)  # 8 / log(3)
    7.282
    """
    n_classes = sums.shape[1]
    samples = usable_samples(sums, log_prior, codes, weights)
    targets = np.eye(n_classes)[samples.codes]
    sharpness = fit_sharpness(samples.sums[None], samples.log_prior, targets, samples.weights)[0]
    sharpness = float(sharpness)
    sharpness = min(max(sharpness, 1.0 / HIGHEST_TEMPERATURE), 1.0)
    return Calibration.of_temperature(1.0 / sharpness, n_classes)


def log_losses(calibrated: np.ndarray, log_prior: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return log losses in nats, at most 36, shape (n_samples,), of calibrated sums."""
    joint = calibrated + log_prior
    joint -= joint.max(axis=1, keepdims=True)
    joint_of_class = joint[np.arange(len(codes)), codes]
    log_posterior = joint_of_class - np.log(np.exp(joint, out=joint).sum(axis=1))
    return -np.maximum(log_posterior, np.log(_SMALLEST_PROBABILITY))


@dataclass(frozen=True, kw_only=True)
class CalibrationSamples:
    """Samples whose class is in their training set, for a fit of slopes and intercepts.

    Attributes
    ----------
    sums, log_prior : ndarray of shape (n_samples, n_classes)
        Evidence, which is finite, and the log priors of the training set.
    codes : ndarray of int, shape (n_samples,)
        True classes.
    weights : ndarray of shape (n_samples,)
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    weights: np.ndarray


def usable_samples(
    sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray, weights: np.ndarray | None
) -> CalibrationSamples:
    """Return the samples whose class is in their training set, with finite evidence."""
    usable = np.isfinite(log_prior[np.arange(len(codes)), codes])
    weights = np.ones(len(codes)) if weights is None else weights
    return CalibrationSamples(
        sums=np.clip(sums[usable], -MOST_EVIDENCE, MOST_EVIDENCE),
        log_prior=log_prior[usable],
        codes=codes[usable],
        weights=weights[usable],
    )
