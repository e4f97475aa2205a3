"""Kernel densities of features given a target, tabulated once: O(1) per point instead of O(n).

With kernels ``k`` of a feature and ``K`` of the target, at a grid point ``g`` of the target,

    T(x, g) = sum_b k(x - x_b) K(g - y_b) / m(g),   m(g) = sum_b K(g - y_b),

is the density of the feature given the target, up to a factor. It is computed on *nodes* a
sixteenth of a width apart along ``x``: samples are spread over the ten nodes around them by
Lagrange's weights, convolved with the kernel by FFT, and interpolated from the ten nodes around
``x``. A polynomial of degree 9 errs by less than 3e-7 of the kernel within 8.5 widths: as all terms
are positive no sum errs by more than 6e-7 of itself, besides a `_FLOOR`. Where samples are sparse
the nearest kernels are summed one by one. To leave out a sample with the share
``o(g) = K(g - y) / m(g)`` gives ``(T - o) / (1 - o)``, whose absolute error is the floor's over
``1 - o``. The product over features carries these errors along.
"""

from typing import NamedTuple

import numpy as np
from scipy import fft

from xnbflow.core.jit import njit
from xnbflow.density.density_tables import lay_out
from xnbflow.density.kernels import exponentiate
from xnbflow.density.tiles import map_parts

__all__ = ["TOLERANCE", "ConditionalTables"]

#: A posterior is certain if its errors add up to less, as a share of the whole.
TOLERANCE = 1e-6

_PER_WIDTH = 16
_NODES = 10
_BEFORE = 4  # nodes below the cell of a point
_REACH = 136  # nodes, 8.5 widths
_FLOOR = 1e-14
_OWN = 2e-12  # error of a sample's own kernel, of itself
_LEAST_OTHERS = 1e-7  # share of the target's kernels that others than the one left out must have
_TARGET_REACH = 11.0
_LOG_NEGLIGIBLE = 36.0
_DENSE = 64  # samples within 17 widths that deserve a table
_SMALLEST = 1e-290
_UNSCALED = 16  # factors above `_FLOOR` whose product does not underflow
_ROWS = 128
_NS_PER_VALUE = 4.0
_SUMS = {"contract", "nsz"}


class _FeatureTable(NamedTuple):
    """The tables of one feature."""

    width: float  # of the kernel
    starts: np.ndarray  # where each table's first cell begins, ascending
    rows: np.ndarray  # a table has the nodes rows[i]:rows[i + 1]
    nodes: np.ndarray  # T, (n_nodes, n_grid); a table's first lies _BEFORE below its start
    values: np.ndarray  # samples, ascending, that sums outside the tables may need
    targets: np.ndarray


class _TargetKernels(NamedTuple):
    """The kernels of the target at the points of the grid."""

    grid: np.ndarray
    per_width: float
    marginal: np.ndarray  # m
    floor: np.ndarray  # error of T besides a share of itself


class ConditionalTables:
    """The densities of all features given the target.

    Of training ``samples`` (n_samples, n_features) and their ``targets``, the kernels of features
    have ``widths`` (n_features,) above 0, and the ``grid`` (n_grid,) is equally spaced.

    Examples
    --------
    >>> y = np.linspace(-1.0, 1.0, 2001)
    >>> tables = ConditionalTables(
    ...     y[:, None], y, np.array([0.2]), 0.2, np.array([-1.0, 0.0, 1.0])
    ... )
    >>> tables.posterior(np.array([[0.5]]))[0].round(3).tolist()
    [[0.0, 0.675, 0.649]]
    """

    def __init__(
        self,
        samples: np.ndarray,
        targets: np.ndarray,
        widths: np.ndarray,
        target_width: float,
        grid: np.ndarray,
    ) -> None:
        per_width = 1.0 / float(target_width)
        marginal = np.zeros(len(grid))
        _sum_targets(targets, grid, per_width, marginal)
        missing = len(targets) * np.exp(-0.5 * _TARGET_REACH**2)
        floor = _FLOOR + missing / np.maximum(marginal, _SMALLEST)
        self.target = _TargetKernels(grid, per_width, marginal, floor)

        def tabulate(i: int) -> _FeatureTable:
            column = np.ascontiguousarray(samples[:, i])
            return self._tabulate(column, targets, float(widths[i]))

        ns = samples.size * len(grid) * _NODES * 0.5
        self.features = map_parts(tabulate, range(len(widths)), ns)

    def posterior(
        self, points: np.ndarray, left_out: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the densities of the target, features being independent given it.

        If points (n_points, n_features) are training samples to be left out, each for itself,
        ``left_out`` are their targets. The density (n_points, n_grid) integrates to 1 over the
        grid, trapezoids; the slack in the same shape is its greatest error, and a point is
        ``certain`` whose slack adds up to less than `TOLERANCE`.
        """
        grid = self.target.grid
        density, slack = np.ones((2, len(points), len(grid)))
        columns = np.ascontiguousarray(points.T)
        parts = [slice(start, start + _ROWS) for start in range(0, len(points), _ROWS)]

        def work(part: slice) -> None:
            own = np.empty(0) if left_out is None else left_out[part]
            self._multiply_all(columns[:, part], own, density[part], slack[part])

        map_parts(work, parts, points.size * len(grid) * _NS_PER_VALUE)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            whole = np.trapezoid(density, grid, axis=1)[:, np.newaxis]
            density /= whole
            slack /= whole
            certain = np.trapezoid(slack, grid, axis=1) <= TOLERANCE
        return density, slack, certain

    def _multiply_all(
        self, columns: np.ndarray, left_out: np.ndarray, density: np.ndarray, slack: np.ndarray
    ) -> None:
        """Write the products of all features' densities, and by how much they can be wrong."""
        shares = np.zeros(density.shape)
        _own_shares(left_out, self.target, shares)
        others = 1.0 - shares
        per_others = 1.0 / np.maximum(others, _LEAST_OTHERS)
        for i, (table, points) in enumerate(zip(self.features, columns, strict=True), start=1):
            _multiply(points, left_out, table, self.target, shares, per_others, density, slack)
            if i % _UNSCALED == 0:
                greatest = slack.max(axis=1, keepdims=True)
                density /= greatest
                np.maximum(slack / greatest, _SMALLEST, out=slack)
        slack -= density
        density *= self.target.marginal * others
        slack *= self.target.marginal * others
        slack[(others < _LEAST_OTHERS).any(axis=1)] = np.inf

    def _tabulate(self, column: np.ndarray, targets: np.ndarray, width: float) -> _FeatureTable:
        order = np.argsort(column)
        values, targets = column[order], targets[order]
        step = width / _PER_WIDTH
        reach = np.sqrt(2.0 * (np.log(len(values)) + _LOG_NEGLIGIBLE)) * width
        starts, cells, kept = lay_out(values, width, _DENSE, step, reach)
        rows = np.concatenate([[0], np.cumsum(cells + _NODES - 1)])
        nodes = np.empty((rows[-1], len(self.target.grid)))
        distances = np.arange(-_REACH, _REACH + 1) / _PER_WIDTH
        for i, start in enumerate(starts):
            out = nodes[rows[i] : rows[i + 1]]
            first = start - _BEFORE * step - _REACH * step
            n_bins = len(out) + 2 * _REACH
            size = fft.next_fast_len(n_bins + 2 * _REACH, real=True)
            bins = np.zeros((size, len(self.target.grid)))
            _spread(values, targets, first, step, n_bins, self.target, bins)
            kernel = fft.rfft(np.exp(-0.5 * distances**2), size)
            spectrum = fft.rfft(bins, axis=0, overwrite_x=True)
            spectrum *= kernel[:, np.newaxis]
            sums = fft.irfft(spectrum, size, axis=0, overwrite_x=True)
            np.divide(sums[2 * _REACH : 2 * _REACH + len(out)], self.target.marginal, out=out)
        return _FeatureTable(width, starts, rows, nodes, values[kept], targets[kept])


@njit(nogil=True)
def _target_kernels(y: float, grid: np.ndarray, per_width: float, out: np.ndarray) -> None:
    for g in range(len(grid)):
        u = (grid[g] - y) * per_width
        out[g] = -0.5 * u * u
    exponentiate(out)


@njit(nogil=True)
def _sum_targets(targets: np.ndarray, grid: np.ndarray, per_width: float, out: np.ndarray) -> None:
    kernels = np.empty(len(grid))
    for y in targets:
        _target_kernels(y, grid, per_width, kernels)
        for g in range(len(grid)):
            out[g] += kernels[g]


@njit(nogil=True)
def _own_shares(targets: np.ndarray, target: _TargetKernels, out: np.ndarray) -> None:
    for i in range(len(targets)):
        _target_kernels(targets[i], target.grid, target.per_width, out[i])
        for g in range(len(target.grid)):
            out[i, g] /= target.marginal[g]


@njit(nogil=True)
def _lagrange(t: float, out: np.ndarray) -> None:
    """Write the weights of the nodes -4 to 5 for the polynomial through them, at ``t`` >= 0."""
    total, factor = 0.0, 1.0
    for i in range(_NODES):
        out[i] = 0.0
        if t > 0.0:
            out[i] = factor / (t - (i - _BEFORE))
            total += out[i]
        factor *= (i + 1.0 - _NODES) / (i + 1.0)  # binomial coefficients with alternating signs
    if t > 0.0:
        for i in range(_NODES):
            out[i] /= total
    else:
        out[_BEFORE] = 1.0


@njit(nogil=True, fastmath=_SUMS)
def _add(weight: float, row: np.ndarray, out: np.ndarray) -> None:
    for g in range(len(out)):
        out[g] += weight * row[g]


@njit(nogil=True)
def _spread(
    values: np.ndarray,
    targets: np.ndarray,
    origin: float,
    step: float,
    n_bins: int,
    target: _TargetKernels,
    bins: np.ndarray,
) -> None:
    """Spread the samples, with the kernels of their targets, over the nodes around them."""
    weights, kernels = np.empty(_NODES), np.empty(len(target.grid))
    reach = _TARGET_REACH / target.per_width
    for i in range(np.searchsorted(values, origin + _BEFORE * step), len(values)):
        place = (values[i] - origin) / step
        if place >= n_bins - _NODES:
            break
        cell = int(place)
        if cell < _BEFORE:
            continue
        _lagrange(place - cell, weights)
        first = np.searchsorted(target.grid, targets[i] - reach)
        stop = np.searchsorted(target.grid, targets[i] + reach)
        near = kernels[first:stop]
        _target_kernels(targets[i], target.grid[first:stop], target.per_width, near)
        for j in range(_NODES):
            _add(weights[j], near, bins[cell - _BEFORE + j, first:stop])


@njit(nogil=True)
def _multiply(
    points: np.ndarray,
    left_out: np.ndarray,
    table: _FeatureTable,
    target: _TargetKernels,
    shares: np.ndarray,
    per_others: np.ndarray,
    products: np.ndarray,
    bounds: np.ndarray,
) -> None:
    """Multiply the products, and their upper bounds, by a feature's density."""
    weights, found = np.empty(_NODES), np.empty(len(target.grid))
    nothing, anything = np.zeros(len(found)), np.ones(len(found))
    for i in range(len(points)):
        run = np.searchsorted(table.starts, points[i], side="right") - 1
        place = np.inf
        if run >= 0:
            place = (points[i] - table.starts[run]) / table.width * _PER_WIDTH
        if run >= 0 and place < table.rows[run + 1] - table.rows[run] - _NODES + 1:
            cell = int(place)
            _lagrange(place - cell, weights)
            found[:] = 0.0
            for j in range(_NODES):
                _add(weights[j], table.nodes[table.rows[run] + cell + j], found)
            _take(found, shares[i], per_others[i], target.floor, products[i], bounds[i])
        else:
            skipped = -1
            if len(left_out):
                skipped = _position(points[i], left_out[i], table)
            known = _sum_nearest(points[i], skipped, table, target, found)
            floor = target.floor if known else anything
            _take(found, nothing, per_others[i], floor, products[i], bounds[i])


@njit(nogil=True, fastmath=_SUMS | {"nnan"})
def _take(
    found: np.ndarray,
    own: np.ndarray,
    per_others: np.ndarray,
    floor: np.ndarray,
    product: np.ndarray,
    bound: np.ndarray,
) -> None:
    """Multiply by ``(found - own) * per_others``, which is at most 1."""
    for g in range(len(found)):
        estimate = min(max(found[g] - own[g], 0.0) * per_others[g], 1.0)
        product[g] *= estimate
        bound[g] *= min(estimate + (floor[g] + _OWN * own[g]) * per_others[g], 1.0)


@njit(nogil=True)
def _position(x: float, y: float, table: _FeatureTable) -> int:
    """Return where among the kept samples the one with this value and target is, else -1."""
    i = int(np.searchsorted(table.values, x))
    while i < len(table.values) and table.values[i] == x:
        if table.targets[i] == y:
            return i
        i += 1
    return -1


@njit(nogil=True)
def _sum_nearest(
    x: float, skipped: int, table: _FeatureTable, target: _TargetKernels, out: np.ndarray
) -> bool:
    """Write ``T``, but for a factor, from the nearest sample outwards; one may be skipped.

    Returns whether there is a sample at a distance whose square is finite.
    """
    values, n = table.values, len(table.values)
    negligible = np.log(n + 1.0) + _LOG_NEGLIGIBLE
    above = int(np.searchsorted(values, x))
    nearest = np.inf
    for i in range(max(above - 2, 0), min(above + 2, n)):
        if i != skipped:
            nearest = min(nearest, abs(values[i] - x) / table.width)
    out[:] = 0.0
    if nearest * nearest == np.inf:
        return False
    kernels = np.empty(len(out))
    for step in (1, -1):
        i = above if step > 0 else above - 1
        while 0 <= i < n:
            u = (values[i] - x) / table.width * step
            exponent = 0.5 * (u - nearest) * (u + nearest)
            if exponent > negligible:
                break
            if i != skipped:
                _target_kernels(table.targets[i], target.grid, target.per_width, kernels)
                _add(np.exp(-exponent), kernels, out)
            i += step
    for g in range(len(out)):
        out[g] /= target.marginal[g]
    return True
