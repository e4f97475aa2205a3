"""Sparse tiles: a strip of features of which only what is not zero is stored, class by class.

All zeros of a class are one value that occurs so many times. A sum over the samples is then a sum
over the stored values and one more term, so that zeros cost nothing; it is the sum that a dense
tile (`xnbflow.density.tiles`) gives, to rounding.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from xnbflow.data.errors import InputError
from xnbflow.density.bandwidth import SMALLEST_SPREAD
from xnbflow.density.jit import njit

__all__ = ["SPARSE_FACTORS", "SparseTile", "classes_of_samples"]

#: The rules that need moments and quartiles only, with their factors; the others look at pairs of
#: samples, zeros among them.
SPARSE_FACTORS = {"silverman": 0.9, "scott": 1.059}

#: Spreads below this share of a feature's size are rounding errors: the feature is constant.
_ROUNDING = 64.0 * np.finfo(np.float64).eps
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

    def standardised(self) -> "SparseTile":
        """Return the tile in the units of `xnbflow.density.standard.StandardUnits`."""
        centres, units, size = self.spreads()
        if not (np.isfinite(units).all() and np.isfinite(centres).all()):
            msg = "a feature is so large that its range overflows; scale the features down"
            raise InputError(msg)
        units = np.where(units > _ROUNDING * size, units, np.inf)
        counts = self.starts[:, -1] - self.starts[:, 0]
        values = (self.values[: counts.sum()] - np.repeat(centres, counts)) / np.repeat(
            units, counts
        )
        return replace(self, values=values, zero=(self.zero - centres) / units)

    def bandwidths(
        self, rule: str, min_bandwidth: float = 0.0, spreads: np.ndarray | None = None
    ) -> np.ndarray:
        """Return `xnbflow.density.bandwidth.bandwidths_of`, for a rule of `SPARSE_FACTORS`.

        Returns
        -------
        ndarray of shape (n_classes, n_features)
        """
        n_features, n_classes = self.zeros.shape
        widths = np.empty((n_classes, n_features))
        constant = np.empty((n_classes, n_features), dtype=bool)
        _rule_of_thumb(self.values, self.starts, self.zeros, self.zero, widths, constant)
        sizes = self.sizes[:, None] ** -0.2
        widths *= SPARSE_FACTORS[rule] * sizes
        if min_bandwidth > 0.0:
            floor = min_bandwidth * (self.spreads()[1] if spreads is None else spreads) * sizes
            widths = np.where(constant & (floor > 0.0), floor, np.maximum(widths, floor))
        return widths


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
