"""The average over the sizes of a path, which remains a sum over features.

At size ``m`` the summed evidence has the factor ``a_m`` (its *sharpness*) with the least cross-
entropy ``L_m`` of the inner predictions and smoothed targets. The sizes have the weights

    u_m proportional to exp(-n (L_m - min L)),

and 0 below a thousandth of the greatest. The average ``sum of u_m a_m S_m`` of the sums ``S_m`` is
multiplied by one more factor, fitted in the same way. The sums are linear in the features, so the
average is too: the weight of a feature at size ``m`` is multiplied by ``SizeAverage.weights[m]``.
See ``docs/methods/class-specific.md``.
"""

from dataclasses import dataclass, replace

import numpy as np

from xnbflow.naive_bayes.evidence_calibration import (
    MOST_EVIDENCE,
    cross_entropies,
    fit_sharpness,
    log_losses,
    smoothed_targets,
)
from xnbflow.naive_bayes.size_path import InnerPredictions, path_row

#: Weights of sizes below this share of the greatest are 0.
_WINDOW = 1e-3


@dataclass(frozen=True, kw_only=True)
class SizeAverage:
    """The average over the sizes of a path.

    Attributes
    ----------
    weights : ndarray of shape (n_sizes,)
        Factors of the summed evidence at each size, ``u_m a_m`` times the last factor.
    sums : ndarray of shape (n_samples, n_classes)
        The average's evidence for the inner test samples.
    sharpness, shares : ndarray of shape (n_sizes,)
        The ``a_m`` and the ``u_m``.
    """

    weights: np.ndarray
    sums: np.ndarray
    sharpness: np.ndarray
    shares: np.ndarray

    @property
    def last_row(self) -> int:
        """The row of the path, counted from 0, of the largest size with a weight."""
        return int(np.flatnonzero(self.weights)[-1])

    def path_rows(self, predictions: InnerPredictions) -> list[dict[str, float]]:
        """Return each size's row of the path: scores of the sums times their sharpness, weight."""
        rows = []
        for size, (count, sums) in enumerate(
            zip(predictions.counts, predictions.sums, strict=True)
        ):
            sharpness = self.sharpness[size]
            row = path_row(count, 1.0 / sharpness, predictions.score(sums * sharpness))
            row["weight"] = float(self.shares[size])
            rows.append(row)
        return rows


def average_sizes(predictions: InnerPredictions, n_units: int) -> SizeAverage:
    """Return the average over sizes.

    ``n_units`` is the number ``n`` of independent samples: of groups, where samples have groups.
    Samples whose class is absent from their training set have no part in it.
    """
    sums = np.clip(predictions.sums, -MOST_EVIDENCE, MOST_EVIDENCE)
    n_sizes, n_samples, _ = sums.shape
    log_prior_of_class = predictions.log_prior[np.arange(n_samples), predictions.codes]
    usable = np.isfinite(log_prior_of_class)
    if not usable.any():
        shares = np.full(n_sizes, 1.0 / n_sizes)
        average = np.tensordot(shares, sums, 1)
        return SizeAverage(weights=shares, sums=average, sharpness=np.ones(n_sizes), shares=shares)
    log_prior = predictions.log_prior[usable]
    targets = smoothed_targets(predictions.codes[usable], log_prior)
    weights = predictions.weights[usable]

    sharpness = fit_sharpness(sums[:, usable], log_prior, targets, weights)
    sharp_sums = sums[:, usable] * sharpness[:, np.newaxis, np.newaxis]
    losses = cross_entropies(sharp_sums, log_prior, targets, weights)
    shares = _average_weights(losses, n_units)

    average = np.tensordot(shares * sharpness, sums, 1)
    factor = float(fit_sharpness(average[np.newaxis, usable], log_prior, targets, weights)[0])
    return SizeAverage(
        weights=shares * sharpness * factor,
        sums=average * factor,
        sharpness=sharpness,
        shares=shares,
    )


def _average_weights(losses: np.ndarray, n_units: int) -> np.ndarray:
    """Return the weights of sizes, proportional to ``exp(-n_units * loss)``.

    These are posterior weights of predictors whose likelihood is that of ``n_units`` independent
    held-out samples, with mean log losses (n_sizes,) in nats. Weights below a thousandth of the
    greatest are 0 (Occam's window: Madigan and Raftery, Journal of the American Statistical
    Association 89, 1994).

    Examples
    --------
    >>> _average_weights(np.array([0.5, 0.5, 0.5 + np.log(2.0), 9.0]), 1).round(3).tolist()
    [0.4, 0.4, 0.2, 0.0]
    """
    weights = np.exp(-n_units * (losses - losses.min()))
    weights[weights < _WINDOW] = 0.0
    return weights / weights.sum()


def with_equal_priors(predictions: InnerPredictions) -> InnerPredictions:
    """Return the predictions with equal priors of the classes that a training set has."""
    present = np.isfinite(predictions.log_prior)
    equal = -np.log(present.sum(axis=1, keepdims=True))
    return replace(predictions, log_prior=np.where(present, equal, -np.inf))


def shares_predict_better(
    with_shares: tuple[InnerPredictions, SizeAverage],
    with_equal: tuple[InnerPredictions, SizeAverage],
) -> bool:
    """Return whether the classes' shares as priors beat equal ones by more than a standard error.

    The summed evidence is already lower for a small class, whose means are uncertain; its prior
    would penalise it twice. So priors are equal unless the log loss with the shares is less by more
    than one standard error of the difference.
    """
    predictions, average = with_shares
    equal_predictions, equal_average = with_equal
    gains = log_losses(equal_average.sums, equal_predictions.log_prior, predictions.codes)
    gains -= log_losses(average.sums, predictions.log_prior, predictions.codes)
    return bool(gains.mean() > gains.std() / np.sqrt(len(gains)))
