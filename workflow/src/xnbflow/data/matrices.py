"""Matrices of features (n_features, n_samples): dense, some rows of a dense one, or CSR."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

#: Log densities of a block of samples, about 32 MB.
SAMPLE_BLOCK_VALUES = 4_000_000
#: Values of a block of features, about 16 MB.
FEATURE_BLOCK_VALUES = 2_000_000


@dataclass(frozen=True)
class Rows:
    """Some rows of a dense matrix, shape (n_rows, n_samples), without a copy of them.

    ``values`` (n_features, n_samples) is the matrix, ``row_indices`` (n_rows,) are the positions of
    the rows in it. Only the slices that are read are copied.

    Examples
    --------
    >>> rows = Rows(np.arange(6).reshape(3, 2), np.array([2, 0]))
    >>> rows.shape, rows[:1].tolist(), rows[:, [1]].tolist()
    ((2, 2), [[4, 5]], [[5], [1]])
    """

    values: np.ndarray
    row_indices: np.ndarray

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of samples."""
        return len(self.row_indices), self.values.shape[1]

    def __len__(self) -> int:
        return len(self.row_indices)

    def __getitem__(self, key: Any) -> np.ndarray:
        if not isinstance(key, tuple):
            return self.values[self.row_indices[key]]
        rows, samples = key
        if isinstance(samples, slice):
            return self.values[self.row_indices[rows], samples]
        return np.take(self.values[self.row_indices[rows]], samples, axis=1)


def select_rows(values: Any, row_indices: np.ndarray) -> Any:
    """Return some features of a matrix: `Rows` of a dense one, without a copy; a copy of CSR."""
    if isinstance(values, Rows):
        return Rows(values.values, values.row_indices[row_indices])
    if isinstance(values, np.ndarray):
        return Rows(values, row_indices)
    return values[row_indices]


def is_sparse(values: Any) -> bool:
    """Return whether an array is a sparse array of SciPy.

    The result is a plain truth value, so that type checkers do not narrow the argument's type.
    """
    return bool(sparse.issparse(values))


def as_csr_by_feature(values: Any) -> sparse.csr_array:
    """Return a sparse matrix (n_features, n_samples) of any format as CSR without duplicates.

    Numbers that are not floats become float64. The argument is not changed.

    Examples
    --------
    >>> as_csr_by_feature(sparse.coo_array(([1, 2], ([0, 0], [1, 1])), shape=(1, 2))).toarray()
    array([[0., 3.]])
    """
    matrix = sparse.csr_array(values)
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


def dense_feature_blocks(values: Any) -> Iterator[np.ndarray]:
    """Yield a matrix (n_features, n_samples) as dense arrays, some features at a time.

    A matrix without features is one empty block, so that its consumers have at least one.
    """
    n_features = max(1, FEATURE_BLOCK_VALUES // max(1, values.shape[1]))
    for start in range(0, max(1, values.shape[0]), n_features):
        yield as_dense(values[start : start + n_features])


def dense_sample_blocks(
    values: Any, row_indices: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the samples, and some features of these as a dense array.

    The arrays have the shape (n_rows, n_slice). The slices are so wide that the log densities of
    ``n_classes`` take about 32 MB.
    """
    # A slice of columns of a sparse matrix is fast in CSC.
    by_sample = as_csr_by_feature(values[row_indices]).tocsc() if is_sparse(values) else None
    width = max(1, SAMPLE_BLOCK_VALUES // max(1, n_classes * len(row_indices)))
    for start in range(0, values.shape[1], width):
        samples = slice(start, min(start + width, values.shape[1]))
        if by_sample is not None:
            yield samples, as_dense(by_sample[:, samples])
        else:
            yield samples, values[row_indices, samples]
