"""Rows of cells that are as they should be, megabytes at once: texts, and numbers as a matrix."""

import re

import numpy as np
import pyarrow as pa

from xnbflow.data.sources.arrow_cells import matrix, numbers_of, read_columns
from xnbflow.data.sources.blocks import Columns
from xnbflow.data.sources.dialects import Dialect

__all__ = ["RowReader"]

#: Above so many columns, columns are not read one by one.
_WIDE = 800


class RowReader:
    r"""A reader of rows.

    Parameters
    ----------
    columns : Columns
    dialect : Dialect

    Examples
    --------
    >>> read = RowReader(Columns(["id", "a", "b"], (0,), (1, 2)), Dialect(","))
    >>> texts, numbers = read(b'p,1.5,NA\nq,-2e3,""\n', 2)
    >>> texts, numbers.tolist()
    ([['p', 'q']], [[1.5, nan], [-2000.0, nan]])
    """

    def __init__(self, columns: Columns, dialect: Dialect) -> None:
        self.columns, self.dialect = columns, dialect
        places = np.array(columns.numbers, dtype=np.intp)
        is_first = np.diff(places, prepend=-2) != 1  # of places that follow each other
        self._first, self._last = places[is_first], places[np.roll(is_first, -1)]

    def __call__(self, data: bytes, n_rows: int) -> tuple[list[list[str]], np.ndarray] | None:
        """Read so many rows; None where a closer look is due.

        Returns
        -------
        texts : list of list of str
            For each column of text its cells.
        numbers : ndarray of float64, shape (n_rows, n_numbers)
        """
        if len(self.columns.names) <= _WIDE:
            return self._narrow(data, n_rows)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
        return self._wide(data if data.endswith(b"\n") else data + b"\n", n_rows)

    def _narrow(self, data: bytes, n_rows: int) -> tuple[list[list[str]], np.ndarray] | None:
        names = [str(place) for place in range(len(self.columns.names))]
        texts, numbers = (
            [names[p] for p in places] for places in (self.columns.text, self.columns.numbers)
        )
        types = dict.fromkeys(texts, pa.string()) | dict.fromkeys(numbers, pa.float64())
        table = read_columns(data, types, names, self.dialect.separator, self.dialect.decimal)
        if table is None or len(table) != n_rows:
            return None
        values = matrix(table, numbers)
        if values is None:
            return None
        return [[cell.strip() for cell in table[name].to_pylist()] for name in texts], values

    def _wide(self, data: bytes, n_rows: int) -> tuple[list[list[str]], np.ndarray] | None:
        ends = _ends(data, n_rows, len(self.columns.names), ord(self.dialect.separator))
        if ends is None:
            return None
        texts = [_texts(data, *_bounds(ends, place, place)) for place in self.columns.text]
        whole = [column for column in texts if column is not None]
        values = self._numbers(data, ends) if len(whole) == len(texts) else None
        return None if values is None else (whole, values)

    def _numbers(self, data: bytes, ends: np.ndarray) -> np.ndarray | None:
        n_rows, n_numbers = len(ends), len(self.columns.numbers)
        count = n_rows * n_numbers
        if not count:
            return np.empty((n_rows, n_numbers))
        starts, stops = _bounds(ends, self._first, self._last)
        within = memoryview(data)
        cells = b"\n".join(
            within[start:stop]
            for start, stop in zip(starts.ravel().tolist(), stops.ravel().tolist(), strict=True)
        )
        cells = cells.replace(self.dialect.separator.encode(), b"\n")
        values = numbers_of(cells, count, self.dialect.decimal)
        return None if values is None else values.reshape(n_rows, n_numbers)


def _ends(data: bytes, n_rows: int, width: int, separator: int) -> np.ndarray | None:
    """Return where each cell ends, shape (n_rows, width); None where rows differ in width."""
    is_end = np.frombuffer(data, dtype=np.uint8) == separator
    breaks = [found.start() for found in re.finditer(b"\n", data)]
    is_end[breaks] = True
    ends = np.flatnonzero(is_end)
    if len(breaks) != n_rows or len(ends) != n_rows * width:
        return None
    by_row = ends.reshape(n_rows, width)
    return by_row if (by_row[:, -1] == breaks).all() else None


def _bounds(
    ends: np.ndarray, first: int | np.ndarray, last: int | np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return where cells start and stop that begin in some columns and end in others."""
    rows = np.append(-1, ends[:-1, -1])  # each begins behind the break before it
    before = np.where(
        np.equal(first, 0), rows[:, None], ends[:, np.subtract(first, 1)].reshape(len(ends), -1)
    )
    return before + 1, ends[:, last]


def _texts(data: bytes, starts: np.ndarray, ends: np.ndarray) -> list[str] | None:
    """Return plain cells, without quotes around them; None where a closer look is due."""
    found = []
    for start, end in zip(starts.ravel().tolist(), ends.ravel().tolist(), strict=True):
        cell = data[start:end]
        if b'"' in cell:
            cell = cell.strip()
            if len(cell) < 2 or cell.count(b'"') != 2 or cell[:1] + cell[-1:] != b'""':
                return None
            cell = cell[1:-1]
        try:
            found.append(cell.decode().strip())
        except UnicodeDecodeError:
            return None
    return found
