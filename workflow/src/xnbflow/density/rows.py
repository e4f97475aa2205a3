"""Some features of a dense matrix by reference: no copy before their values are asked for."""

from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Rows", "some_rows"]


@dataclass(frozen=True)
class Rows:
    """Some rows of a matrix, which stands for an array of shape (n_rows, n_samples).

    With many samples a copy of the features that a classifier selects would be as large as the
    data; what is computed of them is computed a strip at a time.

    Attributes
    ----------
    values : ndarray of shape (n_features, n_samples)
    which : ndarray of int, shape (n_rows,)

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
        return self.values[np.ix_(self.which[rows], np.arange(self.values.shape[1])[samples])]


def some_rows(values: Any, which: np.ndarray) -> Any:
    """Return some features: of a dense matrix by reference, of a sparse one a copy.

    Parameters
    ----------
    values : ndarray, `Rows` or CSR array of shape (n_features, n_samples)
    which : ndarray of int, shape (n_rows,)
    """
    if isinstance(values, Rows):
        return Rows(values.values, values.which[which])
    return Rows(values, which) if isinstance(values, np.ndarray) else values[which]
