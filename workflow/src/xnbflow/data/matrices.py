"""Matrices of features (n_features, n_samples): dense, some rows by reference, or sparse."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


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


_CHUNK_VALUES = 4_000_000
_DENSE_VALUES = 2_000_000


def is_sparse(values: Any) -> bool:
    """Return whether an array is a sparse array of SciPy, without narrowing its type."""
    return bool(sparse.issparse(values))


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


def dense_chunks(
    features: Any, columns: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the samples, and some features of these as a dense array (n_columns, n_some).

    So many that the log densities of ``n_classes`` take some 32 MB.
    """
    some: Any = by_feature(features[columns]).tocsc() if is_sparse(features) else features
    width = max(1, _CHUNK_VALUES // max(1, n_classes * len(columns)))
    for start in range(0, features.shape[1], width):
        which = slice(start, min(start + width, features.shape[1]))
        yield which, as_dense(some[:, which]) if is_sparse(features) else some[columns, which]
