"""How a text divides its lines into cells and writes its numbers: said by the sheet, or seen."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xnbflow.data.errors import InputError

__all__ = ["DECIMAL_COMMA", "DECIMAL_POINT", "SEPARATORS", "Dialect", "sniff"]

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Dialect:
    """How a text divides its lines and writes its numbers."""

    separator: str
    decimal: str = "."


def sniff(
    path: str | Path,
    head: list[bytes],
    default: str,
    decimal: str | None = None,
    *,
    certain: bool = False,
) -> Dialect:
    """Return the dialect of a text whose sheet does not say all of it.

    Parameters
    ----------
    path : path
        For errors.
    head : list of bytes
        The first lines.
    default : str
        The separator that the file's name promises.
    decimal : str or None
        The decimal sign where the sheet says it. Else a comma is taken for one only between
        semicolons, where tables of that kind come from.
    certain : bool, default=False
        Whether the sheet says the separator.

    Raises
    ------
    InputError
        If neither the promised separator nor exactly one other divides the lines alike.
    """
    lines = [line.decode(errors="replace") for line in head if line.strip()]
    separator = default
    if lines and not _divides(default, lines):
        others = [s for s in SEPARATORS.values() if s != default and _divides(s, lines)]
        if len(others) == 1 and not certain:
            separator = others[0]
        elif _width(default, lines[0]) == 1:
            _refuse_single_cell(path, lines[0], default)
    if decimal is None:
        decimal = "," if separator == ";" and _has_decimal_commas(lines[1:]) else "."
    return Dialect(separator, decimal)


def _divides(separator: str, lines: Sequence[str]) -> bool:
    widths = [_width(separator, line) for line in lines]
    first, rows = widths[0], set(widths[1:])
    return len(rows) <= 1 and first > 1 and all(row in (first, first + 1) for row in rows)


def _width(separator: str, line: str) -> int:
    if '"' not in line:
        return line.count(separator) + 1
    limit = csv.field_size_limit(len(line) + 1)
    try:
        return len(next(csv.reader([line], delimiter=separator), []))
    except csv.Error:  # reading will say what is wrong
        return 0
    finally:
        csv.field_size_limit(limit)


def _has_decimal_commas(lines: Sequence[str]) -> bool:
    cells = [cell.strip('" \r\n') for line in lines for cell in line.split(";")]
    with_comma = any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    return with_comma and not any(DECIMAL_POINT.fullmatch(cell) for cell in cells)


def _refuse_single_cell(path: str | Path, header: str, separator: str) -> None:
    """Refuse a header that another separator may divide; no table has a single column."""
    known = {name: text for name, text in SEPARATORS.items() if text != separator}
    header = header.strip("\r\n")
    possible = [name for name, text in known.items() if text in header] or list(known)
    msg = (
        f"{path}: its header is the single cell {header[:60]!r}; if cells are separated by "
        f"{' or '.join(possible)}, say so in the sheet's options: "
        f"{' or '.join(f'separator={name}' for name in possible)}"
    )
    raise InputError(msg)
