"""A table in a file, whatever its format: rows of cells as texts and numbers.

Many rows are converted at once; if a cell is not a number, cells are converted one by one, so that
the error names the cell.
"""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    complaint,
    is_missing,
    numbers_of,
)

_CELLS_AT_ONCE = 200_000
#: Parts of a table that is transposed.
_PARTS = 8

#: Per row: its number, its first cells, and its other cells.
Row = tuple[int, list[str], str]


@dataclass(frozen=True)
class Columns:
    """Positions of the columns of text and of numbers; other columns are skipped.

    ``key`` is the column of row names; ``is_text`` returns by a row's name whether the row is text.
    """

    text: Sequence[int]
    numbers: Sequence[int]
    key: int = 0
    is_text: Callable[[str], bool] | None = None


@dataclass
class Cells:
    """The contents of a table below its header.

    ``lines`` are the numbers of its rows, ``texts`` the cells of each column of text; ``numbers``
    has the shape (n_rows, n_numbers), NaN where a value is missing. Rows of text are separate, with
    their numbers.
    """

    lines: list[int]
    texts: list[list[str]]
    numbers: np.ndarray
    text_rows: list[tuple[int, list[str]]] = field(default_factory=list)


class TableFile:
    """A table whose header is read; a format sets ``header`` and yields `rows`.

    The path is for errors; ``advice`` is the remedy for a cell that is not a finite number, by
    default one that depends on the cell. ``unit`` is the word for a row in messages; ``notes`` are
    about how the file was read.
    """

    unit = "row"
    decimal = "."

    def __init__(self, path: str | Path, advice: str | None = None) -> None:
        self.path, self._advice = path, advice
        self.header: list[str] = []
        self.notes: list[str] = []

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the rows below the header, each with its number."""
        raise NotImplementedError

    def divided_rows(self, first: int) -> Iterator[Row]:
        """Yield the rows below the header, divided before the column ``first``."""
        for number, cells in self.rows():
            yield self.divided(number, cells, first)

    def divided(self, number: int, cells: Sequence[str], first: int) -> Row:
        """Return a row, divided before the column ``first``."""
        if len(cells) != len(self.header):
            msg = (
                f"{self.path}, {self.unit} {number}: {counted(len(cells), 'cell')}, but the "
                f"header has {len(self.header)}; correct it, or get the file again if it ends there"
            )
            raise InputError(msg, key=f"{self.unit} {number}")
        return number, list(cells[:first]), "\n".join([cell.strip() for cell in cells[first:]])

    def read(self, columns: Columns, *, by_column: bool = False) -> Cells:
        """Read all rows; in memory a row's numbers are adjacent, or a column's."""
        width, numbers = len(self.header), columns.numbers
        first = numbers[0] if len(numbers) else width
        if [*numbers] != [*range(first, width)] or any(place >= first for place in columns.text):
            first = width
        found = Cells([], [[] for _ in columns.text], np.empty(0))
        # parts are transposed at the end, and each is released when copied
        ends = np.linspace(0, len(numbers), _PARTS + 1 if by_column else 2).astype(int)
        parts = [
            (slice(*pair), np.empty((0, pair[1] - pair[0]))) for pair in itertools.pairwise(ends)
        ]
        rows = self.divided_rows(first)
        while batch := list(itertools.islice(rows, max(1, _CELLS_AT_ONCE // width))):
            kept = []
            for number, cells, rest in batch:
                if columns.is_text is not None and columns.is_text(cells[columns.key].strip()):
                    whole = [*cells, *(rest.split("\n") if first < width else ())]
                    found.text_rows.append((number, [cell.strip() for cell in whole]))
                else:
                    kept.append((number, cells, rest))
            for texts, place in zip(found.texts, columns.text, strict=True):
                texts.extend([cells[place].strip() for _, cells, _ in kept])
            values, start = self._numbers(kept, numbers, first), len(found.lines)
            found.lines += [number for number, _, _ in kept]
            for own, part in parts:  # the system enlarges the array without a copy
                part.resize((len(found.lines), part.shape[1]), refcheck=False)
                part[start:] = values[:, own]
        if not by_column:
            found.numbers = parts[0][1]
            return found
        found.numbers = np.empty((len(numbers), len(found.lines))).T
        while parts:
            own, part = parts.pop()
            found.numbers[:, own] = part
        return found

    def place(self, column: int, number: int | None = None) -> str:
        """Return where a column is, or a cell of it."""
        named = f"column {column + 1} ({quoted(self.header[column])})"
        return named if number is None else f"{named}, {self.unit} {number}"

    def _numbers(self, rows: list[Row], places: Sequence[int], first: int) -> np.ndarray:
        """Return the numbers of rows, shape (n_rows, n_places)."""
        texts = [rest for _, _, rest in rows]
        if first == len(self.header):
            texts = ["\n".join([cells[place] for place in places]) for _, cells, _ in rows]
        count = len(rows) * len(places)
        values = numbers_of("\n".join(texts), count, self.decimal)
        if values is None:
            values = np.array(
                [
                    self._number(cell, place, row[0])
                    for row, text in zip(rows, texts, strict=True)
                    for place, cell in zip(places, text.split("\n"), strict=True)
                ]
            )
        return values.reshape(len(rows), len(places))

    def _number(self, cell: str, column: int, number: int) -> float:
        text = cell.strip()
        if is_missing(text):
            return math.nan
        if self.decimal == "," and DECIMAL_POINT.fullmatch(text):
            wrong = f"{quoted(cell)} has a decimal point, but other cells have commas"
            advice = "make them agree"
        else:
            text = text.replace(",", ".", 1) if self.decimal == "," else text
            wrong, advice = complaint(text) or "", self._advice or _advice(cell.strip())
        if wrong:
            msg = f"{self.path}, {self.place(column, number)}: {wrong}; {advice}"
            raise InputError(msg, key=self.header[column], remedy=advice)
        return float(text)


def _advice(cell: str) -> str:
    if DECIMAL_COMMA.fullmatch(cell):
        return (
            "this looks like a decimal comma: set decimal=comma in the sheet's options, or save it "
            "with decimal points"
        )
    if cell.strip("+-").lower() in {"inf", "infinity"}:
        return "fill it in, remove the sample, or list the feature under drop= in the options"
    return (
        "correct it, or list the feature under categorical= or drop= in the sheet's options; a "
        "column of sample names is the sheet's id_column"
    )
