"""Some rows of a table as texts and numbers: what is wrong with a cell is told with its place."""

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.arrow_cells import numbers_of
from xnbflow.data.sources.cell_texts import complaint, is_missing
from xnbflow.data.sources.dialects import DECIMAL_POINT

__all__ = ["Block", "Columns", "SpecialRows", "row_block", "row_blocks"]


class SpecialRows(Protocol):
    """Which rows are no rows of numbers."""

    def __call__(self, name: str) -> bool:
        """Return it of a row, given its cell in the column ``key``."""

    def may_be_in(self, data: bytes) -> bool:
        """Return whether some text may hold one: False only where that is certain."""


@dataclass(frozen=True)
class Columns:
    """Which columns of a table are text and which are numbers; the others are passed over.

    Attributes
    ----------
    names : sequence of str
        The name of each column of the table, for errors.
    text, numbers : tuple of int
        Positions.
    special : SpecialRows, optional
        Which rows are to be kept as text.
    key : int
        The column of row names.
    """

    names: Sequence[str]
    text: tuple[int, ...]
    numbers: tuple[int, ...]
    special: "SpecialRows | None" = None
    key: int = 0


@dataclass
class Block:
    """Some rows of a table.

    Attributes
    ----------
    lines : list of int
        The number of each row, from 1.
    texts : list of list of str
        For each column of text its cells.
    numbers : ndarray of float64, shape (n_rows, n_numbers)
        NaN where a value is missing.
    special : list of (int, list of str)
        Rows kept as text, with their numbers; they are not among the others.
    """

    lines: list[int]
    texts: list[list[str]]
    numbers: np.ndarray
    special: list[tuple[int, list[str]]] = field(default_factory=list)


def row_blocks(
    path: str | Path,
    rows: Iterable[tuple[int, list[str]]],
    columns: Columns,
    unit: str,
    advice: Callable[[str], str],
) -> Iterator[Block]:
    """Yield blocks of rows that are cells already, each with its number."""
    where, width = f"{path}, ", len(columns.names)
    step = max(1, 500_000 // max(1, width))
    rows = iter(rows)
    while chunk := list(itertools.islice(rows, step)):
        for number, cells in chunk:
            if len(cells) != width:
                msg = (
                    f"{path}, {unit} {number}: {counted(len(cells), 'cell')}, but the header "
                    f"has {width}; "
                    "correct the row"
                )
                raise InputError(msg)
        special = []
        if columns.special is not None:
            special = [row for row in chunk if columns.special(row[1][columns.key])]
            chunk = [row for row in chunk if not columns.special(row[1][columns.key])]
        found = row_block(chunk, columns, where, unit, advice, ".")
        yield Block([number for number, _ in chunk], *found, special)


def row_block(
    rows: Sequence[tuple[int, list[str]]],
    columns: Columns,
    where: str,
    unit: str,
    advice: Callable[[str], str],
    decimal: str,
    *,
    column_told: bool = False,
) -> tuple[list[list[str]], np.ndarray]:
    """Return the texts and the numbers of rows of cells; ``where`` may tell the column already."""
    texts = [[cells[place].strip() for _, cells in rows] for place in columns.text]
    take = _taker(columns.numbers)
    kept = [take(cells) for _, cells in rows]
    count = len(rows) * len(columns.numbers)
    values = numbers_of("\n".join(map("\n".join, kept)), count, decimal) if count else np.empty(0)
    if values is None:
        values = np.array(
            [
                _number(
                    cell,
                    f"{where}{'' if column_told else _column(columns, place)}, {unit} {number}",
                    advice,
                    decimal,
                )
                for (number, _), cells in zip(rows, kept, strict=True)
                for place, cell in zip(columns.numbers, cells, strict=True)
            ]
        )
    return texts, values.reshape(len(rows), len(columns.numbers))


def _column(columns: Columns, place: int) -> str:
    return f"column {place + 1} ({columns.names[place]!r})"


def _taker(places: tuple[int, ...]) -> Callable[[list[str]], Sequence[str]]:
    if places and places == tuple(range(places[0], places[-1] + 1)):
        return operator.itemgetter(slice(places[0], places[-1] + 1))
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda cells: [cells[place] for place in places]


def _number(cell: str, where: str, advice: Callable[[str], str], decimal: str) -> float:
    text = cell.strip()
    if is_missing(text):
        return math.nan
    if decimal == "," and not DECIMAL_POINT.fullmatch(text):
        text = text.replace(",", ".", 1)
    elif decimal == ",":
        msg = f"{where}: {cell!r} has a decimal point, but other cells have commas; make them agree"
        raise InputError(msg)
    if wrong := complaint(text):
        msg = f"{where}: {wrong}; {advice(cell)}"
        raise InputError(msg)
    return float(text)
