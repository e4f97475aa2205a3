"""Densities of every class on a grid over each feature's range (XNB paper, Algorithm 1).

Any kernel, and a bandwidth per sample, can be summed term by term (`sum_kernels`). For Gaussian
kernels with one bandwidth per class there is a faster way (`sum_gaussians`): on an equally spaced
grid the sum needs no exponential per grid point. With the grid's step ``s`` and a sample's distance
``u`` from a grid point, the anchor, both in bandwidths, the sample adds at the ``j``-th point from
the anchor

    exp(-(j s - u)² / 2) = exp(-u² / 2) · exp(s u)**j · exp(-(j s)² / 2):

powers by multiplication, and a last factor that all samples share. A grid that is many bandwidths
wide is cut into pieces with an anchor each, at most `REACH` bandwidths from their ends, so that no
power overflows. A sample farther than `FARTHEST` from an anchor counts as if it were that far: at
less than 1e-31 of the highest kernel. Steps wider than `WIDEST_STEP` are left to exponentials.
"""

import numpy as np

from xnbflow.density.exponential import exponentiate
from xnbflow.density.kernels import apply_kernel, kernel_code
from xnbflow.jit import njit

__all__ = [
    "FARTHEST",
    "LOG_NOTHING",
    "LOG_SQRT_2PI",
    "REACH",
    "WIDEST_STEP",
    "grid_densities",
    "sum_gaussians",
    "sum_kernels",
]

LOG_SQRT_2PI = 0.9189385332046727
REACH = 25.0
FARTHEST = 37.0
WIDEST_STEP = 4.0
LOG_NOTHING = -800.0
_CACHED_VALUES = 65_536  # rows are summed in parts whose powers stay in cache


def grid_densities(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    *,
    kernel: str = "gaussian",
    n_grid: int = 50,
    underflow: str = "as_published",
) -> np.ndarray:
    """Return the density of each class on a grid, divided by its sum.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class, ascending within each (see `xnbflow.density.tiles`).
    offsets : ndarray of int, shape (n_classes + 1,)
        Where each class begins and ends.
    bandwidths : ndarray of shape (n_classes, n_features) or (n_samples, n_features)
        Per class or per sample.
    kernel : str
        One of `xnbflow.density.kernels.KERNELS`.
    n_grid : int
        Points from the least to the greatest sample of a feature.
    underflow : {"as_published", "log"}
        Whether a density that underflows at every grid point is left zero, as the authors' program
        does, or normalised in log space.

    Returns
    -------
    ndarray of shape (n_classes, n_grid, n_features)
    """
    out = np.empty((len(offsets) - 1, n_grid, tile.shape[1]))
    in_logs = underflow == "log"
    low, step = _grid(tile, offsets, n_grid)
    per_class = len(bandwidths) == len(offsets) - 1
    by_powers = kernel == "gaussian" and per_class
    too_wide = kernel == "gaussian" and (step > WIDEST_STEP * bandwidths).any()
    if by_powers:
        sum_gaussians(tile, offsets, bandwidths, low, step, out)
    if per_class and (too_wide or not by_powers):
        bandwidths = np.repeat(bandwidths, np.diff(offsets), axis=0)
    if not by_powers:
        sum_kernels(tile, offsets, bandwidths, kernel_code(kernel), low, step, out)
    if too_wide:
        mend_underflow(tile, offsets, bandwidths, in_logs, out)
    return out


def _grid(tile: np.ndarray, offsets: np.ndarray, n_grid: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the least sample of each feature and the step to the next point of its grid."""
    low = tile[offsets[:-1]].min(axis=0)
    return low, (tile[offsets[1:] - 1].max(axis=0) - low) / (n_grid - 1)


def sum_gaussians(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    low: np.ndarray,
    step: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the grid densities of Gaussian kernels with one bandwidth per class and feature.

    Where a step is wider than `WIDEST_STEP` bandwidths, `mend_underflow` has to follow.
    """
    n_grid, width = out.shape[1:]
    some = max(1, _CACHED_VALUES // max(1, width))
    ends = offsets.tolist()
    largest = min(some, int(np.diff(offsets).max()))
    part, scratch = np.empty((n_grid, width)), np.empty((2 * largest, width))
    for density, h, a, b in zip(out, bandwidths, ends[:-1], ends[1:], strict=True):
        per_h = 1.0 / h
        steps = np.minimum(step * per_h, WIDEST_STEP)
        size = _piece_size(steps, n_grid)
        for first in range(0, n_grid, size):
            piece = density[first : first + size]
            anchor = low + (first + len(piece) // 2) * step
            _sum_powers(tile[a : min(b, a + some)], per_h, anchor, steps, scratch, piece)
            for start in range(a + some, b, some):
                more = part[: len(piece)]
                rows = tile[start : min(b, start + some)]
                _sum_powers(rows, per_h, anchor, steps, scratch, more)
                piece += more
        _normalize(density)


@njit(nogil=True)
def sum_kernels(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    code: int,
    low: np.ndarray,
    step: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the grid densities of any kernel, with a bandwidth per sample and feature."""
    n_classes, n_grid, width = out.shape
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        terms = np.empty((b - a, width))
        for g in range(n_grid):
            for i in range(b - a):
                for f in range(width):
                    x = low[f] + g * step[f]
                    terms[i, f] = (x - tile[a + i, f]) / bandwidths[a + i, f]
            apply_kernel(code, terms.reshape(-1))
            out[c, g] = 0.0
            for i in range(b - a):
                for f in range(width):
                    out[c, g, f] += terms[i, f] / bandwidths[a + i, f]
        _normalize(out[c])


@njit(nogil=True)
def mend_underflow(
    tile: np.ndarray, offsets: np.ndarray, bandwidths: np.ndarray, in_logs: bool, out: np.ndarray
) -> None:
    """Write anew, by way of logs, the Gaussian densities that a wide grid may have missed."""
    n_classes, n_grid, width = out.shape
    low, high = _range(tile, offsets)
    step = (high - low) / (n_grid - 1)
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        for f in range(width):
            if step[f] > WIDEST_STEP * bandwidths[a:b, f].min():
                points = np.linspace(low[f], high[f], n_grid)
                values, h = tile[a:b, f].copy(), bandwidths[a:b, f].copy()
                _write_exact(values, h, points, in_logs, out[c, :, f])


@njit(nogil=True)
def _range(tile: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the greatest sample of each feature."""
    low, high = tile[0].copy(), tile[0].copy()
    for c in range(len(offsets) - 1):
        first, last = tile[offsets[c]], tile[offsets[c + 1] - 1]
        for f in range(len(low)):
            low[f] = min(low[f], first[f])
            high[f] = max(high[f], last[f])
    return low, high


def _piece_size(steps: np.ndarray, n_grid: int) -> int:
    """Return how many grid points one anchor serves for all features that powers serve at all."""
    return max(1, int(2.0 * REACH / steps.max(initial=2.0 * REACH / n_grid)))


def _sum_powers(
    rows: np.ndarray,
    per_h: np.ndarray,
    anchor: np.ndarray,
    steps: np.ndarray,
    scratch: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sum of kernels at consecutive grid points; the middle one is the anchor.

    Small kernels, called from here one after the other: nested, each would be compiled again in
    its caller. ``scratch`` is (2 n_samples or more, n_features).
    """
    terms, ratios = scratch[: len(rows)], scratch[len(rows) : 2 * len(rows)]
    _write_exponents(rows, per_h, anchor, steps, terms, ratios, out)
    exponentiate(scratch[: 2 * len(rows)].reshape(-1))
    exponentiate(out.reshape(-1))
    _multiply_sums(terms, ratios, out)


@njit(nogil=True, fastmath={"contract", "nsz"})
def _write_exponents(
    rows: np.ndarray,
    per_h: np.ndarray,
    anchor: np.ndarray,
    steps: np.ndarray,
    terms: np.ndarray,
    ratios: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the logarithms of all samples' terms, of their ratios, and of the last factor.

    ``steps`` are in bandwidths.
    """
    for i in range(len(rows)):
        for f in range(len(per_h)):
            u = min(max((rows[i, f] - anchor[f]) * per_h[f], -FARTHEST), FARTHEST)
            terms[i, f] = -0.5 * u * u
            ratios[i, f] = steps[f] * u
    middle = len(out) // 2
    for g in range(len(out)):
        for f in range(len(per_h)):
            u = (g - middle) * steps[f]
            out[g, f] = -0.5 * u * u


@njit(nogil=True, fastmath={"contract", "nsz"})
def _multiply_sums(terms: np.ndarray, ratios: np.ndarray, out: np.ndarray) -> None:
    """Multiply ``out[middle + j]`` by the sum of ``terms * ratios**j``; terms are overwritten."""
    sums = np.empty((2, out.shape[1]))
    even, odd = sums[0], sums[1]
    backward, inverse = np.empty(terms.shape), np.empty(terms.shape)
    for i in range(len(terms)):
        for f in range(len(even)):
            inverse[i, f] = 1.0 / ratios[i, f]
            backward[i, f] = terms[i, f] * inverse[i, f]
    g, direction = len(out) // 2, 1
    for _ in range(2):
        while 0 <= g < len(out):
            sums[:] = 0.0
            for i in range(len(terms)):
                term, ratio = terms[i], ratios[i]
                for f in range(len(even)):
                    even[f] += term[f]
                    next_term = term[f] * ratio[f]
                    odd[f] += next_term
                    term[f] = next_term * ratio[f]
            for j in range(2):
                if 0 <= g < len(out):
                    for f in range(len(even)):
                        out[g, f] *= sums[j, f]
                g += direction
        terms, ratios = backward, inverse
        g, direction = len(out) // 2 - 1, -1


@njit(nogil=True)
def _normalize(out: np.ndarray) -> None:
    """Divide each feature's density, shape (n_grid, n_features), by its sum, if there is one."""
    per_total = np.zeros(out.shape[1])
    for g in range(len(out)):
        for f in range(len(per_total)):
            per_total[f] += out[g, f]
    for f in range(len(per_total)):
        per_total[f] = 1.0 / per_total[f] if per_total[f] > 0.0 else 0.0
    for g in range(len(out)):
        for f in range(len(per_total)):
            out[g, f] *= per_total[f]


@njit(nogil=True)
def _write_exact(
    values: np.ndarray, h: np.ndarray, points: np.ndarray, in_logs: bool, out: np.ndarray
) -> None:
    """Write one feature's Gaussian density divided by its sum, exact however small it is.

    Where it underflows at every point it is zero, or normalised ``in_logs``.
    """
    terms, log_weights = np.empty(len(values)), np.empty(len(values))
    for i in range(len(values)):
        log_weights[i] = -np.log(len(values) * h[i]) - LOG_SQRT_2PI
    highest = -np.inf
    for g in range(len(points)):
        nearest = -np.inf
        for i in range(len(values)):
            u = (points[g] - values[i]) / h[i]
            terms[i] = log_weights[i] - 0.5 * u * u
            nearest = max(nearest, terms[i])
        total = 1.0
        if in_logs or nearest > LOG_NOTHING:
            for i in range(len(values)):
                terms[i] -= nearest
            exponentiate(terms)
            total = terms.sum()
        out[g] = nearest + np.log(total)
        highest = max(highest, out[g])
    total = 0.0
    for g in range(len(points)):
        out[g] = np.exp(out[g] - highest if in_logs else out[g])
        total += out[g]
    for g in range(len(points)):
        out[g] = out[g] / total if total > 0.0 else 0.0
