"""Matrices of features (n_features, n_samples): dense, some rows of them by reference, or sparse.

Sparse matrices are used by blocks of features. One that is compressed by sample, in memory or in a
file, is transposed block by block, each in one pass over all samples.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from xnbflow.core.jit import njit

__all__ = [
    "MOST_VALUES",
    "Rows",
    "as_dense",
    "by_feature",
    "dense_parts",
    "feature_blocks",
    "is_sparse",
    "join_rows",
    "some_rows",
    "transposed_blocks",
]


@dataclass(frozen=True)
class Rows:
    """Some rows of a matrix, (n_rows, n_samples), of which only a slice is ever copied.

    Examples
    --------
    >>> rows = Rows(np.arange(6).reshape(3, 2), np.array([2, 0]))
    >>> rows.shape, rows[:1].tolist(), rows[:, [1]].tolist()
    ((2, 2), [[4, 5]], [[5], [1]])
    """

    values: np.ndarray
    which: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of samples."""
        return len(self.which), self.values.shape[1]

    def __len__(self) -> int:
        return len(self.which)

    def __getitem__(self, key: Any) -> np.ndarray:
        if not isinstance(key, tuple):
            return self.values[self.which[key]]
        rows, samples = key
        if isinstance(samples, slice):
            return self.values[self.which[rows], samples]
        return np.take(self.values[self.which[rows]], samples, axis=1)


def some_rows(values: Any, which: np.ndarray) -> Any:
    """Return the features ``which`` (n_rows,) of an array or `Rows` by reference, of CSR a copy."""
    if isinstance(values, Rows):
        return Rows(values.values, values.which[which])
    return Rows(values, which) if isinstance(values, np.ndarray) else values[which]


#: Stored values of a block: 8 to 12 bytes each.
MOST_VALUES = 32_000_000

_PART = 4_000_000
_DENSE_VALUES = 2_000_000


def is_sparse(values: Any) -> bool:
    """Return whether an array is SciPy's sparse; type checkers still take it for anything."""
    return bool(sparse.issparse(values))


def feature_blocks(
    features: Any, most_values: int = MOST_VALUES
) -> Iterator[tuple[slice, sparse.csr_array]]:
    """Yield blocks (slice, CSR array) of the features of a sparse matrix (n_features, n_samples).

    CSR, the transpose of samples in CSC, is compressed by feature: its blocks are views. Blocks
    have no duplicates, and at most ``most_values`` stored values or one feature.

    Examples
    --------
    >>> matrix = sparse.csc_array(np.array([[1.0, 0.0], [2.0, 3.0]]))
    >>> [(which.start, block.toarray().tolist()) for which, block in feature_blocks(matrix, 2)]
    [(0, [[1.0, 0.0]]), (1, [[2.0, 3.0]])]
    """
    n_features, n_samples = features.shape
    if features.format == "csc":
        yield from transposed_blocks(
            features.indptr, features.indices, features.data, n_features, most_values
        )
        return
    indptr = features.indptr
    for which in _bounds(np.diff(indptr), most_values):
        first, last = indptr[which.start], indptr[which.stop]
        own = indptr[which.start : which.stop + 1] - first
        arrays = features.data[first:last], features.indices[first:last], own
        yield which, by_feature(sparse.csr_array(arrays, shape=(len(own) - 1, n_samples)))


def transposed_blocks(
    indptr: np.ndarray,
    indices: Any,
    data: Any,
    n_features: int,
    most_values: int = MOST_VALUES,
) -> Iterator[tuple[slice, sparse.csr_array]]:
    """Yield blocks of features, as `feature_blocks`, of a matrix that is compressed by sample.

    Its ``indices`` and ``data`` are arrays or h5py datasets, which are read once to count and once
    for each block, in parts.
    """
    n_values = int(indptr[-1])
    parts = [slice(at, min(at + _PART, n_values)) for at in range(0, n_values, _PART)]
    counts = np.zeros(n_features, dtype=np.int64)
    for part in parts:
        counts += np.bincount(indices[part], minlength=n_features)
    indptr = np.asarray(indptr, dtype=np.int64)
    for which in _bounds(counts, most_values):
        own = np.concatenate([[0], np.cumsum(counts[which])])
        samples = np.empty(own[-1], dtype=np.int32)
        values = np.empty(own[-1], dtype=data.dtype)
        fill = own[:-1].copy()
        for part in parts:
            at = indices[part], data[part]
            _scatter(indptr, part.start, *at, which.start, fill, samples, values)
        index = np.int32 if own[-1] <= np.iinfo(np.int32).max else np.int64
        shape = len(own) - 1, len(indptr) - 1
        yield which, by_feature(sparse.csr_array((values, samples, own.astype(index)), shape=shape))


def by_feature(features: Any) -> sparse.csr_array:
    """Return a sparse matrix (n_features, n_samples) of any format as CSR without duplicates.

    Numbers that are not floats become float64. The matrix that is given is not changed.

    Examples
    --------
    >>> by_feature(sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(1, 2))).toarray()
    array([[0., 3.]])
    """
    found = sparse.csr_array(features)
    if found.dtype.kind != "f":
        found = found.astype(np.float64)
    if not found.has_canonical_format:
        found = found.copy()
        found.sum_duplicates()
    return found


def join_rows(first: Any, second: Any) -> Any:
    """Return the features of two matrices, both dense or both sparse, one after the other."""
    if is_sparse(first):
        return sparse.vstack((first, second), format="csr")
    return np.concatenate([as_dense(first), as_dense(second)])


def as_dense(values: Any) -> np.ndarray:
    """Return features (n_features, n_samples) as a dense float64 array."""
    if is_sparse(values):
        return values.toarray().astype(np.float64, copy=False)
    return values[:] if isinstance(values, Rows) else values


def dense_parts(values: Any) -> Iterator[np.ndarray]:
    """Yield features (n_features, n_samples) as dense arrays, some at a time."""
    width = max(1, _DENSE_VALUES // max(1, values.shape[1]))
    for start in range(0, max(1, values.shape[0]), width):
        yield as_dense(values[start : start + width])


def _bounds(counts: np.ndarray, most_values: int) -> Iterator[slice]:
    """Yield runs of features that have no more values together, or are one."""
    ends = np.cumsum(counts, dtype=np.int64)
    start = 0
    while start < len(counts):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + most_values, side="right")))
        yield slice(start, stop)
        start = stop


@njit(nogil=True)
def _scatter(
    indptr: np.ndarray,
    start: int,
    indices: np.ndarray,
    data: np.ndarray,
    first: int,
    fill: np.ndarray,
    samples: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write a part of a matrix to its features' places, from ``fill`` on, which is moved."""
    sample = np.searchsorted(indptr, start, side="right") - 1
    for k in range(len(indices)):
        while start + k >= indptr[sample + 1]:
            sample += 1
        f = indices[k] - first
        if 0 <= f < len(fill):
            samples[fill[f]] = sample
            values[fill[f]] = data[k]
            fill[f] += 1
