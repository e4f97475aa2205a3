"""Densities of every class on a grid over each feature's range (XNB paper, Algorithm 1).

The sum of Gaussian kernels on an equally spaced grid needs no exponential per grid point: with
the grid's step ``s`` and a sample's distance ``u`` from its middle, both in bandwidths, grid
point ``g`` (counted from the middle) gets

    exp(-(g s - u)² / 2) = exp(-u² / 2) · exp(s u)**g · exp(-(g s)² / 2),

powers by multiplication and a last factor common to all samples. Up to a step of one bandwidth
nothing overflows and the error of a distance stays below 1e-13.
"""

import numpy as np
from numba import njit

from xnbflow.density.exponential import exponentiate

__all__ = ["grid_densities"]

_LOG_SQRT_2PI = 0.9189385332046727
_NEARLY_NOTHING = 1e-200
_CHUNK = 64

_SUMS = {"contract", "reassoc", "nsz"}


@njit(cache=True, nogil=True)
def grid_densities(
    samples: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Write Gaussian kernel densities on a grid, divided by their sum.

    Parameters
    ----------
    samples : ndarray of shape (n_features, n_samples)
        Class after class, ascending within each.
    offsets : ndarray of int, shape (n_classes + 1,)
        Where each class begins and ends.
    bandwidths : ndarray of shape (n_features, n_classes)
    in_logs : bool
        Whether a density that underflows at every grid point is normalised in log space;
        otherwise it is left zero, as the authors' program does.
    out : ndarray of shape (n_features, n_classes, n_grid)
        The grid goes from the least to the greatest sample of a feature.
    """
    n_classes, n_grid = out.shape[1:]
    points = np.empty(n_grid)
    starts = 2 * offsets + n_grid * np.arange(n_classes + 1)
    factors = np.empty(starts[-1])
    for f in range(samples.shape[0]):
        _place_grid(samples[f], offsets, points)
        for c in range(n_classes):
            values = samples[f, offsets[c] : offsets[c + 1]]
            _power_exponents(values, points, bandwidths[f, c], factors[starts[c] : starts[c + 1]])
        exponentiate(factors)
        for c in range(n_classes):
            values = samples[f, offsets[c] : offsets[c + 1]]
            h = bandwidths[f, c]
            if points[1] - points[0] <= h:
                _sum_powers(factors[starts[c] : starts[c + 1]], len(values), out[f, c])
            else:
                _sum_exponentials(values, points, h, out[f, c])
            if not _normalize(out[f, c], _NEARLY_NOTHING):
                _log_sums(values, points, h, out[f, c])
                _normalize_logs(out[f, c], in_logs)


@njit(cache=True, nogil=True)
def _place_grid(samples: np.ndarray, offsets: np.ndarray, points: np.ndarray) -> None:
    low, high = samples[0], samples[0]
    for c in range(len(offsets) - 1):
        low = min(low, samples[offsets[c]])
        high = max(high, samples[offsets[c + 1] - 1])
    step = (high - low) / (len(points) - 1)
    for g in range(len(points)):
        points[g] = low + g * step
    points[-1] = high


@njit(cache=True, nogil=True)
def _power_exponents(values: np.ndarray, points: np.ndarray, h: float, out: np.ndarray) -> None:
    """Write the exponents of the three factors in the module's docstring, one after the other."""
    n, n_grid = len(values), len(points)
    middle = (n_grid - 1) // 2
    s = (points[-1] - points[0]) / (n_grid - 1) / h
    starts, ratios, factors = out[:n], out[n : 2 * n], out[2 * n :]
    for i in range(n):
        u = (values[i] - points[middle]) / h
        starts[i] = -0.5 * u * u
        ratios[i] = min(s * u, 700.0)
    for g in range(n_grid):
        u = (g - middle) * s
        factors[g] = -0.5 * u * u


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _sum_powers(factors: np.ndarray, n: int, out: np.ndarray) -> None:
    """Sum ``start * ratio**(g - middle) * factor[g]`` over ``n`` samples; overwrites ratios."""
    middle = (len(out) - 1) // 2
    starts, ratios, common = factors[:n], factors[n : 2 * n], factors[2 * n :]
    terms = np.empty(n)
    for i in range(n):
        terms[i] = starts[i]
    for g in range(middle, len(out)):
        total = 0.0
        for i in range(n):
            total += terms[i]
            terms[i] *= ratios[i]
        out[g] = total * common[g]
    for i in range(n):
        ratios[i] = 1.0 / ratios[i]
        terms[i] = starts[i] * ratios[i]
    for g in range(middle - 1, -1, -1):
        total = 0.0
        for i in range(n):
            total += terms[i]
            terms[i] *= ratios[i]
        out[g] = total * common[g]


@njit(cache=True, nogil=True)
def _sum_exponentials(values: np.ndarray, points: np.ndarray, h: float, out: np.ndarray) -> None:
    """Sum kernels one by one, where the range is too wide in bandwidths for powers."""
    n_grid = len(points)
    work = np.empty(_CHUNK * n_grid)
    out[:] = 0.0
    for first in range(0, len(values), _CHUNK):
        part = values[first : first + _CHUNK]
        flat = work[: len(part) * n_grid]
        terms = flat.reshape(len(part), n_grid)
        for i in range(len(part)):
            for g in range(n_grid):
                u = (points[g] - part[i]) / h
                terms[i, g] = -0.5 * u * u
        exponentiate(flat)
        for i in range(len(part)):
            for g in range(n_grid):
                out[g] += terms[i, g]


@njit(cache=True, nogil=True)
def _normalize(out: np.ndarray, least: float) -> bool:
    """Divide by the sum; False where that is below ``least``."""
    total = out.sum()
    if total <= least:
        return False
    for g in range(len(out)):
        out[g] /= total
    return True


@njit(cache=True, nogil=True)
def _log_sums(values: np.ndarray, points: np.ndarray, h: float, out: np.ndarray) -> None:
    """Write the log of the density at each grid point, exact however small it is."""
    log_norm = np.log(len(values) * h) + _LOG_SQRT_2PI
    for g in range(len(points)):
        nearest = np.inf
        for value in values:
            nearest = min(nearest, abs(points[g] - value) / h)
        total = 0.0
        for value in values:
            u = abs(points[g] - value) / h
            total += np.exp(0.5 * (nearest - u) * (nearest + u))
        out[g] = np.log(total) - 0.5 * nearest * nearest - log_norm


@njit(cache=True, nogil=True)
def _normalize_logs(out: np.ndarray, in_logs: bool) -> None:
    """Turn log densities into densities that sum to one, or to zero where all underflow."""
    highest = out.max() if in_logs else 0.0
    for g in range(len(out)):
        out[g] = np.exp(out[g] - highest)
    if not _normalize(out, 0.0):
        out[:] = 0.0
