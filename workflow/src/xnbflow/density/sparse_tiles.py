"""Sparse tiles: a strip of features of which only what is not zero is stored, class by class.

All zeros of a class are one value that occurs so many times, so that zeros cost nothing. Sums are
those of a dense tile (`xnbflow.density.class_tiles`), to rounding. A tile holds few features, each
with its own samples: vector instructions go along the samples here.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from xnbflow.core.jit import njit
from xnbflow.density.bandwidth import RULES_OF_THUMB, SMALLEST_SPREAD, hazen
from xnbflow.density.distances import separation
from xnbflow.density.grid import FARTHEST, REACH, WIDEST_STEP, write_exact
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.standard import StandardUnits

__all__ = ["SparseTile", "classes_of_samples"]

_TINY = 1e-300


def classes_of_samples(codes: np.ndarray, samples: np.ndarray | None, n_samples: int) -> np.ndarray:
    """Return the class of each sample, -1 where it is not among the chosen ones.

    Examples
    --------
    >>> classes_of_samples(np.array([1, 0]), np.array([3, 1]), 4).tolist()
    [-1, 0, -1, 1]
    """
    if samples is None:
        return np.asarray(codes, dtype=np.int64)
    found = np.full(n_samples, -1)
    found[samples] = codes
    return found


class SparseTile(NamedTuple):
    """Some features, with the values of each class side by side.

    ``values`` (n_values,) are what is stored and not zero: feature after feature, class after
    class, ascending within, so that features of equal values tie. Class ``c`` of feature ``f`` has
    ``values[starts[f, c]:starts[f, c + 1]]`` and ``zeros[f, c]`` zeros; ``zero`` (n_features,) is
    the value of these: 0, or where 0 lies in standard units.
    """

    values: np.ndarray
    starts: np.ndarray
    zeros: np.ndarray
    zero: np.ndarray

    @classmethod
    def gather(
        cls, features: sparse.csr_array, strip: slice, class_of: np.ndarray, n_classes: int
    ) -> "SparseTile":
        """Gather a strip of features of a CSR array (n_features, n_samples) without duplicates.

        ``class_of`` (n_samples,) is as from `classes_of_samples`.
        """
        indptr = features.indptr[strip.start : strip.stop + 1].astype(np.int64)
        first, last = indptr[0], indptr[-1]
        values = np.empty(last - first)
        starts = np.empty((len(indptr) - 1, n_classes + 1), dtype=np.int64)
        indices, data = features.indices[first:last], features.data[first:last]
        _gather(indptr - first, indices, data, class_of, values, starts)
        sizes = np.bincount(class_of[class_of >= 0], minlength=n_classes)
        return cls(values, starts, sizes - np.diff(starts, axis=1), np.zeros(len(starts)))

    @property
    def sizes(self) -> np.ndarray:
        """Samples of each class, shape (n_classes,)."""
        return (self.zeros + np.diff(self.starts, axis=1))[0]

    def moments(self) -> np.ndarray:
        """Return mean, standard deviation (ddof=1) and greatest size, shape (3, n_features)."""
        out = np.empty((3, len(self.zero)))
        _moments(self, out)
        return out

    def deviations(self) -> np.ndarray:
        """Return the standard deviation (ddof=0) of each feature, shape (n_features,)."""
        n = self.sizes.sum()
        return self.moments()[1] * np.sqrt((n - 1) / n)

    def standardised(self) -> "SparseTile":
        """Return the tile in standard units."""
        standard = StandardUnits.of_moments(*self.moments())
        counts = self.starts[:, -1] - self.starts[:, 0]
        centres, units = np.repeat(standard.centres, counts), np.repeat(standard.units, counts)
        values = (self.values[: counts.sum()] - centres) / units
        return self._replace(values=values, zero=(self.zero - standard.centres) / standard.units)

    def bandwidths(self, rule: str, kernel: str, min_bandwidth: float) -> np.ndarray:  # noqa: ARG002
        """Return bandwidths (n_classes, n_features); the rule is one of `RULES_OF_THUMB`."""
        moments = np.empty((3, *self.zeros.T.shape))
        _write_moments(self, moments)
        spreads = moments[2]
        sizes = self.sizes[:, None] ** -0.2
        widths = np.where(np.isnan(spreads), SMALLEST_SPREAD, spreads)
        widths *= RULES_OF_THUMB[rule] * sizes
        if min_bandwidth > 0.0:
            floor = min_bandwidth * self.moments()[1] * sizes
            constant = np.isnan(spreads) & (floor > 0.0)
            widths = np.where(constant, floor, np.maximum(widths, floor))
        return widths

    def densities(
        self, widths: np.ndarray, *, kernel: str, n_grid: int, underflow: str
    ) -> np.ndarray:
        """Return densities on a grid, (n_classes, n_grid, n_features); see `grid_densities`."""
        out = np.empty((*self.zeros.shape, n_grid))
        if kernel == "gaussian":
            _sum_gaussians(self, widths, underflow == "log", out)
        else:
            _sum_kernels(self, widths, kernel_code(kernel), out)
        return np.ascontiguousarray(out.transpose(1, 2, 0))

    def separation(self, widths: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Return ``d² / (8 v)`` of class pairs, shape (n_pairs, n_features)."""
        means, squares = moments = np.empty((2, *self.zeros.T.shape))
        _write_moments(self, moments)
        sizes = self.sizes
        return separation(means, squares + sizes[:, None] * widths**2, sizes, pairs)


@njit(nogil=True)
def _gather(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    class_of: np.ndarray,
    values: np.ndarray,
    starts: np.ndarray,
) -> None:
    n_classes = starts.shape[1] - 1
    fill = np.empty(n_classes, np.int64)
    stop = 0
    for f in range(len(starts)):
        fill[:] = 0
        for k in range(indptr[f], indptr[f + 1]):
            c = class_of[indices[k]]
            if c >= 0 and data[k] != 0.0:
                fill[c] += 1
        starts[f, 0] = stop
        for c in range(n_classes):
            stop += fill[c]
            starts[f, c + 1] = stop
            fill[c] = starts[f, c]
        for k in range(indptr[f], indptr[f + 1]):
            c = class_of[indices[k]]
            if c >= 0 and data[k] != 0.0:
                values[fill[c]] = data[k]
                fill[c] += 1
        for c in range(n_classes):
            values[starts[f, c] : starts[f, c + 1]].sort()


@njit(nogil=True)
def _range(some: np.ndarray, zeros: int, zero: float) -> tuple[float, float]:
    low, high = np.inf, -np.inf
    if zeros > 0:
        low = high = zero
    for x in some:
        low, high = min(low, x), max(high, x)
    return low, high


@njit(nogil=True)
def _moments(tile: SparseTile, out: np.ndarray) -> None:
    for f in range(len(tile.starts)):
        some = tile.values[tile.starts[f, 0] : tile.starts[f, -1]]
        n_zeros, zero = tile.zeros[f].sum(), tile.zero[f]
        n = len(some) + n_zeros
        mean = (some.sum() + n_zeros * zero) / n
        low, high = _range(some, n_zeros, zero)
        square, scale = 0.0, high - low
        if scale > 0.0:
            for x in some:
                square += ((x - mean) / scale) ** 2
            square += n_zeros * ((zero - mean) / scale) ** 2
        out[0, f] = mean
        out[1, f] = scale * np.sqrt(square / max(n - 1, 1))
        out[2, f] = max(abs(low), abs(high))


@njit(nogil=True)
def _write_moments(tile: SparseTile, out: np.ndarray) -> None:
    """Write mean, sum of squares about it and, if there is a third row, spread.

    The spread is that of `xnbflow.density.bandwidth`, and NaN where all values are equal.
    """
    for f in range(len(tile.starts)):
        zero = tile.zero[f]
        for c in range(tile.zeros.shape[1]):
            some, n_zeros = tile.values[tile.starts[f, c] : tile.starts[f, c + 1]], tile.zeros[f, c]
            n = len(some) + n_zeros
            mean = (some.sum() + n_zeros * zero) / n
            square = n_zeros * (zero - mean) ** 2
            for x in some:
                square += (x - mean) ** 2
            out[0, c, f], out[1, c, f] = mean, square
            if len(out) == 2:
                continue
            found = np.sqrt(square / max(n - 1, 1))
            quartiles = _quantile(some, n_zeros, zero, 0.75) - _quantile(some, n_zeros, zero, 0.25)
            if quartiles > 0.0:
                found = min(found, quartiles / 1.349)
            found = SMALLEST_SPREAD if found < _TINY else found
            low, high = _range(some[:: max(1, len(some) - 1)], n_zeros, zero)  # of ascending values
            out[2, c, f] = np.nan if low == high else found


@njit(nogil=True)
def _quantile(some: np.ndarray, n_zeros: int, zero: float, p: float) -> float:
    """Return Hazen's quantile of ascending values with zeros between them."""
    first = int(np.searchsorted(some, zero))
    below, above, share = hazen(len(some) + n_zeros, p)
    low = _ranked(some, first, n_zeros, zero, below)
    return low + share * (_ranked(some, first, n_zeros, zero, above) - low)


@njit(nogil=True)
def _ranked(some: np.ndarray, first: int, n_zeros: int, zero: float, rank: int) -> float:
    if rank < first:
        return some[rank]
    return zero if rank < first + n_zeros else some[rank - n_zeros]


@njit(nogil=True)
def _sum_gaussians(
    tile: SparseTile, bandwidths: np.ndarray, in_logs: bool, out: np.ndarray
) -> None:
    n_features, n_classes, n_grid = out.shape
    longest = 1 + len(tile.values)
    terms, ratios = np.empty(longest), np.empty(longest)
    for f in range(n_features):
        zero, starts = tile.zero[f], tile.starts[f]
        low, high = _range(tile.values[starts[0] : starts[-1]], tile.zeros[f].sum(), zero)
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            some, n_zeros = tile.values[starts[c] : starts[c + 1]], tile.zeros[f, c]
            h = bandwidths[c, f]
            if step > WIDEST_STEP * h:
                every = np.full(len(some) + (n_zeros > 0), zero)
                every[: len(some)] = some
                points, widths = np.linspace(low, high, n_grid), np.full(len(every), h)
                write_exact(every, max(n_zeros, 1), widths, points, in_logs, out[f, c])
                continue
            size = max(1, int(2.0 * REACH / max(2.0 * REACH / n_grid, step / h)))
            for first in range(0, n_grid, size):
                piece = out[f, c, first : first + size]
                anchor = low + (first + len(piece) // 2) * step
                _sum_powers(some, n_zeros, zero, h, anchor, step, terms, ratios, piece)
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
    n, middle, s = len(some) + (n_zeros > 0), len(out) // 2, step / h
    terms, ratios = terms[:n], ratios[:n]
    for direction in (1, -1):
        # Twice the same terms: that they are computed anew costs less than to keep them.
        _first_terms(some, n_zeros, zero, h, anchor, s * direction, terms, ratios)
        g = middle
        if direction < 0:
            for i in range(n):
                terms[i] *= ratios[i]
            g -= 1
        while 0 <= g < len(out):
            even, odd = _sum_two(terms, ratios)
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
) -> None:
    """Write each sample's kernel at the anchor and its factor per step; the zeros come last."""
    per_h = 1.0 / h
    for i in range(len(some)):
        terms[i] = some[i]
    if n_zeros > 0:
        terms[len(some)] = zero
    for i in range(len(terms)):
        u = min(max((terms[i] - anchor) * per_h, -FARTHEST), FARTHEST)
        terms[i] = -0.5 * u * u
        ratios[i] = s * u
    exponentiate(terms)
    exponentiate(ratios)
    if n_zeros > 0:
        terms[len(some)] *= n_zeros


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
def _sum_kernels(tile: SparseTile, bandwidths: np.ndarray, code: int, out: np.ndarray) -> None:
    """Write the grid densities of any kernel."""
    n_features, n_classes, n_grid = out.shape
    for f in range(n_features):
        zero, starts = tile.zero[f], tile.starts[f]
        low, high = _range(tile.values[starts[0] : starts[-1]], tile.zeros[f].sum(), zero)
        step = (high - low) / (n_grid - 1)
        for c in range(n_classes):
            some, h = tile.values[starts[c] : starts[c + 1]], bandwidths[c, f]
            terms = np.empty(len(some) + 1)
            for g in range(n_grid):
                x = low + g * step
                for i in range(len(some)):
                    terms[i] = (x - some[i]) / h
                terms[-1] = (x - zero) / h
                apply_kernel(code, terms)
                terms[-1] *= tile.zeros[f, c]
                out[f, c, g] = terms.sum() / h
            _normalize(out[f, c])
