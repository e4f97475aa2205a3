"""Matrices of features (n_features, n_samples): an array, or some rows of one.

Many models are fitted to subsets of the features of one matrix. `Rows` is such a subset without a
copy; `feature_blocks` and `sample_blocks` yield a matrix as arrays of limited size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Log densities of a block of samples: about 32 MB.
_SAMPLE_BLOCK_VALUES = 4_000_000
#: Values of a block of features, about 16 MB.
_FEATURE_BLOCK_VALUES = 2_000_000


@dataclass(frozen=True)
class Rows:
    """Some rows of a matrix, shape (n_rows, n_samples), without a copy of them.

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


def select_rows(values: np.ndarray | Rows, row_indices: np.ndarray) -> Rows:
    """Return some features of a matrix or of `Rows`, without a copy."""
    if isinstance(values, Rows):
        return Rows(values.values, values.row_indices[row_indices])
    return Rows(values, row_indices)


def as_array(values: np.ndarray | Rows) -> np.ndarray:
    """Return features (n_features, n_samples) as an array, without a copy of what is one."""
    return values[:] if isinstance(values, Rows) else values


def feature_blocks(values: np.ndarray | Rows) -> Iterator[np.ndarray]:
    """Yield a matrix (n_features, n_samples) as arrays, some features at a time.

    A matrix without features is one empty block, so that its consumers have at least one.
    """
    n_features = max(1, _FEATURE_BLOCK_VALUES // max(1, values.shape[1]))
    for start in range(0, max(1, values.shape[0]), n_features):
        yield values[start : start + n_features]


def sample_blocks(
    values: np.ndarray | Rows, row_indices: np.ndarray, n_classes: int = 1
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield slices of the samples, and some features of these as an array.

    The arrays have the shape (n_rows, n_slice). The slices are so wide that the log densities of
    ``n_classes`` take about 32 MB.
    """
    width = max(1, _SAMPLE_BLOCK_VALUES // max(1, n_classes * len(row_indices)))
    for start in range(0, values.shape[1], width):
        samples = slice(start, min(start + width, values.shape[1]))
        yield samples, values[row_indices, samples]
