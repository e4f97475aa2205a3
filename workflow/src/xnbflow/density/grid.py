"""Densities of every class on a grid over each feature's range (XNB paper, Algorithm 1).

For Gaussian kernels with one bandwidth per class the sum over an equally spaced grid needs no
exponential per grid point. With the grid's step ``s`` and a sample's distance ``u`` from a grid
point, the anchor, both in bandwidths, the sample adds at the ``j``-th point from the anchor

    exp(-(j s - u)² / 2) = exp(-u² / 2) · exp(s u)**j · exp(-(j s)² / 2):

the powers are products, and the last factor is common to all samples. A wide grid is divided into
pieces with an anchor each, at most 25 bandwidths from their ends, so that no power overflows.
Distances above 37 from an anchor are set to 37: less than 1e-31 of the highest kernel. Steps wider
than 4 use exponentials.
"""

from itertools import pairwise

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.log_sums import write_grid_densities

_LOG_SQRT_2PI = 0.9189385332046727
#: In bandwidths: the greatest distance of a grid point from its anchor, of a sample from it, and
#: the widest step of the grid for which kernels are powers.
REACH = 25.0
FARTHEST = 37.0
WIDEST_STEP = 4.0
_LOG_NOTHING = -800.0
_CACHED_VALUES = 32_768  # rows are summed in parts whose powers stay in cache
_MANY_SAMPLES = 4096
_POWERS = 4  # grid points in one pass over the samples
_LANES = 8  # numbers side by side in the summation

#: Points of the grid on which densities are compared (XNB paper, Algorithm 1).
DEFAULT_N_GRID = 50


def grid_densities(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    *,
    kernel: str | int = "gaussian",
    n_grid: int = DEFAULT_N_GRID,
    underflow: str = "as_published",
    factors: np.ndarray | None = None,
) -> np.ndarray:
    """Return the density of each class on a grid, divided by its sum.

    The tile (n_samples, n_features), ``offsets`` and bandwidths are those of `bandwidths_of`. The
    grid goes from the least to the greatest sample of a feature; the result has shape (n_classes,
    n_grid, n_features). A density that underflows at every grid point is left
    zero "as_published", as the authors' program does, or normalised in "log" space. ``factors``
    (n_samples, n_features), if any, multiply the bandwidths (`adaptive_factors`).
    """
    if factors is not None or kernel == "exponential":
        widths = np.repeat(bandwidths, np.diff(offsets), axis=0)
        widths = widths if factors is None else widths * factors
        densities = np.empty((len(offsets) - 1, n_grid, tile.shape[1]))
        in_logs = underflow == "log"
        write_grid_densities(tile, offsets, widths, kernel_code(kernel), in_logs, densities)
        return densities
    low = tile[offsets[:-1]].min(axis=0)
    high = tile[offsets[1:] - 1].max(axis=0)
    step = (high - low) / (n_grid - 1)
    # Gaussian kernels are summed by powers (see `_sum_powers`). Where a step is much wider than the
    # bandwidth these may underflow, and the features concerned are computed again exactly.
    n, width = tile.shape
    too_wide = kernel == "gaussian" and (step > WIDEST_STEP * bandwidths).any()
    out = np.empty((len(offsets) - 1, n_grid, width))
    if kernel != "gaussian":
        _sum_kernels(tile, offsets, bandwidths, kernel_code(kernel), low, step, out)
    elif width < _LANES and n >= _MANY_SAMPLES:
        for f, column in enumerate(np.ascontiguousarray(tile.T)):
            out[:, :, f] = _sum_feature(
                column,
                offsets,
                bandwidths=bandwidths[:, f],
                low=low[f],
                step=step[f],
                n_grid=n_grid,
            )
    else:
        out = _sum_tile(tile, offsets, bandwidths=bandwidths, low=low, step=step, n_grid=n_grid)
    _normalize(out)
    if too_wide:
        _mend_underflow(tile, offsets, bandwidths, low, high, underflow == "log", out)
    return out


def _sum_feature(
    column: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    low: float,
    step: float,
    n_grid: int,
) -> np.ndarray:
    """Return the sums of kernels of a feature (n_classes, n_grid): samples take the lanes."""
    out = np.zeros((len(bandwidths), n_grid))
    for c, (start, stop) in enumerate(pairwise(offsets.tolist())):
        rest = stop - (stop - start) % _LANES
        for rows in (column[start:rest].reshape(-1, _LANES), column[rest:stop].reshape(1, -1)):
            if not rows.size:
                continue
            h = np.full(rows.shape[1], bandwidths[c])
            lows = np.full(rows.shape[1], low)
            steps = np.full(rows.shape[1], step)
            sums = _sum_tile(
                rows,
                np.array([0, len(rows)]),
                bandwidths=h[np.newaxis],
                low=lows,
                step=steps,
                n_grid=n_grid,
            )
            out[c] += sums[0].sum(axis=1)
    return out


def _sum_tile(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    low: np.ndarray,
    step: np.ndarray,
    n_grid: int,
) -> np.ndarray:
    """Return the sums of kernels of a tile of any width, shape (n_classes, n_grid, n_features)."""
    out = np.empty((len(bandwidths), n_grid, tile.shape[1]))
    _sum_classes(tile, offsets, bandwidths, low, step, out)
    return out


@njit(nogil=True)
def _sum_kernels(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    code: int,
    low: np.ndarray,
    step: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sums of any kernel."""
    n_classes, n_grid, width = out.shape
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        terms = np.empty((b - a, width))
        # density at x: sum_i K((x - x_i) / h) / h, up to the number of samples
        for g in range(n_grid):
            for i in range(b - a):
                for f in range(width):
                    x = low[f] + g * step[f]
                    terms[i, f] = (x - tile[a + i, f]) / bandwidths[c, f]
            apply_kernel(code, terms.reshape(-1))
            out[c, g] = 0.0
            for i in range(b - a):
                for f in range(width):
                    out[c, g, f] += terms[i, f] / bandwidths[c, f]


@njit(nogil=True)
def _mend_underflow(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Recompute with logarithms the Gaussian densities that may have underflowed on a wide grid."""
    n_classes, n_grid, width = out.shape
    step = (high - low) / (n_grid - 1)
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        for f in range(width):
            if step[f] > WIDEST_STEP * bandwidths[c, f]:
                points = np.linspace(low[f], high[f], n_grid)
                values = tile[a:b, f].copy()
                weights = np.ones(b - a)
                write_exact(values, weights, bandwidths[c, f], points, in_logs, out[c, :, f])


@njit(nogil=True, fastmath={"contract", "nsz"})
def _sum_classes(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    low: np.ndarray,
    step: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sums of kernels of a tile."""
    n_classes, n_grid, width = out.shape
    some = 1
    for c in range(n_classes):
        some = max(some, offsets[c + 1] - offsets[c])
    columns = -(-width // _LANES) * _LANES  # strips of similar width have equal parts
    some = min(some, max(1, _CACHED_VALUES // max(1, columns)))
    scratch = np.empty((4 * some + n_grid, width))
    kernel_sums = np.empty((n_grid, width))
    anchor = np.empty(width)
    per_h = np.empty(width)
    steps = np.empty(width)
    for c in range(n_classes):
        widest = 2.0 * REACH / n_grid
        for f in range(width):
            per_h[f] = 1.0 / bandwidths[c, f]
            steps[f] = min(step[f] * per_h[f], WIDEST_STEP)
            widest = max(widest, steps[f])
        size = max(1, int(2.0 * REACH / widest))  # the points that one anchor serves
        for first in range(0, n_grid, size):
            piece = out[c, first : first + size]
            for f in range(width):
                anchor[f] = low[f] + (first + len(piece) // 2) * step[f]
            for start in range(offsets[c], offsets[c + 1], some):
                rows = tile[start : min(start + some, offsets[c + 1])]
                sums = piece if start == offsets[c] else kernel_sums[: len(piece)]
                _sum_powers(rows, per_h, anchor, steps, scratch, sums)
                if start > offsets[c]:
                    for g in range(len(piece)):
                        for f in range(width):
                            piece[g, f] += sums[g, f]


@njit(nogil=True, fastmath={"contract", "nsz"}, inline="always")
def _sum_powers(
    rows: np.ndarray,
    per_h: np.ndarray,
    anchor: np.ndarray,
    steps: np.ndarray,
    scratch: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sum of kernels at consecutive grid points; the middle one is the anchor."""
    # Of the module's formula `terms` are exp(-u²/2), `ratios` exp(s u), and `factors`
    # exp(-(j s)²/2) for j = 0, 1, ... Below the anchor the powers of 1 / ratio begin at j = -1,
    # with `backward`, the term divided by the ratio.
    n = len(rows)
    middle = len(out) // 2
    stop = 2 * n + middle + 1
    terms = scratch[:n]
    ratios = scratch[n : 2 * n]
    factors = scratch[2 * n : stop]
    backward = scratch[stop : stop + n]
    inverse = scratch[stop + n : stop + 2 * n]
    _write_exponents(rows, per_h, anchor, steps, terms, ratios, factors)
    exponentiate(scratch[:stop].reshape(-1))
    for i in range(n):
        for f in range(len(anchor)):
            inverse[i, f] = 1.0 / ratios[i, f]
            backward[i, f] = terms[i, f] * inverse[i, f]
    for g in range(len(out)):
        for f in range(len(anchor)):
            out[g, f] = factors[abs(g - middle), f]
    _multiply_by_sums(terms, ratios, out, middle, 1)
    _multiply_by_sums(backward, inverse, out, middle - 1, -1)


@njit(nogil=True)
def _multiply_by_sums(
    terms: np.ndarray, ratios: np.ndarray, out: np.ndarray, first_row: int, direction: int
) -> None:
    """Multiply row ``first_row + direction * j`` by the sums over samples of ``terms * ratios**j``.

    All rows of ``out`` from the first to an end are multiplied; the direction is 1 or -1. The terms
    are overwritten. Samples are summed in their order, so that sums do not depend on how many
    features are side by side.
    """
    sums = np.empty((_POWERS, terms.shape[1]))
    first, second, third, fourth = sums[0], sums[1], sums[2], sums[3]
    n_rows = len(out) - first_row if direction > 0 else first_row + 1
    for j in range(0, n_rows, _POWERS):
        sums[:] = 0.0
        for i in range(len(terms)):
            for f in range(terms.shape[1]):
                term = terms[i, f]
                ratio = ratios[i, f]
                first[f] += term
                term *= ratio
                second[f] += term
                term *= ratio
                third[f] += term
                term *= ratio
                fourth[f] += term
                terms[i, f] = term * ratio
        for power in range(min(_POWERS, n_rows - j)):
            row = first_row + direction * (j + power)
            for f in range(terms.shape[1]):
                out[row, f] *= sums[power, f]


@njit(nogil=True, fastmath={"contract", "nsz"}, inline="always")
def _write_exponents(
    rows: np.ndarray,
    per_h: np.ndarray,
    anchor: np.ndarray,
    steps: np.ndarray,
    terms: np.ndarray,
    ratios: np.ndarray,
    factors: np.ndarray,
) -> None:
    """Write the logarithms of all samples' terms, of their ratios, and of the last factors."""
    for i in range(len(rows)):
        for f in range(len(anchor)):
            u = min(max((rows[i, f] - anchor[f]) * per_h[f], -FARTHEST), FARTHEST)
            terms[i, f] = -0.5 * u * u
            ratios[i, f] = steps[f] * u
    for g in range(len(factors)):
        for f in range(len(anchor)):
            u = g * steps[f]
            factors[g, f] = -0.5 * u * u


@njit(nogil=True)
def _normalize(out: np.ndarray) -> None:
    """Divide each class's and feature's density by its sum, if there is one."""
    n_classes, n_grid, width = out.shape
    per_total = np.empty(width)
    for c in range(n_classes):
        per_total[:] = 0.0
        for g in range(n_grid):
            for f in range(width):
                per_total[f] += out[c, g, f]
        for f in range(width):
            per_total[f] = 1.0 / per_total[f] if per_total[f] > 0.0 else 0.0
        for g in range(n_grid):
            for f in range(width):
                out[c, g, f] *= per_total[f]


@njit(nogil=True)
def write_exact(
    values: np.ndarray,
    weights: np.ndarray,
    bandwidth: float,
    points: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Write one feature's Gaussian density divided by its sum, exact however small it is.

    Each of ``values`` represents as many samples as its weight. Where the density underflows at
    every point it is zero, or normalised ``in_logs``.
    """
    # log sum_i w_i exp(t_i) = t_max + log sum_i w_i exp(t_i - t_max): the largest term is 1, so
    # that the sum does not underflow. Below `_LOG_NOTHING` a density is 0 unless it is normalised.
    n = len(values)
    terms = np.empty(n)
    log_weight = -np.log(weights.sum() * bandwidth) - _LOG_SQRT_2PI
    highest = -np.inf
    for g in range(len(points)):
        nearest = -np.inf
        for i in range(n):
            u = (points[g] - values[i]) / bandwidth
            terms[i] = log_weight - 0.5 * u * u
            nearest = max(nearest, terms[i])
        total = 1.0
        if in_logs or nearest > _LOG_NOTHING:
            for i in range(n):
                terms[i] -= nearest
            exponentiate(terms)
            total = 0.0
            for i in range(n):
                total += weights[i] * terms[i]
        out[g] = nearest + np.log(total)
        highest = max(highest, out[g])
    total = 0.0
    for g in range(len(points)):
        out[g] = np.exp(out[g] - highest if in_logs else out[g])
        total += out[g]
    for g in range(len(points)):
        out[g] = out[g] / total if total > 0.0 else 0.0
