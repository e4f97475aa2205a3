"""Densities of a sparse tile on a grid, and how far apart its classes lie.

The sums are those of `xnbflow.density.grid`, powers of exponentials between anchors, with the zeros
of a class as one more term that counts for all of them. A tile holds few features, each with its
own samples, so that vector instructions go along the samples here.
"""

import numpy as np

from xnbflow.density.grid import FARTHEST, LOG_NOTHING, LOG_SQRT_2PI, REACH, WIDEST_STEP
from xnbflow.density.jit import njit
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.sparse_tiles import SparseTile

__all__ = ["sparse_grid_densities", "sparse_separation"]


def sparse_grid_densities(
    tile: SparseTile,
    bandwidths: np.ndarray,
    *,
    kernel: str = "gaussian",
    n_grid: int = 50,
    underflow: str = "as_published",
) -> np.ndarray:
    """Return the density of each class on a grid, divided by its sum.

    Parameters
    ----------
    tile : SparseTile
    bandwidths : ndarray of shape (n_classes, n_features)
    kernel, n_grid, underflow
        See `xnbflow.density.grid.grid_densities`.

    Returns
    -------
    ndarray of shape (n_classes, n_grid, n_features)
    """
    n_classes, n_features = bandwidths.shape
    out = np.empty((n_features, n_classes, n_grid))
    arrays = tile.values, tile.starts, tile.zeros, tile.zero
    if kernel == "gaussian":
        _sum_gaussians(*arrays, bandwidths, underflow == "log", out)
    else:
        _sum_kernels(*arrays, bandwidths, kernel_code(kernel), out)
    return np.ascontiguousarray(out.transpose(1, 2, 0))


def sparse_separation(tile: SparseTile, widths: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return what `xnbflow.preprocessing.selection.pair_strengths.separation` writes, (n_pairs, n_features)."""
    out = np.empty((len(pairs), len(tile.zero)))
    _separation(tile.values, tile.starts, tile.zeros, tile.zero, widths, pairs, out)
    return out


@njit(nogil=True)
def _range(some: np.ndarray, zeros: np.ndarray, zero: float) -> tuple[float, float]:
    low, high = np.inf, -np.inf
    if zeros.any():
        low = high = zero
    for x in some:
        low, high = min(low, x), max(high, x)
    return low, high


@njit(nogil=True)
def _sum_gaussians(
    values: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    zero: np.ndarray,
    bandwidths: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    n_features, n_classes, n_grid = out.shape
    longest = 0
    for f in range(n_features):
        for c in range(n_classes):
            longest = max(longest, starts[f, c + 1] - starts[f, c])
    terms, ratios = np.empty(longest + 1), np.empty(longest + 1)
    for f in range(n_features):
        low, high = _range(values[starts[f, 0] : starts[f, -1]], zeros[f], zero[f])
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            some, h = values[starts[f, c] : starts[f, c + 1]], bandwidths[c, f]
            if step > WIDEST_STEP * h:
                points = np.linspace(low, high, n_grid)
                _write_exact(some, zeros[f, c], zero[f], h, points, in_logs, out[f, c])
                continue
            size = max(1, int(2.0 * REACH / max(2.0 * REACH / n_grid, step / h)))
            for first in range(0, n_grid, size):
                piece = out[f, c, first : first + size]
                anchor = low + (first + len(piece) // 2) * step
                _sum_powers(some, zeros[f, c], zero[f], h, anchor, step, terms, ratios, piece)
            _normalize(out[f, c])


@njit(nogil=True)
def _sum_powers(
    some: np.ndarray,
    n_zeros: int,
    zero: float,
    h: float,
    anchor: float,
    step: float,
    terms: np.ndarray,
    ratios: np.ndarray,
    out: np.ndarray,
) -> None:
    """Write the sum of kernels at consecutive grid points; the middle one is the anchor."""
    middle, s = len(out) // 2, step / h
    for direction in (1, -1):
        # Twice the same terms: that they are computed anew costs less than to keep them.
        n = _first_terms(some, n_zeros, zero, h, anchor, s * direction, terms, ratios)
        g = middle
        if direction < 0:
            _multiply(terms[:n], ratios[:n])
            g -= 1
        while 0 <= g < len(out):
            even, odd = _sum_two(terms[:n], ratios[:n])
            out[g] = even
            if 0 <= g + direction < len(out):
                out[g + direction] = odd
            g += 2 * direction
    for g in range(len(out)):
        u = (g - middle) * s
        out[g] *= np.exp(-0.5 * u * u)


@njit(nogil=True, fastmath={"contract", "nsz"})
def _first_terms(
    some: np.ndarray,
    n_zeros: int,
    zero: float,
    h: float,
    anchor: float,
    s: float,
    terms: np.ndarray,
    ratios: np.ndarray,
) -> int:
    """Write each sample's kernel at the anchor and what a step multiplies it by; return how many.

    A last one stands for the zeros.
    """
    n = len(some) + (n_zeros > 0)
    per_h = 1.0 / h
    for i in range(len(some)):
        terms[i] = some[i]
    if n_zeros > 0:
        terms[len(some)] = zero
    for i in range(n):
        u = min(max((terms[i] - anchor) * per_h, -FARTHEST), FARTHEST)
        terms[i] = -0.5 * u * u
        ratios[i] = s * u
    exponentiate(terms[:n])
    exponentiate(ratios[:n])
    if n_zeros > 0:
        terms[len(some)] *= n_zeros
    return n


@njit(nogil=True, fastmath={"contract", "nsz"})
def _multiply(terms: np.ndarray, ratios: np.ndarray) -> None:
    for i in range(len(terms)):
        terms[i] *= ratios[i]


@njit(nogil=True, fastmath={"contract", "nsz", "reassoc"})
def _sum_two(terms: np.ndarray, ratios: np.ndarray) -> tuple[float, float]:
    """Return the sums of the terms before and after a step, and take them two steps further."""
    even = odd = 0.0
    for i in range(len(terms)):
        term = terms[i]
        even += term
        term *= ratios[i]
        odd += term
        terms[i] = term * ratios[i]
    return even, odd


@njit(nogil=True)
def _normalize(out: np.ndarray) -> None:
    total = out.sum()
    for g in range(len(out)):
        out[g] = out[g] / total if total > 0.0 else 0.0


@njit(nogil=True)
def _sum_kernels(
    values: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    zero: np.ndarray,
    bandwidths: np.ndarray,
    code: int,
    out: np.ndarray,
) -> None:
    """Write the grid densities of any kernel."""
    n_features, n_classes, n_grid = out.shape
    for f in range(n_features):
        low, high = _range(values[starts[f, 0] : starts[f, -1]], zeros[f], zero[f])
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            some, h = values[starts[f, c] : starts[f, c + 1]], bandwidths[c, f]
            terms = np.empty(len(some) + 1)
            for g in range(n_grid):
                x = low + g * step
                for i in range(len(some)):
                    terms[i] = (x - some[i]) / h
                terms[-1] = (x - zero[f]) / h
                apply_kernel(code, terms)
                terms[-1] *= zeros[f, c]
                out[f, c, g] = terms.sum() / h
            _normalize(out[f, c])


@njit(nogil=True)
def _write_exact(
    some: np.ndarray,
    n_zeros: int,
    zero: float,
    h: float,
    points: np.ndarray,
    in_logs: bool,
    out: np.ndarray,
) -> None:
    """Write a Gaussian density divided by its sum, exact however small it is.

    Where it underflows at every point it is zero, or normalised ``in_logs``; see
    `xnbflow.density.grid.mend_underflow`.
    """
    terms = np.empty(len(some) + (n_zeros > 0))
    log_weight = -np.log((len(some) + n_zeros) * h) - LOG_SQRT_2PI
    highest = -np.inf
    for g in range(len(points)):
        for i in range(len(some)):
            u = (points[g] - some[i]) / h
            terms[i] = log_weight - 0.5 * u * u
        if n_zeros:
            u = (points[g] - zero) / h
            terms[-1] = log_weight - 0.5 * u * u
        nearest = terms.max()
        total = 1.0
        if in_logs or nearest > LOG_NOTHING:
            terms -= nearest
            exponentiate(terms)
            total = terms.sum() + (terms[-1] * (n_zeros - 1) if n_zeros else 0.0)
        out[g] = nearest + np.log(total)
        highest = max(highest, out[g])
    for g in range(len(points)):
        out[g] = np.exp(out[g] - highest if in_logs else out[g])
    _normalize(out)


@njit(nogil=True)
def _separation(
    values: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    zero: np.ndarray,
    widths: np.ndarray,
    pairs: np.ndarray,
    out: np.ndarray,
) -> None:
    n_features, n_classes = zeros.shape
    means, squares = np.empty(n_classes), np.empty(n_classes)
    sizes = np.empty(n_classes)
    for f in range(n_features):
        for c in range(n_classes):
            some, n_zeros = values[starts[f, c] : starts[f, c + 1]], zeros[f, c]
            n = len(some) + n_zeros
            mean = (some.sum() + n_zeros * zero[f]) / n
            square = n_zeros * (zero[f] - mean) ** 2
            for x in some:
                square += (x - mean) ** 2
            means[c], squares[c], sizes[c] = mean, square + n * widths[c, f] ** 2, n
        for p in range(len(pairs)):
            i, j = pairs[p, 0], pairs[p, 1]
            d = means[i] - means[j]
            variance = (squares[i] + squares[j]) / (sizes[i] + sizes[j])
            out[p, f] = d * d / (8.0 * variance)
