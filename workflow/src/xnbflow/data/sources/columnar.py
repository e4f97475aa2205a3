"""Parquet tables: numbers are taken as they are, without a detour through text."""

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Block, Columns, row_block

__all__ = ["ParquetTable"]


class ParquetTable:
    """A Parquet file as a table.

    Parameters
    ----------
    path : path
        For errors.
    stream : binary file
        The file.
    advice : callable
        As in `DelimitedText`.

    Attributes
    ----------
    header : list of str
        The columns' names.
    """

    unit = "row"

    def __init__(self, path: Path, stream: io.BufferedIOBase, advice: Callable[[str], str]) -> None:
        self.path, self.advice = path, advice
        try:
            self._table = pq.ParquetFile(pa.BufferReader(stream.read())).read()
        except pa.ArrowInvalid as error:
            msg = f"{path} is not a Parquet file ({error}); correct its name, or get it again"
            raise InputError(msg) from error
        self.header = [name.strip() for name in self._table.column_names]

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield all rows at once; see `DelimitedText.blocks`."""
        special: list[tuple[int, list[str]]] = []
        keep = np.ones(len(self._table), dtype=bool)
        if columns.special is not None:
            keys = self._texts([columns.key])[0]
            keep = ~np.array([columns.special(key) for key in keys], dtype=bool)
            if not keep.all():
                rows = zip(*self._texts(range(len(self.header))), strict=True)
                numbered = enumerate(zip(rows, keep, strict=True), 1)
                special = [(number, list(row)) for number, (row, kept) in numbered if not kept]
        lines = (np.flatnonzero(keep) + 1).tolist()
        texts = [
            [text for text, kept in zip(column, keep, strict=True) if kept]
            for column in self._texts(columns.text)
        ]
        numbers = np.empty((len(columns.numbers), len(lines)))  # a column's values side by side
        for row, place in enumerate(columns.numbers):
            numbers[row] = self._numbers(columns, place, keep, lines)
        yield Block(lines, texts, numbers.T, special)

    def _texts(self, places: Iterable[int]) -> list[list[str]]:
        return [
            ["" if cell is None else str(cell).strip() for cell in self._table[place].to_pylist()]
            for place in places
        ]

    def _numbers(
        self, columns: Columns, place: int, keep: np.ndarray, lines: list[int]
    ) -> np.ndarray:
        column = self._table[place]
        if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
            values = column.cast(pa.float64(), safe=False).to_numpy()[keep]
            if not np.isinf(values).any():
                return values
        kept = [text for text, k in zip(self._texts([place])[0], keep, strict=True) if k]
        one = Columns([columns.names[place]], (), (0,))
        where = f"{self.path}, column {place + 1} ({columns.names[place]!r})"
        rows = list(zip(lines, ([cell] for cell in kept), strict=True))
        return row_block(rows, one, where, self.unit, self.advice, ".", column_told=True)[1][:, 0]
