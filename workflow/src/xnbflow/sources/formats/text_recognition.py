"""What the first rows of a text show: titles above the header, the separator, the decimal sign."""

import csv
import io
import itertools
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.data.note import Note
from xnbflow.sources.formats.cell_texts import DECIMAL_COMMA, DECIMAL_POINT
from xnbflow.sources.formats.header_rows import find_header
from xnbflow.sources.formats.text_lines import DATA_SECTION, HEADER_SECTION

#: The separators by the values of the key ``separator``.
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}
#: Number of rows, with the header, from which the separator and the decimal sign are recognised.
FIRST_ROWS = 5
#: A blank row, which a spreadsheet writes as separators; a match copies no line.
is_blank_row = re.compile(r"[,;|\s]*").fullmatch


class RecognisedText(NamedTuple):
    """What the first rows of a text show.

    ``n_titles`` is the number of rows above the header. ``has_decimal_commas`` is whether the
    decimal sign of numbers is a comma, which is recognised only between semicolons.
    """

    n_titles: int
    separator: str
    has_decimal_commas: bool


def recognise_text(
    path: str | Path,
    rows: Sequence[str],
    header_line: int | None,
    separator: str,
    *,
    is_separator_set: bool,
) -> RecognisedText:
    """Return how many of the first rows are above the header, and how the rows are written.

    Where the usual ``separator`` divides all of them evenly, and the first one has several cells
    with texts and no mark of a comment, that is the header and no other separator is tried.
    """
    filled = [row for row in rows if not is_blank_row(row)]
    is_plain = (
        header_line is None
        and len(filled) > 1
        and not rows[0].lstrip('"').startswith(("#", HEADER_SECTION))
        and _divides_evenly(separator, filled)
        and sum(map(bool, map(str.strip, filled[0].split(separator)))) > 1
    )
    n_titles = 0
    if not is_plain:
        n_titles = _n_titles(rows, header_line)
        filled = [row for row in rows[n_titles:] if not is_blank_row(row)]
        if not is_separator_set:
            separator = _find_separator(path, filled[:FIRST_ROWS], separator)
        elif filled:
            _refuse_single_column(path, filled[0], separator)
    has_commas = separator == ";" and _has_decimal_commas(filled[:FIRST_ROWS])
    return RecognisedText(n_titles, separator, has_commas)


def _n_titles(rows: Sequence[str], header_line: int | None) -> int:
    """Return the number of the first rows of a text that are above the header.

    These are, in this order: the rows above the ``header_line`` of the entry; comments and sections
    with marks (`_n_marked_rows`); or titles (`_n_title_rows`).
    """
    if header_line is not None:
        return _n_rows_before(rows, header_line)
    if rows and rows[0].lstrip('"').startswith(("#", HEADER_SECTION)):
        n_marked = _n_marked_rows(rows)
        if n_marked:
            return n_marked
    positions = [i for i, row in enumerate(rows) if not is_blank_row(row)]
    if len(positions) < 2:
        return 0
    return positions[_n_title_rows([rows[i] for i in positions])]


def _n_title_rows(rows: Sequence[str]) -> int:
    """Return the number of titles (`find_header`) above the header, among rows that are not blank.

    They are by the separators that divide all rows evenly, or by all separators. The fewest titles
    count below which the separator divides all rows evenly.
    """
    separators = [s for s in SEPARATORS.values() if s != " "]
    even_separators = [s for s in separators if _divides_evenly(s, rows)]
    numbers_of_titles = []
    for separator in even_separators or separators:
        n_titles = find_header([_split_leniently(separator, row) for row in rows]).first
        if n_titles and _divides_evenly(separator, rows[n_titles:]):
            numbers_of_titles.append(n_titles)
    return min(numbers_of_titles, default=0)


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


def notes_on_titles(titles: Sequence[str]) -> list[str]:
    """Return a note on lines above the header, except the first comment of featureCounts."""
    titles = [line for line in titles if not line.startswith("# ")]
    texts = [text for line in titles if (text := line.strip().strip('",;|\t '))]
    if not texts:
        return []
    note = Note(
        f"{counted(len(texts), 'title line', 'was', 'were')} left out above the header "
        f"({quoted(texts[0])})",
        advice="the key header names another line as the header",
    )
    return [note]


def _find_separator(path: str | Path, rows: Sequence[str], usual: str) -> str:
    """Return the separator of some rows, of which none is blank and the first is the header.

    It is the ``usual`` one of the suffix of the file. If that does not divide the rows evenly, and
    exactly one other separator does, the other one is returned.
    """
    if not rows or _divides_evenly(usual, rows):
        return usual
    others = [s for s in SEPARATORS.values() if s != usual and _divides_evenly(s, rows)]
    if len(others) > 1 and " " in others:  # names may contain spaces
        others.remove(" ")
    if len(others) == 1:
        return others[0]
    _refuse_single_column(path, rows[0], usual)
    return usual


def _has_decimal_commas(rows: Sequence[str]) -> bool:
    """Return whether a table that is separated by semicolons has numbers with commas, not points.

    The first of the rows is the header, whose names may be numbers.
    """
    cells = []
    for row in rows[1:]:
        cells += [cell.strip('" \r\n') for cell in row.split(";")]
    has_points = any(DECIMAL_POINT.fullmatch(cell) for cell in cells)
    return not has_points and any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)


def _divides_evenly(separator: str, rows: Sequence[str]) -> bool:
    """Return whether a separator divides rows evenly; the header may have one cell less."""
    header, *below = [
        len(_split_leniently(separator, row)) if '"' in row else row.count(separator) + 1
        for row in rows
    ]
    are_equal = len(set(below)) <= 1
    return are_equal and header > 1 and all(n_cells in (header, header + 1) for n_cells in below)


def _split_leniently(separator: str, line: str) -> list[str]:
    """Return the cells of a line, or the line itself if its quotes are wrong for the separator."""
    if '"' not in line:
        return line.rstrip("\r\n").split(separator)
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), []) or [line]
    except csv.Error:
        return [line]


def _refuse_single_column(path: str | Path, header: str, separator: str) -> None:
    """Refuse a header of one cell, since no table has a single column; it names its separators."""
    if len(_split_leniently(separator, header)) > 1:
        return
    header = header.strip("\r\n")
    others = {name: text for name, text in SEPARATORS.items() if text != separator}
    possible = [name for name, text in others.items() if text in header] or list(others)
    keys = " or ".join(f"separator: {name}" for name in possible)
    separators = " or ".join(possible)
    msg = (
        f"{path}: its header is the single cell {quoted(header)}; if this is a title, name the "
        f"line of the header by the key header; if cells are separated by {separators}, set {keys}"
    )
    raise InputError(msg, file=str(path), key="separator")
