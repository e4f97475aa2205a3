"""Gaussian kernel densities of many samples, tabulated once: O(1) per point instead of O(n).

On *nodes* an eighth of a bandwidth apart `tabulate` computes the sum of kernels ``f(u)``, ``u`` in
bandwidths, with two derivatives; between nodes ``log f`` is the polynomial of degree 5 that has all
six values. Samples are binned between nodes; with Hermite polynomials ``He_k`` and the moments of a
bin (a fast Gauss transform: Greengard and Strain, SIAM J. Sci. Stat. Comput. 12, 1991),

    exp(-(u - t)² / 2) = exp(-u² / 2) · sum_k He_k(u) t**k / k!,    k < 8.

With ``|t| <= 1/16`` the remainder is below ``(u / 16)**8 / 8!`` of a kernel, 3e-8 at 7 bandwidths;
bins beyond 8.5 are left out, each sample below 2e-16 of the highest kernel. Interpolation errs by
``max |(log f)^(6)| (1/8)**6 / 46080``, and between clusters ``d`` bandwidths apart that derivative
is at most ``d**6 / 4``: tables end at gaps of more than 4 bandwidths, and err by about 2e-7.

Elsewhere the nearest kernels are summed one by one; what is left out is below 1e-10 of the sum. Of
the samples that such sums can reach those within 1/512 of a bandwidth of each other are kept as
number, mean and variance. The third moment would add at most ``(u / 512)**3 / 120`` of a sum at
``u`` bandwidths: 1e-6 at 25, 1e-3 at 250.
"""

from typing import NamedTuple

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import exponentiate

__all__ = [
    "QUANTILES",
    "TabulatedDensity",
    "lay_out",
    "log_grouped",
    "log_tabulated",
    "merge_samples",
    "tabulate",
]


_PER_BANDWIDTH = 8
_ORDER = 8  # moments per bin
_REACH = 68  # bins to either side of a node, 8.5 bandwidths
_GAP = 4.0
_MERGED, _GROUPED = 1.0 / 512.0, 0.6  # bandwidths
#: A table is made where so many distinct samples lie within 17 bandwidths.
_DENSE = 256
_LOG_SQRT_2PI = 0.9189385332046727
_LOG_NEGLIGIBLE = 23.0  # 1e-10


@njit(nogil=True)
def merge_samples(
    values: np.ndarray, counts: np.ndarray, width: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return means, counts and variances of groups of values within ``width`` of their lowest.

    ``values`` are ascending, and ``counts`` (n_values,) say how many samples each stands for.

    Examples
    --------
    >>> merge_samples(np.array([0.0, 0.0, 1.0, 5.0]), np.ones(4), 1.0)
    (array([0.33333333, 5.        ]), array([3., 1.]), array([0.22222222, 0.        ]))
    """
    means, totals, variances = np.empty((3, len(values)))
    n_groups = i = 0
    while i < len(values):
        lowest = values[i]
        count = first = second = 0.0
        while i < len(values) and values[i] - lowest <= width:
            offset = values[i] - lowest
            count += counts[i]
            first += counts[i] * offset
            second += counts[i] * offset * offset
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
    n_points, ones = points.shape[1], np.ones(samples.shape[1])
    squares, terms = np.empty(n_points), np.empty(n_points)
    nearest, total = np.empty(n_points), np.empty(n_points)
    for f in range(len(samples)):
        per_h = 1.0 / bandwidths[f]
        means, counts, variances = merge_samples(samples[f], ones, _GROUPED * bandwidths[f])
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


#: Quantiles of the samples that are kept beside a table.
QUANTILES = np.linspace(0.0, 1.0, 33)


class TabulatedDensity(NamedTuple):
    """The kernel density of one feature in one class.

    ``values`` (n_values,) are the samples, ascending, that sums outside the tables may need,
    ``counts`` how many each stands for, and ``variances`` theirs in bandwidths; ``n_samples`` are
    all, tabulated or kept. A table's first cell begins at ``starts`` (n_tables,), ascending, and
    its cells are the rows of ``coefficients`` (n_cells, 6) between ``rows`` (n_tables + 1,): of
    ``log f`` in a cell, from the constant up, the argument running from 0 to 1. ``quantiles`` are
    the `QUANTILES` of all samples.
    """

    values: np.ndarray
    counts: np.ndarray
    variances: np.ndarray
    bandwidth: float
    n_samples: int
    starts: np.ndarray
    rows: np.ndarray
    coefficients: np.ndarray
    quantiles: np.ndarray


def tabulate(samples: np.ndarray, bandwidth: float) -> TabulatedDensity:
    """Tabulate the Gaussian kernel density of one feature, in O(n_samples).

    ``samples`` (n_samples,) are ascending and contiguous, and there are never more than about as
    many cells as these.

    Examples
    --------
    >>> samples = np.linspace(-1, 1, 10_001)
    >>> density = tabulate(samples, 0.1)
    >>> len(density.coefficients), len(density.values)
    (161, 8028)
    >>> out = np.empty(2)
    >>> log_tabulated(density, np.array([0.0, 1.0]), out)
    >>> np.exp(out).round(4).tolist()
    [0.5, 0.2502]
    """
    first = np.flatnonzero(np.append(True, samples[1:] != samples[:-1]))
    values, counts = samples[first], np.diff(first, append=len(samples)).astype(np.float64)
    step = bandwidth / _PER_BANDWIDTH
    reach = np.sqrt(2.0 * (np.log(len(samples)) + _LOG_NEGLIGIBLE)) * bandwidth
    starts, cells, kept = lay_out(values, bandwidth, _DENSE, step, reach)
    rows = np.concatenate([[0], np.cumsum(cells)])
    coefficients = np.empty((rows[-1], 6))
    taps = _taps()
    for i, start in enumerate(starts):
        _fill(values, counts, start, step, taps, coefficients[rows[i] : rows[i + 1]])
    means, counts, variances = merge_samples(values[kept], counts[kept], _MERGED * bandwidth)
    # quantiles as NumPy computes them, but without sorting
    place = QUANTILES * (len(samples) - 1)
    below = place.astype(np.intp)
    above = np.minimum(below + 1, len(samples) - 1)
    return TabulatedDensity(
        means,
        counts,
        variances / bandwidth**2,
        float(bandwidth),
        len(samples),
        starts,
        rows,
        coefficients,
        samples[below] + (place - below) * (samples[above] - samples[below]),
    )


def lay_out(
    values: np.ndarray, width: float, least: int, step: float, reach: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return where tables of a feature begin, their cells, and which values are kept beside them.

    Around every value (ascending) that a table covers ``least`` values lie within 17 kernel widths.
    A cell has length ``step``. Values farther than ``reach`` from any point outside the tables are
    not kept.
    """
    firsts, lasts = _dense_runs(values, width, least)
    starts, stops = values[firsts], values[lasts]
    kept = np.ones(len(values), dtype=bool)
    for start, stop in zip(starts, stops, strict=True):
        ends = np.searchsorted(values, [start + reach, stop - reach])
        kept[ends[0] : max(ends)] = False
    return starts, np.floor((stops - starts) / step).astype(np.int64) + 1, kept


@njit(nogil=True)
def log_tabulated(density: TabulatedDensity, points: np.ndarray, out: np.ndarray) -> None:
    """Write the log density at points (n_points,), -inf where squared distances overflow."""
    per_step = _PER_BANDWIDTH / density.bandwidth
    n_tables = len(density.starts)
    log_norm = np.log(density.n_samples * density.bandwidth) + _LOG_SQRT_2PI
    negligible = np.log(density.n_samples) + _LOG_NEGLIGIBLE
    for j in range(len(points)):
        x = points[j]
        table = n_tables - 1
        if n_tables > 1:
            table = np.searchsorted(density.starts, x, side="right") - 1
        if table >= 0 and x >= density.starts[table]:
            place = (x - density.starts[table]) * per_step
            if place < density.rows[table + 1] - density.rows[table]:
                cell = int(place)
                t = place - cell
                c = density.coefficients[density.rows[table] + cell]
                log_sum = c[0] + t * (c[1] + t * (c[2] + t * (c[3] + t * (c[4] + t * c[5]))))
                out[j] = log_sum - log_norm
                continue
        out[j] = _log_nearest(density, x, negligible) - log_norm


@njit(nogil=True)
def _log_nearest(density: TabulatedDensity, x: float, negligible: float) -> float:
    """Return the log of the sum of kernels at ``x``, from the nearest sample outwards."""
    values, h = density.values, density.bandwidth
    above = np.searchsorted(values, x)
    below = above - 1
    nearest = np.inf
    if above < len(values):
        nearest = (values[above] - x) / h
    if below >= 0:
        nearest = min(nearest, (x - values[below]) / h)
    if nearest * nearest == np.inf:
        return -np.inf
    total = 0.0
    for i in range(above, len(values)):
        u = (values[i] - x) / h
        exponent = 0.5 * (u - nearest) * (u + nearest)
        if exponent > negligible:
            break
        around = 1.0 + 0.5 * density.variances[i] * (u * u - 1.0)
        total += density.counts[i] * around * np.exp(-exponent)
    for i in range(below, -1, -1):
        u = (x - values[i]) / h
        exponent = 0.5 * (u - nearest) * (u + nearest)
        if exponent > negligible:
            break
        around = 1.0 + 0.5 * density.variances[i] * (u * u - 1.0)
        total += density.counts[i] * around * np.exp(-exponent)
    return np.log(total) - 0.5 * nearest * nearest


@njit(nogil=True)
def _dense_runs(values: np.ndarray, h: float, least: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the first and the last value of each run of dense values without a gap above 4 h."""
    firsts, lasts = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    n_runs = 0
    inside = False
    reach = 2.0 * h * _REACH / _PER_BANDWIDTH
    for i in range(len(values) if len(values) >= least else 0):
        stop = min(max(i + least // 2, least), len(values))
        dense = values[stop - 1] - values[stop - least] <= reach
        if inside and not (dense and values[i] - values[i - 1] <= _GAP * h):
            inside = False
        if dense and not inside:
            firsts[n_runs] = i
            n_runs += 1
            inside = True
        if inside:
            lasts[n_runs - 1] = i
    return firsts[:n_runs].copy(), lasts[:n_runs].copy()


@njit(nogil=True)
def _taps() -> np.ndarray:
    """Return what bins' moments add to a node's sum and its derivatives, (bins, moments, 3).

    That is ``(-1)**j He_{k+j}(u) exp(-u²/2)`` for derivative ``j`` and moment ``k``.
    """
    taps = np.empty((2 * _REACH, _ORDER, 3))
    hermite = np.empty(_ORDER + 2)
    for d in range(2 * _REACH):
        u = (_REACH - d - 0.5) / _PER_BANDWIDTH
        hermite[0] = np.exp(-0.5 * u * u)
        hermite[1] = u * hermite[0]
        for k in range(2, _ORDER + 2):
            hermite[k] = u * hermite[k - 1] - (k - 1) * hermite[k - 2]
        for k in range(_ORDER):
            taps[d, k, 0] = hermite[k]
            taps[d, k, 1] = -hermite[k + 1]
            taps[d, k, 2] = hermite[k + 2]
    return taps


@njit(nogil=True)
def _fill(
    values: np.ndarray,
    counts: np.ndarray,
    start: float,
    step: float,
    taps: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the coefficients of a table's cells (n_cells, 6)."""
    n_nodes = len(out) + 1
    moments = np.zeros((_ORDER, n_nodes + 2 * _REACH - 1))  # of each bin; `_REACH` begins at start
    low = start - _REACH * step
    for i in range(np.searchsorted(values, low), len(values)):
        place = (values[i] - low) / step
        if place >= moments.shape[1]:
            break
        cell = int(place)
        t = (place - cell - 0.5) / _PER_BANDWIDTH
        term = counts[i]
        for k in range(_ORDER):
            moments[k, cell] += term
            term *= t / (k + 1.0)
    sums = np.zeros((3, n_nodes))
    for k in range(_ORDER):
        for d in range(2 * _REACH):
            _add_tap(moments[k, d : d + n_nodes], taps[d, k], sums)
    _interpolate(sums, out)


@njit(nogil=True, fastmath={"contract", "nsz"})
def _add_tap(moments: np.ndarray, tap: np.ndarray, sums: np.ndarray) -> None:
    a, b, c = tap[0], tap[1], tap[2]
    f, first, second = sums[0], sums[1], sums[2]
    for j in range(len(moments)):
        f[j] += a * moments[j]
        first[j] += b * moments[j]
        second[j] += c * moments[j]


@njit(nogil=True)
def _interpolate(sums: np.ndarray, out: np.ndarray) -> None:
    """Write each cell's polynomial from the sum of kernels and its derivatives at the nodes."""
    step = 1.0 / _PER_BANDWIDTH
    logs, slopes, bends = sums[0].copy(), sums[1], sums[2]
    for j in range(len(logs)):
        slope = sums[1, j] / logs[j]
        bends[j] = (sums[2, j] / logs[j] - slope * slope) * step * step
        slopes[j] = slope * step
        logs[j] = np.log(logs[j])
    for j in range(len(out)):
        rise = logs[j + 1] - logs[j]
        v0, v1, a0, a1 = slopes[j], slopes[j + 1], bends[j], bends[j + 1]
        out[j, 0] = logs[j]
        out[j, 1] = v0
        out[j, 2] = 0.5 * a0
        out[j, 3] = 10.0 * rise - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1
        out[j, 4] = -15.0 * rise + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1
        out[j, 5] = 6.0 * rise - 3.0 * (v0 + v1) - 0.5 * (a0 - a1)
