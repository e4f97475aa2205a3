"""Within-class correlations of pairs of features (XNB paper, Table 1, column P).

**The idea.** A correlation within classes is the inner product of two features' residuals from the
class means, each scaled to length 1. All of them are a matrix times its transpose: of 54,675
features 1.5 billion numbers, too many to store. So BLAS computes square tiles of the upper
triangle in float32, of which a vector instruction holds twice as many as of float64. A tile is
searched while it is in the cache: for the best partners of each feature, the pairs above a cut, and
a histogram. Most of a tile cannot change any of these, which one pass of comparisons shows
(`_compare_with_limits`).

**The formula.** With ``x_is`` the value of feature ``i`` in sample ``s``, and ``m_ic`` the mean of
the feature over the samples of class ``c``,

    e_is = x_is - m_ic,  c the class of s        r_ij = e_i · e_j / (|e_i| |e_j|)

where ``e_i`` is the vector of the ``e_is`` of all samples.

**The error.** A product of float32 differs from r by at most ``(n + 4) 2**-24`` for ``n`` samples:
both factors are rounded, and n summands are added. ``error`` in this module is a slightly higher
bound (`_float32_error`). Where a float32 value is closer than ``error`` to a number with which it
is compared, r is computed in float64 and compared again. So all results are those of float64.

**An example.** Two classes of two samples. Feature 1 has the values 1, 3 | 6, 8 and the residuals
-1, 1 | -1, 1, of length 2; feature 2 has 2, 5 | 0, 1, and -1.5, 1.5 | -.5, .5, of length √5. Their
correlation is (1.5 + 1.5 + .5 + .5) / (2 √5) = .8944.

`residuals @ residuals.T` is the simple version, to which the tests compare. `scan_pairs` computes
all pairs, `scan_features` the pairs of some features with all others.

**Names.** ``residuals`` are float64, ``residuals32`` their copy in float32. Feature ``i`` is in row
``a`` of a tile, feature ``j`` in column ``b``. Each feature has a list of its best partners, by
descending ``|r|``: ``partner[i]`` are their numbers and ``r[i]`` their correlations. A feature
enters the list if its ``|r|`` is above the last one.
"""

import queue
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
import pandas as pd

from xnbflow.core.blas import one_blas_thread
from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.rounding import ROUNDING
from xnbflow.density.tiles import map_strips
from xnbflow.diagnostics.features import codes_of_labels, feature_rows, refuse_not_finite

#: Rows and columns of a tile: a megabyte of float32, to stay in a core's L2 cache.
_TILE = 512
#: All bits of a float32 except its sign.
_NO_SIGN = np.int32(0x7FFFFFFF)
#: Bins of the histogram of |r|, from 0 to 1.
_BINS = 50
#: About the greatest number of pairs in the histogram, whose shape needs no more.
_HISTOGRAM_PAIRS = 2**24


def normalised_residuals(X: np.ndarray | pd.DataFrame, y: np.ndarray) -> np.ndarray:
    """Subtract the class means from each feature and scale the residuals to unit length.

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
    classes, codes = codes_of_labels(y, n_samples)
    if n_samples < len(classes) + 2:
        msg = (
            f"{n_samples} samples in {len(classes)} classes leave no correlation within classes; "
            "give at least 2 more samples than classes"
        )
        raise InputError(msg)
    residuals = np.empty(features.shape)

    def subtract(block: slice) -> None:
        _write_residuals(features[block], codes, residuals[block])

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
        Row numbers, by descending ``|r|``, ties by ascending number; -1 where no further feature
        has a correlation other than 0.
    r : ndarray of float64, shape (n_features, n_partners)
        The signed correlations; 0 where there is no partner.

    Examples
    --------
    >>> rows = normalised_residuals(np.array([[0.0, 0, 1], [1, 3, 2], [2, 5, 0]]), [1, 1, 1])
    >>> partner, r = top_partners(rows)
    >>> partner[:, 0], r[:, 0].round(3)
    (array([1, 0, 0]), array([ 0.993,  0.993, -0.5  ]))
    """
    pairs = scan_pairs(residuals, n_partners=n_partners)
    return pairs.partner, pairs.r


@dataclass(frozen=True, kw_only=True)
class PairScan:
    """The results of `scan_pairs`.

    Attributes
    ----------
    partner, r : ndarray of shape (n_features, n_partners)
        The features that correlate most with each feature, as from `top_partners`.
    n_pairs : int
        The number of pairs with ``|r|`` above the cut.
    histogram : ndarray of int, shape (50,)
        Counts of ``|r|`` in equal bins from 0 to 1, over every pair (i, j > i) whose i is a
        multiple of a stride: 1 up to about 16 million pairs, then larger.
    """

    partner: np.ndarray
    r: np.ndarray
    n_pairs: int
    histogram: np.ndarray


def scan_pairs(residuals: np.ndarray, *, n_partners: int = 1, cut: float = np.inf) -> PairScan:
    """Compute the correlations of all pairs once, in tiles that are not stored.

    The result does not depend on the number of threads. Each thread takes strips of rows from a
    queue, and has a tile and a list of partners of its own. BLAS is limited to one thread, because
    on such small tiles a BLAS with several threads is slower.

    Parameters
    ----------
    residuals : ndarray of float64, shape (n_features, n_samples)
        From `normalised_residuals`.
    n_partners : int, default=1
        Length of the list of partners of each feature.
    cut : float
        Least ``|r|`` of a counted pair, exclusive; by default none is counted.

    Raises
    ------
    InputError
        If ``n_partners`` is less than 1.

    Examples
    --------
    >>> rows = normalised_residuals(np.array([[0.0, 0, 1], [1, 3, 2], [2, 5, 0]]), [1, 1, 1])
    >>> pairs = scan_pairs(rows, cut=0.4)
    >>> pairs.n_pairs, pairs.partner[:, 0].tolist(), int(pairs.histogram.sum())
    (2, [1, 0, 0], 3)
    """
    n_features, n_samples = residuals.shape
    if n_partners < 1:
        msg = f"n_partners is {n_partners}; it must be at least 1"
        raise InputError(msg)
    residuals32 = residuals.astype(np.float32)
    varies = np.any(residuals, axis=1)
    error = _float32_error(n_samples)
    stride = 1 + n_features**2 // (2 * _HISTOGRAM_PAIRS)
    n_threads = numba.get_num_threads()
    strips: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for start in range(0, n_features, _TILE):
        strips.put(start)
    for _ in range(n_threads):
        strips.put(None)  # ends a thread

    def scan_strips(_: int) -> PairScan:
        """Return the results of one thread, for the strips that it takes from the queue."""
        partner = np.full((n_features, n_partners), -1)
        r = np.zeros((n_features, n_partners))
        histogram = np.zeros(_BINS, dtype=np.int64)
        buffer = np.empty(_TILE * _TILE, dtype=np.float32)
        n_pairs = 0
        for first in iter(strips.get, None):
            rows = residuals32[first : first + _TILE]
            for second in range(first, n_features, _TILE):
                columns = residuals32[second : second + _TILE]
                tile = buffer[: len(rows) * len(columns)].reshape(len(rows), len(columns))
                np.matmul(rows, columns.T, out=tile)
                n_pairs += _search_tile(
                    tile,
                    first_row=first,
                    first_column=second,
                    residuals=residuals,
                    varies=varies,
                    cut=cut,
                    error=error,
                    partner=partner,
                    r=r,
                )
                _count_bins(
                    tile,
                    first_row=first,
                    first_column=second,
                    stride=stride,
                    residuals=residuals,
                    error=error,
                    histogram=histogram,
                )
        return PairScan(partner=partner, r=r, n_pairs=n_pairs, histogram=histogram)

    with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
        scans = list(pool.map(scan_strips, range(n_threads)))

    # Each thread has the best partners among its tiles; the best of all are among them.
    partner = np.concatenate([scan.partner for scan in scans], axis=1)
    r = np.concatenate([scan.r for scan in scans], axis=1)
    best = np.lexsort((partner, -np.abs(r)), axis=1)[:, :n_partners]
    return PairScan(
        partner=np.take_along_axis(partner, best, axis=1),
        r=np.take_along_axis(r, best, axis=1),
        n_pairs=sum(scan.n_pairs for scan in scans),
        histogram=np.sum([scan.histogram for scan in scans], axis=0),
    )


@dataclass(frozen=True, kw_only=True)
class FeatureScan:
    """The results of `scan_features`.

    Attributes
    ----------
    partner, r : ndarray of shape (n_scanned,)
        The feature that correlates most with each scanned one, the first of equals, and its signed
        correlation; -1 and 0 where no correlation differs from 0.
    n_above : ndarray of int, shape (n_scanned,)
        With how many other features ``|r|`` is above the cut.
    """

    partner: np.ndarray
    r: np.ndarray
    n_above: np.ndarray


def scan_features(residuals: np.ndarray, features: np.ndarray, *, cut: float) -> FeatureScan:
    """Compute the correlations of some features with all others, in tiles that are not stored.

    Each feature is searched by one thread from the first other feature to the last, so the result
    does not depend on the number of threads.

    Parameters
    ----------
    residuals : ndarray of float64, shape (n_features, n_samples)
        From `normalised_residuals`.
    features : ndarray of int, shape (n_scanned,)
        Rows of ``residuals``.
    cut : float
        Least ``|r|`` of a counted pair, exclusive.

    Examples
    --------
    >>> rows = normalised_residuals(np.array([[0.0, 0, 1], [1, 3, 2], [2, 5, 0]]), [1, 1, 1])
    >>> scan = scan_features(rows, np.array([2]), cut=0.4)
    >>> scan.partner, scan.r, scan.n_above
    (array([0]), array([-0.5]), array([1]))
    """
    n_features, n_samples = residuals.shape
    residuals32 = residuals.astype(np.float32)
    varies = np.any(residuals, axis=1)
    error = _float32_error(n_samples)
    # Lists of one partner, because `_insert_row` extends lists of any length.
    partner = np.full((len(features), 1), -1)
    r = np.zeros((len(features), 1))
    n_above = np.zeros(len(features), dtype=np.int64)

    def scan_strip(start: int) -> None:
        """Write the results of the features from position ``start`` on."""
        strip = slice(start, start + _TILE)
        rows = residuals32[features[strip]]
        for first in range(0, n_features, _TILE):
            tile = rows @ residuals32[first : first + _TILE].T
            n_above[strip] += _search_rows(
                tile,
                features=features[strip],
                first_column=first,
                residuals=residuals,
                varies=varies,
                cut=cut,
                error=error,
                partner=partner[strip],
                r=r[strip],
            )

    with one_blas_thread(), ThreadPoolExecutor(numba.get_num_threads()) as pool:
        list(pool.map(scan_strip, range(0, len(features), _TILE)))
    return FeatureScan(partner=partner[:, 0], r=r[:, 0], n_above=n_above)


def _float32_error(n_samples: int) -> float:
    """Return the largest difference of a product in float32 from r, for rows of length 1.

    The bound of the module, (n + 4) 2**-24, with 1e-6 (17 units of 2**-24) in place of the 4.
    """
    return 1e-6 + n_samples * 2.0**-24


@njit(nogil=True)
def _write_residuals(features: np.ndarray, codes: np.ndarray, residuals: np.ndarray) -> None:
    """Write each feature's residuals from its class means, of length 1; NaN if not finite.

    ``features`` and ``residuals`` have shape (n_features, n_samples), ``codes`` (n_samples,). A
    class is first shifted by its first value, so that a constant class leaves exact zeros.
    """
    n_samples = len(codes)
    n_classes = 0
    for code in codes:
        n_classes = max(n_classes, code + 1)
    count = np.zeros(n_classes, dtype=np.int64)
    first = np.zeros(n_classes, dtype=np.int64)
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
        # Scaled to a largest value of 1 first, so that no square overflows or underflows.
        largest = 0.0
        nan_if_not_finite = 0.0  # 0 * infinity is NaN
        for j in range(n_samples):
            row[j] -= mean[codes[j]]
            largest = max(largest, abs(row[j]))
            nan_if_not_finite += 0.0 * row[j]
        unit = largest if largest > 0.0 else 1.0
        square = 0.0
        for j in range(n_samples):
            row[j] /= unit
            square += row[j] * row[j]
        length = np.sqrt(square) if square > 0.0 else 1.0
        for j in range(n_samples):
            row[j] = row[j] / length + nan_if_not_finite


@njit(nogil=True)
def _search_tile(
    tile: np.ndarray,
    first_row: int,
    first_column: int,
    residuals: np.ndarray,
    varies: np.ndarray,
    cut: float,
    error: float,
    partner: np.ndarray,
    r: np.ndarray,
) -> int:
    """Add a tile's pairs to the lists of both features; return the number with |r| above the cut.

    ``tile`` has the shape (n_rows, n_columns); ``first_row`` and ``first_column`` are the features
    of its first row and column. ``residuals`` (n_features, n_samples), ``varies`` (n_features,),
    and ``partner`` and ``r`` (n_features, n_partners) are of all features. One pass over a row
    finds its largest value, and whether a value reaches the limit of its column: the last |r| in
    the list of the column's feature, less ``error``. The row is searched again, which is rare after
    a few tiles,

    * to count pairs, if its largest value may be above the cut;
    * for the list of its own feature, if its largest value may enter it;
    * for the lists of the columns, if a value reaches its column's limit.

    A tile on the diagonal has its pairs twice, so only the lists of its rows are extended there.
    """
    is_diagonal = first_row == first_column
    limits = np.full(tile.shape[1], np.float32(np.inf), dtype=np.float32)
    for b in range(tile.shape[1]):
        if is_diagonal:
            tile[b, b] = 0.0  # a feature with itself
        elif varies[first_column + b]:
            limits[b] = max(0.0, abs(r[first_column + b, -1]) - error)
    # Values and limits are compared by their bits as whole numbers, see `_compare_with_limits`.
    bits = tile.view(np.int32)
    limit_bits = limits.view(np.int32)
    # One number, the largest of a row, as bits and as the float that they represent.
    largest_bits = np.empty(1, dtype=np.int32)
    largest = largest_bits.view(np.float32)
    n_pairs = 0
    for a in range(tile.shape[0]):
        i = first_row + a
        largest_bits[0], reaches_limit = _compare_with_limits(bits[a], limit_bits)
        if largest[0] > cut - error:
            n_pairs += _count_above(
                tile[a], i=i, first_column=first_column, residuals=residuals, cut=cut, error=error
            )
        if varies[i] and largest[0] >= abs(r[i, -1]) - error:
            _insert_row(
                tile[a],
                i=i,
                first_column=first_column,
                residuals=residuals,
                error=error,
                list_partner=partner[i],
                list_r=r[i],
            )
        if reaches_limit:
            for b in range(tile.shape[1]):
                if abs(tile[a, b]) >= limits[b]:
                    j = first_column + b
                    r_ij = _correlation(residuals, i, j)
                    _insert(i, r=r_ij, list_partner=partner[j], list_r=r[j])
                    limits[b] = max(0.0, abs(r[j, -1]) - error)
    return n_pairs // 2 if is_diagonal else n_pairs


@njit(nogil=True)
def _search_rows(
    tile: np.ndarray,
    features: np.ndarray,
    first_column: int,
    residuals: np.ndarray,
    varies: np.ndarray,
    cut: float,
    error: float,
    partner: np.ndarray,
    r: np.ndarray,
) -> np.ndarray:
    """Add a tile's pairs to the lists of its rows; return each row's number with |r| above the cut.

    The rows are ``features``, in any order, the columns the features from ``first_column`` on.
    ``partner`` and ``r`` have a list for each row. The first two searches of `_search_tile` are
    made; no column has a list, so that no value reaches a limit.
    """
    n_above = np.zeros(len(features), dtype=np.int64)
    no_limits = np.full(tile.shape[1], np.float32(np.inf), dtype=np.float32).view(np.int32)
    bits = tile.view(np.int32)
    largest_bits = np.empty(1, dtype=np.int32)
    largest = largest_bits.view(np.float32)
    for a in range(len(features)):
        i = features[a]
        if first_column <= i < first_column + tile.shape[1]:
            tile[a, i - first_column] = 0.0  # the feature with itself
        largest_bits[0], _ = _compare_with_limits(bits[a], no_limits)
        if largest[0] > cut - error:
            n_above[a] = _count_above(
                tile[a], i=i, first_column=first_column, residuals=residuals, cut=cut, error=error
            )
        if varies[i] and largest[0] >= abs(r[a, -1]) - error:
            _insert_row(
                tile[a],
                i=i,
                first_column=first_column,
                residuals=residuals,
                error=error,
                list_partner=partner[a],
                list_r=r[a],
            )
    return n_above


@njit(nogil=True)
def _compare_with_limits(row: np.ndarray, limits: np.ndarray) -> tuple[np.int32, np.int32]:
    """Return the largest absolute value, and whether a value reaches the limit of its column.

    ``row`` and ``limits`` are the bits of floats as whole numbers: without their sign floats have
    the same order as their bits, whose maximum LLVM vectorises.
    """
    largest = reaches_limit = np.int32(0)
    for b in range(len(row)):
        value = np.int32(row[b] & _NO_SIGN)
        largest = max(largest, value)
        reaches_limit |= np.int32(value >= limits[b])
    return largest, reaches_limit


@njit(nogil=True, fastmath={"reassoc"})
def _count_above(
    row: np.ndarray, i: int, first_column: int, residuals: np.ndarray, cut: float, error: float
) -> int:
    """Return with how many features, of the row's columns, feature i has |r| above the cut.

    Values more than ``error`` above the cut are counted in float32, values within ``error`` of it
    in float64. Counts in float32, which LLVM vectorises, are exact: a row has at most 512 values.
    """
    low = np.float32(cut - error)
    high = np.float32(cut + error)
    above_low = above_high = np.float32(0.0)
    for b in range(len(row)):
        value = abs(row[b])
        above_low += np.float32(1.0) if value > low else np.float32(0.0)
        above_high += np.float32(1.0) if value > high else np.float32(0.0)
    count = int(above_high)
    if above_low > above_high:
        for b in range(len(row)):
            if low < abs(row[b]) <= high and i != first_column + b:
                count += abs(_correlation(residuals, i, first_column + b)) > cut
    return count


@njit(nogil=True, fastmath={"reassoc", "contract"})
def _correlation(residuals: np.ndarray, i: int, j: int) -> float:
    """Return r of two features in float64."""
    r = 0.0
    for sample in range(residuals.shape[1]):
        r += residuals[i, sample] * residuals[j, sample]
    return min(1.0, max(-1.0, r))


@njit(nogil=True)
def _insert_row(
    row: np.ndarray,
    i: int,
    first_column: int,
    residuals: np.ndarray,
    error: float,
    list_partner: np.ndarray,
    list_r: np.ndarray,
) -> None:
    """Insert into the list of feature i the features of the row's columns that may enter it.

    ``row`` (n_columns,) are the correlations of feature i in float32. ``list_partner`` and
    ``list_r`` (n_partners,) are its list.
    """
    for b in range(len(row)):
        j = first_column + b
        if abs(row[b]) >= abs(list_r[-1]) - error and j != i:
            r_ij = _correlation(residuals, i, j)
            _insert(j, r=r_ij, list_partner=list_partner, list_r=list_r)


@njit(nogil=True)
def _insert(j: int, r: float, list_partner: np.ndarray, list_r: np.ndarray) -> None:
    """Insert feature j, with correlation r, into a list by descending |r| if it precedes the last.

    A thread inserts features by ascending number, so that the first of equals precedes the others.
    """
    position = len(list_r)
    while position > 0 and abs(r) > abs(list_r[position - 1]):
        position -= 1
        if position + 1 < len(list_r):
            list_partner[position + 1] = list_partner[position]
            list_r[position + 1] = list_r[position]
    if position < len(list_r):
        list_partner[position] = j
        list_r[position] = r


@njit(nogil=True)
def _count_bins(
    tile: np.ndarray,
    first_row: int,
    first_column: int,
    stride: int,
    residuals: np.ndarray,
    error: float,
    histogram: np.ndarray,
) -> None:
    """Count |r| of the pairs (i, j > i) whose i is a multiple of ``stride``.

    An r within ``error`` of the edge of a bin is computed in float64; an r that equals the edge up
    to rounding is in the upper bin.
    """
    n_bins = len(histogram)
    is_diagonal = first_row == first_column
    for a in range(-first_row % stride, len(tile), stride):
        for b in range(a + 1 if is_diagonal else 0, tile.shape[1]):
            r = float(abs(tile[a, b]))
            nearest_edge = np.rint(r * n_bins) / n_bins
            if nearest_edge > 0.0 and abs(r - nearest_edge) < error:
                r = abs(_correlation(residuals, first_row + a, first_column + b)) + ROUNDING
            histogram[min(int(r * n_bins), n_bins - 1)] += 1
