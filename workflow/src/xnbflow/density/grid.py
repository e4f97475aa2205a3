"""Densities of every class on a grid over each feature's range (XNB paper, Algorithm 1).

A sum of Gaussian kernels on an equally spaced grid needs no exponential per grid point. With the
grid's step ``s`` and a sample's distance ``u`` from a grid point, the anchor, both in bandwidths,
the sample adds at the ``j``-th point from the anchor

    exp(-(j s - u)² / 2) = exp(-u² / 2) · exp(s u)**j · exp(-(j s)² / 2):

powers by multiplication, and a last factor that all samples share. A grid that is many bandwidths
wide is cut into pieces with an anchor each, at most `_REACH` bandwidths from their ends: no power
overflows, and densities are accurate to 1e-13 (of the greatest one).
"""

import numpy as np
from numba import njit

from xnbflow.density.exponential import exponentiate

__all__ = ["grid_densities"]

_LOG_SQRT_2PI = 0.9189385332046727
_REACH = 25.0
_FARTHEST = 37.0
_WIDEST_STEP = 4.0
_LOG_NOTHING = -800.0


@njit(cache=True, nogil=True)
def grid_densities(
    tile: np.ndarray, offsets: np.ndarray, bandwidths: np.ndarray, in_logs: bool, out: np.ndarray
) -> None:
    """Write Gaussian kernel densities on a grid, divided by their sum.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class, ascending within each (see `xnbflow.density.tiles`).
    offsets : ndarray of int, shape (n_classes + 1,)
        Where each class begins and ends.
    bandwidths : ndarray of shape (n_classes, n_features)
    in_logs : bool
        Whether a density that underflows at every grid point is normalised in log space;
        otherwise it is left zero, as the authors' program does.
    out : ndarray of shape (n_classes, n_grid, n_features)
        The grid goes from the least to the greatest sample of a feature.
    """
    n_classes, n_grid, width = out.shape
    low, step = _place_grid(tile, offsets, n_grid)
    for c in range(n_classes):
        rows, h = tile[offsets[c] : offsets[c + 1]], bandwidths[c]
        size = _piece_size(step, h, n_grid)
        for first in range(0, n_grid, size):
            piece = out[c, first : first + size]
            _sum_powers(rows, h, low + (first + len(piece) // 2) * step, step, piece)
        _normalize(out[c])
        for f in range(width):
            if step[f] > _WIDEST_STEP * h[f]:
                points = low[f] + step[f] * np.arange(n_grid)
                out[c, :, f] = _exact_density(rows[:, f].copy(), h[f], points, in_logs)


@njit(cache=True, nogil=True)
def _place_grid(
    tile: np.ndarray, offsets: np.ndarray, n_grid: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the least sample of each feature and the step to the greatest in ``n_grid`` points."""
    low, high = tile[0].copy(), tile[0].copy()
    for c in range(len(offsets) - 1):
        low = np.minimum(low, tile[offsets[c]])
        high = np.maximum(high, tile[offsets[c + 1] - 1])
    return low, (high - low) / (n_grid - 1)


@njit(cache=True, nogil=True)
def _piece_size(step: np.ndarray, h: np.ndarray, n_grid: int) -> int:
    """Return how many grid points one anchor serves for all features that powers serve at all."""
    widest = 2.0 * _REACH / n_grid
    for f in range(len(step)):
        widest = max(widest, min(step[f] / h[f], _WIDEST_STEP))
    return max(1, int(2.0 * _REACH / widest))


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def _sum_powers(
    rows: np.ndarray, h: np.ndarray, anchor: np.ndarray, step: np.ndarray, out: np.ndarray
) -> None:
    """Write the sum of kernels at consecutive grid points; the middle one is the anchor."""
    width, middle = len(h), len(out) // 2
    per_h = 1.0 / h
    s = np.minimum(step * per_h, _WIDEST_STEP)
    terms, ratios = np.empty(rows.shape), np.empty(rows.shape)
    for i in range(len(rows)):
        for f in range(width):
            u = min(max((rows[i, f] - anchor[f]) * per_h[f], -_FARTHEST), _FARTHEST)
            terms[i, f] = -0.5 * u * u
            ratios[i, f] = s[f] * u
    for g in range(len(out)):
        for f in range(width):
            u = (g - middle) * s[f]
            out[g, f] = -0.5 * u * u
    exponentiate(terms.reshape(-1))
    exponentiate(ratios.reshape(-1))
    exponentiate(out.reshape(-1))
    inverse = 1.0 / ratios
    backward = terms * inverse
    _multiply_sums(terms, ratios, middle, 1, out)
    _multiply_sums(backward, inverse, middle - 1, -1, out)


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def _multiply_sums(
    terms: np.ndarray, ratios: np.ndarray, first: int, direction: int, out: np.ndarray
) -> None:
    """Multiply ``out[first + j * direction]`` by the sum of ``terms * ratios**j``."""
    sums = np.empty((2, out.shape[1]))
    even, odd = sums[0], sums[1]
    g = first
    while 0 <= g < len(out):
        sums[:] = 0.0
        for i in range(len(terms)):
            term, ratio = terms[i], ratios[i]
            for f in range(len(term)):
                even[f] += term[f]
                next_term = term[f] * ratio[f]
                odd[f] += next_term
                term[f] = next_term * ratio[f]
        for j in range(2):
            if 0 <= g < len(out):
                for f in range(len(even)):
                    out[g, f] *= sums[j, f]
            g += direction


@njit(cache=True, nogil=True)
def _normalize(out: np.ndarray) -> None:
    """Divide each feature's density, shape (n_grid, n_features), by its sum."""
    per_total = np.zeros(out.shape[1])
    for row in out:
        for f in range(len(per_total)):
            per_total[f] += row[f]
    per_total[:] = 1.0 / per_total
    for row in out:
        for f in range(len(per_total)):
            row[f] *= per_total[f]


@njit(cache=True, nogil=True)
def _exact_density(values: np.ndarray, h: float, points: np.ndarray, in_logs: bool) -> np.ndarray:
    """Return one feature's density divided by its sum, exact however small it is.

    Where it underflows at every point it is zero, or normalised ``in_logs``.
    """
    log_norm = np.log(len(values) * h) + _LOG_SQRT_2PI
    terms = np.empty(len(values))
    density = np.empty(len(points))
    for g in range(len(points)):
        u = np.abs(points[g] - values) / h
        nearest = u.min()
        density[g] = -0.5 * nearest * nearest - log_norm
        if in_logs or density[g] > _LOG_NOTHING:
            terms[:] = 0.5 * (nearest - u) * (nearest + u)
            exponentiate(terms)
            density[g] += np.log(terms.sum())
    density = np.exp(density - density.max() if in_logs else density)
    total = density.sum()
    return density / total if total > 0.0 else density
