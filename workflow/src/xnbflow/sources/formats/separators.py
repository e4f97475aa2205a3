"""The separator and the decimal sign of a text, recognised from its first lines."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError
from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.cell_texts import DECIMAL_COMMA, DECIMAL_POINT

#: The separators by their names in the sheet's options.
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}


class Dialect(NamedTuple):
    """How a text is written: the separator of cells, and the decimal sign of numbers."""

    separator: str
    decimal: str


def sniff(
    path: str | Path,
    first_lines: Sequence[str],
    default: str,
    decimal: str | None,
    *,
    is_separator_set: bool,
) -> Dialect:
    """Return the separator and the decimal sign of a text.

    Parameters
    ----------
    path : path
        The file, for messages.
    first_lines : sequence of str
        The header and the first rows.
    default : str
        The separator in the sheet, or by the suffix of the file. If it does not divide the lines
        evenly, and exactly one other separator does, that one is returned.
    decimal : str, optional
        The decimal sign in the sheet. By default it is a comma only in a table that is separated
        by semicolons and has numbers with commas and none with points.
    is_separator_set : bool
        Whether ``default`` is from the sheet. It is then never replaced.
    """
    lines = [line for line in first_lines if line.strip()]
    separator = default
    if lines and not divides_evenly(default, lines):
        others = [s for s in SEPARATORS.values() if s != default and divides_evenly(s, lines)]
        if len(others) > 1 and " " in others:  # names may contain spaces
            others.remove(" ")
        if len(others) == 1 and not is_separator_set:
            separator = others[0]
        elif _n_cells(default, lines[0]) == 1:  # no table has a single column
            raise _single_column_error(path, lines[0].strip("\r\n"), default)
    if decimal is None and separator == ";":
        cells = []
        for line in lines[1:]:
            cells += [cell.strip('" \r\n') for cell in line.split(";")]
        has_points = any(DECIMAL_POINT.fullmatch(cell) for cell in cells)
        has_commas = any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)
        if has_commas and not has_points:
            decimal = ","
    return Dialect(separator, decimal or ".")


def divides_evenly(separator: str, lines: Sequence[str]) -> bool:
    """Return whether a separator divides lines evenly; the header may have one cell less."""
    header, *rows = [_n_cells(separator, line) for line in lines]
    are_equal = len(set(rows)) <= 1
    return are_equal and header > 1 and all(row in (header, header + 1) for row in rows)


def split_leniently(separator: str, line: str) -> list[str]:
    """Return the cells of a line; the line itself if its quotes are wrong."""
    if '"' not in line:
        return line.rstrip("\r\n").split(separator)
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), [])
    except csv.Error:
        return [line]


def _n_cells(separator: str, line: str) -> int:
    """Return the number of cells into which a separator divides a line."""
    if '"' not in line:
        return line.count(separator) + 1
    try:
        return len(next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), []))
    except csv.Error:  # this separator makes a cell of more characters than the module allows
        return 1


def _single_column_error(path: str | Path, header: str, separator: str) -> InputError:
    """Return the error for a header of one cell; it names the separators in the header."""
    others = {name: text for name, text in SEPARATORS.items() if text != separator}
    possible = [name for name, text in others.items() if text in header] or list(others)
    options = " or ".join(f"separator={name}" for name in possible)
    return _SINGLE_CELL.error(
        path=path, header=header, separators=" or ".join(possible), options=options
    )


_SINGLE_CELL = Refusal(
    code="text.single-cell",
    sentence=(
        "{path}: its header is the single cell {header!r}; if cells are separated by "
        "{separators}, set in the sheet's options: {options}"
    ),
    key="separator",
    sheet=True,
)
