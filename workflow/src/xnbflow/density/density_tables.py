"""Gaussian kernel densities of many samples, tabulated once: O(1) per point instead of O(n).

**The idea.** Between nodes a thirty-second of a bandwidth apart ``log f`` is nearly a cubic
polynomial. A table has its values and slopes at the nodes, and a point takes one polynomial. Values
and slopes at the nodes are sums over the samples; these are made cell by cell, because the samples
nearest to a node (its *cell*) have almost the same kernels.

**The formula.** With ``v`` the distance of a node from the centre of a cell, and ``d`` that of a
sample, both in bandwidths, a kernel is a series of Hermite polynomials,

    exp(-(v - d)² / 2) = sum over p of d**p / p! · He_p(v) exp(-v² / 2)

(Greengard and Strain, "The fast Gauss transform", SIAM Journal on Scientific and Statistical
Computing 12, 1991), so that the first moments of a cell's samples represent them: four sums of
``d**p / p!`` instead of the samples. ``He_0`` to ``He_3`` are 1, v, v² - 1 and v³ - 3 v.

**An example.** Samples at 0 and .01 are in the cell around 0, with the moments 2, .01, 5e-5 and
1.7e-7. At ``v = 1``, with exp(-1 / 2) = .60653, the sum is (2 + .01 · 1 + 5e-5 · 0 - 1.7e-7 · 2)
times .60653 = 1.219126; the two kernels are .606531 and .612596, together 1.219126.

**The error.** ``d`` is at most 1/64, and the term that follows the third adds 1e-7. The polynomial
between nodes errs by less than 1e-6.

Where all samples are more than three bandwidths away kernels are summed one by one. There samples
within a width ``w`` of each other are replaced by their number, mean and variance; the third moment
would add at most ``(u w)**3 / 120`` of a kernel at ``u`` bandwidths, and ``w`` is 1/256 of a
bandwidth: 1e-6 at 12 bandwidths and 1e-3 at 125.

The simple version is the logarithm of `xnbflow.density.grid.sum_exactly`, to which the tests
compare.
"""

from typing import NamedTuple

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import LOG_SQRT_2PI, exponentiate

#: Nodes of a table per bandwidth.
_PER_BANDWIDTH = 32
#: Bandwidths from a sample within which there is a table; farther away kernels are summed.
_NEAR = 3.0
#: Width of the groups of samples that are summed beside a table, in bandwidths.
_GROUP_WIDTH = 1.0 / 256.0
#: The same for `log_grouped`, whose densities are less exact.
_COARSE_GROUP_WIDTH = 0.6
#: Moments of the samples of a cell, d**0 / 0! to d**3 / 3!.
_N_MOMENTS = 4
#: Kernels below exp(-23) = 1e-10 of the nearest one, all samples together, are left out.
_LOG_NEGLIGIBLE = 23.0

#: Quantiles of the samples that are stored with a table.
QUANTILES = np.linspace(0.0, 1.0, 33)


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
    # Without a table, neighbouring samples are groups.
    means, counts, variances = _merge(samples, _GROUP_WIDTH * bandwidth)
    positions = np.arange(len(samples))
    table = TabulatedDensity(
        means=means,
        counts=counts,
        variances=variances / bandwidth**2,
        bandwidth=float(bandwidth),
        n_samples=len(samples),
        start=float(samples[0]),
        nodes=np.empty((0, 2)),
        quantiles=np.interp(QUANTILES * (len(samples) - 1), positions, samples),
    )
    n_cells = (samples[-1] - samples[0]) / bandwidth * _PER_BANDWIDTH
    if not 4 <= n_cells <= len(samples):
        return table

    # The table, with NaN where all samples are far.
    positions = samples[0] + np.arange(int(n_cells) + 2) * (bandwidth / _PER_BANDWIDTH)
    far = _to_nearest(samples, positions) > _NEAR * bandwidth
    sums, slopes = _sums_at_nodes(samples, bandwidth, len(positions))
    nodes = np.full((len(positions), 2), np.nan)
    log_norm = np.log(len(samples) * bandwidth) + LOG_SQRT_2PI
    nodes[~far, 0] = np.log(sums[~far]) - log_norm
    nodes[~far, 1] = slopes[~far] / sums[~far] / _PER_BANDWIDTH

    # Of the groups only those are kept that such a sum needs.
    far[[0, -1]] = True  # sums begin here too
    reach = _NEAR + 1.0 + np.sqrt(2.0 * (np.log(len(samples)) + _LOG_NEGLIGIBLE))
    near = _to_nearest(positions[far], table.means) <= reach * bandwidth
    return table._replace(
        means=table.means[near],
        counts=table.counts[near],
        variances=table.variances[near],
        nodes=nodes,
    )


def _sums_at_nodes(
    samples: np.ndarray, bandwidth: float, n_nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of kernels ``exp(-u² / 2)`` at the nodes, and their slopes per bandwidth.

    The sums are exact to 1e-7 where a sample is within three bandwidths. Nodes are
    ``1 / _PER_BANDWIDTH`` bandwidths apart, from the first of the ascending samples on.

    Examples
    --------
    >>> sums, slopes = _sums_at_nodes(np.array([0.0, 1.0]), 1.0, 33)
    >>> sums[[0, 32]].round(4).tolist(), slopes[[0, 32]].round(4).tolist()  # 1 + exp(-1 / 2)
    ([1.6065, 1.6065], [0.6065, -0.6065])
    """
    # A kernel beyond is less than 1e-10 of the nearest one, all samples together.
    reach = np.sqrt(_NEAR**2 + 2.0 * (np.log(len(samples)) + _LOG_NEGLIGIBLE))
    steps = np.arange(-int(reach * _PER_BANDWIDTH), int(reach * _PER_BANDWIDTH) + 1)
    distances = steps / _PER_BANDWIDTH
    tables = np.empty((_N_MOMENTS + 1, len(steps)))  # He_p(v) exp(-v² / 2)
    tables[0] = np.exp(-0.5 * distances**2)
    tables[1] = distances * tables[0]
    for p in range(1, _N_MOMENTS):
        tables[p + 1] = distances * tables[p] - p * tables[p - 1]
    moments = _cell_moments(samples, bandwidth, n_nodes)
    sums, slopes = np.zeros((2, n_nodes + len(steps)))
    _add_cells(moments, tables, sums, slopes)
    nodes = slice(len(steps) // 2, len(steps) // 2 + n_nodes)
    return sums[nodes], slopes[nodes]


@njit(nogil=True)
def _cell_moments(samples: np.ndarray, bandwidth: float, n_nodes: int) -> np.ndarray:
    """Return ``sum(d**p / p!)`` of the samples nearest to each node, shape (n_nodes, 4)."""
    moments = np.zeros((n_nodes, _N_MOMENTS))
    for x in samples:
        position = (x - samples[0]) / bandwidth * _PER_BANDWIDTH
        node = min(int(position + 0.5), n_nodes - 1)
        d = (position - node) / _PER_BANDWIDTH
        term = 1.0
        for p in range(_N_MOMENTS):
            moments[node, p] += term
            term *= d / (p + 1.0)
    return moments


@njit(nogil=True, fastmath={"contract", "nsz"})
def _add_cells(
    moments: np.ndarray, tables: np.ndarray, sums: np.ndarray, slopes: np.ndarray
) -> None:
    """Add the kernels of each cell, and their slopes, to the nodes around it.

    ``tables`` (5, n_steps) are centred at a cell: cell ``j`` adds to the sums from ``j`` on. The
    slope of ``He_p(v) exp(-v² / 2)`` is ``-He_{p+1}(v) exp(-v² / 2)``.
    """
    n_steps = tables.shape[1]
    for j in range(len(moments)):
        if moments[j, 0] == 0.0:
            continue
        m0, m1, m2, m3 = moments[j]
        cell_sums = sums[j : j + n_steps]
        cell_slopes = slopes[j : j + n_steps]
        for i in range(n_steps):
            t1, t2, t3 = tables[1, i], tables[2, i], tables[3, i]
            cell_sums[i] += m0 * tables[0, i] + m1 * t1 + m2 * t2 + m3 * t3
            cell_slopes[i] -= m0 * t1 + m1 * t2 + m2 * t3 + m3 * tables[4, i]


def _to_nearest(values: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Return the distance of each point (n_points,) to the nearest of two or more ascending values.

    Examples
    --------
    >>> _to_nearest(np.array([0.0, 4.0]), np.array([-1.0, 1.0, 3.5])).tolist()
    [1.0, 1.0, 0.5]
    """
    above = np.clip(np.searchsorted(values, points), 1, len(values) - 1)
    return np.abs(points - values[[above - 1, above]]).min(axis=0)


@njit(nogil=True)
def log_tabulated(density: TabulatedDensity, points: np.ndarray, out: np.ndarray) -> None:
    """Write the log density at points (n_points,), -inf where squared distances overflow."""
    per_step = _PER_BANDWIDTH / density.bandwidth
    n_cells = len(density.nodes) - 1
    log_norm = np.log(density.n_samples * density.bandwidth) + LOG_SQRT_2PI
    negligible = np.log(density.n_samples) + _LOG_NEGLIGIBLE
    for j in range(len(points)):
        position = (points[j] - density.start) * per_step
        if 0.0 <= position < n_cells:
            cell = int(position)
            t = position - cell
            log = density.nodes[cell, 0]
            slope = density.nodes[cell, 1]
            rise = density.nodes[cell + 1, 0] - log
            cubed = slope + density.nodes[cell + 1, 1] - 2.0 * rise
            out[j] = log + t * (slope + t * (rise - slope - cubed + t * cubed))
            if not np.isnan(out[j]):
                continue
        out[j] = _log_nearest(density, points[j], negligible) - log_norm


@njit(nogil=True)
def _log_nearest(density: TabulatedDensity, x: float, negligible: float) -> float:
    """Return the log of the sum of kernels at ``x``, from the nearest group outwards."""
    means = density.means
    h = density.bandwidth
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
    squares = np.empty(n_points)
    terms = np.empty(n_points)
    nearest = np.empty(n_points)
    total = np.empty(n_points)
    for f in range(len(samples)):
        per_h = 1.0 / bandwidths[f]
        means, counts, variances = _merge(samples[f], _COARSE_GROUP_WIDTH * bandwidths[f])
        nearest[:] = np.inf
        total[:] = 0.0
        for i in range(len(means)):
            for j in range(n_points):
                u = (points[f, j] - means[i]) * per_h
                nearest[j] = min(nearest[j], u * u)
        # The mean kernel of n samples around their mean m is K(u) (1 + v (u^2 - 1) / 2), to the
        # second order in their variance v, with u = (x - m) / h and v in squared bandwidths. Terms
        # are divided by the one of the nearest group, so that none of importance underflows.
        for i in range(len(means)):
            for j in range(n_points):
                u = (points[f, j] - means[i]) * per_h
                squares[j] = u * u
                terms[j] = 0.5 * (nearest[j] - squares[j])
            exponentiate(terms)
            half_variance = 0.5 * variances[i] * per_h * per_h
            for j in range(n_points):
                total[j] += counts[i] * (1.0 + half_variance * (squares[j] - 1.0)) * terms[j]
        log_norm = np.log(samples.shape[1] * bandwidths[f]) + LOG_SQRT_2PI
        for j in range(n_points):
            far = nearest[j] == np.inf
            out[f, j] = -np.inf if far else np.log(total[j]) - 0.5 * nearest[j] - log_norm


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
