"""Which of the first rows of a table is its header: titles above it, and rows of conditions.

Some tables have a title above them, or a row with the condition of each sample. This row is above
the names of the samples (often in merged cells), or below them without a name.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xnbflow.core.errors import InputError
from xnbflow.sources.formats.cell_texts import is_text

#: Number of rows from which the header is recognised.
HEAD_ROWS = 12
#: Least number of cells of a header.
_LEAST_CELLS = 2
#: Least number of samples of a row of conditions.
_LEAST_SAMPLES = 4
#: Least share of texts among the cells of a header, and of numbers among those of a row of values.
_MOSTLY = 0.8


@dataclass(frozen=True)
class HeaderRows:
    """Positions among the first rows: the header, and a row of conditions above or below it."""

    header: int
    conditions: int | None = None

    @property
    def first(self) -> int:
        """Position of the first row that is not a title."""
        return self.header if self.conditions is None else min(self.header, self.conditions)

    @property
    def first_below(self) -> int:
        """Position of the first row below both."""
        return 1 + (self.header if self.conditions is None else max(self.header, self.conditions))


def find_header(rows: Sequence[Sequence[str]]) -> HeaderRows:
    """Return where the header and a row of conditions are, among the first rows that are not empty.

    Titles may be above the header. A title is a row in which only the first cell is filled, or
    which has less than half as many cells as the header. Below titles a header must have texts.

    Examples
    --------
    >>> find_header([["Expression"], ["gene", "S1", "S2"], ["TP53", "7.1", "8"]])
    HeaderRows(header=1, conditions=None)
    >>> find_header([["gene", "S1", "S2"], ["TP53", "7.1", "8"]])
    HeaderRows(header=0, conditions=None)
    """
    header = 0
    for position, cells in enumerate(rows[:-1]):
        widest = max(map(len, rows[position + 1 :]))
        n_filled = sum(map(bool, map(str.strip, cells)))
        is_narrow = n_filled == 1 < widest or 2 * len(cells) < widest
        if is_narrow and cells[0].strip():
            continue
        # The header is the first row that is not a title, if it can be a header; else the first
        # row. R's write.table writes no name for the column of row names.
        has_names = len(rows[position + 1]) in (len(cells), len(cells) + 1)
        if position and has_names and _is_header(cells):
            header = position
        break
    # A row of conditions has no name, or the names of samples below it have none.
    if all(cells[0].strip() for cells in rows[header : header + 2]):
        return HeaderRows(header)
    if _are_conditions_above(rows[header:]):
        return HeaderRows(header + 1, header)
    if _are_conditions_below(rows[header:]):
        return HeaderRows(header, header + 1)
    return HeaderRows(header)


def chosen_header(
    path: str | Path, rows: Sequence[tuple[int, Sequence[str]]], line: int
) -> HeaderRows:
    """Return where the header and a row of conditions are, if the data set names the header's line.

    Parameters
    ----------
    path : path
        The file, for messages.
    rows : sequence of (int, sequence of str)
        The first rows with their numbers in the file.
    line : int
        The number in ``header``.
    """
    numbers = [number for number, _ in rows]
    if line not in numbers:
        lines = ", ".join(map(str, numbers))
        msg = (
            f"{path}: header: {line} names a line that is empty, or is not among the first "
            f"{HEAD_ROWS}; the first lines with cells are {lines}"
        )
        raise InputError(msg, file=str(path), key="header")
    header = numbers.index(line)
    cells = [cells for _, cells in rows]
    if header and _are_conditions_above(cells[header - 1 :]):
        return HeaderRows(header, header - 1)
    if _are_conditions_below(cells[header:]):
        return HeaderRows(header, header + 1)
    return HeaderRows(header)


def fill_forward(cells: Sequence[str], name: str) -> list[str]:
    """Return a row of conditions with its ``name``; empty cells get the text before them.

    Examples
    --------
    >>> fill_forward(["", "tumour", "", "normal", ""], "row 1")
    ['row 1', 'tumour', 'tumour', 'normal', 'normal']
    """
    filled = [cells[0].strip() or name]
    for cell in cells[1:]:
        filled.append(cell.strip() or (filled[-1] if len(filled) > 1 else ""))
    return filled


def move_corner_name(
    header: Sequence[str], conditions: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return a header and its row of conditions, with the name of the first column in the header.

    Where the first cells of both rows are merged, the name is in the row of conditions above.

    Examples
    --------
    >>> move_corner_name(["", "P1", "P2"], ["gene", "tumour", ""])
    (['gene', 'P1', 'P2'], ['', 'tumour', ''])
    """
    if header[0].strip() or not conditions[0].strip():
        return list(header), list(conditions)
    return [conditions[0], *header[1:]], ["", *conditions[1:]]


def _is_header(cells: Sequence[str]) -> bool:
    """Return whether cells are the names of columns: at least two, and nearly all texts."""
    n_filled = sum(bool(cell.strip()) for cell in cells)
    return n_filled >= _LEAST_CELLS and sum(map(is_text, cells)) >= _MOSTLY * n_filled


def _are_conditions_above(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row has conditions, and the second the names of samples."""
    if len(rows) < 3 or len(rows[0]) != len(rows[1]):
        return False
    if rows[0][0].strip() and rows[1][0].strip():  # one of both may be merged over the other
        return False
    names = [cell.strip() for cell in rows[1][1:]]
    is_header = all(names) and len(set(names)) == len(names) and _is_header(rows[1])
    return is_header and _are_conditions(rows[0][1:]) and _are_values(rows[2])


def _are_conditions_below(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the second row has conditions, and no name, and the third values."""
    if len(rows) < 3 or len(rows[0]) != len(rows[1]) or rows[1][0].strip():
        return False
    return _are_conditions(rows[1][1:]) and _are_values(rows[2])


def _are_conditions(cells: Sequence[str]) -> bool:
    """Return whether cells are the conditions of samples: at least two texts.

    Each text repeats, or is in merged cells. A merged cell appears as its text and empty cells
    after it, so that at most half of the cells are filled: ``["tumour", "", "normal", ""]``.
    """
    counts = Counter(cell.strip() for cell in cells if cell.strip())
    if len(cells) < _LEAST_SAMPLES or len(counts) < 2 or not all(map(is_text, counts)):
        return False
    n_filled = sum(counts.values())
    are_repeated = n_filled == len(cells) and min(counts.values()) > 1
    are_merged = bool(cells[0].strip()) and 2 * n_filled <= len(cells)
    return are_repeated or are_merged


def _are_values(cells: Sequence[str]) -> bool:
    """Return whether most cells after the first are numbers."""
    values = [cell for cell in cells[1:] if cell.strip()]
    return bool(values) and sum(not is_text(cell) for cell in values) >= _MOSTLY * len(values)
