"""Gaussian kernel densities of many samples, tabulated once: O(1) per point instead of O(n).

Between nodes a thirty-second of a bandwidth apart ``log f`` is a cubic spline; it errs by less than
1e-6. Where all samples are more than three bandwidths away kernels are summed one by one. Samples
within a width ``w`` of each other are replaced by their number, mean and variance; the third moment
would add at most ``(u w)**3 / 120`` of a kernel at ``u`` bandwidths: ``w`` is 1/64 of a bandwidth
for the nodes, and 1/256 elsewhere, 1e-6 at 12 bandwidths and 1e-3 at 125.
"""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

_PER_BANDWIDTH = 32
_NEAR = 3.0  # bandwidths from a sample within which there are tables
_FOR_NODES, _MERGED, _GROUPED = 1.0 / 64.0, 1.0 / 256.0, 0.6  # bandwidths
_LOG_SQRT_2PI = 0.9189385332046727
_LOG_NEGLIGIBLE = 23.0  # 1e-10

#: Quantiles of the samples that are stored with a table.
QUANTILES = np.linspace(0.0, 1.0, 33)


@njit(nogil=True)
def _merge(values: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means, counts and variances of groups of values within ``width`` of their lowest.

    ``values`` (n_values,) are ascending.
    """
    means, totals, variances = np.empty((3, len(values)))
    n_groups = i = 0
    while i < len(values):
        lowest = values[i]
        count = first = second = 0.0
        while i < len(values) and values[i] - lowest <= width:
            offset = values[i] - lowest
            count += 1.0
            first += offset
            second += offset * offset
            i += 1
        first /= count
        means[n_groups] = lowest + first
        totals[n_groups] = count
        variances[n_groups] = max(0.0, second / count - first * first)
        n_groups += 1
    return means[:n_groups].copy(), totals[:n_groups].copy(), variances[:n_groups].copy()


@njit(nogil=True, fastmath={"contract", "nsz"})
def log_grouped(
    samples: np.ndarray, bandwidths: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log kernel density of each feature at points, to about 1e-3 near the samples.

    Samples within 0.6 bandwidths of each other count as their number, mean and variance.
    ``samples`` (n_features, n_samples) are ascending, ``bandwidths`` have shape (n_features,),
    ``points`` and ``out`` (n_features, n_points).

    Examples
    --------
    >>> out = np.empty((1, 2))
    >>> log_grouped(np.array([[0.0, 0.4]]), np.ones(1), np.array([[0.0, 2.0]]), out)
    >>> np.exp(out).round(4).tolist()  # exactly 0.3836 and 0.0825
    [[0.3835, 0.0825]]
    """
    n_points = points.shape[1]
    squares, terms = np.empty(n_points), np.empty(n_points)
    nearest, total = np.empty(n_points), np.empty(n_points)
    for f in range(len(samples)):
        per_h = 1.0 / bandwidths[f]
        means, counts, variances = _merge(samples[f], _GROUPED * bandwidths[f])
        nearest[:] = np.inf
        total[:] = 0.0
        for i in range(len(means)):
            for j in range(n_points):
                u = (points[f, j] - means[i]) * per_h
                nearest[j] = min(nearest[j], u * u)
        for i in range(len(means)):
            for j in range(n_points):
                u = (points[f, j] - means[i]) * per_h
                squares[j] = u * u
                terms[j] = 0.5 * (nearest[j] - squares[j])
            exponentiate(terms)
            half_variance = 0.5 * variances[i] * per_h * per_h
            for j in range(n_points):
                total[j] += counts[i] * (1.0 + half_variance * (squares[j] - 1.0)) * terms[j]
        log_norm = np.log(samples.shape[1] * bandwidths[f]) + _LOG_SQRT_2PI
        for j in range(n_points):
            far = nearest[j] == np.inf
            out[f, j] = -np.inf if far else np.log(total[j]) - 0.5 * nearest[j] - log_norm


class TabulatedDensity(NamedTuple):
    """The kernel density of one feature in one class.

    Neighbouring samples form groups, with ascending ``means`` (n_groups,), ``counts`` and
    ``variances`` (in squared bandwidths); ``n_samples`` is the number of samples. The table begins
    at the first sample; ``nodes`` (n_nodes, 2) are ``log f`` and its slope per cell, or NaN where
    the groups are summed; groups that no such sum needs are left out. ``quantiles`` are the
    `QUANTILES` of all samples.
    """

    means: np.ndarray
    counts: np.ndarray
    variances: np.ndarray
    bandwidth: float
    n_samples: int
    start: float
    nodes: np.ndarray
    quantiles: np.ndarray


def tabulate(samples: np.ndarray, bandwidth: float) -> TabulatedDensity:
    """Tabulate the Gaussian kernel density of one feature.

    ``samples`` (n_samples,) are ascending and contiguous. If a table would have more cells than
    there are samples, groups are summed everywhere instead.

    Examples
    --------
    >>> samples = np.linspace(-1, 1, 10_001)
    >>> density = tabulate(samples, 0.1)
    >>> len(density.nodes)
    642
    >>> out = np.empty(2)
    >>> log_tabulated(density, np.array([0.0, 1.0]), out)
    >>> np.exp(out).round(4).tolist()
    [0.5, 0.2502]
    """
    table = _of_groups(samples, bandwidth, _MERGED)
    n_cells = (samples[-1] - samples[0]) / bandwidth * _PER_BANDWIDTH
    if not 4 <= n_cells <= len(samples):
        return table
    places = samples[0] + np.arange(int(n_cells) + 2) * (bandwidth / _PER_BANDWIDTH)
    logs = np.empty(len(places))
    log_tabulated(_of_groups(samples, bandwidth, _FOR_NODES), places, logs)
    cells = np.arange(len(places))
    nodes = np.column_stack([logs, CubicSpline(cells, logs)(cells, 1)])
    far = _to_nearest(samples, places) > _NEAR * bandwidth
    nodes[far] = np.nan
    far[[0, -1]] = True  # sums begin here too
    reach = _NEAR + 1.0 + np.sqrt(2.0 * (np.log(len(samples)) + _LOG_NEGLIGIBLE))
    kept = _to_nearest(places[far], table.means) <= reach * bandwidth
    return table._replace(
        means=table.means[kept],
        counts=table.counts[kept],
        variances=table.variances[kept],
        nodes=nodes,
    )


def _to_nearest(values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the distance of each point (n_points,) to the nearest of two or more ascending values.

    >>> _to_nearest(np.array([0.0, 4.0]), np.array([-1.0, 1.0, 3.5])).tolist()
    [1.0, 1.0, 0.5]
    """
    above = np.clip(np.searchsorted(values, points), 1, len(values) - 1)
    return np.abs(points - values[[above - 1, above]]).min(axis=0)


def _of_groups(samples: np.ndarray, bandwidth: float, width: float) -> TabulatedDensity:
    """Return a density without a table, by groups of samples within ``width`` bandwidths."""
    means, counts, variances = _merge(samples, width * bandwidth)
    return TabulatedDensity(
        means,
        counts,
        variances / bandwidth**2,
        float(bandwidth),
        len(samples),
        float(samples[0]),
        np.empty((0, 2)),
        np.interp(QUANTILES * (len(samples) - 1), np.arange(len(samples)), samples),  # sorted
    )


@njit(nogil=True)
def log_tabulated(density: TabulatedDensity, points: np.ndarray, out: np.ndarray) -> None:
    """Write the log density at points (n_points,), -inf where squared distances overflow."""
    per_step = _PER_BANDWIDTH / density.bandwidth
    n_cells = len(density.nodes) - 1
    log_norm = np.log(density.n_samples * density.bandwidth) + _LOG_SQRT_2PI
    negligible = np.log(density.n_samples) + _LOG_NEGLIGIBLE
    for j in range(len(points)):
        place = (points[j] - density.start) * per_step
        if 0.0 <= place < n_cells:
            cell = int(place)
            t = place - cell
            log, slope = density.nodes[cell, 0], density.nodes[cell, 1]
            rise = density.nodes[cell + 1, 0] - log
            cubed = slope + density.nodes[cell + 1, 1] - 2.0 * rise
            out[j] = log + t * (slope + t * (rise - slope - cubed + t * cubed))
            if not np.isnan(out[j]):
                continue
        out[j] = _log_nearest(density, points[j], negligible) - log_norm


@njit(nogil=True)
def _log_nearest(density: TabulatedDensity, x: float, negligible: float) -> float:
    """Return the log of the sum of kernels at ``x``, from the nearest group outwards."""
    means, h = density.means, density.bandwidth
    above = np.searchsorted(means, x)
    nearest = np.inf
    if above < len(means):
        nearest = (means[above] - x) / h
    if above > 0:
        nearest = min(nearest, (x - means[above - 1]) / h)
    if nearest * nearest == np.inf:
        return -np.inf
    total = 0.0
    for step in (1, -1):
        i = above if step > 0 else above - 1
        while 0 <= i < len(means):
            u = (means[i] - x) / h
            exponent = 0.5 * (abs(u) - nearest) * (abs(u) + nearest)
            if exponent > negligible:
                break
            around = 1.0 + 0.5 * density.variances[i] * (u * u - 1.0)
            total += density.counts[i] * around * np.exp(-exponent)
            i += step
    return np.log(total) - 0.5 * nearest * nearest
