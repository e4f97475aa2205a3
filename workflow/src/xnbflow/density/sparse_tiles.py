"""Sparse tiles: a strip of features of which only what is not zero is stored, class by class.

All zeros of a class are one value that occurs so many times. A sum over the samples is then a sum
over the stored values and one more term, so that zeros cost nothing; it is the sum that a dense
tile (`xnbflow.density.class_tiles`) gives, to rounding.

Densities on a grid are those of `xnbflow.density.grid`, powers of exponentials between anchors. A
tile holds few features, each with its own samples, so that vector instructions go along the samples
here.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from xnbflow.density.bandwidth import SMALLEST_SPREAD
from xnbflow.density.grid import FARTHEST, LOG_NOTHING, LOG_SQRT_2PI, REACH, WIDEST_STEP
from xnbflow.density.jit import njit
from xnbflow.density.kernels import apply_kernel, exponentiate, kernel_code
from xnbflow.density.standard import StandardUnits

__all__ = ["SPARSE_FACTORS", "SparseTile", "classes_of_samples"]

#: The rules that need moments and quartiles only, with their factors; the others look at pairs of
#: samples, zeros among them.
SPARSE_FACTORS = {"silverman": 0.9, "scott": 1.059}

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


@dataclass(frozen=True)
class SparseTile:
    """Some features, with the values of each class side by side.

    Attributes
    ----------
    values : ndarray of float64, shape (n_values,)
        What is stored and not zero: feature after feature, class after class, ascending within, so
        that sums do not depend on the order of the samples: features of equal values tie.
    starts : ndarray of int, shape (n_features, n_classes + 1)
        Class ``c`` of feature ``f`` has ``values[starts[f, c]:starts[f, c + 1]]``.
    zeros : ndarray of int, shape (n_features, n_classes)
        How many zeros each class has.
    zero : ndarray of float64, shape (n_features,)
        What the zeros are: 0, or where 0 lies in standard units.
    """

    values: np.ndarray
    starts: np.ndarray
    zeros: np.ndarray
    zero: np.ndarray

    @classmethod
    def gather(
        cls, features: sparse.csr_array, strip: slice, class_of: np.ndarray, n_classes: int
    ) -> "SparseTile":
        """Gather a strip of features.

        Parameters
        ----------
        features : CSR array of shape (n_features, n_samples)
            Without duplicate entries.
        strip : slice
        class_of : ndarray of int, shape (n_samples,)
            See `classes_of_samples`.
        n_classes : int
        """
        indptr = features.indptr[strip.start : strip.stop + 1].astype(np.int64)
        first, last = indptr[0], indptr[-1]
        values = np.empty(last - first)
        starts = np.empty((len(indptr) - 1, n_classes + 1), dtype=np.int64)
        _gather(
            indptr - first,
            features.indices[first:last],
            features.data[first:last],
            class_of,
            values,
            starts,
        )
        sizes = np.bincount(class_of[class_of >= 0], minlength=n_classes)
        return cls(values, starts, sizes - np.diff(starts, axis=1), np.zeros(len(starts)))

    @property
    def sizes(self) -> np.ndarray:
        """Samples of each class, shape (n_classes,)."""
        return (self.zeros + np.diff(self.starts, axis=1))[0]

    def spreads(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return mean, standard deviation (ddof=1) and greatest size of each feature."""
        out = np.empty((3, len(self.zero)))
        _overall(self.values, self.starts, self.zeros, self.zero, out)
        return out[0], out[1], out[2]

    def deviations(self) -> np.ndarray:
        """Return the standard deviation (ddof=0) of each feature, shape (n_features,)."""
        n = self.sizes.sum()
        return self.spreads()[1] * np.sqrt((n - 1) / n)

    def standardised(self) -> "SparseTile":
        """Return the tile in standard units."""
        standard = StandardUnits.of_moments(*self.spreads())
        counts = self.starts[:, -1] - self.starts[:, 0]
        centres, units = np.repeat(standard.centres, counts), np.repeat(standard.units, counts)
        values = (self.values[: counts.sum()] - centres) / units
        return replace(self, values=values, zero=(self.zero - standard.centres) / standard.units)

    def bandwidths(self, rule: str, kernel: str, min_bandwidth: float) -> np.ndarray:  # noqa: ARG002
        """Return bandwidths, shape (n_classes, n_features); the rule is one of `SPARSE_FACTORS`."""
        n_features, n_classes = self.zeros.shape
        widths = np.empty((n_classes, n_features))
        constant = np.empty((n_classes, n_features), dtype=bool)
        _rule_of_thumb(self.values, self.starts, self.zeros, self.zero, widths, constant)
        sizes = self.sizes[:, None] ** -0.2
        widths *= SPARSE_FACTORS[rule] * sizes
        if min_bandwidth > 0.0:
            floor = min_bandwidth * self.spreads()[1] * sizes
            widths = np.where(constant & (floor > 0.0), floor, np.maximum(widths, floor))
        return widths

    def densities(
        self, widths: np.ndarray, *, kernel: str, n_grid: int, underflow: str
    ) -> np.ndarray:
        """Return densities on a grid, (n_classes, n_grid, n_features); see `grid_densities`."""
        n_classes, n_features = widths.shape
        out = np.empty((n_features, n_classes, n_grid))
        arrays = self.values, self.starts, self.zeros, self.zero
        if kernel == "gaussian":
            _sum_gaussians(*arrays, widths, underflow == "log", out)
        else:
            _sum_kernels(*arrays, widths, kernel_code(kernel), out)
        return np.ascontiguousarray(out.transpose(1, 2, 0))

    def separation(self, widths: np.ndarray, pairs: np.ndarray) -> np.ndarray:
        """Return ``d² / (8 v)`` of class pairs, shape (n_pairs, n_features)."""
        out = np.empty((len(pairs), len(self.zero)))
        _separation(self.values, self.starts, self.zeros, self.zero, widths, pairs, out)
        return out


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
def _overall(
    values: np.ndarray, starts: np.ndarray, zeros: np.ndarray, zero: np.ndarray, out: np.ndarray
) -> None:
    """Write mean, standard deviation (ddof=1) and greatest size of each feature."""
    for f in range(len(starts)):
        some = values[starts[f, 0] : starts[f, -1]]
        n_zeros = zeros[f].sum()
        n = len(some) + n_zeros
        mean = (some.sum() + n_zeros * zero[f]) / n
        low = high = zero[f] if n_zeros else some[0]
        for x in some:
            low, high = min(low, x), max(high, x)
        square, scale = 0.0, high - low
        if scale > 0.0:
            for x in some:
                square += ((x - mean) / scale) ** 2
            square += n_zeros * ((zero[f] - mean) / scale) ** 2
        out[0, f] = mean
        out[1, f] = scale * np.sqrt(square / max(n - 1, 1))
        out[2, f] = max(abs(low), abs(high))


@njit(nogil=True)
def _rule_of_thumb(
    values: np.ndarray,
    starts: np.ndarray,
    zeros: np.ndarray,
    zero: np.ndarray,
    out: np.ndarray,
    constant: np.ndarray,
) -> None:
    """Write `xnbflow.density.bandwidth.spread`, and where all values are equal."""
    for f in range(len(starts)):
        for c in range(zeros.shape[1]):
            some, n_zeros = values[starts[f, c] : starts[f, c + 1]], zeros[f, c]
            n = len(some) + n_zeros
            total, low, high = 0.0, np.inf, -np.inf
            if n_zeros:
                low = high = zero[f]
            for x in some:
                total += x
                low, high = min(low, x), max(high, x)
            mean = (total + n_zeros * zero[f]) / n
            square = n_zeros * (zero[f] - mean) ** 2
            for x in some:
                square += (x - mean) ** 2
            found = np.sqrt(square / max(n - 1, 1))
            quartiles = _quartile_range(some, n_zeros, zero[f]) / 1.349
            if quartiles > 0.0:
                found = min(found, quartiles)
            constant[c, f] = low == high
            out[c, f] = SMALLEST_SPREAD if low == high or found < _TINY else found


@njit(nogil=True)
def _quartile_range(some: np.ndarray, n_zeros: int, zero: float) -> float:
    """Return the distance of Hazen's quartiles of ascending values with zeros between them."""
    below = int(np.searchsorted(some, zero))
    n = len(some) + n_zeros
    first = min(max(0.25 * n - 0.5, 0.0), n - 1.0)
    last = min(max(0.75 * n - 0.5, 0.0), n - 1.0)
    return _at(some, below, n_zeros, zero, last) - _at(some, below, n_zeros, zero, first)


@njit(nogil=True)
def _at(ascending: np.ndarray, below: int, n_zeros: int, zero: float, position: float) -> float:
    """Return what stands at a position, between two ranks in proportion."""
    rank = int(position)
    low = _ranked(ascending, below, n_zeros, zero, rank)
    high = _ranked(ascending, below, n_zeros, zero, min(rank + 1, len(ascending) + n_zeros - 1))
    return low + (position - rank) * (high - low)


@njit(nogil=True)
def _ranked(ascending: np.ndarray, below: int, n_zeros: int, zero: float, rank: int) -> float:
    if rank < below:
        return ascending[rank]
    return zero if rank < below + n_zeros else ascending[rank - n_zeros]


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
