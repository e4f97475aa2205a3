"""An average over sizes: sharpness on inner predictions, weights by log loss.

Every size of a path is a sum over features, and so is their average.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

__all__ = ["SizeAverage", "average_weights", "cross_entropies", "fit_sharpness", "smoothed_targets"]

#: Newton's method for the logarithm of the sharpness: steps, tolerance and bounds.
_MOST_STEPS, _TOLERANCE = 100, 1e-10
_LOWEST, _HIGHEST = np.log(1e-4), np.log(1e3)

#: Weights below this share of the greatest are 0.
_WINDOW = 1e-3

#: Evidence beyond this, in nats, says no more.
_MOST_EVIDENCE = 1e6


def smoothed_targets(codes: np.ndarray, log_prior: np.ndarray) -> np.ndarray:
    """Return the class probabilities that calibration aims at, shape (n_samples, n_classes).

    The class of a sample gets ``(n_c + 1) / (n_c + 2)``, with ``n_c`` its number of samples, the
    others the rest in proportion to their priors: that few samples were all predicted right does
    not show that the next one will be.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
    log_prior : ndarray of shape (n_samples, n_classes)
        Minus infinity for a class that the sample's training set lacked.

    References
    ----------
    Platt, "Probabilistic outputs for support vector machines and comparisons to regularized
    likelihood methods", Advances in Large Margin Classifiers, 1999.

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
    """Return what the summed evidence at each size is multiplied by, shape (n_sizes,).

    It minimises the cross-entropy to the targets, which is convex, between 1e-4 and 1e3.

    Parameters
    ----------
    sums : ndarray of shape (n_sizes, n_samples, n_classes)
        Of samples that were not trained on.
    log_prior, targets : ndarray of shape (n_samples, n_classes)
        See `smoothed_targets`.
    weights : ndarray of shape (n_samples,)
        Of the samples.

    Examples
    --------
    >>> sums = np.tile([[[4.0, 0.0]]], (1, 4, 1))
    >>> targets = np.tile([0.75, 0.25], (4, 1))
    >>> fit_sharpness(sums, np.log(np.full((4, 2), 0.5)), targets, np.ones(4)).round(3)  # log(3)/4
    array([0.275])
    """
    point = np.zeros(len(sums))
    low, high = np.full(len(sums), _LOWEST), np.full(len(sums), _HIGHEST)
    aimed = (targets * sums).sum(axis=2)
    for _ in range(_MOST_STEPS):
        factor = np.exp(point)
        joint = factor[:, None, None] * sums + log_prior
        posterior = np.exp(joint - joint.max(axis=2, keepdims=True))
        posterior /= posterior.sum(axis=2, keepdims=True)
        mean = (posterior * sums).sum(axis=2)
        variance = np.maximum((posterior * sums * sums).sum(axis=2) - mean * mean, 0.0)
        slope = (mean - aimed) @ weights * factor
        curvature = variance @ weights * factor**2 + slope
        low, high = np.where(slope > 0.0, low, point), np.where(slope > 0.0, point, high)
        safe = np.where(curvature > 0.0, curvature, 1.0)
        moved = np.where(curvature > 0.0, point - slope / safe, np.inf)
        moved = np.where((moved > low) & (moved < high), moved, (low + high) / 2.0)
        change, point = np.abs(moved - point).max(initial=0.0), moved
        if change < _TOLERANCE:
            break
    return np.exp(point)


def cross_entropies(
    sums: np.ndarray, log_prior: np.ndarray, targets: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    """Return the mean cross-entropy of the calibrated sums at each size, shape (n_sizes,).

    Parameters
    ----------
    sums, log_prior, targets, weights
        As for `fit_sharpness`.
    """
    joint = sums + log_prior
    log_posterior = joint - logsumexp(joint, axis=2, keepdims=True)
    terms = targets * np.where(targets > 0.0, log_posterior, 0.0)
    return -(terms.sum(axis=2) @ weights) / weights.sum()


def average_weights(losses: np.ndarray, n_units: int) -> np.ndarray:
    """Return the weights of sizes, proportional to ``exp(-n_units * loss)``.

    These are posterior weights of predictors whose likelihood is that of the held-out samples.
    Weights below a thousandth of the greatest are 0 (Occam's window: Madigan and Raftery, Journal
    of the American Statistical Association 89, 1994).

    Parameters
    ----------
    losses : ndarray of shape (n_sizes,)
        Mean log loss of each over held-out samples, in nats.
    n_units : int
        How many independent ones there were.

    Examples
    --------
    >>> average_weights(np.array([0.5, 0.5, 0.5 + np.log(2.0), 9.0]), 1).round(3).tolist()
    [0.4, 0.4, 0.2, 0.0]
    """
    weights = np.exp(-n_units * (losses - losses.min()))
    weights[weights < _WINDOW] = 0.0
    return weights / weights.sum()


@dataclass(frozen=True)
class SizeAverage:
    """The calibrated average over the sizes of a path.

    Attributes
    ----------
    sharpness : ndarray of shape (n_sizes,)
        What the summed evidence at each size is multiplied by.
    shares : ndarray of shape (n_sizes,)
        Weights of the sizes; their sum is 1.
    factor : float
        The sharpness of the average itself.
    sums : ndarray of shape (n_samples, n_classes)
        The average's evidence for the inner test samples.
    loss : float
        Its mean cross-entropy to the smoothed targets.
    """

    sharpness: np.ndarray
    shares: np.ndarray
    factor: float
    sums: np.ndarray
    loss: float

    @classmethod
    def of(
        cls,
        sums: np.ndarray,
        log_prior: np.ndarray,
        codes: np.ndarray,
        weights: np.ndarray,
        n_units: int,
    ) -> "SizeAverage":
        """Fit it to the inner predictions.

        Samples whose class their training set lacked do not count.

        Parameters
        ----------
        sums, log_prior, codes, weights
            See `xnbflow.naive_bayes.size_path.InnerPredictions`.
        n_units : int
            See `average_weights`.
        """
        known = np.isfinite(log_prior[np.arange(len(codes)), codes])
        sums = np.clip(sums, -_MOST_EVIDENCE, _MOST_EVIDENCE)
        if not known.any():
            shares = np.full(len(sums), 1.0 / len(sums))
            return cls(np.ones(len(sums)), shares, 1.0, sums.mean(axis=0), 0.0)
        targets = smoothed_targets(codes[known], log_prior[known])
        given = log_prior[known], targets, weights[known]
        sharpness = fit_sharpness(sums[:, known], *given)
        losses = cross_entropies(sums[:, known] * sharpness[:, None, None], *given)
        shares = average_weights(losses, n_units)
        average = np.tensordot(shares * sharpness, sums, 1)
        factor = float(fit_sharpness(average[None, known], *given)[0])
        loss = float(cross_entropies(average[None, known] * factor, *given)[0])
        return cls(sharpness, shares, factor, average * factor, loss)

    @property
    def weights(self) -> np.ndarray:
        """What the evidence at each size is multiplied by in the average, shape (n_sizes,)."""
        return self.shares * self.sharpness * self.factor
