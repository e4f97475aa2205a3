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

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.sources.formats.cell_texts import (
    DECIMAL_COMMA,
    DECIMAL_POINT,
    complaint,
    is_missing,
    numbers_of,
)

#: Number of cells that are converted at once.
_CELLS_AT_ONCE = 200_000
#: Number of blocks of columns in which a table is transposed.
_BLOCKS = 8

#: The number of a row, its first cells, and its other cells as one text, with line breaks between
#: them.
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
        self.path = path
        self._advice = advice
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
        """Read all rows; in memory the numbers of a row are adjacent, or those of a column.

        If the columns of numbers are the last ones of the table, rows are divided before the first
        of them, so that a row's numbers are converted as one text.
        """
        width = len(self.header)
        numbers = columns.numbers
        first = numbers[0] if len(numbers) else width
        are_last = [*numbers] == [*range(first, width)]
        if not are_last or any(position >= first for position in columns.text):
            first = width
        contents = Cells([], [[] for _ in columns.text], np.empty(0))
        # The numbers are stored in blocks of columns. At the end blocks are transposed one by one,
        # and each is released, so that the table is not in memory twice.
        n_blocks = _BLOCKS if by_column else 1
        ends = np.linspace(0, len(numbers), n_blocks + 1).astype(int)
        block_columns = [slice(start, stop) for start, stop in itertools.pairwise(ends)]
        blocks = [np.empty((0, stop - start)) for start, stop in itertools.pairwise(ends)]
        rows = self.divided_rows(first)
        n_rows_at_once = max(1, _CELLS_AT_ONCE // width)
        while batch := list(itertools.islice(rows, n_rows_at_once)):
            number_rows = []
            for number, cells, rest in batch:
                if columns.is_text is not None and columns.is_text(cells[columns.key].strip()):
                    row = list(cells)
                    if first < width:
                        row += rest.split("\n")
                    contents.text_rows.append((number, [cell.strip() for cell in row]))
                else:
                    number_rows.append((number, cells, rest))
            for texts, position in zip(contents.texts, columns.text, strict=True):
                texts.extend([cells[position].strip() for _, cells, _ in number_rows])
            values = self._numbers(number_rows, numbers, first)
            n_before = len(contents.lines)
            contents.lines += [number for number, _, _ in number_rows]
            for block, columns_of_block in zip(blocks, block_columns, strict=True):
                # `resize` lets the system enlarge the array, without a copy.
                block.resize((len(contents.lines), block.shape[1]), refcheck=False)
                block[n_before:] = values[:, columns_of_block]
        if not by_column:
            contents.numbers = blocks[0]
            return contents
        contents.numbers = np.empty((len(numbers), len(contents.lines))).T
        while blocks:
            contents.numbers[:, block_columns.pop()] = blocks.pop()
        return contents

    def place(self, column: int, number: int | None = None) -> str:
        """Return where a column is, or a cell of it: ``column 3 ('TP53'), line 7``."""
        place = f"column {column + 1} ({quoted(self.header[column])})"
        return place if number is None else f"{place}, {self.unit} {number}"

    def _numbers(self, rows: list[Row], positions: Sequence[int], first: int) -> np.ndarray:
        """Return the numbers of rows, shape (n_rows, n_positions)."""
        texts = [rest for _, _, rest in rows]
        if first == len(self.header):
            texts = ["\n".join([cells[i] for i in positions]) for _, cells, _ in rows]
        count = len(rows) * len(positions)
        values = numbers_of("\n".join(texts), count, self.decimal)
        if values is None:
            numbers = []
            for row, text in zip(rows, texts, strict=True):
                for position, cell in zip(positions, text.split("\n"), strict=True):
                    numbers.append(self._number(cell, position, row[0]))
            values = np.array(numbers)
        return values.reshape(len(rows), len(positions))

    def _number(self, cell: str, column: int, number: int) -> float:
        """Return the number in a cell; an `InputError` names the cell if it has none."""
        text = cell.strip()
        if is_missing(text):
            return math.nan
        if self.decimal == "," and DECIMAL_POINT.fullmatch(text):
            fault = f"{quoted(cell)} has a decimal point, but other cells have commas"
            advice = "make them agree"
        else:
            if self.decimal == ",":
                text = text.replace(",", ".", 1)
            fault = complaint(text) or ""
            advice = self._advice or _advice(cell.strip())
        if fault:
            msg = f"{self.path}, {self.place(column, number)}: {fault}; {advice}"
            raise InputError(msg, key=self.header[column], remedy=advice, sheet=True)
        return float(text)


def _advice(cell: str) -> str:
    """Return the remedy for a cell that is not a finite number."""
    if DECIMAL_COMMA.fullmatch(cell):
        if complaint(cell) != f"{quoted(cell)} is not a number":
            return (
                "if the comma is a decimal sign, set decimal=comma in the sheet's options; else "
                "save the table without separators of thousands"
            )
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
