"""Text in lines and cells: names as text, numbers as one matrix, exactly and fast at any width.

Columns of numbers are read by Arrow, which rounds exactly as ``float`` does. Where rows are wider
than a CSV reader that thinks in columns can bear, all their cells are read as *one* long column.
What neither takes is read cell by cell, so that the error names the cell.
"""

import codecs
import csv
import io
import itertools
import math
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from xnbflow.errors import InputError
from xnbflow.sources.cell_texts import MISSING_WORDS, complaint, is_missing
from xnbflow.sources.guarded import refuse_too_wide

__all__ = [
    "SEPARATORS",
    "Block",
    "Columns",
    "DelimitedText",
    "Dialect",
    "GrowingRows",
    "SpecialRows",
    "numbers_of",
    "row_blocks",
    "sniff",
]

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}

_BLOCK_BYTES = 8_000_000
#: Above so many columns all cells are read as one column.
_WIDE = 2000
#: A quoted cell with line breaks ends within so many bytes; else its quote lacks its pair.
_LONGEST_QUOTE = 1 << 20
_SNIFFED_LINES = 5
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
_DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")

#: Arrow compares exactly, hence every mixture of small and capital letters.
_NULLS = sorted(
    "".join(letters)
    for word in MISSING_WORDS
    for letters in set(itertools.product(*((c.lower(), c.upper()) for c in word)))
)


@dataclass(frozen=True)
class Dialect:
    """How a text divides its lines and writes its numbers."""

    separator: str
    decimal: str = "."

    @property
    def name(self) -> str:
        """The separator's name in `SEPARATORS`."""
        return next(name for name, text in SEPARATORS.items() if text == self.separator)


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


class DelimitedText:
    """A table in lines, its header read, the rest to be read by blocks.

    Parameters
    ----------
    path : path
        For errors.
    stream : binary file
        At its beginning, or at the line of the header.
    dialect : Dialect or callable
        How to read it, or what says so given the path and the first lines.
    first_line : int, default=1
        The number of the header's line.
    advice : callable, optional
        Given a cell that is no number, what to do about it.
    end : bytes, optional
        How the line starts before which the table ends.

    Attributes
    ----------
    header : list of str
        Names of columns, one for each cell of a row; the first is empty where it has none.
    dialect : Dialect
    ended : bool
        Whether a line has been found that ends the table.
    """

    unit = "line"

    def __init__(
        self,
        path: str | Path,
        stream: io.BufferedIOBase,
        dialect: "Dialect | Callable[[list[bytes]], Dialect]",
        *,
        first_line: int = 1,
        advice: Callable[[str], str] = lambda _: "correct it",
        end: bytes | None = None,
    ) -> None:
        self.path, self.stream, self.advice, self.end = path, stream, advice, end
        self.ended = False
        self._line = first_line
        head = list(itertools.islice(_whole_lines(stream), _SNIFFED_LINES))
        if head and first_line == 1:
            head[0] = head[0].removeprefix(codecs.BOM_UTF8)
        if _begins_with_a_comment(head):
            self._line += head.pop(0).count(b"\n")
        self.dialect = dialect if isinstance(dialect, Dialect) else dialect(head)
        data = self._cut(b"".join(head))
        self._refuse_cut_off(data)
        head = data.splitlines(keepends=True)
        while head and not head[0].strip():
            self._line += 1
            head.pop(0)
        for line in head:
            refuse_too_wide(path, line, self.dialect.separator.encode())
        rows = [cells for _, cells in self._csv(_joined(head), self._line)]
        self.header = rows[0] if rows else []
        if _leaves_out_the_row_names_name(rows):
            self.header = ["", *self.header]
        head = _joined(head)
        self._line += head[0].count(b"\n") if head else 0
        self._head = b"".join(head[1:])

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield the rows below the header.

        Raises
        ------
        InputError
            If a row has too few or too many cells, or a cell is no number.
        """
        data, self._head = self._head, b""
        while data or not self.ended:
            self._refuse_cut_off(data)
            if data.isspace():
                self._line += data.count(b"\n")
            elif data:
                yield self._block(data, columns)
            if self.ended:
                return
            data = _read_rows(self.stream)
            if not data:
                return
            data = self._cut(data)

    def _refuse_cut_off(self, data: bytes) -> None:
        """Refuse a table with a known end whose last row breaks off."""
        if self.end is not None and not self.ended and data and not data.endswith(b"\n"):
            msg = (
                f"{self.path} ends within a row, before {self.end.decode()}: it is cut off; delete "
                "it and get it again"
            )
            raise InputError(msg)

    def _cut(self, data: bytes) -> bytes:
        """Return what stands before the line that ends the table."""
        if self.end is None or self.ended:
            return data
        place = 0 if data.startswith(self.end) else data.find(b"\n" + self.end) + 1
        self.ended = place > 0 or data.startswith(self.end)
        return data[:place] if self.ended else data

    def _block(self, data: bytes, columns: Columns) -> Block:
        first, narrow = self._line, len(columns.names) <= _WIDE
        n_breaks = data.count(b"\n")
        self._line += n_breaks
        if narrow and (columns.special is None or not columns.special.may_be_in(data)):
            n_rows = n_breaks + (not data.endswith(b"\n"))
            found = _arrow_block(data, n_rows, columns, self.dialect)
            if found is not None:
                return Block(list(range(first, first + n_rows)), *found)
        return self._block_by_lines(data, first, columns)

    def _block_by_lines(self, data: bytes, first: int, columns: Columns) -> Block:
        special: list[tuple[int, list[str]]] = []
        lines, numbers = _numbered_lines(data, first)
        if columns.special is not None:
            lines, numbers, special = self._set_apart(lines, numbers, columns)
        if len(columns.names) <= _WIDE:
            found = _arrow_block(b"".join(lines), len(lines), columns, self.dialect)
        else:
            found = _wide_block(lines, columns, self.dialect)
        if found is None:
            rows = list(zip(numbers, self._rows(lines, numbers), strict=True))
            where = f"{self.path}, "
            found = row_block(rows, columns, where, self.unit, self.advice, self.dialect.decimal)
        return Block(numbers, *found, special)

    def _rows(self, lines: list[bytes], numbers: list[int]) -> Iterator[list[str]]:
        separator = self.dialect.separator
        for line, number in zip(lines, numbers, strict=True):
            if b'"' in line:
                cells = self._csv([line], number)[0][1]
                self._refuse_width(len(cells), number)
            else:
                self._refuse_width(line.count(separator.encode()) + 1, number)
                cells = self._decoded(line, number).rstrip("\r\n").split(separator)
            yield cells

    def _refuse_width(self, n_cells: int, number: int) -> None:
        if n_cells != len(self.header):
            msg = (
                f"{self.path}, line {number}: {n_cells} cells, but the header has "
                f"{len(self.header)}; correct the line, or get the file again if it ends there"
            )
            raise InputError(msg)

    def _set_apart(
        self, lines: list[bytes], numbers: list[int], columns: Columns
    ) -> tuple[list[bytes], list[int], list[tuple[int, list[str]]]]:
        separator, key, is_special = self.dialect.separator.encode(), columns.key, columns.special
        kept, kept_numbers, special = [], [], []
        for line, number in zip(lines, numbers, strict=True):
            if b'"' in line:
                start = line.split(separator, 1)[0] if key == 0 else b""
                plain = start.count(b'"') == 2 and start.startswith(b'"')
                cells = [start.strip(b'" \r\n')] if plain else None
            else:
                cells = line.split(separator, key + 1)
            if cells is None:
                name = self._csv([line], number)[0][1][key : key + 1]
            else:
                name = [cell.decode(errors="replace") for cell in cells[key : key + 1]]
            if name and is_special is not None and is_special(name[0].strip()):
                special.append((number, next(self._rows([line], [number]))))
            else:
                kept.append(line)
                kept_numbers.append(number)
        return kept, kept_numbers, [(n, [c.strip() for c in cells]) for n, cells in special]

    def _csv(self, lines: list[bytes], number: int) -> list[tuple[int, list[str]]]:
        """Split lines with their quotes; blank ones are left out."""
        text = [self._decoded(line, number) for line in lines]
        limit = csv.field_size_limit(max(1 << 17, *(len(line) + 1 for line in text), 1))
        reader = csv.reader(text, delimiter=self.dialect.separator, strict=True)
        try:
            return [(i, [c.strip() for c in cells]) for i, cells in enumerate(reader) if cells]
        except csv.Error as error:
            line = number + reader.line_num - 1
            msg = f"{self.path}, line {line}: not valid CSV ({error}); correct the quotes"
            raise InputError(msg) from error
        finally:
            csv.field_size_limit(limit)

    def _decoded(self, line: bytes, number: int) -> str:
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            msg = f"{self.path}, line {number}: not UTF-8 text; save the file as UTF-8"
            raise InputError(msg) from error


class GrowingRows:
    """Rows of numbers that are appended block by block, never twice in memory.

    The system extends large arrays without copying them.

    Parameters
    ----------
    width : int
        Numbers per row.

    Examples
    --------
    >>> rows = GrowingRows(2)
    >>> rows.append(np.ones((3, 2)))
    >>> rows.finished().shape
    (3, 2)
    """

    def __init__(self, width: int) -> None:
        self._values = np.empty((0, width))
        self._count = 0

    def append(self, rows: np.ndarray) -> None:
        """Add rows, shape (n_rows, width)."""
        needed = self._count + len(rows)
        if needed > len(self._values):
            self._values.resize((needed, self._values.shape[1]), refcheck=False)
        self._values[self._count : needed] = rows
        self._count = needed

    def finished(self) -> np.ndarray:
        """Return all rows, shape (n_rows, width); nothing can be added afterwards."""
        return self._values


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


def _leaves_out_the_row_names_name(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether each row has one cell more than the header, as R's write.table writes.

    Rows that merely end with a separator have, too, but their last cells are empty.
    """
    below = rows[1:]
    longer = bool(below) and all(len(row) == len(rows[0]) + 1 for row in below)
    return longer and any(row[-1] for row in below)


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
    with_comma = any(_DECIMAL_COMMA.fullmatch(cell) for cell in cells)
    return with_comma and not any(_DECIMAL_POINT.fullmatch(cell) for cell in cells)


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
                    f"{path}, {unit} {number}: {len(cells)} cells, but the header has {width}; "
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
    if decimal == "," and not _DECIMAL_POINT.fullmatch(text):
        text = text.replace(",", ".", 1)
    elif decimal == ",":
        msg = f"{where}: {cell!r} has a decimal point, but other cells have commas; make them agree"
        raise InputError(msg)
    if wrong := complaint(text):
        msg = f"{where}: {wrong}; {advice(cell)}"
        raise InputError(msg)
    return float(text)


def numbers_of(cells: str | bytes, count: int, decimal: str = ".") -> np.ndarray | None:
    r"""Convert one cell per line; None where a closer look is due.

    Examples
    --------
    >>> numbers_of("1.5\nNA\n\n-2e3", 4).tolist()
    [1.5, nan, nan, -2000.0]
    >>> numbers_of("1.5\nhigh", 2), numbers_of("1.5\ninf", 2)
    (None, None)
    """
    data = cells.encode() if isinstance(cells, str) else cells
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(use_threads=False, column_names=["value"]),
            arrow_csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            _conversion({"value": pa.float64()}, decimal),
        )
    except pa.ArrowInvalid:
        return None
    values = table["value"].to_numpy()
    if len(values) == count - 1 and data.endswith(b"\n"):  # the last cell is empty
        values = np.append(values, np.nan)
    return values if len(values) == count and not np.isinf(values).any() else None


def _arrow_block(
    data: bytes, n_rows: int, columns: Columns, dialect: Dialect
) -> tuple[list[list[str]], np.ndarray] | None:
    """Convert rows of few columns; None where a closer look is due."""
    names = [str(place) for place in range(len(columns.names))]
    types = {names[place]: pa.string() for place in columns.text}
    types |= {names[place]: pa.float64() for place in columns.numbers}
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(
                use_threads=True, column_names=names, block_size=max(1, len(data)) + 1
            ),
            arrow_csv.ParseOptions(delimiter=dialect.separator),
            _conversion(types, dialect.decimal, list(types)),
        )
    except pa.ArrowInvalid:
        return None
    if len(table) != n_rows:
        return None
    numbers = np.empty((len(columns.numbers), n_rows))  # a column's values side by side
    for place, column in enumerate(columns.numbers):
        numbers[place] = table[names[column]].to_numpy()
    if np.isinf(numbers).any():
        return None
    texts = [[t.strip() for t in table[names[place]].to_pylist()] for place in columns.text]
    return texts, numbers.T


def _wide_block(
    lines: list[bytes], columns: Columns, dialect: Dialect
) -> tuple[list[list[str]], np.ndarray] | None:
    """Convert rows that end in numbers, without a look at each; None where a closer look is due."""
    width, first = len(columns.names), min(columns.numbers, default=0)
    in_front = not columns.text or max(columns.text) < first
    if not in_front or columns.numbers != tuple(range(first, width)):
        return None
    separator = dialect.separator.encode()
    rows = [line.rstrip(b"\r\n").split(separator, first) for line in lines]
    n_within = width - first - 1
    for row in rows:
        if len(row) != first + 1 or row[-1].count(separator) != n_within or b'"' in row[-1]:
            return None
    texts = []
    for place in columns.text:
        cells = [_plain_text(row[place]) for row in rows]
        texts.append([cell for cell in cells if cell is not None])
        if len(texts[-1]) < len(rows):
            return None
    numbers = b"\n".join(row[-1] for row in rows).replace(separator, b"\n")
    values = numbers_of(numbers, len(rows) * (width - first), dialect.decimal)
    return None if values is None else (texts, values.reshape(len(rows), -1))


def _plain_text(cell: bytes) -> str | None:
    """Return a cell's text, without quotes around it; None where a closer look is due."""
    if b'"' in cell:
        cell = cell.strip()
        if len(cell) < 2 or cell.count(b'"') != 2 or cell[:1] + cell[-1:] != b'""':
            return None
        cell = cell[1:-1]
    try:
        return cell.decode().strip()
    except UnicodeDecodeError:
        return None


def _conversion(
    types: dict[str, pa.DataType], decimal: str, include: list[str] | None = None
) -> arrow_csv.ConvertOptions:
    return arrow_csv.ConvertOptions(
        column_types=types,
        include_columns=include,
        null_values=_NULLS,
        strings_can_be_null=False,
        quoted_strings_can_be_null=True,
        decimal_point=decimal,
    )


def _read_rows(stream: io.BufferedIOBase) -> bytes:
    """Return the next megabytes of whole rows."""
    data = stream.read(_BLOCK_BYTES)
    return _closed(data + stream.readline(), stream) if data else data


def _closed(data: bytes, stream: io.BufferedIOBase) -> bytes:
    """Read on to the line in which a quote that is open ends; at most some lines."""
    if data.count(b'"') % 2 == 0:
        return data
    lines, size = [data], 0
    while size < _LONGEST_QUOTE and (line := stream.readline()):
        lines.append(line)
        size += len(line)
        if line.count(b'"') % 2:
            break
    return b"".join(lines)


def _numbered_lines(data: bytes, first: int) -> tuple[list[bytes], list[int]]:
    """Return rows with their line breaks and numbers; blank lines are left out."""
    lines = [line + b"\n" for line in data.split(b"\n")]
    lines[-1] = lines[-1][:-1]
    lines = _joined(lines)
    starts = itertools.accumulate((line.count(b"\n") for line in lines[:-1]), initial=first)
    numbered = [(line, n) for line, n in zip(lines, starts, strict=True) if line.strip()]
    return [line for line, _ in numbered], [number for _, number in numbered]


def _whole_lines(stream: io.BufferedIOBase) -> Iterator[bytes]:
    while line := stream.readline():
        yield _closed(line, stream)


def _begins_with_a_comment(head: list[bytes]) -> bool:
    """Return whether the first line only says what made the table, as featureCounts' does."""
    return len(head) > 1 and head[0].startswith(b"# ") and b"\t" not in head[0] and b"\t" in head[1]


def _joined(lines: list[bytes]) -> list[bytes]:
    """Join lines that a quoted line break divides."""
    if not any(line.count(b'"') % 2 for line in lines):
        return lines
    joined: list[bytes] = []
    waiting: list[bytes] = []
    for line in lines:
        odd = line.count(b'"') % 2
        if not waiting and not odd:
            joined.append(line)
            continue
        waiting.append(line)
        if odd and len(waiting) > 1:
            joined.append(b"".join(waiting))
            waiting = []
    return [*joined, b"".join(waiting)] if waiting else joined
