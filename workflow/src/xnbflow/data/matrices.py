"""Matrices of features (n_features, n_samples): dense, some rows by reference, or sparse."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

#: Log densities in memory at a time, about 32 MB.
CHUNK_VALUES = 4_000_000
#: Values of dense parts in memory at a time, about 16 MB.
DENSE_VALUES = 2_000_000


@dataclass(frozen=True)
class Rows:
    """Some rows of a matrix, (n_rows, n_samples), by reference: only slices are copied.

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
    if isinstance(values, np.ndarray):
        return Rows(values, which)
    return values[which]


def is_sparse(values: Any) -> bool:
    """Return whether an array is a sparse array of SciPy, without narrowing its type."""
    return bool(sparse.issparse(values))


def by_feature(features: Any) -> sparse.csr_array:
    """Return a sparse matrix (n_features, n_samples) of any format as CSR without duplicates.

    Numbers that are not floats become float64. The argument is not changed.

    Examples
    --------
    >>> by_feature(sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(1, 2))).toarray()
    array([[0., 3.]])
    """
    matrix = sparse.csr_array(features)
    if matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # `csr_array` may share its arrays with the argument
        matrix.sum_duplicates()
    return matrix


def as_dense(values: Any) -> np.ndarray:
    """Return features (n_features, n_samples) as a dense float64 array."""
    if is_sparse(values):
        return values.toarray().astype(np.float64, copy=False)
    return values[:] if isinstance(values, Rows) else values


def dense_parts(values: Any) -> Iterator[np.ndarray]:
    """Yield features (n_features, n_samples) as dense arrays, some at a time."""
    width = max(1, DENSE_VALUES // max(1, values.shape[1]))
    for start in range(0, max(1, values.shape[0]), width):
        yield as_dense(values[start : start + width])


def dense_chunks(
    features: Any, columns: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the samples, and features of these as a dense array (n_columns, n_slice).

    The slices are so wide that the log densities of ``n_classes`` take about 32 MB.
    """
    by_sample = by_feature(features[columns]).tocsc() if is_sparse(features) else None
    width = max(1, CHUNK_VALUES // max(1, n_classes * len(columns)))
    for start in range(0, features.shape[1], width):
        samples = slice(start, min(start + width, features.shape[1]))
        if by_sample is not None:
            yield samples, as_dense(by_sample[:, samples])
        else:
            yield samples, features[columns, samples]
