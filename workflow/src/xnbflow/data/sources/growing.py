"""Matrices that grow block by block in place, so that none is twice in memory.

The system extends large arrays without copying them.
"""

import numpy as np

__all__ = ["GrowingColumns", "GrowingRows"]

_GROWTH = 1.5
#: So many rows move at once.
_STRIP = 256


class GrowingRows:
    """A matrix to which rows are appended.

    Parameters
    ----------
    width : int
        Numbers per row.

    Examples
    --------
    >>> rows = GrowingRows(2)
    >>> rows.append(np.ones((3, 2)))
    >>> rows.finished().shape
    (3, 2)
    """

    def __init__(self, width: int) -> None:
        self._values = np.empty((0, width))
        self._count = 0

    def append(self, rows: np.ndarray) -> None:
        """Add rows, shape (n_rows, width)."""
        needed = self._count + len(rows)
        if needed > len(self._values):
            self._values.resize((needed, self._values.shape[1]), refcheck=False)
        self._values[self._count : needed] = rows
        self._count = needed

    def finished(self) -> np.ndarray:
        """Return all rows, shape (n_rows, width); nothing can be added afterwards."""
        return self._values


class GrowingColumns:
    """A matrix to which columns are appended; it is contiguous by its rows in the end.

    Parameters
    ----------
    height : int
        Numbers per column.

    Examples
    --------
    >>> columns = GrowingColumns(3)
    >>> for number in range(5):
    ...     columns.append(np.full((1, 2), number), np.array([0, 2]))
    >>> columns.finished()[[0, 2]].tolist()
    [[0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 2.0, 3.0, 4.0]]
    """

    def __init__(self, height: int) -> None:
        self._flat = np.empty(0)
        self._height, self._capacity, self._count = height, 0, 0

    def append(self, columns: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Add columns, shape (n_columns, n_rows), at some rows or at all.

        What stands at the other rows is not said.
        """
        needed = self._count + len(columns)
        if needed > self._capacity:
            self._grow(int(_GROWTH * needed) if self._count else needed)
        place = self._flat.reshape(self._height, self._capacity)[:, self._count : needed]
        place[slice(None) if rows is None else rows] = columns.T
        self._count = needed

    def finished(self) -> np.ndarray:
        """Return the matrix, shape (height, n_columns); nothing can be added afterwards."""
        if self._count < self._capacity:
            self._move(self._capacity, self._count, range(0, self._height, _STRIP))
        self._flat.resize(self._height * self._count, refcheck=False)
        return self._flat.reshape(self._height, self._count)

    def _grow(self, capacity: int) -> None:
        before, self._capacity = self._capacity, capacity
        self._flat.resize(self._height * capacity, refcheck=False)
        self._move(before, capacity, range(0, self._height, _STRIP)[::-1])

    def _move(self, before: int, after: int, starts: range) -> None:
        """Move the rows to their places at another distance, none onto one still to be moved."""
        source, target = (
            self._flat[: self._height * width].reshape(self._height, width)[:, : self._count]
            for width in (before, after)
        )
        for start in starts:
            target[start : start + _STRIP] = source[start : start + _STRIP]
