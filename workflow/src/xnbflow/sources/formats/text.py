"""Delimited text as a table: its header and its rows."""

import csv
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.sources.formats.header_rows import (
    HeaderRows,
    chosen_header,
    fill_forward,
    find_header,
    move_corner_name,
)
from xnbflow.sources.formats.text_lines import DecodedLines, read_first_lines
from xnbflow.sources.formats.text_recognition import (
    FIRST_ROWS,
    is_blank_row,
    notes_on_titles,
    recognise_text,
)
from xnbflow.sources.formats.text_table import TextTable, other_width

#: The word for a row in messages.
_UNIT = "line"
#: Names of a column of identifiers.
_IDENTIFIERS = re.compile(
    r"(gene|probe|probeset|transcript|protein|feature|sample|ensembl|entrez|hugo|symbol|target|id)s?"
    r"([ _.-]?(id|ids|name|names|symbol|symbols|ref|set))*",
    re.IGNORECASE,
)
#: The number of a row's line in the file, and the row: a line without quotes, or its cells.
NumberedRow = tuple[int, str | list[str]]


class _HeaderAndRows(NamedTuple):
    """The names of the columns, and some rows below them.

    ``is_short`` is whether the header lacks the first name, which is empty among the names.
    """

    names: list[str]
    rows: Sequence[NumberedRow]
    is_short: bool = False


def read_text(
    path: str | Path,
    stream: Iterable[bytes],
    *,
    separator: str,
    decimal: str | None = None,
    is_separator_set: bool = True,
    first_line: int = 1,
    end: str | None = None,
    advice: str | None = None,
    encoding: str | None = None,
    header_line: int | None = None,
    most_rows: int | None = None,
) -> TextTable:
    """Read a table in lines and cells.

    Parameters
    ----------
    path : path
        The file, for messages.
    stream : iterable of bytes
        Its lines, from the first one or from the header, whose number is ``first_line``.
    separator : str
        What divides the cells. Where it is only usual for the suffix of the file, and not
        ``is_separator_set``, the first lines may show another one
        (`xnbflow.sources.formats.text_recognition.recognise_text`).
    decimal : str, optional
        The decimal sign of numbers; by default it is a comma only in a table that is separated by
        semicolons and has numbers with commas and none with points.
    end : str, optional
        The beginning of the line with which the table ends; without that line it is cut off. Such
        a table begins with its header.
    advice : str, optional
        The remedy for a cell that is not a number.
    encoding : str, optional
        How lines that are not UTF-8 are read.
    header_line : int, optional
        The number of the line of the header; by default titles above it are recognised.
    most_rows : int, optional
        The number of rows after which reading ends.

    Returns
    -------
    TextTable
        If the header lacks the name of the first column, as R's, it begins with an empty name.
    """
    # The first lines show where the header is, and how cells are separated. A table within a file
    # of GEO, which has an end, begins with its header.
    lines = DecodedLines(
        path=path, stream=stream, number=first_line - 1, end=end, encoding=encoding
    )
    decoded = iter(lines)
    first_lines, rows = read_first_lines(path, decoded)
    n_title_lines = 0
    if end is None:
        n_titles, separator, has_commas = recognise_text(
            path, rows, header_line, separator, is_separator_set=is_separator_set
        )
        decimal = decimal or ("," if has_commas else ".")
        n_title_lines = sum(row.count("\n") for row in rows[:n_titles])
        if n_titles and header_line is None:
            lines.notes += notes_on_titles(rows[:n_titles])

    # The header is among the first rows below the titles.
    lines_below = itertools.chain(first_lines[n_title_lines:], decoded)
    numbered = _numbered_rows(path, lines_below, first_line + n_title_lines, separator)
    first_rows = list(itertools.islice(numbered, FIRST_ROWS))
    table = TextTable(
        path=path,
        header=[],
        separator=separator,
        lines=[],
        unit=_UNIT,
        decimal=decimal or ".",
        advice=advice,
        notes=lines.notes,  # which get further notes while the rows below are read
    )
    if first_rows or header_line is not None:
        header = _header_and_rows(path, first_rows, separator, header_line)
        table.header = header.names
        table.is_header_short = header.is_short
        _append_rows(table, itertools.islice(itertools.chain(header.rows, numbered), most_rows))
        table.encoding = lines.other_encoding
        if end is not None and not lines.ended and most_rows is None:
            msg = f"{path} ends before {end}: it is cut off; delete it and get it again"
            raise InputError(msg, file=str(path))
    return table


def _append_rows(table: TextTable, rows: Iterable[NumberedRow]) -> None:
    """Append the rows below the header to a table, in place.

    A row with another number of cells is refused. One that repeats the header, as in tables that
    were joined one after the other, is left out with a note.
    """
    width = len(table.header)
    header_text = table.separator.join(table.header)
    row_numbers: list[int] = []
    for number, row in rows:
        n_cells = row.count(table.separator) + 1 if isinstance(row, str) else len(row)
        if n_cells != width:
            raise other_width(table.path, f"{_UNIT} {number}", n_cells, width)
        if row in (header_text, table.header):
            table.notes.append(f"line {number} repeats the header and was left out")
        else:
            table.rows.append(row)
            row_numbers.append(number)
    table.lines = row_numbers


def _numbered_rows(
    path: str | Path, lines: Iterator[str], first_line: int, separator: str
) -> Iterator[NumberedRow]:
    """Yield the rows of a text that are not blank, with the number of their first line.

    A row is its line without quotes, which is divided later and takes much less memory; or a list
    of cells, where a cell contains a quote, a separator or a line break.
    """
    numbers = itertools.count(first_line)
    numbered = zip(lines, numbers, strict=False)
    for line, number in numbered:
        if is_blank_row(line):
            continue
        text = line.rstrip("\r\n")
        if text.startswith('"'):  # GEO and R quote the name of a row, and no number
            name, _, others = text[1:].partition('"')
            if others.startswith(separator) and separator not in name:
                text = f"{name}{others}"
        if '"' not in text:
            yield number, text
            continue
        # a quoted cell may continue in the next lines
        row_lines = itertools.chain([line], (following for following, _ in numbered))
        try:
            cells = next(csv.reader(row_lines, delimiter=separator, strict=True))
        except csv.Error as error:
            msg = f"{path}, line {number}: not valid CSV ({error}); correct the quotes"
            raise InputError(msg, file=str(path)) from error
        if any(map(str.strip, cells)):
            text = separator.join(cells)
            needs_quotes = '"' in text or "\n" in text or text.count(separator) >= len(cells)
            yield number, cells if needs_quotes else text


def _header_and_rows(
    path: str | Path, rows: Sequence[NumberedRow], separator: str, header_line: int | None
) -> _HeaderAndRows:
    """Return the header among the first rows, and the rows below it.

    A row of conditions, above or below the header, becomes the first of these rows. Its name is
    the number of its line, such as ``line 2``. A name that a spreadsheet broke into several lines
    becomes one line.
    """
    numbers = [number for number, _ in rows]
    cells_of_rows = [row.split(separator) if isinstance(row, str) else row for _, row in rows]
    if header_line is not None:
        numbered_cells = list(zip(numbers, cells_of_rows, strict=True))
        header_rows = chosen_header(path, numbered_cells, header_line)
    elif all(cells[0].strip() for cells in cells_of_rows):
        header_rows = HeaderRows(header=0)  # a row of conditions, or the names below, have no name
    else:
        header_rows = find_header(cells_of_rows)
    header = header_rows.header
    conditions = header_rows.conditions
    if conditions is not None:
        header_cells = cells_of_rows[header]
        condition_cells = cells_of_rows[conditions]
        if conditions < header:
            header_cells, condition_cells = move_corner_name(header_cells, condition_cells)
        number = numbers[conditions]
        row_of_conditions = (number, fill_forward(condition_cells, f"{_UNIT} {number}"))
        names = [cell.strip().replace("\r\n", " ").replace("\n", " ") for cell in header_cells]
        return _HeaderAndRows(names, [row_of_conditions, *rows[header_rows.first_below :]])

    # Titles that no even separator shows are not left out: the first row is then the header.
    if header_line is None:
        header = 0
    names = [cell.strip().replace("\r\n", " ").replace("\n", " ") for cell in cells_of_rows[header]]
    # R's write.table writes no name for the column of row names. An empty last cell in every row is
    # instead due to a separator at the ends of lines.
    below = cells_of_rows[header + 1 :]
    has_one_more = bool(below) and all(len(cells) == len(names) + 1 for cells in below)
    is_short = has_one_more and any(cells[-1].strip() for cells in below)
    if is_short:
        _refuse_lost_separator(path, numbers[header], names)
        names.insert(0, "")
    return _HeaderAndRows(names, rows[header + 1 :], is_short)


def _refuse_lost_separator(path: str | Path, number: int, names: Sequence[str]) -> None:
    """Refuse a header with one name less than the rows, if its first name is that of row names.

    That name may be empty. R writes such a header, but then no name for the first column.
    """
    if names[0] and not _IDENTIFIERS.fullmatch(names[0]):
        return
    longest = max(names[1:], key=len, default="")
    n_cells = len(names) + 1
    msg = (
        f"{path}, {_UNIT} {number}: the header has {counted(len(names), 'name')}, and each row "
        f"{n_cells} cells. Either a separator between two names was lost (the longest name is "
        f"{quoted(longest)}): insert it; or the header lacks the name of the first column, as R "
        f"writes it, and {quoted(names[0])} is a sample: rename it"
    )
    raise InputError(msg, file=str(path))
