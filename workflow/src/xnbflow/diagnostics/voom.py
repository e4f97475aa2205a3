"""Precision weights of log counts from the trend of their variance on the mean (voom).

C. W. Law, Y. Chen, W. Shi and G. K. Smyth, "voom: precision weights unlock linear model analysis
tools for RNA-seq read counts", Genome Biology 15 (2014), R29. The numbers are those of limma 3.54.
"""

from typing import NamedTuple

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.data.class_design import DEPENDENT

#: The share of the features in a local regression.
_SPAN = 0.5
#: Added to counts, so that their logarithms exist.
_HALF_COUNT = 0.5
#: Added to library sizes, so that a share of reads is below 1.
_ONE_READ = 1.0
#: Robustness iterations of lowess.
_ITERATIONS = 3
#: Share of the range of x within which lowess interpolates.
_DELTA = 0.01


class Voom(NamedTuple):
    """Log2 counts per million and their precision weights, both (n_features, n_units)."""

    values: np.ndarray
    weights: np.ndarray


def log_counts_per_million(counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Return ``log2((y + 0.5) / (N + 1) 1e6)`` of counts (n_features, n_units) and their sizes."""
    return np.asarray(np.log2((counts + _HALF_COUNT) / (sizes + _ONE_READ) * 1e6))


def voom(counts: np.ndarray, sizes: np.ndarray, matrix: np.ndarray) -> Voom:
    """Return log2 counts per million with precision weights.

    ``E = log2((y + 0.5) / (N + 1) 1e6)`` is fitted by the design. The square root of the residual
    standard deviation of a feature is smoothed over its mean log count by `_lowess`. The weight of
    a value is ``1 / trend^4`` at its fitted log count.

    Parameters
    ----------
    counts : ndarray of shape (n_features, n_units)
        Features with enough reads.
    sizes : ndarray of shape (n_units,)
        Effective library sizes ``N``: sums of counts times TMM factors.
    matrix : ndarray of shape (n_units, n_columns)
        The design.

    Raises
    ------
    InputError
        If there are fewer than two features, or no degrees of freedom for a variance.

    Examples
    --------
    >>> counts = np.array([[9.0, 11, 30, 34], [90, 120, 80, 100], [700, 660, 710, 600]])
    >>> result = voom(counts, counts.sum(axis=0), np.repeat(np.eye(2), 2, axis=0))
    >>> result.weights.shape, bool(result.weights[2, 0] > result.weights[0, 0])
    ((3, 4), True)
    """
    values = log_counts_per_million(counts, sizes)
    left, singular, _ = np.linalg.svd(matrix, full_matrices=False)
    basis = left[:, singular > DEPENDENT * singular[0]]
    df = len(matrix) - basis.shape[1]
    if len(values) < 2 or df < 1:
        msg = "weights of counts need two features and more samples than coefficients of the model"
        raise InputError(msg)
    fitted = (values @ basis) @ basis.T
    deviation = np.sqrt(((values - fitted) ** 2).sum(axis=1) / df)
    log_sizes = np.log2(sizes + _ONE_READ)
    mean_log_count = values.mean(axis=1) + log_sizes.mean() - np.log2(1e6)
    trend_at, trend = _lowess(mean_log_count, np.sqrt(deviation))
    trend_at, first = np.unique(trend_at, return_index=True)
    at_fitted = np.interp(fitted + log_sizes - np.log2(1e6), trend_at, trend[first])
    return Voom(values, 1 / at_fitted**4)


def _lowess(x: np.ndarray, y: np.ndarray, span: float = _SPAN) -> tuple[np.ndarray, np.ndarray]:
    """Smooth y over x by robust local lines, as R's function of the same name.

    Parameters
    ----------
    x, y : ndarray of shape (n,)
    span : float
        The share of the points in each local line, weighted by the tricube of their distance.

    Returns
    -------
    tuple of ndarray of shape (n,)
        x in ascending order, and the smoothed values. They are computed at points that are 1 % of
        the range apart, and interpolated between these.

    References
    ----------
    W. S. Cleveland, J. Amer. Statist. Assoc. 74 (1979), 829-836, and his program ``clowess``.

    Examples
    --------
    >>> x = np.arange(8.0)
    >>> _lowess(x, 2 * x + 1)[1].round(9).tolist()
    [1.0, 3.0, 5.0, 7.0, 9.0, 11.0, 13.0, 15.0]
    """
    order = np.argsort(x, kind="stable")
    x = x[order]
    y = y[order]
    n_local = max(2, min(len(x), int(span * len(x) + 1e-7)))
    delta = _DELTA * (x[-1] - x[0])
    robustness = np.ones(len(x))
    smoothed = _local_lines(x, y, robustness=robustness, n_local=n_local, delta=delta)
    for _ in range(_ITERATIONS):
        residuals = np.abs(y - smoothed)
        six_deviations = 6 * np.median(residuals)
        if six_deviations <= 1e-7 * residuals.mean():
            break
        # Cleveland's bisquare weights, which his program sets to 1 and 0 near their ends.
        robustness = (1 - (residuals / six_deviations) ** 2) ** 2
        robustness[residuals <= 0.001 * six_deviations] = 1.0
        robustness[residuals > 0.999 * six_deviations] = 0.0
        smoothed = _local_lines(x, y, robustness=robustness, n_local=n_local, delta=delta)
    return x, smoothed


def _local_lines(
    x: np.ndarray, y: np.ndarray, robustness: np.ndarray, n_local: int, delta: float
) -> np.ndarray:
    """Return the local lines at some points of ascending x, and interpolate at the others.

    After a point the next one is the last within ``delta`` of it, or the next x if there is none.
    The window of a point are the ``n_local`` points nearest to it.
    """
    n = len(x)
    smoothed = np.empty(n)
    start = 0  # of the window
    last = -1  # the point before
    point = 0
    while True:
        while start + n_local < n and x[point] - x[start] > x[start + n_local] - x[point]:
            start += 1
        smoothed[point] = _local_line(
            x, y, robustness=robustness, point=point, start=start, stop=start + n_local
        )
        if last < point - 1:  # the points that were passed over
            share = (x[last + 1 : point] - x[last]) / (x[point] - x[last])
            smoothed[last + 1 : point] = share * smoothed[point] + (1 - share) * smoothed[last]
        last = point
        point = last + 1
        while point < n and x[point] <= x[last] + delta:
            if x[point] == x[last]:
                smoothed[point] = smoothed[last]
                last = point
            point += 1
        point = max(last + 1, point - 1)
        if last >= n - 1:
            return smoothed


def _local_line(
    x: np.ndarray, y: np.ndarray, robustness: np.ndarray, point: int, start: int, stop: int
) -> float:
    """Return the value at a point of the weighted line through the points of its window.

    Points beyond the window that are as near as its border belong to it.
    """
    at = x[point]
    width = max(at - x[start], x[stop - 1] - at)
    stop = max(stop, int(np.searchsorted(x, at + 0.999 * width, "right")))
    distance = np.abs(x[start:stop] - at)
    weights = np.zeros(len(distance))
    near = distance <= 0.999 * width
    weights[near] = (1 - (distance[near] / width) ** 3) ** 3 if width > 0 else 1.0
    weights[distance <= 0.001 * width] = 1.0
    weights *= robustness[start:stop]
    total = weights.sum()
    if total <= 0:
        return float(y[point])
    weights /= total
    if width > 0:
        mean = (weights * x[start:stop]).sum()
        spread = (weights * (x[start:stop] - mean) ** 2).sum()
        if np.sqrt(spread) > 0.001 * (x[-1] - x[0]):
            weights *= (at - mean) / spread * (x[start:stop] - mean) + 1
    return float((weights * y[start:stop]).sum())
