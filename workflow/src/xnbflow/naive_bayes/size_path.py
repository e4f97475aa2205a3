"""The path over numbers of features: its sizes, the inner predictions at each, scores and choices.

A *size* is a number of features per pair of classes. At every size all inner test samples are
predicted by the fold that does not contain them (`InnerPredictions`). From these predictions come

* the scores of each size, with standard errors (`InnerPredictions.score`);
* a single size, by the one-standard-error rule (`choose_size`);
* the accuracy of the size so chosen, without the fold that tests (`InnerPredictions.core_scores`).

`xnbflow.naive_bayes.size_average` averages over the sizes instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.naive_bayes.evidence_calibration import Calibration, fit_temperature, log_losses
from xnbflow.naive_bayes.vector_scaling import fit_vector

#: Number of sizes of the default path.
_N_SIZES = 30
#: The largest size of the default path.
_LARGEST_SIZE = 200

#: Slopes and intercepts are fitted at most this often for the scores of a size, each time without
#: some of the folds.
_MOST_BLOCKS = 10
#: With more samples they are fitted once: the optimism of two parameters per class is then below
#: 1e-3 nats each.
_MOST_CROSSED = 10_000


@dataclass(frozen=True, kw_only=True)
class InnerPredictions:
    """Predictions of the inner folds at every size, for all inner test samples.

    Attributes
    ----------
    sums : ndarray of shape (n_sizes, n_samples, n_classes)
        The summed evidence; 0 for a class that is absent from the sample's training set.
    log_prior : ndarray of shape (n_samples, n_classes)
        The log priors of the fold that tests the sample; minus infinity for an absent class.
    codes : ndarray of int, shape (n_samples,)
        True classes.
    folds : ndarray of int, shape (n_samples,)
        The fold that tests the sample.
    counts : ndarray of shape (n_sizes,)
        Features per class, mean over classes and folds.
    weights : ndarray of shape (n_samples,)
        1; or, with given priors, such that the classes have these as their total weights.
    """

    sums: np.ndarray
    log_prior: np.ndarray
    codes: np.ndarray
    folds: np.ndarray
    counts: np.ndarray
    weights: np.ndarray

    def fit_vector(
        self, sums: np.ndarray, start: Calibration, samples: np.ndarray | slice = np.s_[:]
    ) -> Calibration:
        """Fit slopes and intercepts to the sums (n_samples, n_classes) of some samples."""
        return fit_vector(
            sums[samples],
            self.log_prior[samples],
            self.codes[samples],
            weights=self.weights[samples],
            start=start,
        )

    def calibrate_sizes(self) -> tuple[list[dict[str, float]], list[Calibration]]:
        """Return each size's row of the path, and its calibration.

        A calibration is fitted to all samples; for the scores of a row, slopes and intercepts are
        fitted to the folds that do not contain the sample.
        """
        rows = []
        calibrations = []
        for count, sums in zip(self.counts, self.sums, strict=True):
            temperature = fit_temperature(sums, self.log_prior, self.codes, self.weights)
            calibration = self.fit_vector(sums, temperature)
            scores = self.score(self._cross_calibrated(sums, calibration))
            rows.append(path_row(count, calibration.temperature, scores))
            calibrations.append(calibration)
        return rows, calibrations

    def score(self, calibrated: np.ndarray) -> dict[str, float]:
        """Return accuracy, balanced accuracy and log loss of calibrated sums, with standard errors.

        Standard errors are over folds. That of the balanced accuracy is binomial, of the recalls.
        """
        correct = (calibrated + self.log_prior).argmax(axis=1) == self.codes
        losses = log_losses(calibrated, self.log_prior, self.codes)
        recalls, class_counts = self._recalls(correct)
        variances = recalls * (1.0 - recalls) / class_counts
        return {
            "accuracy": float(np.average(correct, weights=self.weights)),
            "accuracy_se": self._standard_error(correct),
            "balanced_accuracy": float(recalls.mean()),
            "balanced_accuracy_se": float(np.sqrt(variances.sum()) / len(recalls)),
            "log_loss": float(np.average(losses, weights=self.weights)),
            "log_loss_se": self._standard_error(losses),
        }

    def core_scores(self, sharpness: np.ndarray) -> dict[str, float]:
        """Return the accuracy of the core alone; no fold takes part in the choice of its size.

        For each fold the core is the smallest size whose log loss over the *other* folds is within
        one standard error of the least. ``sharpness`` (n_sizes,) are the factors of the evidence.

        Example of the choice for one fold: losses of the other folds .50, .31, .30 and a standard
        error of .02 choose the second size; the held-out fold is then scored with the second size.
        """
        # Each sample's log loss at each size, and whether it is predicted correctly.
        losses = np.empty(self.sums.shape[:2])
        correct = np.empty(self.sums.shape[:2], dtype=bool)
        for size, (sums, factor) in enumerate(zip(self.sums, sharpness, strict=True)):
            evidence = sums * factor
            losses[size] = log_losses(evidence, self.log_prior, self.codes)
            correct[size] = (evidence + self.log_prior).argmax(axis=1) == self.codes

        # The other folds choose the size with which a fold is scored.
        fold_counts = np.bincount(self.folds)
        fold_losses = np.array([np.bincount(self.folds, row) for row in losses])
        tested_folds = np.flatnonzero(fold_counts)
        core_correct = np.empty(len(self.codes), dtype=bool)
        for fold in tested_folds:
            others = np.setdiff1d(tested_folds, fold)
            size = _smallest_within_one_error(fold_losses[:, others], fold_counts[others])
            held_out = self.folds == fold
            core_correct[held_out] = correct[size, held_out]
        recalls, _ = self._recalls(core_correct)
        accuracy = float(np.average(core_correct, weights=self.weights))
        return {"accuracy": accuracy, "balanced_accuracy": float(recalls.mean())}

    def true_posterior(self, calibrated: np.ndarray) -> np.ndarray:
        """Return the posterior of each sample's class by calibrated sums, shape (n_samples,)."""
        return np.exp(-log_losses(calibrated, self.log_prior, self.codes))

    def _cross_calibrated(self, sums: np.ndarray, calibration: Calibration) -> np.ndarray:
        """Return sums calibrated by the other folds; the temperature is fitted to all folds."""
        if len(sums) > _MOST_CROSSED:
            return calibration(sums)
        blocks = self.folds % _MOST_BLOCKS
        calibrated = np.empty_like(sums)
        for block in np.unique(blocks):
            held_out = blocks == block
            from_others = self.fit_vector(sums, calibration, ~held_out)
            calibrated[held_out] = from_others(sums[held_out])
        return calibrated

    def _recalls(self, correct: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return recall and number of samples of each class that is tested."""
        class_counts = np.bincount(self.codes)
        tested = class_counts > 0
        recalls = np.bincount(self.codes, correct)[tested] / class_counts[tested]
        return recalls, class_counts[tested]

    def _standard_error(self, values: np.ndarray) -> float:
        """Return the standard error of the weighted mean over folds."""
        fold_weights = np.bincount(self.folds, self.weights)
        tested = fold_weights > 0
        fold_sums = np.bincount(self.folds, values * self.weights)
        means = fold_sums[tested] / fold_weights[tested]
        if len(means) < 2:
            return 0.0
        return float(means.std(ddof=1) / np.sqrt(len(means)))


def _smallest_within_one_error(losses: np.ndarray, counts: np.ndarray) -> int:
    """Return the smallest size whose mean loss is within one standard error of the least.

    ``losses`` (n_sizes, n_folds) are sums over the samples of a fold, ``counts`` (n_folds,) their
    numbers. The standard error is over folds, at the best size.

    Examples
    --------
    >>> losses = np.array([[9.0, 9.0], [4.0, 4.0], [2.0, 4.0]])
    >>> _smallest_within_one_error(losses, np.array([10, 10]))  # .30 and an error of .10
    1
    """
    means = losses.sum(axis=1) / max(1, counts.sum())
    fold_means = losses[np.argmin(means)] / counts
    error = 0.0
    if len(fold_means) > 1:
        error = fold_means.std(ddof=1) / np.sqrt(len(fold_means))
    return int(np.argmax(means <= means.min() + error))


def prior_weights(codes: np.ndarray, priors: np.ndarray | None) -> np.ndarray:
    """Return the weights of inner test samples of classes ``codes`` (n_samples,), with mean 1.

    With ``priors`` (n_classes,) all samples of a class together have the weight of its prior.

    Examples
    --------
    >>> prior_weights(np.array([0, 0, 0, 1]), np.array([0.5, 0.5])).round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """
    if priors is None:
        return np.ones(len(codes))
    weights = priors[codes] / np.bincount(codes)[codes]
    return weights / weights.mean()


def path_row(count: float, temperature: float, scores: dict[str, float]) -> dict[str, float]:
    """Return a row of the path: features per class, temperature and scores."""
    return {"n_features_per_class": float(count), "temperature": float(temperature), **scores}


def choose_size(rows: list[dict[str, Any]], n_samples: int) -> int:
    """Return the chosen row of a path with the scores of `InnerPredictions`.

    Of the rows whose log loss is within one standard error of the least, or ``1 / n_samples``, it
    is the one with the fewest features, and of these with the least log loss (the rule of one
    standard error: Breiman and others, "Classification and Regression Trees", 1984).

    Examples
    --------
    >>> rows = [
    ...     {"n_features_per_class": 1, "log_loss": 0.10, "log_loss_se": 0.03},
    ...     {"n_features_per_class": 2, "log_loss": 0.07, "log_loss_se": 0.03},
    ...     {"n_features_per_class": 9, "log_loss": 0.05, "log_loss_se": 0.03},
    ... ]
    >>> choose_size(rows, 100)
    1
    """
    losses = np.array([row["log_loss"] for row in rows])
    counts = np.array([row["n_features_per_class"] for row in rows])
    best = np.lexsort((counts, losses))[0]
    error = max(rows[best]["log_loss_se"], 1.0 / n_samples)
    near = np.flatnonzero(losses <= losses[best] + error)
    return int(near[np.lexsort((losses[near], counts[near]))[0]])


def path_sizes(sizes: Sequence[int] | None, n_features: int) -> np.ndarray:
    """Return the sizes to try, ascending, none of them above the number of features.

    None makes 30 from 1 to 200 in geometric steps. An empty list raises an `InputError`.

    Examples
    --------
    >>> path_sizes([9, 2, 5], 7).tolist()
    [2, 5, 7]
    """
    if sizes is None:
        return geometric_sizes(min(n_features, _LARGEST_SIZE), _N_SIZES)
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
    while True:
        sizes = np.unique(np.geomspace(1, largest, steps).round().astype(int))
        if len(sizes) >= n:
            return sizes
        steps += 1
