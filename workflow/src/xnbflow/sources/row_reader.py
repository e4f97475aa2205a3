"""Rows of cells that are as they should be, megabytes at once: texts, and numbers as a matrix."""

import numpy as np
import pyarrow as pa

from xnbflow.sources.arrow_cells import marked_numbers, marks, matrix, read_columns
from xnbflow.sources.blocks import Columns
from xnbflow.sources.dialects import Dialect

__all__ = ["RowReader"]

#: Above so many columns, columns are not read one by one.
_WIDE = 800
_BREAK = ord("\n")


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
        self._places = places = np.array(columns.numbers, dtype=np.intp)
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
        starts = np.append(0, ends.ravel()[:-1] + 1).reshape(ends.shape)
        texts = [_texts(data, starts[:, place], ends[:, place]) for place in self.columns.text]
        whole = [column for column in texts if column is not None]
        values = self._numbers(data, starts, ends) if len(whole) == len(texts) else None
        return None if values is None else (whole, values)

    def _numbers(self, data: bytes, starts: np.ndarray, ends: np.ndarray) -> np.ndarray | None:
        n_rows, n_numbers = len(starts), len(self.columns.numbers)
        count = n_rows * n_numbers
        if not count:
            return np.empty((n_rows, n_numbers))
        marked = bytearray(data)
        signs = marks(count).reshape(n_rows, n_numbers)
        np.frombuffer(marked, dtype=np.uint8)[ends[:, self._places]] = signs
        bounds = np.stack([starts[:, self._first], ends[:, self._last]], axis=-1).reshape(-1, 2)
        cells = b"".join(marked[start : end + 1] for start, end in bounds.tolist())[:-1]
        values = marked_numbers(cells, count, self.dialect.decimal)
        return None if values is None else values.reshape(n_rows, n_numbers)


def _ends(data: bytes, n_rows: int, width: int, separator: int) -> np.ndarray | None:
    """Return where each cell ends, shape (n_rows, width); None where rows differ in width."""
    text = np.frombuffer(data, dtype=np.uint8)
    is_break = text == _BREAK
    ends = np.flatnonzero(is_break | (text == separator))
    if len(ends) != n_rows * width:
        return None
    by_row = ends.reshape(n_rows, width)
    return by_row if is_break[by_row[:, -1]].all() and is_break.sum() == n_rows else None


def _texts(data: bytes, starts: np.ndarray, ends: np.ndarray) -> list[str] | None:
    """Return plain cells, without quotes around them; None where a closer look is due."""
    found = []
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
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
