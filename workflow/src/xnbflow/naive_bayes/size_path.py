"""A path over numbers of features: its inner predictions, scores and average, and the choice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes.evidence_calibration import (
    MOST_EVIDENCE,
    Calibration,
    average_weights,
    cross_entropies,
    fit_sharpness,
    fit_temperature,
    fit_vector,
    log_losses,
    smoothed_targets,
)

#: Number and largest of the path's sizes, which start at 1, in geometric steps.
_N_SIZES, _LARGEST = 30, 200

#: Slopes and intercepts are fitted this often, each time without other folds; with more samples
#: than this only once, since the optimism of two parameters per class is then below 1e-3 nats each.
_MOST_BLOCKS, _MOST_CROSSED = 10, 10_000


@dataclass(frozen=True)
class SizeAverage:
    """The calibrated average over the sizes of a path, which is again a sum over features.

    ``weights`` (n_sizes,) are factors of the summed evidence at each size, ``sums`` (n_samples,
    n_classes) the average's evidence for the inner test samples, and ``loss`` its mean
    cross-entropy to the smoothed targets. ``equal_priors`` is whether the classes have equal
    priors.
    """

    weights: np.ndarray
    sums: np.ndarray
    loss: float
    equal_priors: bool = False


@dataclass(frozen=True)
class InnerPredictions:
    """Predictions of the inner folds along a path, for all test samples.

    ``sums`` (n_sizes, n_samples, n_classes) are the summed evidence, and ``log_prior`` (n_samples,
    n_classes) that of the fold that tests the sample: 0 and minus infinity for a class that
    training lacked. ``codes``, ``folds`` and ``weights`` (n_samples,) are true classes, the fold
    that tests the sample, and its weight: 1, or with given priors such that these are the classes'
    weights. ``counts`` (n_sizes,) are features per class, mean over classes and folds.
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    counts: np.ndarray
    weights: np.ndarray

    def rows(self) -> tuple[list[dict[str, float]], list[Calibration]]:
        """Return per size the temperature and scores with standard errors, and the calibration.

        Slopes and intercepts are fitted on all samples; for the scores, on the folds that a sample
        is not in.
        """
        rows, calibrations = [], []
        for count, sums in zip(self.counts, self.sums, strict=True):
            calibration = fit_temperature(sums, self.log_prior, self.codes, self.weights)
            calibration = self.fit_vector(sums, calibration)
            scores = self._scores(self._calibrated(sums, calibration))
            rows.append(_row(count, calibration.temperature, scores))
            calibrations.append(calibration)
        return rows, calibrations

    def average(self, n_units: int) -> tuple[list[dict[str, float]], SizeAverage]:
        """Return the same rows, each with the weight of its size, and the average over sizes.

        Samples whose class is absent from their training set are ignored. ``n_units`` is the number
        of independent samples, see `xnbflow.naive_bayes.evidence_calibration.average_weights`.
        """
        average, sharpness, shares = self._averaged(n_units)
        return self._sharpened(sharpness, shares), average

    def average_of_prior(
        self, n_units: int
    ) -> tuple["InnerPredictions", list[dict[str, float]], SizeAverage]:
        """Return the predictions and their `average` with equal priors, or with classes' shares.

        The summed evidence is already lower for a small class, whose means are uncertain; its prior
        would penalise it twice. So priors are equal, unless the log loss with the shares is less by
        more than one standard error of the difference.
        """
        present = np.isfinite(self.log_prior)
        log_prior = np.where(present, -np.log(present.sum(axis=1, keepdims=True)), -np.inf)
        equal = replace(self, log_prior=log_prior)
        average, *of_sizes = self._averaged(n_units)
        equal_average, *equal_of_sizes = equal._averaged(n_units)
        gains = log_losses(equal_average.sums, equal.log_prior, self.codes)
        gains -= log_losses(average.sums, self.log_prior, self.codes)
        if gains.mean() > gains.std() / np.sqrt(len(gains)):
            return self, self._sharpened(*of_sizes), average
        return equal, equal._sharpened(*equal_of_sizes), replace(equal_average, equal_priors=True)

    def _averaged(self, n_units: int) -> tuple[SizeAverage, np.ndarray, np.ndarray]:
        """Return the average, and the sharpness and the weight of each size, (n_sizes,)."""
        known = np.isfinite(self.log_prior[np.arange(len(self.codes)), self.codes])
        sums = np.clip(self.sums, -MOST_EVIDENCE, MOST_EVIDENCE)
        sharpness, shares = np.ones(len(sums)), np.full(len(sums), 1.0 / len(sums))
        factor, loss = 1.0, 0.0
        if known.any():
            log_prior = self.log_prior[known]
            targets = smoothed_targets(self.codes[known], log_prior)
            given = log_prior, targets, self.weights[known]
            sharpness = fit_sharpness(sums[:, known], *given)
            losses = cross_entropies(sums[:, known] * sharpness[:, None, None], *given)
            shares = average_weights(losses, n_units)
        average = np.tensordot(shares * sharpness, sums, 1)
        if known.any():
            factor = float(fit_sharpness(average[None, known], *given)[0])
            loss = float(cross_entropies(average[None, known] * factor, *given)[0])
        found = SizeAverage(shares * sharpness * factor, average * factor, loss)
        return found, sharpness, shares

    def _sharpened(self, sharpness: np.ndarray, shares: np.ndarray) -> list[dict[str, float]]:
        """Return the rows of sums times their sharpness, with the weights of the sizes."""
        rows = []
        for count, own, sharp, share in zip(self.counts, self.sums, sharpness, shares, strict=True):
            row = _row(count, 1.0 / sharp, self._scores(own * sharp))
            rows.append(row | {"weight": float(share)})
        return rows

    def fit_vector(
        self, sums: np.ndarray, start: Calibration, samples: np.ndarray | slice = np.s_[:]
    ) -> Calibration:
        """Fit slopes and intercepts to the sums (n_samples, n_classes) of some samples."""
        given = self.log_prior[samples], self.codes[samples], self.weights[samples]
        return fit_vector(sums[samples], *given, start)

    def crossed_choice(self, sharpness: np.ndarray) -> dict[str, float]:
        """Return the accuracy of the size within one standard error, without the held-out fold.

        For each fold the smallest size is taken whose log loss over the other folds is within one
        standard error of the least. ``sharpness`` (n_sizes,) are the factors of the evidence.
        """
        losses, right = np.empty(self.sums.shape[:2]), np.empty(self.sums.shape[:2], dtype=bool)
        for size, (own, sharp) in enumerate(zip(self.sums, sharpness, strict=True)):
            losses[size] = log_losses(own * sharp, self.log_prior, self.codes)
            right[size] = (own * sharp + self.log_prior).argmax(axis=1) == self.codes
        tested = np.bincount(self.folds)
        sums = np.array([np.bincount(self.folds, own) for own in losses])
        found = np.empty(len(self.codes), dtype=bool)
        for fold in np.flatnonzero(tested):
            others = np.setdiff1d(np.flatnonzero(tested), fold)
            means = sums[:, others].sum(axis=1) / max(1, tested[others].sum())
            best = sums[np.argmin(means), others] / tested[others]
            error = best.std(ddof=1) / np.sqrt(len(best)) if len(best) > 1 else 0.0
            own = self.folds == fold
            found[own] = right[np.argmax(means <= means.min() + error), own]
        known = np.bincount(self.codes)
        recalls = np.bincount(self.codes, found)[known > 0] / known[known > 0]
        accuracy = float(np.average(found, weights=self.weights))
        return {"accuracy": accuracy, "balanced_accuracy": float(recalls.mean())}

    def true_posterior(self, calibrated: np.ndarray) -> np.ndarray:
        """Return the posterior of each sample's class by calibrated sums, shape (n_samples,)."""
        return np.exp(-log_losses(calibrated, self.log_prior, self.codes))

    def _calibrated(self, sums: np.ndarray, calibration: Calibration) -> np.ndarray:
        """Return sums calibrated by the other folds; the temperature is that of all."""
        if len(sums) > _MOST_CROSSED:
            return calibration(sums)
        blocks = self.folds % _MOST_BLOCKS
        calibrated = np.empty_like(sums)
        for block in np.unique(blocks):
            own = blocks == block
            calibrated[own] = self.fit_vector(sums, calibration, ~own)(sums[own])
        return calibrated

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


def _row(count: float, temperature: float, scores: dict[str, float]) -> dict[str, float]:
    return {"n_features_per_class": float(count), "temperature": float(temperature), **scores}


def choose(rows: list[dict[str, Any]], n_samples: int) -> int:
    """Return the chosen row of a path, whose scores are those of `InnerPredictions`.

    Of the rows whose log loss is within one standard error of the least, or ``1 / n_samples``, it
    is the one with the fewest features, and of these with the least log loss.

    Examples
    --------
    >>> rows = [
    ...     {"n_features_per_class": 1, "log_loss": 0.10, "log_loss_se": 0.03},
    ...     {"n_features_per_class": 2, "log_loss": 0.07, "log_loss_se": 0.03},
    ...     {"n_features_per_class": 9, "log_loss": 0.05, "log_loss_se": 0.03},
    ... ]
    >>> choose(rows, 100)
    1
    """
    losses = np.array([row["log_loss"] for row in rows])
    sizes = np.array([row["n_features_per_class"] for row in rows])
    best = np.lexsort((sizes, losses))[0]
    error = max(rows[best]["log_loss_se"], 1.0 / n_samples)
    near = np.flatnonzero(losses <= losses[best] + error)
    return int(near[np.lexsort((losses[near], sizes[near]))[0]])


def checked_sizes(sizes: Sequence[int] | None, n_features: int) -> np.ndarray:
    """Return the sizes to try, ascending, none of them above the number of features.

    None makes 30 from 1 to 200 in geometric steps. An empty list raises an `InputError`.

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
