"""Delimited text as a table: its separator, its header, and its rows."""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.core.refusals import Refusal
from xnbflow.data.note import Note
from xnbflow.sources.formats.cell_texts import DECIMAL_COMMA, DECIMAL_POINT
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.header_rows import (
    HEAD_ROWS,
    chosen_header,
    fill_forward,
    find_header,
    merged_corner,
)
from xnbflow.sources.formats.raw_table import RawTable, TextRows, other_width

#: The separators by their names in the sheet's options.
SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}

#: The first bytes of a text in UTF-16.
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

#: The word for a row in messages.
_UNIT = "line"
#: Number of lines from which the separator and the decimal sign are determined.
_SNIFFED_LINES = 5
#: Names of a column of identifiers.
_IDENTIFIERS = re.compile(
    r"(gene|probe|probeset|transcript|protein|feature|sample|ensembl|entrez|hugo|symbol|target|id)s?"
    r"([ _.-]?(id|ids|name|names|symbol|symbols|ref|set))*",
    re.IGNORECASE,
)
#: First line of a sample sheet of Illumina, and the line above its header.
_SECTIONS = "[Header]"
_DATA = "[Data]"
#: Most lines between these two.
_MOST_SECTION_LINES = 100
#: Most characters of a quoted cell with line breaks; in a longer one a quote is missing.
_LONGEST_QUOTE = 1 << 17


_CUT_ROW = Refusal(
    code="text.cut-row",
    sentence="{path} ends within a row, before {end}: it is cut off; delete it and get it again",
)

_NO_UTF8 = Refusal(
    code="text.no-utf8",
    sentence=(
        "{path}, line {number}: not UTF-8 text; if Windows wrote it, set encoding=cp1252 in "
        "the sheet's options, else save the file as UTF-8"
    ),
    sheet=True,
)


class _Lines:
    """The lines of a table as text, up to a line that starts with ``end`` if there is one.

    Lines that are not UTF-8 are read by ``encoding``, with a note in ``notes``. ``number`` is that
    of the last line that was read, ``ended`` whether the line ``end`` has been read.
    """

    def __init__(
        self,
        path: str | Path,
        stream: Iterable[bytes],
        *,
        first_line: int,
        end: str | None,
        encoding: str | None,
    ) -> None:
        self.notes: list[str] = []
        self.ended = False
        self.number = first_line - 1
        self._path = path
        self._stream = stream
        self._end = end
        self._encoding = encoding

    def __iter__(self) -> Iterator[str]:
        for raw in self._stream:
            self.number += 1
            if self._end is not None and raw.startswith(self._end.encode()):
                self.ended = True
                return
            if self._end is not None and not raw.endswith(b"\n"):
                raise _CUT_ROW.error(path=self._path, end=self._end)
            try:
                text = raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
            except UnicodeDecodeError:
                text = self._recoded(raw)
            yield text
            if not raw.endswith(b"\n"):
                note = Note(
                    "the file does not end with a line break",
                    advice=(
                        "if it was cut off within its last number, that number is wrong: compare "
                        "its size with the original"
                    ),
                )
                self.notes.append(note)

    def _recoded(self, raw: bytes) -> str:
        """Return a line that is not UTF-8 as text by the option ``encoding``, with a note."""
        with suppress(UnicodeDecodeError, LookupError):
            text = raw.decode(self._encoding or "")
            if not self.notes:
                character = next(c for c in text if ord(c) > 127)
                note = Note(
                    f"line {self.number} is not UTF-8 and was read as {self._encoding}, as were "
                    "others of the kind",
                    advice=f"check names with {character!r}",
                )
                self.notes.append(note)
            return text
        raise _NO_UTF8.error(path=self._path, number=self.number, key=f"line {self.number}")


_CUT_OFF = Refusal(
    code="text.cut-off",
    sentence="{path} ends before {end}: it is cut off; delete it and get it again",
)


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
) -> RawTable:
    """Read a table in lines and cells.

    Parameters
    ----------
    path : path
        The file, for messages.
    stream : iterable of bytes
        Its lines, from the first one or from the header, whose number is ``first_line``.
    dialect : tuple or callable
        The separator and the decimal sign, or a function that returns them for the first lines.
    end : str, optional
        The beginning of the line with which the table ends; without that line it is cut off. Such
        a table begins with its header.
    advice : str, optional
        The remedy for a cell that is not a number.
    encoding : str, optional
        How lines that are not UTF-8 are read.
    header_line : int, optional
        The number of the line of the header. Else titles above it are recognised (`find_header`).
    most_rows : int, optional
        The number of rows after which reading ends.

    Returns
    -------
    RawTable
        A header that lacks the name of the first column, as R's, begins with an empty one.
    """
    lines = _Lines(path, stream, first_line=first_line, end=end, encoding=encoding)
    decoded = iter(lines)
    # The first lines show where the header is, and how cells are separated.
    head: list[str] = []
    sample = _first_lines(path, _join_quoted_lines(decoded, head))
    # A table within a file of GEO, which has an end, has no titles.
    n_above = _lines_above(sample, header_line) if end is None else 0
    # Lines above the header become empty, so that the others have their numbers in the file.
    for i in range(sum(line.count("\n") for line in sample[:n_above])):
        head[i] = "\n"
    if n_above and header_line is None:
        lines.notes += _about_titles(sample[:n_above])
    filled = [line for line in sample[n_above:] if not line.isspace()]
    sniffed = dialect if isinstance(dialect, tuple) else dialect(filled[:_SNIFFED_LINES])
    separator, decimal = sniffed
    # They are read again, as the header and the first rows.
    numbered = enumerate(itertools.chain(head, decoded), first_line)
    first_rows: list[tuple[int, list[str]]] = []
    for number, line in numbered:
        if not line.isspace():
            first_rows.append((number, _split(path, number, line, numbered, separator)))
        if len(first_rows) == _SNIFFED_LINES:
            break
    header, rows = _header_and_rows(path, first_rows, header_line)
    table = RawTable(
        path=path,
        header=header,
        rows=TextRows([]),
        lines=[],
        unit=_UNIT,
        decimal=decimal,
        advice=advice,
        notes=lines.notes,
    )
    # The other lines are divided when their cells are needed.
    if header:
        table.is_header_short = header[0] == "" and _are_short(first_rows, header)
        row_numbers: list[int] = []
        texts = _rows(
            path, rows, numbered, separator=separator, width=len(header), numbers=row_numbers
        )
        table.rows = TextRows(itertools.islice(texts, most_rows), separator)
        table.lines = row_numbers[: len(table)]
        if end is not None and not lines.ended and most_rows is None:
            raise _CUT_OFF.error(path=path, end=end)
    return table


def _rows(
    path: str | Path,
    first: Iterable[tuple[int, list[str]]],
    numbered: Iterator[tuple[int, str]],
    *,
    separator: str,
    width: int,
    numbers: list[int],
) -> Iterator[str | list[str]]:
    """Yield the first rows and those of the further lines, of one width; append their ``numbers``.

    A line without quotes and with the right number of cells is divided when they are needed.
    """
    for number, cells in first:
        if len(cells) != width:
            raise other_width(path, f"{_UNIT} {number}", len(cells), width)
        numbers.append(number)
        yield cells
    for number, line in numbered:
        if line.isspace():
            continue
        numbers.append(number)
        if line.startswith('"'):  # GEO and R quote the name of a row, and no number
            name, _, others = line[1:].partition('"')
            if others.startswith(separator) and separator not in name and '"' not in others:
                line = f"{name}{others}"  # noqa: PLW2901
        if '"' not in line and line.count(separator) == width - 1:
            yield line.rstrip("\r\n")
        else:
            cells = _split(path, number, line, numbered, separator)
            if len(cells) != width:
                raise other_width(path, f"{_UNIT} {number}", len(cells), width)
            yield cells


def _about_titles(titles: Sequence[str]) -> list[str]:
    """Return a note on lines above the header, except the first comment of featureCounts."""
    titles = [line for line in titles if not line.startswith("# ")]
    texts = [text for line in titles if (text := line.strip().strip('",;\t '))]
    if not texts:
        return []
    note = Note(
        f"{counted(len(texts), 'title line', 'was', 'were')} left out above the header "
        f"({quoted(texts[0])})",
        advice="the option header= names another line as the header",
    )
    return [note]


def _header_and_rows(
    path: str | Path, rows: list[tuple[int, list[str]]], header_line: int | None
) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header among the first rows, each with its number, and the rows below it.

    A row of conditions is the first of these, named by its line.
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
            header_cells, cells = merged_corner(header_cells, cells)
        named_conditions = (number, fill_forward(cells, f"{_UNIT} {number}"))
        rest = rows[max(header, conditions) + 1 :]
        rows = [(header_number, header_cells), named_conditions, *rest]
    elif header and header_line is not None:
        rows = rows[header:]
    if not rows:
        return [], []
    first, *below = [cells for _, cells in rows]
    names = [cell.strip() for cell in first]
    # R's write.table writes no name for the column of row names. An empty last cell in every row is
    # instead due to a separator at the ends of lines.
    one_more = bool(below) and all(len(row) == len(first) + 1 for row in below)
    if one_more and any(row[-1].strip() for row in below):
        _refuse_lost_separator(path, rows[0][0], names)
        names.insert(0, "")
    return names, rows[1:]


def _are_short(rows: Sequence[tuple[int, Sequence[str]]], header: Sequence[str]) -> bool:
    """Return whether a header in the file has one name less than the header of the table."""
    names = [name for name in header if name]
    return any([cell.strip() for cell in cells] == names for _, cells in rows)


_LOST_SEPARATOR = Refusal(
    code="text.lost-separator",
    sentence=(
        "{path}, {unit} {number}: the header has {n_names:#name}, and each row {n_cells} "
        "cells. Either a separator between two names was lost (the longest name is "
        "{longest!r}): insert it; or the header lacks the name of the first column, as R "
        "writes it, and {first!r} is a sample: rename it"
    ),
)


def _refuse_lost_separator(path: str | Path, number: int, names: Sequence[str]) -> None:
    """Refuse a header with one name less than the rows, if its first name is that of row names.

    That name may be empty. R writes such a header, but then no name for the first column.
    """
    if names[0] and not _IDENTIFIERS.fullmatch(names[0]):
        return
    longest = max(names[1:], key=len, default="")
    raise _LOST_SEPARATOR.error(
        path=path,
        unit=_UNIT,
        number=number,
        n_names=len(names),
        n_cells=len(names) + 1,
        longest=longest,
        first=names[0],
        key=f"{_UNIT} {number}",
    )


_WRONG_QUOTES = Refusal(
    code="text.wrong-quotes",
    sentence="{path}, line {number}: not valid CSV ({error}); correct the quotes",
)


def _split(
    path: str | Path, number: int, line: str, numbered: Iterator[tuple[int, str]], separator: str
) -> list[str]:
    """Split a line into cells; a quoted cell may continue in the next lines."""
    if '"' not in line:
        return line.rstrip("\r\n").split(separator)
    lines = itertools.chain([line], (following for _, following in numbered))
    try:
        return next(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as error:
        raise _WRONG_QUOTES.error(
            path=path, number=number, error=error, key=f"line {number}"
        ) from error


#: Bytes that are decoded at once.
_CHUNK = 1 << 20
#: Suffixes of texts; other formats have an encoding of their own.
_TEXTS = (".csv", ".tsv", ".txt", ".tab", "")


def is_utf8(path: Path) -> bool:
    """Return whether a text is UTF-8 (or UTF-16 with its mark); other formats count as UTF-8."""
    if Path(path.name.lower().removesuffix(".gz")).suffix not in _TEXTS:
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    with open_raw(path) as stream:
        if stream.peek(2)[:2] in UTF16_MARKS:
            return True
        try:
            while chunk := stream.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


_NO_UTF16 = Refusal(
    code="text.no-utf16",
    sentence="{path}: not valid UTF-16 ({reason}); save the file as UTF-8",
)


def utf16_lines(path: str | Path, stream: "io.BufferedReader[Any]") -> Iterator[bytes] | None:
    """Return the lines of a UTF-16 text as UTF-8; None if it has no byte order mark of UTF-16."""
    if stream.peek(2)[:2] not in UTF16_MARKS:
        return None

    def lines() -> Iterator[bytes]:
        try:
            with io.TextIOWrapper(stream, "utf-16", newline="\n") as text:
                yield from (line.encode() for line in text)
        except UnicodeDecodeError as error:
            raise _NO_UTF16.error(path=path, reason=error.reason) from error

    return lines()


def sniff(
    path: str | Path, head: Sequence[str], default: str, decimal: str | None, *, certain: bool
) -> tuple[str, str]:
    """Return the separator and the decimal sign of a text.

    ``default`` is the separator of the sheet, which is ``certain``, or that of the file's suffix.
    If it does not divide the lines evenly, and exactly one other separator does, that one is used;
    a separator of the sheet is never replaced. ``decimal`` is the decimal sign of the sheet or
    None. Without one, a comma is the decimal sign only in a table that is separated by semicolons
    and has numbers with commas and none with points.
    """
    lines = [line for line in head if line.strip()]
    separator = default
    if lines and not _divides(default, lines):
        others = [s for s in SEPARATORS.values() if s != default and _divides(s, lines)]
        if len(others) > 1 and " " in others:  # names may contain spaces
            others.remove(" ")
        if len(others) == 1 and not certain:
            separator = others[0]
        elif _width(default, lines[0]) == 1:  # no table has a single column
            raise _single_cell(path, lines[0].strip("\r\n"), default)
    if decimal is None and separator == ";":
        cells = []
        for line in lines[1:]:
            cells += [cell.strip('" \r\n') for cell in line.split(";")]
        has_points = any(DECIMAL_POINT.fullmatch(cell) for cell in cells)
        has_commas = any(DECIMAL_COMMA.fullmatch(cell) for cell in cells)
        if has_commas and not has_points:
            decimal = ","
    return separator, decimal or "."


_SINGLE_CELL = Refusal(
    code="text.single-cell",
    sentence=(
        "{path}: its header is the single cell {header!r}; if cells are separated by "
        "{separators}, set in the sheet's options: {options}"
    ),
    key="separator",
    sheet=True,
)


def _single_cell(path: str | Path, header: str, separator: str) -> InputError:
    """Return the error for a header that is one cell, with the separators that may be meant."""
    others = {name: text for name, text in SEPARATORS.items() if text != separator}
    possible = [name for name, text in others.items() if text in header] or list(others)
    options = " or ".join(f"separator={name}" for name in possible)
    return _SINGLE_CELL.error(
        path=path, header=header, separators=" or ".join(possible), options=options
    )


def _lines_above(lines: Sequence[str], header_line: int | None) -> int:
    """Return the number of the first lines that are above the header.

    Separators that divide all lines evenly are preferred. Among the candidates the one counts that
    has the fewest titles above lines that it divides evenly.
    """
    if header_line is not None:
        return _lines_before(lines, header_line)
    filled = [line for line in lines if not line.isspace()]
    if len(filled) < 2:
        return 0
    has_marks = lines[0].lstrip('"').startswith(("#", _SECTIONS))
    if has_marks and (above := _marked_lines(lines)):
        return above
    separators = [s for s in SEPARATORS.values() if s != " "]
    even_separators = [s for s in separators if _divides(s, filled)]
    numbers_of_titles = []
    for separator in even_separators or separators:
        first = find_header([_cells(separator, line) for line in filled]).first
        if first and _divides(separator, filled[first:]):
            numbers_of_titles.append(first)
    if not numbers_of_titles:
        return 0
    return lines.index(filled[min(numbers_of_titles)])


_OLD_MAC = Refusal(
    code="text.old-mac",
    sentence="{path} has the line ends of old Macs (carriage returns alone); save it anew",
)


def _first_lines(path: str | Path, lines: Iterator[str]) -> list[str]:
    """Return the lines that decide on separator and header.

    The header of Illumina's sample sheets is below the line ``[Data]``: they have more lines.
    """
    first = list(itertools.islice(lines, HEAD_ROWS))
    if len(first) == 1 and "\r" in first[0].rstrip():
        raise _OLD_MAC.error(path=path)
    if first and first[0].lstrip('"').startswith(_SECTIONS):
        for line in itertools.islice(lines, _MOST_SECTION_LINES):
            first.append(line)
            if line.lstrip('"').startswith(_DATA):
                first += itertools.islice(lines, HEAD_ROWS)
                break
    return first


def _marked_lines(lines: Sequence[str]) -> int:
    """Return the number of first lines that are comments or sections of a sample sheet.

    Two or more lines with ``#`` are comments, as cBioPortal writes them; one may be the header.
    Illumina's sheets have the header below the line ``[Data]``.
    """
    begins = [line.lstrip('"') for line in lines]
    if begins[0].startswith(_SECTIONS):
        data = [place for place, line in enumerate(begins) if line.startswith(_DATA)]
        return data[0] + 1 if data else 0
    comments = sum(1 for _ in itertools.takewhile(lambda line: line.startswith("#"), begins))
    return comments if comments > 1 else 0


def _lines_before(lines: Sequence[str], header_line: int) -> int:
    """Return the number of lines before the header, except a row of conditions just above it."""
    number = 1
    for position, line in enumerate(lines):
        if number >= header_line - 1:
            return position
        number += max(1, line.count("\n"))
    return 0


def _cells(separator: str, line: str) -> list[str]:
    if '"' not in line:
        return line.rstrip("\r\n").split(separator)
    try:
        return next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), [])
    except csv.Error:
        return [line]


def _divides(separator: str, lines: Sequence[str]) -> bool:
    """Return whether a separator divides lines evenly; the header may have one cell less."""
    header, *rows = [_width(separator, line) for line in lines]
    equal = len(set(rows)) <= 1
    return equal and header > 1 and all(row in (header, header + 1) for row in rows)


def _width(separator: str, line: str) -> int:
    """Return the number of cells of a line."""
    if '"' not in line:
        return line.count(separator) + 1
    try:
        return len(next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), []))
    except csv.Error:  # this separator makes a cell of more characters than the module allows
        return 1


def _join_quoted_lines(lines: Iterator[str], head: list[str]) -> Iterator[str]:
    """Yield lines; a line whose quoted cell continues is joined with the following ones.

    Each line is appended to ``head`` as it is.
    """
    for line in lines:
        head.append(line)
        joined = line
        while joined.count('"') % 2 and len(joined) < _LONGEST_QUOTE:
            following = next(lines, "")
            if not following:
                break
            head.append(following)
            joined += following
        yield joined
