"""A path over numbers of features: its scores, its temperatures, and the choice on it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq

from xnbflow.naive_bayes.evidence import ClassDensities, weigh
from xnbflow.selection.pair_rankings import NEVER

__all__ = ["SCORINGS", "InnerPredictions", "choose", "fit_temperature", "sum_along_path"]

SCORINGS = ("log_loss", "accuracy", "balanced_accuracy")

#: Posteriors below this count as this much, as in `xnbflow.evaluation.metrics`.
_SMALLEST_PROBABILITY = np.finfo(np.float64).eps

_HIGHEST_TEMPERATURE = 1e3


def sum_along_path(
    densities: ClassDensities,
    points: np.ndarray,
    entries: np.ndarray,
    sizes: np.ndarray,
    log_prior: np.ndarray,
    evidence: str,
    contamination: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Sum the evidence for each class over its features, for every size of the path at once.

    Parameters
    ----------
    densities : ClassDensities
        Of all features of the path, in every class.
    points : ndarray of shape (n_features, n_points)
    entries : ndarray of int, shape (n_classes, n_features)
        From which size on a class has a feature (`PairRankings.entries`).
    sizes : ndarray of int, shape (n_sizes,)
        Ascending.
    log_prior, evidence, contamination
        See `xnbflow.naive_bayes.evidence.weigh`.

    Returns
    -------
    sums : ndarray of shape (n_sizes, n_points, n_classes)
    counts : ndarray of int, shape (n_sizes, n_classes)
        Features of each class.
    """
    terms = weigh(densities.log_density(points), log_prior, evidence, contamination)
    sums = np.zeros((len(sizes), points.shape[1], len(entries)))
    counts = np.zeros((len(sizes), len(entries)), dtype=int)
    for code, mine in enumerate(entries):
        order = np.argsort(mine, kind="stable")
        order = order[mine[order] < NEVER]
        running = np.vstack([np.zeros(points.shape[1]), np.cumsum(terms[code, order], axis=0)])
        counts[:, code] = np.searchsorted(mine[order], sizes, side="right")
        sums[:, :, code] = running[counts[:, code]]
    return sums, counts


@dataclass(frozen=True)
class InnerPredictions:
    """What the inner folds predict along a path, all test samples one after the other.

    Attributes
    ----------
    sums : ndarray of shape (n_sizes, n_samples, n_classes)
        Summed evidence; 0 for a class that training lacked.
    log_prior : ndarray of shape (n_samples, n_classes)
        Of the fold that tests the sample; minus infinity for a class that training lacked.
    codes : ndarray of int, shape (n_samples,)
        True classes.
    folds : ndarray of int, shape (n_samples,)
        Which fold tests the sample.
    counts : ndarray of shape (n_sizes,)
        Features per class, mean over classes and folds.
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    counts: np.ndarray

    def rows(self) -> list[dict[str, float]]:
        """Return per size the temperature, and scores with their standard errors."""
        return [
            {"n_features_per_class": float(count), **self._scores(sums)}
            for count, sums in zip(self.counts, self.sums, strict=True)
        ]

    def _scores(self, sums: np.ndarray) -> dict[str, float]:
        right = (sums + self.log_prior).argmax(axis=1) == self.codes
        temperature = fit_temperature(sums, self.log_prior, self.codes)
        losses = _losses(sums / temperature, self.log_prior, self.codes)
        tested = np.bincount(self.codes)
        recalls = np.bincount(self.codes, right)[tested > 0] / tested[tested > 0]
        variances = recalls * (1.0 - recalls) / tested[tested > 0]
        return {
            "temperature": temperature,
            "accuracy": float(right.mean()),
            "accuracy_se": self._standard_error(right),
            "balanced_accuracy": float(recalls.mean()),
            "balanced_accuracy_se": float(np.sqrt(variances.sum()) / len(recalls)),
            "log_loss": float(losses.mean()),
            "log_loss_se": self._standard_error(losses),
        }

    def _standard_error(self, values: np.ndarray) -> float:
        """Return the standard error of the mean over folds."""
        tested = np.bincount(self.folds)
        means = np.bincount(self.folds, values)[tested > 0] / tested[tested > 0]
        return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0


def fit_temperature(sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray) -> float:
    """Return the temperature, from 1 to 1000, with the least mean log loss.

    It is never below 1: naive Bayes is not known to be too modest, and a few samples that are all
    predicted right would else ask for certainty.

    Parameters
    ----------
    sums : ndarray of shape (n_samples, n_classes)
        Summed evidence.
    log_prior : ndarray of shape (n_samples, n_classes)
    codes : ndarray of int, shape (n_samples,)
        True classes.

    Examples
    --------
    >>> sums = np.array([[8.0, 0.0], [8.0, 0.0], [8.0, 0.0], [8.0, 0.0]])
    >>> log_prior = np.log(np.full((4, 2), 0.5))
    >>> round(fit_temperature(sums, log_prior, np.array([0, 0, 0, 1])), 3)  # 8 / log(3)
    7.282
    """
    known = np.isfinite(log_prior[np.arange(len(codes)), codes])
    sums, log_prior, codes = sums[known], log_prior[known], codes[known]

    def slope(inverse: float) -> float:
        """Return the derivative of the log loss, which is convex, by the inverse temperature."""
        joint = sums * inverse + log_prior
        weights = np.exp(joint - joint.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        expected = (weights * sums).sum(axis=1)
        return float((expected - sums[np.arange(len(codes)), codes]).mean())

    if not len(codes) or slope(1.0) <= 0.0:
        return 1.0
    if slope(1.0 / _HIGHEST_TEMPERATURE) >= 0.0:
        return _HIGHEST_TEMPERATURE
    return float(1.0 / brentq(slope, 1.0 / _HIGHEST_TEMPERATURE, 1.0, xtol=1e-9))


def _losses(sums: np.ndarray, log_prior: np.ndarray, codes: np.ndarray) -> np.ndarray:
    joint = sums + log_prior
    joint -= joint.max(axis=1, keepdims=True)
    posterior = joint[np.arange(len(codes)), codes] - np.log(np.exp(joint).sum(axis=1))
    return -np.maximum(posterior, np.log(_SMALLEST_PROBABILITY))


def choose(rows: list[dict[str, Any]], scoring: str, rule: str, n_samples: int) -> int:
    """Return which row of a path is chosen.

    Parameters
    ----------
    rows : list of dict
        With ``n_features_per_class`` and the scores of `InnerPredictions`.
    scoring : str
        One of `SCORINGS`.
    rule : {"one_standard_error", "best"}
        "one_standard_error": of the rows whose score is within one standard error of the best, the
        one with the fewest features, and of these with the best score. The standard error counts
        as ``1 / n_samples`` at least: what one sample can change is no difference.
    n_samples : int

    Examples
    --------
    >>> rows = [
    ...     {"n_features_per_class": 1, "accuracy": 0.90, "accuracy_se": 0.03},
    ...     {"n_features_per_class": 2, "accuracy": 0.93, "accuracy_se": 0.03},
    ...     {"n_features_per_class": 9, "accuracy": 0.95, "accuracy_se": 0.03},
    ... ]
    >>> choose(rows, "accuracy", "one_standard_error", 100), choose(rows, "accuracy", "best", 100)
    (1, 2)
    """
    losses = np.array([row[scoring] for row in rows])
    losses = losses if scoring == "log_loss" else -losses
    sizes = np.array([row["n_features_per_class"] for row in rows])
    best = np.lexsort((sizes, losses))[0]
    if rule == "best":
        return int(best)
    error = max(rows[best][f"{scoring}_se"], 1.0 / n_samples)
    near = np.flatnonzero(losses <= losses[best] + error)
    return int(near[np.lexsort((losses[near], sizes[near]))[0]])
