"""Tiles: a strip of features with samples as rows, so that neighbouring features lie side by side.

All features of a tile go through the same instructions, and the compiler lets every vector
instruction serve several of them: sums need no reduction across a vector, sorting no branches.
"""

from itertools import pairwise

import numpy as np

from xnbflow.density.jit import njit
from xnbflow.density.lanes import LANES, exchange, padded

__all__ = ["class_offsets", "gather", "sort_rows", "sorted_classes"]

_MANY_SAMPLES = 4096


def class_offsets(codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples class after class, and where each class begins and ends among them.

    Parameters
    ----------
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int

    Returns
    -------
    order : ndarray of int, shape (n_samples,)
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has ``order[offsets[c]:offsets[c + 1]]``.

    Examples
    --------
    >>> class_offsets(np.array([1, 0, 1]), 2)
    (array([1, 0, 2]), array([0, 1, 3]))
    """
    order = np.argsort(codes, kind="stable")
    return order, np.searchsorted(codes[order], np.arange(n_classes + 1))


def gather(features: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Return a strip of features as a tile.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
        In any memory layout.
    order : ndarray of int, shape (n_rows,)
        The samples that become rows.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
    """
    return np.ascontiguousarray(features.T[order])


def sorted_classes(features: np.ndarray, order: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the tile of a strip of features: class after class, ascending within each class.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    order, offsets : ndarray of int
        See `class_offsets`.

    Returns
    -------
    ndarray of shape (n_samples, n_features)

    Notes
    -----
    Few samples are sorted side by side (`sort_rows`), in O(n log² n), many by NumPy.
    """
    if len(order) < _MANY_SAMPLES:
        tile = gather(features, order)
        sort_rows(tile, offsets)
        return tile
    rows = features[:, order]
    for first, stop in pairwise(offsets):
        rows[:, first:stop].sort(axis=1)
    return np.ascontiguousarray(rows.T)


def sort_rows(tile: np.ndarray, offsets: np.ndarray) -> None:
    """Sort every feature within each class, in place.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class.
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has the rows ``offsets[c]`` to ``offsets[c + 1]``.
    """
    if tile.shape[1] >= LANES:
        _merge_exchange(tile, offsets)
    elif tile.shape[1]:
        wide = np.take(tile, padded(tile.shape[1]), axis=1)
        _merge_exchange(wide, offsets)
        tile[:] = wide[:, : tile.shape[1]]


@njit(nogil=True)
def _merge_exchange(tile: np.ndarray, offsets: np.ndarray) -> None:
    """Sort the rows of a tile that is at least `LANES` wide.

    Batcher's merge exchange sort (Knuth, The Art of Computer Programming 3, algorithm 5.2.2M):
    which rows are compared does not depend on their values, so that features go together.
    """
    for start in range(0, tile.shape[1], LANES):
        column = min(start, tile.shape[1] - LANES)  # the last may be sorted already, in part
        for c in range(len(offsets) - 1):
            rows = tile[offsets[c] : offsets[c + 1]]
            top = 1
            while 2 * top < len(rows):
                top *= 2
            p = top
            while p > 0:
                q, wanted, distance = top, 0, p
                while distance > 0:
                    for i in range(len(rows) - distance):
                        if i & p == wanted:
                            exchange(rows, i, i + distance, column)
                    distance, wanted = q - p, p
                    q //= 2
                p //= 2
