"""Delimited text as a table: its header and its rows."""

import csv
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.data.note import Note
from xnbflow.sources.formats.header_rows import (
    chosen_header,
    fill_forward,
    find_header,
    move_corner_name,
)
from xnbflow.sources.formats.text_lines import (
    DATA_SECTION,
    HEADER_SECTION,
    SEPARATORS,
    DecodedLines,
    divides_evenly,
    read_first_lines,
    split_leniently,
)
from xnbflow.sources.formats.text_table import TextTable, other_width

#: The word for a row in messages.
_UNIT = "line"
#: Number of rows from which the separator and the decimal sign are determined.
_SNIFFED_ROWS = 5
#: Names of a column of identifiers.
_IDENTIFIERS = re.compile(
    r"(gene|probe|probeset|transcript|protein|feature|sample|ensembl|entrez|hugo|symbol|target|id)s?"
    r"([ _.-]?(id|ids|name|names|symbol|symbols|ref|set))*",
    re.IGNORECASE,
)


class NumberedRow(NamedTuple):
    """A row that is divided into cells, and the number of its line in the file."""

    number: int
    cells: list[str]


def read_text(
    path: str | Path,
    stream: Iterable[bytes],
    dialect: tuple[str, str] | Callable[[list[str]], tuple[str, str]],
    *,
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
    dialect : tuple or callable
        The separator and the decimal sign, or a function that returns them for the header and the
        first rows (`xnbflow.sources.formats.text_lines.sniff`).
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
    # of GEO, which has an end, has no titles.
    lines = DecodedLines(
        path=path, stream=stream, number=first_line - 1, end=end, encoding=encoding
    )
    decoded = iter(lines)
    first_lines = read_first_lines(path, decoded)
    n_titles = _n_titles(first_lines.rows, header_line) if end is None else 0
    if n_titles and header_line is None:
        lines.notes += _notes_on_titles(first_lines.rows[:n_titles])
    if not isinstance(dialect, tuple):
        filled = [row for row in first_lines.rows[n_titles:] if not row.isspace()]
        dialect = dialect(filled[:_SNIFFED_ROWS])
    separator, decimal = dialect

    # The header and the first rows, from the same lines again.
    # In place of titles there are empty lines, so that the others keep their numbers in the file.
    n_title_lines = sum(row.count("\n") for row in first_lines.rows[:n_titles])
    lines_again = ["\n"] * n_title_lines + first_lines.lines[n_title_lines:]
    numbered = enumerate(itertools.chain(lines_again, decoded), first_line)
    first_rows: list[NumberedRow] = []
    for number, line in numbered:
        if not line.isspace():
            cells = _split(path, number, line, numbered, separator)
            first_rows.append(NumberedRow(number, cells))
        if len(first_rows) == _SNIFFED_ROWS:
            break
    header, rows = _header_and_rows(path, first_rows, header_line)
    table = TextTable(
        path=path,
        header=header,
        separator=separator,
        lines=[],
        unit=_UNIT,
        decimal=decimal,
        advice=advice,
        notes=lines.notes,
    )

    # The other rows are divided when their cells are needed. Rows that repeat the header, as in
    # tables that were joined one after the other, are left out.
    if header:
        table.is_header_short = header[0] == "" and _is_header_short(first_rows, header)
        row_numbers: list[int] = []
        texts = _row_texts(
            path,
            rows,
            numbered,
            separator=separator,
            header=header,
            row_numbers=row_numbers,
            notes=lines.notes,
        )
        table.rows = list(itertools.islice(texts, most_rows))
        table.lines = row_numbers[: len(table)]
        table.encoding = lines.other_encoding
        if end is not None and not lines.ended and most_rows is None:
            msg = f"{path} ends before {end}: it is cut off; delete it and get it again"
            raise InputError(msg, file=str(path))
    return table


def _n_titles(rows: Sequence[str], header_line: int | None) -> int:
    """Return the number of the first rows of a text that are above the header.

    These are, in this order: the rows above the ``header_line`` of the entry; comments and sections
    with marks (`_n_marked_rows`); or titles (`find_header`) by the separators that divide all rows
    evenly, or by all separators. The fewest titles count below which the separator divides all
    rows evenly.
    """
    if header_line is not None:
        return _n_rows_before(rows, header_line)
    positions = [i for i, row in enumerate(rows) if not row.isspace()]
    filled = [rows[i] for i in positions]
    if len(filled) < 2:
        return 0
    has_marks = rows[0].lstrip('"').startswith(("#", HEADER_SECTION))
    if has_marks and (n_marked := _n_marked_rows(rows)):
        return n_marked
    separators = [s for s in SEPARATORS.values() if s != " "]
    even_separators = [s for s in separators if divides_evenly(s, filled)]
    numbers_of_titles = []
    for separator in even_separators or separators:
        n_titles = find_header([split_leniently(separator, row) for row in filled]).first
        if n_titles and divides_evenly(separator, filled[n_titles:]):
            numbers_of_titles.append(n_titles)
    if not numbers_of_titles:
        return 0
    return positions[min(numbers_of_titles)]


def _n_marked_rows(rows: Sequence[str]) -> int:
    """Return the number of first rows that are comments or sections of a sample sheet.

    Two or more rows with ``#`` are comments, as cBioPortal writes them. A single one may be the
    header, unless its first cell alone is filled: spreadsheets add tabs to the comment of
    featureCounts. Illumina's sheets have the header below the line ``[Data]``.
    """
    begins = [row.lstrip('"') for row in rows]
    if begins[0].startswith(HEADER_SECTION):
        data_rows = [i for i, row in enumerate(begins) if row.startswith(DATA_SECTION)]
        return data_rows[0] + 1 if data_rows else 0
    comments = list(itertools.takewhile(lambda row: row.startswith("#"), begins))
    is_single_cell = "\t" not in begins[0].rstrip() and any("\t" in row for row in begins[1:])
    return len(comments) if len(comments) > 1 or is_single_cell else 0


def _n_rows_before(rows: Sequence[str], header_line: int) -> int:
    """Return the number of rows before the header, without a row of conditions just above it."""
    number = 1
    for position, row in enumerate(rows):
        if number >= header_line - 1:
            return position
        number += max(1, row.count("\n"))
    return 0


def _notes_on_titles(titles: Sequence[str]) -> list[str]:
    """Return a note on lines above the header, except the first comment of featureCounts."""
    titles = [line for line in titles if not line.startswith("# ")]
    texts = [text for line in titles if (text := line.strip().strip('",;\t '))]
    if not texts:
        return []
    note = Note(
        f"{counted(len(texts), 'title line', 'was', 'were')} left out above the header "
        f"({quoted(texts[0])})",
        advice="the key header names another line as the header",
    )
    return [note]


def _header_and_rows(
    path: str | Path, rows: list[NumberedRow], header_line: int | None
) -> tuple[list[str], list[NumberedRow]]:
    """Return the header among the first rows, and the rows below it.

    A row of conditions, above or below the header, becomes the first of these rows. Its name is
    the number of its line, such as ``line 2``.
    """
    if header_line is None:
        header_rows = find_header([cells for _, cells in rows])
    else:
        header_rows = chosen_header(path, rows, header_line)
    header = header_rows.header
    conditions = header_rows.conditions
    if conditions is not None:
        number, cells = rows[conditions]
        header_number, header_cells = rows[header]
        if conditions < header:
            header_cells, cells = move_corner_name(header_cells, cells)
        rows = [
            NumberedRow(header_number, header_cells),
            NumberedRow(number, fill_forward(cells, f"{_UNIT} {number}")),
            *rows[max(header, conditions) + 1 :],
        ]
    elif header and header_line is not None:
        rows = rows[header:]
    if not rows:
        return [], []
    header_cells, *below = [cells for _, cells in rows]
    names = [cell.strip() for cell in header_cells]
    # R's write.table writes no name for the column of row names. An empty last cell in every row is
    # instead due to a separator at the ends of lines.
    has_one_more = bool(below) and all(len(row) == len(header_cells) + 1 for row in below)
    if has_one_more and any(row[-1].strip() for row in below):
        _refuse_lost_separator(path, rows[0][0], names)
        names.insert(0, "")
    return names, rows[1:]


def _is_header_short(rows: Sequence[NumberedRow], header: Sequence[str]) -> bool:
    """Return whether the header in the file lacks the first name, which is empty in the table."""
    names = [name for name in header if name]
    return any([cell.strip() for cell in cells] == names for _, cells in rows)


def _row_texts(
    path: str | Path,
    first_rows: Iterable[NumberedRow],
    numbered: Iterator[tuple[int, str]],
    *,
    separator: str,
    header: Sequence[str],
    row_numbers: list[int],
    notes: list[str],
) -> Iterator[str | list[str]]:
    """Yield the rows of the table, and append the number of each to ``row_numbers``.

    A row is a line without quotes and with as many cells as the ``header``, which the table
    divides when its cells are needed; or else it is a list of cells. The ``first_rows`` are divided
    already; further rows are read from the ``numbered`` lines. A row with another number of cells
    is refused. One that repeats the header is left out, with a note; a blank one is passed over.
    """
    n_columns = len(header)
    header_line = separator.join(header)
    # a spreadsheet writes a blank row as separators; a match copies no line, as `strip` would
    is_blank = re.compile(rf"[{re.escape(separator)}\s]*").fullmatch
    for number, cells in first_rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != n_columns:
            raise other_width(path, f"{_UNIT} {number}", len(cells), n_columns)
        row_numbers.append(number)
        yield cells
    for number, line in numbered:
        if is_blank(line):
            continue
        row_numbers.append(number)
        if line.startswith('"'):  # GEO and R quote the name of a row, and no number
            name, _, others = line[1:].partition('"')
            if others.startswith(separator) and separator not in name and '"' not in others:
                line = f"{name}{others}"  # noqa: PLW2901
        text = line.rstrip("\r\n")
        if text == header_line:
            del row_numbers[-1]
            notes.append(f"line {number} repeats the header and was left out")
        elif '"' not in text and text.count(separator) == n_columns - 1:
            yield text
        else:
            cells = _split(path, number, line, numbered, separator)
            if len(cells) != n_columns:
                raise other_width(path, f"{_UNIT} {number}", len(cells), n_columns)
            if cells == list(header):
                del row_numbers[-1]
                notes.append(f"line {number} repeats the header and was left out")
            else:
                yield cells


def _split(
    path: str | Path, number: int, line: str, numbered: Iterator[tuple[int, str]], separator: str
) -> list[str]:
    """Split a line into cells; a quoted cell may continue in the next ``numbered`` lines."""
    if '"' not in line:
        return line.rstrip("\r\n").split(separator)
    lines = itertools.chain([line], (following for _, following in numbered))
    try:
        return next(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as error:
        msg = f"{path}, line {number}: not valid CSV ({error}); correct the quotes"
        raise InputError(msg, file=str(path)) from error


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
