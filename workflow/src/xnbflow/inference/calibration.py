"""Calibration of probabilities: the accuracy of predictions by their probability."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.evaluation.metrics import known_predictions
from xnbflow.inference.intervals import effective_samples, proportion_interval

#: A bin of a calibration curve with fewer samples is marked.
FEW = 10


def calibration_curve(
    true: np.ndarray,
    log_posterior: np.ndarray,
    classes: np.ndarray,
    n_bins: int = 10,
    repeats: int = 1,
    groups: np.ndarray | None = None,
    inflation: float = 1.0,
) -> pd.DataFrame:
    """Return the accuracy of predictions by their probability, in bins of equal width.

    ``true`` has shape (n_samples,), ``log_posterior`` (n_samples, n_classes), both pooled over
    folds; samples without probabilities are left out. Each sample was tested in ``repeats`` repeats
    and counts once in intervals. See `xnbflow.inference.intervals.effective_samples` for ``groups``
    and ``inflation``. The result has a row per bin and the columns of the study's table
    ``calibration``. A probability on a limit belongs above it; means and interval are missing where
    the bin is empty.
    """
    groups = _groups_with_probabilities(groups, log_posterior)
    codes, log_posterior = known_predictions(true, log_posterior, classes)
    is_right = np.argmax(log_posterior, axis=1) == codes
    probability = np.exp(log_posterior.max(axis=1))
    edges = np.linspace(0, 1, n_bins + 1)
    which = np.searchsorted(edges[1:-1], probability, side="right")
    count = np.bincount(which, minlength=n_bins)
    right = np.bincount(which, is_right, n_bins)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(which, probability, n_bins) / count
        observed = right / count
    bins = [which == i for i in range(n_bins)]
    lower, upper = _limits(bins, is_right, repeats=repeats, groups=groups, inflation=inflation)
    return pd.DataFrame(
        {
            "bin": np.arange(n_bins),
            "lower": edges[:-1],
            "upper": edges[1:],
            "mean_predicted": mean,
            "observed": observed,
            "observed_lower": lower,
            "observed_upper": upper,
            "count": count,
            "few": count < FEW * repeats,
        }
    )


def _groups_with_probabilities(
    groups: np.ndarray | None, log_posterior: np.ndarray
) -> np.ndarray | None:
    """Return the groups of the samples that `known_predictions` keeps."""
    return None if groups is None else groups[np.isfinite(log_posterior.max(axis=1))]


def _limits(
    subsets: Sequence[np.ndarray],
    right: np.ndarray,
    *,
    repeats: int,
    groups: np.ndarray | None,
    inflation: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the interval of the share of right predictions in each subset of the predictions.

    ``subsets`` are masks (n_predictions,). Samples count once, however often they were tested; the
    interval of the samples of a single group is 0 to 1.
    """
    counts = np.array([subset.sum() for subset in subsets])
    sizes = counts / repeats / inflation
    shares = np.zeros(len(subsets))
    for i, subset in enumerate(subsets):
        if not subset.any():
            continue
        shares[i] = right[subset].mean()
        if groups is not None:
            n_effective = effective_samples(
                right[subset].astype(float), groups[subset], inflation=inflation
            )
            sizes[i] = min(sizes[i], n_effective)
    lower, upper = proportion_interval(shares * sizes, sizes)
    is_one_group = (sizes == 0) & (counts > 0)
    return np.where(is_one_group, 0.0, lower), np.where(is_one_group, 1.0, upper)
