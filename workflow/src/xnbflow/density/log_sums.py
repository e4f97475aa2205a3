"""Kernel densities of any kernel with a bandwidth per sample, summed in log space.

The other modules have faster sums for the common case, a Gaussian kernel with one bandwidth per
class and feature. These serve adaptive bandwidths, and the exponential kernel, whose density is
never zero either.
"""

import numpy as np

from xnbflow.core.jit import njit
from xnbflow.density.kernels import EXPONENTIAL, GAUSSIAN, LOG_SQRT_2PI, apply_kernel

#: log(2), of the exponential kernel.
_LOG_2 = 0.6931471805599453


@njit(nogil=True)
def log_density_at(
    values: np.ndarray, bandwidths: np.ndarray, code: int, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log density of one class and feature at points (n_points,), to ``out``.

    ``values`` are the samples and ``bandwidths`` theirs, both (n_samples,), ``code`` is that of the
    kernel (`xnbflow.density.kernels.kernel_code`). Where a kernel of bounded support gives density
    zero, the logarithm is minus infinity.
    """
    n = len(values)
    terms = np.empty(n)
    for p in range(len(points)):
        if code in (GAUSSIAN, EXPONENTIAL):
            out[p] = _log_of_unbounded(values, bandwidths, code, points[p], terms)
            continue
        for i in range(n):
            terms[i] = (points[p] - values[i]) / bandwidths[i]
        apply_kernel(code, terms)
        total = 0.0
        for i in range(n):
            total += terms[i] / bandwidths[i]
        out[p] = np.log(total / n) if total > 0.0 else -np.inf


@njit(nogil=True)
def _log_of_unbounded(
    values: np.ndarray, bandwidths: np.ndarray, code: int, point: float, terms: np.ndarray
) -> float:
    """Return the log density at a point, with exponents relative to the greatest."""
    greatest = -np.inf
    for i in range(len(values)):
        u = (point - values[i]) / bandwidths[i]
        log_kernel = -0.5 * u * u - LOG_SQRT_2PI if code == GAUSSIAN else -abs(u) - _LOG_2
        terms[i] = log_kernel - np.log(bandwidths[i])
        greatest = max(greatest, terms[i])
    if greatest == -np.inf:  # the square of every distance overflows
        return greatest
    total = 0.0
    for i in range(len(values)):
        total += np.exp(terms[i] - greatest)
    return greatest + np.log(total / len(values))


@njit(nogil=True)
def write_grid_densities(
    tile: np.ndarray,
    offsets: np.ndarray,
    bandwidths: np.ndarray,
    code: int,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Write the densities of `xnbflow.density.grid.grid_densities`, divided by their sums.

    ``bandwidths`` (n_samples, n_features) are those of the samples. A density that is zero at every
    grid point, or that underflows there and is not normalised ``in_logs``, is left zero.
    """
    n_classes, n_grid, width = out.shape
    logs = np.empty(n_grid)
    for f in range(width):
        low, high = np.inf, -np.inf
        for i in range(len(tile)):
            low = min(low, tile[i, f])
            high = max(high, tile[i, f])
        points = np.linspace(low, high, n_grid)
        for c in range(n_classes):
            rows = slice(offsets[c], offsets[c + 1])
            log_density_at(tile[rows, f].copy(), bandwidths[rows, f].copy(), code, points, logs)
            # divided by its largest value, a density does not underflow at every point
            greatest = logs.max()
            shift = greatest if in_logs and greatest > -np.inf else 0.0
            density = np.exp(logs - shift)
            total = density.sum()
            for g in range(n_grid):
                out[c, g, f] = density[g] / total if total > 0.0 else 0.0
