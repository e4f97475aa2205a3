"""A path over numbers of features: its scores, its calibration, and the choice on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.data.errors import InputError
from xnbflow.naive_bayes.evidence import ClassDensities, weigh
from xnbflow.naive_bayes.evidence_calibration import (
    Calibration,
    fit_temperature,
    fit_vector,
    log_losses,
)
from xnbflow.naive_bayes.size_average import SizeAverage
from xnbflow.preprocessing.selection.pair_rankings import NEVER

__all__ = [
    "SCORINGS",
    "InnerPredictions",
    "checked_sizes",
    "choose",
    "geometric_sizes",
    "row_of_one_class",
    "sum_along_path",
]

SCORINGS = ("log_loss", "accuracy", "balanced_accuracy")

#: Sizes of the path: so many from 1 to this, in geometric steps.
_N_SIZES, _LARGEST = 30, 200

#: Slopes and intercepts are fitted so often, each time without other folds; of more samples than
#: this only once, for there two numbers a class flatter the log loss by less than 1e-3 nats each.
_MOST_BLOCKS, _MOST_CROSSED = 10, 10_000


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
    weights : ndarray of shape (n_samples,)
        What a sample counts for: 1, or with given priors so much that classes weigh as these.
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    counts: np.ndarray
    weights: np.ndarray

    def rows(self, kind: str) -> tuple[list[dict[str, float]], list[Calibration]]:
        """Return per size the temperature, and scores with their standard errors; calibrations.

        Parameters
        ----------
        kind : str
            One of `xnbflow.naive_bayes.evidence_calibration.CALIBRATIONS`. Slopes and intercepts
            are fitted on all samples; what is scored, on the folds that a sample is not in.
        """
        rows, calibrations = [], []
        for count, sums in zip(self.counts, self.sums, strict=True):
            calibration = fit_temperature(sums, self.log_prior, self.codes, self.weights)
            if kind == "vector":
                calibration = self._fit_vector(sums, calibration)
            scores = self._scores(self._calibrated(sums, calibration, kind))
            temperature = {"temperature": calibration.temperature}
            rows.append({"n_features_per_class": float(count)} | temperature | scores)
            calibrations.append(calibration)
        return rows, calibrations

    def averaged_rows(self, n_units: int) -> tuple[list[dict[str, float]], SizeAverage]:
        """Return the same with the sharpness and the weight of each size, and their average.

        Parameters
        ----------
        n_units : int
            See `xnbflow.naive_bayes.size_average.average_weights`.
        """
        average = SizeAverage.of(self.sums, self.log_prior, self.codes, self.weights, n_units)
        rows = []
        each = zip(self.counts, self.sums, average.sharpness, average.shares, strict=True)
        for count, sums, sharpness, share in each:
            own = {"n_features_per_class": float(count), "temperature": float(1.0 / sharpness)}
            rows.append(own | self._scores(sums * sharpness) | {"weight": float(share)})
        return rows, average

    def _calibrated(self, sums: np.ndarray, calibration: Calibration, kind: str) -> np.ndarray:
        """Return sums calibrated by what others' folds say; the temperature is that of all."""
        if kind == "temperature" or len(sums) > _MOST_CROSSED:
            return calibration(sums)
        blocks = self.folds % _MOST_BLOCKS
        calibrated = np.empty_like(sums)
        for block in np.unique(blocks):
            own = blocks == block
            calibrated[own] = self._fit_vector(sums, calibration, ~own)(sums[own])
        return calibrated

    def _fit_vector(
        self, sums: np.ndarray, start: Calibration, samples: np.ndarray | slice = np.s_[:]
    ) -> Calibration:
        return fit_vector(
            sums[samples],
            self.log_prior[samples],
            self.codes[samples],
            self.weights[samples],
            start,
        )

    def _scores(self, calibrated: np.ndarray) -> dict[str, float]:
        right = (calibrated + self.log_prior).argmax(axis=1) == self.codes
        losses = log_losses(calibrated, self.log_prior, self.codes)
        tested = np.bincount(self.codes)
        recalls = np.bincount(self.codes, right)[tested > 0] / tested[tested > 0]
        variances = recalls * (1.0 - recalls) / tested[tested > 0]
        return {
            "accuracy": float(np.average(right, weights=self.weights)),
            "accuracy_se": self._standard_error(right),
            "balanced_accuracy": float(recalls.mean()),
            "balanced_accuracy_se": float(np.sqrt(variances.sum()) / len(recalls)),
            "log_loss": float(np.average(losses, weights=self.weights)),
            "log_loss_se": self._standard_error(losses),
        }

    def _standard_error(self, values: np.ndarray) -> float:
        """Return the standard error of the weighted mean over folds."""
        tested = np.bincount(self.folds, self.weights)
        means = np.bincount(self.folds, values * self.weights)[tested > 0] / tested[tested > 0]
        return float(means.std(ddof=1) / np.sqrt(len(means))) if len(means) > 1 else 0.0


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


def checked_sizes(sizes: Sequence[int] | None, n_features: int) -> np.ndarray:
    """Return the sizes to try, ascending, none of them above the number of features.

    Parameters
    ----------
    sizes : sequence of int, or None
        None makes 30 from 1 to 200 in geometric steps.
    n_features : int

    Raises
    ------
    InputError
        If there is no size.

    Examples
    --------
    >>> checked_sizes([9, 2, 5], 7).tolist()
    [2, 5, 7]
    """
    if sizes is None:
        return geometric_sizes(min(n_features, _LARGEST), _N_SIZES)
    if not len(sizes):
        msg = "sizes is empty; give numbers of features per pair of classes, or None"
        raise InputError(msg)
    return np.unique(np.minimum(sizes, n_features)).astype(int)


def geometric_sizes(largest: int, n: int) -> np.ndarray:
    """Return ``n`` whole numbers from 1 to the largest in geometric steps.

    Small ones, where steps would be below 1, are successive; where there are less than ``n``, all.

    Examples
    --------
    >>> geometric_sizes(200, 10).tolist()
    [1, 2, 3, 6, 11, 19, 34, 62, 111, 200]
    """
    if n >= largest:
        return np.arange(1, largest + 1)
    steps = n
    while len(sizes := np.unique(np.geomspace(1, largest, steps).round().astype(int))) < n:
        steps += 1
    return sizes


def row_of_one_class(distance: str, floor: float, size: int) -> dict[str, Any]:
    """Return the path where there is nothing to tell apart: a row for one size."""
    scores = {"accuracy": 1.0, "balanced_accuracy": 1.0, "log_loss": 0.0}
    errors = {f"{name}_se": 0.0 for name in scores}
    return {
        "distance": distance,
        "min_bandwidth": float(floor),
        "n_features_per_pair": int(size),
        "n_features_per_class": 0.0,
        "temperature": 1.0,
        **scores,
        **errors,
    }
