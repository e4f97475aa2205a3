"""Within-class correlations of all pairs of features (XNB paper, Table 1, column P).

They are the inner products of residuals from the class means, of length 1: a matrix times its
transpose. BLAS makes a tile of its upper triangle in float32, which is searched while in cache.
Comparisons within the error bound of float32 are repeated in float64.
"""

import queue
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numba
import numpy as np
import pandas as pd
from threadpoolctl import ThreadpoolController

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.rounding import ROUNDING
from xnbflow.density.tiles import map_strips
from xnbflow.diagnostics.features import class_codes, feature_rows, refuse_not_finite

#: Rows and columns of a tile: a megabyte of float32, to stay in a core's L2 cache.
_TILE = 512
#: All bits of a float32 but its sign.
_NO_SIGN = np.int32(0x7FFFFFFF)
#: Bins of the histogram of |r|, from 0 to 1.
_BINS = 50
#: At most about this many pairs go into the histogram.
_HISTOGRAM_PAIRS = 2**24


def normalised_residuals(X: np.ndarray | pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """Subtract from each feature its class means and scale what remains to unit length.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Class labels.

    Returns
    -------
    ndarray of float64, shape (n_features, n_samples)
        The inner product of two rows is their within-class correlation. A feature that is constant
        within every class has zeros, as has a class of one sample.

    Raises
    ------
    InputError
        If y does not have one label per sample, if a value is not finite, or if there are not at
        least 2 more samples than classes (all residuals would be multiples of one another).

    Examples
    --------
    >>> X = np.array([[1.0, 2.0], [3.0, 5.0], [6.0, 0.0], [8.0, 1.0]])
    >>> rows = normalised_residuals(X, ["a", "a", "b", "b"])
    >>> print(round(rows[0] @ rows[1], 4))
    0.8944
    """
    features = feature_rows(X)
    n_features, n_samples = features.shape
    classes, codes = class_codes(y, n_samples)
    if n_samples < len(classes) + 2:
        msg = (
            f"{n_samples} samples in {len(classes)} classes leave no correlation within classes; "
            "give at least 2 more samples than classes"
        )
        raise InputError(msg)
    residuals = np.empty(features.shape)

    def subtract(block: slice) -> None:
        _subtract(features[block], codes, residuals[block])

    map_strips(subtract, n_features, n_samples)
    if np.isnan(residuals[:, 0]).any():
        refuse_not_finite(X, int(np.argmax(np.isnan(residuals[:, 0]))))
    return residuals


def top_partners(residuals: np.ndarray, n_partners: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Find the ``n_partners`` features that correlate most with each feature.

    Parameters
    ----------
    residuals : ndarray of float64, shape (n_features, n_samples)
        From `normalised_residuals`.
    n_partners : int

    Returns
    -------
    partner : ndarray of int, shape (n_features, n_partners)
        Row numbers, by falling ``|r|``, ties by rising number; -1 where no further feature has a
        correlation other than 0.
    r : ndarray of float64, shape (n_features, n_partners)
        The signed correlations; 0 where there is no partner.

    Examples
    --------
    >>> rows = normalised_residuals(np.array([[0.0, 0, 1], [1, 3, 2], [2, 5, 0]]), [1, 1, 1])
    >>> partner, r = top_partners(rows)
    >>> partner[:, 0], r[:, 0].round(3)
    (array([1, 0, 0]), array([ 0.993,  0.993, -0.5  ]))
    """
    partner, r, _, _ = scan_pairs(residuals, n_partners=n_partners)
    return partner, r


def scan_pairs(
    residuals: np.ndarray, *, n_partners: int = 1, cut: float = np.inf
) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
    """Compute the correlations of all pairs once, in tiles that are not stored.

    The results are partners and correlations as from `top_partners`, the number of pairs with |r|
    above ``cut``, and counts of |r| in 50 equal bins from 0 to 1 over every pair (i, j > i) whose i
    is a multiple of a stride: 1 up to about 16 million pairs, then larger.

    The result does not depend on the number of threads. Each has a tile of its own and a BLAS
    limited to one thread: on such small tiles a BLAS with several threads is slower.
    """
    n_features, n_samples = residuals.shape
    if n_partners < 1:
        msg = f"n_partners is {n_partners}; it must be at least 1"
        raise InputError(msg)
    screen = residuals.astype(np.float32)
    varies = np.any(residuals, axis=1)
    # |float32 product - r| <= (n + 4) 2**-24 for rows of length 1: two roundings, then n summands
    band = 1e-6 + n_samples * 2.0**-24
    stride = 1 + n_features**2 // (2 * _HISTOGRAM_PAIRS)
    n_threads = numba.get_num_threads()
    strips: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for start in [*range(0, n_features, _TILE), *[None] * n_threads]:
        strips.put(start)

    def search(_: int) -> tuple[np.ndarray, np.ndarray, int, np.ndarray]:
        partner = np.full((n_features, n_partners), -1)
        r = np.zeros((n_features, n_partners))
        histogram = np.zeros(_BINS, dtype=np.int64)
        buffer = np.empty(_TILE * _TILE, dtype=np.float32)
        n_pairs = 0
        for first in iter(strips.get, None):
            rows = screen[first : first + _TILE]
            for second in range(first, n_features, _TILE):
                columns = screen[second : second + _TILE]
                tile = buffer[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                np.matmul(rows, columns.T, out=tile)
                at = (first, second)
                n_pairs += _search_tile(tile, at, residuals, varies, cut, band, partner, r)
                _count_bins(tile, at, stride, residuals, band, histogram)
        return partner, r, n_pairs, histogram

    with _libraries().limit(limits=1, user_api="blas"), ThreadPoolExecutor(n_threads) as pool:
        found = zip(*pool.map(search, range(n_threads)), strict=True)
    partners, rs, n_pairs, histograms = found  # each thread has searched other tiles
    partner, r = np.concatenate(partners, axis=1), np.concatenate(rs, axis=1)
    best = np.lexsort((partner, -np.abs(r)), axis=1)[:, :n_partners]
    partner, r = (np.take_along_axis(each, best, axis=1) for each in (partner, r))
    return partner, r, sum(n_pairs), np.sum(histograms, axis=0)


@cache
def _libraries() -> ThreadpoolController:
    """Return the loaded BLAS; the search takes longer than the product of small matrices."""
    return ThreadpoolController()


@njit(nogil=True)
def _subtract(features: np.ndarray, codes: np.ndarray, residuals: np.ndarray) -> None:
    """Write each feature's residuals from its class means, of length 1; NaN if not finite.

    A class is first shifted by its first value, so that a constant class leaves exact zeros.
    """
    n_samples, n_classes = len(codes), 0
    for code in codes:
        n_classes = max(n_classes, code + 1)
    count, first = np.zeros(n_classes, dtype=np.int64), np.zeros(n_classes, dtype=np.int64)
    for j in range(n_samples - 1, -1, -1):
        count[codes[j]] += 1
        first[codes[j]] = j
    mean = np.empty(len(count))
    for i in range(len(features)):
        row = residuals[i]
        mean[:] = 0.0
        for j in range(n_samples):
            row[j] = features[i, j] - features[i, first[codes[j]]]
            mean[codes[j]] += row[j] / count[codes[j]]
        largest = poison = 0.0
        for j in range(n_samples):
            row[j] -= mean[codes[j]]
            largest = max(largest, abs(row[j]))
            poison += 0.0 * row[j]  # NaN from the first value on that is not finite
        unit = largest if largest > 0.0 else 1.0
        square = 0.0
        for j in range(n_samples):
            row[j] /= unit
            square += row[j] * row[j]
        length = np.sqrt(square) if square > 0.0 else 1.0
        for j in range(n_samples):
            row[j] = row[j] / length + poison


@njit(nogil=True)
def _search_tile(
    tile: np.ndarray,
    at: tuple[int, int],
    residuals: np.ndarray,
    varies: np.ndarray,
    cut: float,
    band: float,
    partner: np.ndarray,
    r: np.ndarray,
) -> int:
    """Add a tile's pairs to the lists of both features; return the number with |r| above the cut.

    A row is searched again only if a value is within ``band`` of the cut or of the list of one of
    its two features, which is rare after a few tiles. A tile on the diagonal has its pairs twice,
    so only the row's feature is used there.
    """
    diagonal = at[0] == at[1]
    limits = np.full(tile.shape[1], np.float32(np.inf), dtype=np.float32)
    for b in range(tile.shape[1]):
        if diagonal:
            tile[b, b] = 0.0
        elif varies[at[1] + b]:
            limits[b] = max(0.0, abs(r[at[1] + b, -1]) - band)
    bits, limit_bits = tile.view(np.int32), limits.view(np.int32)
    largest = np.empty(1, dtype=np.int32)
    largest_value = largest.view(np.float32)
    n_pairs = 0
    for a in range(tile.shape[0]):
        i = at[0] + a
        largest[0], beyond = _look_over(bits[a], limit_bits)
        if largest_value[0] > cut - band:
            n_pairs += _count_above(tile[a], i, at[1], residuals, cut, band)
        if varies[i] and largest_value[0] >= abs(r[i, -1]) - band:
            _offer_line(tile[a], i, at[1], residuals, band, partner[i], r[i])
        if beyond:
            for b in range(tile.shape[1]):
                if abs(tile[a, b]) >= limits[b]:
                    j = at[1] + b
                    _offer(i, _correlation(residuals, i, j), partner[j], r[j])
                    limits[b] = max(0.0, abs(r[j, -1]) - band)
    return n_pairs // 2 if diagonal else n_pairs


@njit(nogil=True)
def _look_over(row: np.ndarray, limits: np.ndarray) -> tuple[np.int32, np.int32]:
    """Return the largest absolute value, and whether one reaches the limit of its column.

    Floats without their sign are ordered as their bits are, whose maximum LLVM vectorises.
    """
    largest = beyond = np.int32(0)
    for b in range(len(row)):
        value = np.int32(row[b] & _NO_SIGN)
        largest = max(largest, value)
        beyond |= np.int32(value >= limits[b])
    return largest, beyond


@njit(nogil=True, fastmath={"reassoc"})
def _count_above(
    row: np.ndarray, i: int, first: int, residuals: np.ndarray, cut: float, band: float
) -> int:
    """Return how many pairs of feature i and those from ``first`` on have |r| above the cut."""
    low, high = np.float32(cut - band), np.float32(cut + band)
    near = sure = np.float32(0.0)
    for b in range(len(row)):
        value = abs(row[b])
        near += np.float32(1.0) if value > low else np.float32(0.0)
        sure += np.float32(1.0) if value > high else np.float32(0.0)
    count = int(sure)
    if near > sure:
        for b in range(len(row)):
            if low < abs(row[b]) <= high and i != first + b:
                count += abs(_correlation(residuals, i, first + b)) > cut
    return count


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _correlation(residuals: np.ndarray, i: int, j: int) -> float:
    """Return r of two features in float64."""
    r = 0.0
    for sample in range(residuals.shape[1]):
        r += residuals[i, sample] * residuals[j, sample]
    return min(1.0, max(-1.0, r))


@njit(nogil=True)
def _offer_line(
    line: np.ndarray,
    i: int,
    first: int,
    residuals: np.ndarray,
    band: float,
    partners: np.ndarray,
    rs: np.ndarray,
) -> None:
    """Add to the list of feature i those from ``first`` on that may precede its last entry."""
    for b in range(len(line)):
        if abs(line[b]) >= abs(rs[-1]) - band and first + b != i:
            _offer(first + b, _correlation(residuals, i, first + b), partners, rs)


@njit(nogil=True)
def _offer(j: int, r: float, partners: np.ndarray, rs: np.ndarray) -> None:
    """Insert feature j into a list by falling |r|, if it precedes the last entry.

    A thread adds features by rising number, so that the first of equals precedes the others.
    """
    place = len(rs)
    while place > 0 and abs(r) > abs(rs[place - 1]):
        place -= 1
        if place + 1 < len(rs):
            partners[place + 1], rs[place + 1] = partners[place], rs[place]
    if place < len(rs):
        partners[place], rs[place] = j, r


@njit(nogil=True)
def _count_bins(
    tile: np.ndarray,
    at: tuple[int, int],
    stride: int,
    residuals: np.ndarray,
    band: float,
    histogram: np.ndarray,
) -> None:
    """Count |r| of the pairs (i, j > i) whose i is a multiple of ``stride``.

    An r within ``band`` of a limit of bins is computed in float64; one that equals the limit but
    for rounding is above it.
    """
    n_bins = len(histogram)
    for a in range(-at[0] % stride, len(tile), stride):
        for b in range(a + 1 if at[0] == at[1] else 0, tile.shape[1]):
            r = float(abs(tile[a, b]))
            limit = np.rint(r * n_bins) / n_bins
            if limit > 0.0 and abs(r - limit) < band:
                r = abs(_correlation(residuals, at[0] + a, at[1] + b)) + ROUNDING
            histogram[min(int(r * n_bins), n_bins - 1)] += 1
