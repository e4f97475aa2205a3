"""Strips of features on threads, and tiles: strips with samples as rows.

A strip remains in a core's cache between kernels. Kernels release the GIL and threads share the
strips: serial kernels compile several times faster than ``parallel=True`` ones. In a tile features
lie side by side, so that each vector instruction serves several of them.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, TypeVar

import numba
import numpy as np

from xnbflow.core.jit import njit

P = TypeVar("P")
_T = TypeVar("_T")

#: Features that are sorted side by side.
BESIDE = 32
#: Most samples of a class for this sort; NumPy is faster with more.
LARGEST_BESIDE = 160

#: Values of a tile: 256 kB, so that it stays in a core's cache.
_STRIP_VALUES = 32_768
_MOST_VALUES = 1_048_576  # 8 MB, so that a copy is small relative to the data
_NARROWEST = 24  # with fewer features side by side a value takes up to twice the time
#: Most features of a tile, for data sets of few samples.
_WIDEST = 2048
_LINE = 8  # numbers in a cache line
_WORTH_A_THREAD = 1_000_000  # nanoseconds


def feature_strips(n_features: int, n_samples: int) -> list[slice]:
    """Return the strips of features, which depend only on the shape, not on the number of cores.

    Examples
    --------
    >>> feature_strips(600, 130)
    [slice(0, 248, None), slice(248, 496, None), slice(496, 600, None)]
    """
    width = min(max(_STRIP_VALUES // max(1, n_samples), _NARROWEST), _WIDEST)
    width = _LINE * (width // _LINE | 1)  # odd: the rows of a tile do not share cache sets
    width = min(width, max(1, _MOST_VALUES // max(1, n_samples)))
    return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]


def map_strips(
    work: Callable[[slice], _T], n_features: int, n_samples: int, ns_per_value: float = 10.0
) -> list[_T]:
    """Return ``work(strip)`` for every strip of features, computed on numba's number of threads.

    The matrix has shape (n_features, n_samples), and each value takes about ``ns_per_value``
    nanoseconds; see `map_parts`.
    """
    strips = feature_strips(n_features, n_samples)
    return map_parts(work, strips, n_features * n_samples * ns_per_value)


def map_parts(work: Callable[[P], _T], parts: Sequence[P], ns: float) -> list[_T]:
    """Return ``work(part)`` for every part, computed on numba's number of threads.

    The work reads and writes its part of the caller's arrays. All parts take about ``ns``
    nanoseconds together: a thread is started for a millisecond of work or more.
    """
    results: list[Any] = [None] * len(parts)
    queue = iter(enumerate(parts))

    def drain() -> None:
        for i, strip in queue:
            results[i] = work(strip)

    n_threads = min(numba.get_num_threads(), len(parts), int(ns / _WORTH_A_THREAD))
    if n_threads <= 1:
        drain()
        return results
    with ThreadPoolExecutor(n_threads) as pool:
        for future in [pool.submit(drain) for _ in range(n_threads)]:
            future.result()
    return results


def feature_major(X: np.ndarray) -> np.ndarray:
    """Return the transpose of ``X`` (n_samples, n_features), contiguous and read-only.

    The transpose of a feature-major array costs no copy; any other layout is copied in strips. With
    one layout for all arrays the kernels are compiled only once.
    """
    features = X.T
    if not features.flags.c_contiguous:
        features = np.empty(X.T.shape)

        def copy(strip: slice) -> None:
            features[strip] = X[:, strip].T

        map_strips(copy, len(features), len(X), ns_per_value=2.0)
    features = features.view()
    features.flags.writeable = False
    return features


def class_offsets(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples class after class, and where each class begins and ends among them.

    Class ``c`` has ``order[offsets[c]:offsets[c + 1]]``; their shapes are (n_samples,) and
    (n_classes + 1,).

    Examples
    --------
    >>> class_offsets(np.array([1, 0, 1]), 2)
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes[order], np.arange(n_classes + 1))


def sorted_classes(features: np.ndarray, order: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the tile of a strip of features: class after class, ascending within each class.

    Of ``features`` (n_features, n_samples) these are the samples ``order``; see `class_offsets`.
    Features with a NaN have the same values, in any order.
    """
    if np.diff(offsets).max(initial=0) <= LARGEST_BESIDE:
        tile = np.empty((len(order), len(features)))
        values = np.ascontiguousarray(features).view()
        values.flags.writeable = False  # as those of `feature_major`: one compilation for both
        _write_sorted(values, order, offsets, tile)
        return tile
    rows = features[:, order]
    for first, stop in pairwise(offsets):
        rows[:, first:stop].sort(axis=1)
    return np.ascontiguousarray(rows.T)


@njit(nogil=True)
def _write_sorted(
    features: np.ndarray, order: np.ndarray, offsets: np.ndarray, tile: np.ndarray
) -> None:
    """Write the tile of `sorted_classes`."""
    rows = np.empty((len(order), BESIDE))
    for start in range(0, len(features), BESIDE):
        sort_beside(features, start, order, offsets, rows)
        for i in range(len(order)):  # numba compiles an assignment of slices for three seconds
            for f in range(start, min(start + BESIDE, len(features))):
                tile[i, f] = rows[i, f - start]


@njit(nogil=True)
def sort_beside(
    features: np.ndarray, start: int, order: np.ndarray, offsets: np.ndarray, rows: np.ndarray
) -> None:
    """Write `BESIDE` columns of `sorted_classes` from ``start`` to ``rows``; repeat the last."""
    for k in range(BESIDE):
        feature = features[min(start + k, len(features) - 1)]
        for i in range(len(order)):
            rows[i, k] = feature[order[i]]
    for c in range(len(offsets) - 1):
        _merge_exchange(rows[offsets[c] : offsets[c + 1]])


@njit(nogil=True)
def _merge_exchange(rows: np.ndarray) -> None:
    """Sort each of `BESIDE` columns.

    Batcher's merge exchange (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M): which
    rows are compared does not depend on their values, so that columns go together. A NaN stays.
    """
    # Of 5 rows: p = 4 compares the rows 0 and 4, p = 2 compares 0 and 2, 1 and 3, then 2 and 4, and
    # p = 1 compares 0 and 1, 2 and 3, then 1 and 4, then 1 and 2, 3 and 4.
    top = 1
    while 2 * top < len(rows):
        top *= 2
    p = top
    while p > 0:
        q = top
        first = 0
        distance = p
        while distance > 0:
            for start in range(first, len(rows) - distance, 2 * p):
                for i in range(start, min(start + p, len(rows) - distance)):
                    for k in range(BESIDE):
                        a, b = rows[i, k], rows[i + distance, k]
                        ascending = a < b
                        rows[i, k] = a if ascending else b
                        rows[i + distance, k] = b if ascending else a
            q, first, distance = q // 2, p, q - p
        p //= 2


@njit(nogil=True)
def tile_moments(
    tile: np.ndarray, offsets: np.ndarray, means: np.ndarray, squares: np.ndarray
) -> None:
    """Write the mean of each class and feature, and the sum of squares about it, in two passes.

    In the tile class ``c`` has the rows ``offsets[c]`` to ``offsets[c + 1]``. ``means`` and
    ``squares`` have shape (n_classes, n_features).
    """
    means[:] = 0.0
    squares[:] = 0.0
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        # the loop over features is inside: they lie side by side in memory
        for i in range(len(rows)):
            for f in range(tile.shape[1]):
                means[c, f] += rows[i, f]
        for f in range(tile.shape[1]):
            means[c, f] /= len(rows)
        for i in range(len(rows)):
            for f in range(tile.shape[1]):
                d = rows[i, f] - means[c, f]
                squares[c, f] += d * d
