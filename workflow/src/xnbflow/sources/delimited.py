"""Delimited text as a table: its separator, its header, and its rows."""

import codecs
import csv
import io
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from xnbflow.core.counts import counted
from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.cell_texts import DECIMAL_COMMA, DECIMAL_POINT
from xnbflow.sources.files import open_raw, refuse_too_wide
from xnbflow.sources.header_rows import (
    HEAD_ROWS,
    chosen_header,
    fill_forward,
    find_header,
    merged_corner,
)
from xnbflow.sources.table_file import Row, TableFile

SEPARATORS = {"comma": ",", "tab": "\t", "semicolon": ";", "space": " ", "pipe": "|"}

_SNIFFED_LINES = 5
#: First line of a sample sheet of Illumina, the line above its header, and most lines between.
_SECTIONS, _DATA, _MOST_SECTION_LINES = "[Header]", "[Data]", 100
#: Most characters of a quoted cell with line breaks; in a longer one a quote is missing.
_LONGEST_QUOTE = 1 << 17


class DelimitedText(TableFile):
    """A table in lines and cells.

    The stream is at its beginning, or at the line of the header, whose number is ``first_line``.
    The ``dialect`` is the separator and the decimal sign, or returns them, given the first lines.
    The table ends before a line that starts with ``end``: ``ended`` is whether that line was read.
    A header that lacks the name of the first column gets an empty one. Lines that are not UTF-8 are
    read by ``encoding``, if there is one. Lines above the header are left out: titles are
    recognised (`find_header`), or ``header_line`` is the number of the header's line.
    """

    unit = "line"

    def __init__(
        self,
        path: str | Path,
        stream: Iterable[bytes],
        dialect: tuple[str, str] | Callable[[list[str]], tuple[str, str]],
        *,
        first_line: int = 1,
        end: str | None = None,
        advice: str | None = None,
        encoding: str | None = None,
        header_line: int | None = None,
    ) -> None:
        super().__init__(path, advice)
        self._stream, self._end, self._encoding = stream, end, encoding
        self._line, self.ended = first_line - 1, False
        lines, head = self._lines(), list[str]()

        def remembered() -> Iterator[str]:
            for line in lines:
                head.append(line)
                yield line

        whole_lines = _whole_lines(remembered())
        sample = list(itertools.islice(whole_lines, HEAD_ROWS))
        if sample and sample[0].lstrip('"').startswith(_SECTIONS):
            for line in itertools.islice(whole_lines, _MOST_SECTION_LINES):
                sample.append(line)
                if line.lstrip('"').startswith(_DATA):
                    sample += itertools.islice(whole_lines, HEAD_ROWS)
                    break
        if len(sample) == 1 and "\r" in sample[0].rstrip():
            msg = f"{path} has the line ends of old Macs (carriage returns alone); save it anew"
            raise InputError(msg)
        above = _lines_above(sample, header_line)
        # lines above the header are read as empty ones, so that lines keep their numbers
        for place in range(sum(line.count("\n") for line in sample[:above])):
            head[place] = "\n"
        if above and header_line is None:
            self._note_titles(sample[:above])
        begin = [line for line in sample[above:] if not line.isspace()][:_SNIFFED_LINES]
        self._separator, self.decimal = dialect if isinstance(dialect, tuple) else dialect(begin)
        self._numbered = enumerate(itertools.chain(head, lines), first_line)
        whole = ((n, self._split(n, line)) for n, line in self._numbered if not line.isspace())
        self._sample = list(itertools.islice(whole, _SNIFFED_LINES))
        self._read_header(header_line)

    def _note_titles(self, titles: Sequence[str]) -> None:
        """Note the lines above the header, except the comment with which featureCounts begins."""
        texts = [line.strip().strip('",;\t ') for line in titles if not line.startswith("# ")]
        texts = [text for text in texts if text]
        if texts:
            self.notes.append(
                f"{counted(len(texts), 'title line', 'was', 'were')} left out above the header "
                f"({quoted(texts[0])}); the option header= names another line as the header"
            )

    def _read_header(self, header_line: int | None) -> None:
        """Find the header among the first rows, and name a row of conditions by its line."""
        rows = [cells for _, cells in self._sample]
        place = find_header(rows)
        if header_line is not None:
            place = chosen_header(self.path, self._sample, header_line)
        if place.conditions is not None:
            number, cells = self._sample[place.conditions]
            header_number, header = self._sample[place.header]
            if place.conditions < place.header:
                header, cells = merged_corner(header, cells)
            named = fill_forward(cells, f"{self.unit} {number}")
            rest = [
                row for i, row in enumerate(self._sample) if i > max(place.header, place.conditions)
            ]
            self._sample = [(header_number, header), (number, named), *rest]
        elif place.header and header_line is not None:
            self._sample = self._sample[place.header :]
        rows = [cells for _, cells in self._sample]
        self.header = [cell.strip() for cell in rows[0]] if rows else []
        longer = rows[1:] and all(len(row) == len(rows[0]) + 1 for row in rows[1:])
        if longer and any(row[-1].strip() for row in rows[1:]):  # as R's write.table writes
            self.header.insert(0, "")

    def divided_rows(self, first: int) -> Iterator[Row]:
        """Yield the rows below the header, divided before the column ``first``; once."""
        for number, cells in self._sample[1:]:
            yield self.divided(number, cells, first)
        separator, width = self._separator, len(self.header)
        n_rest = max(0, width - first - 1)
        for number, line in self._numbered:
            cells = line.rstrip("\r\n").split(separator, first) if '"' not in line else []
            rest = cells.pop() if len(cells) == first + 1 <= width else ""
            if len(cells) == first and rest.count(separator) == n_rest and not line.isspace():
                yield number, cells, rest.replace(separator, "\n")
            elif not line.isspace():
                yield self.divided(number, self._split(number, line), first)

    def _split(self, number: int, line: str) -> list[str]:
        """Split a line into cells; a quoted cell may continue in the next lines."""
        if '"' not in line:
            return line.rstrip("\r\n").split(self._separator)
        whole = itertools.chain([line], (more for _, more in self._numbered))
        try:
            return next(csv.reader(whole, delimiter=self._separator, strict=True))
        except csv.Error as error:
            msg = f"{self.path}, line {number}: not valid CSV ({error}); correct the quotes"
            raise InputError(msg, key=f"line {number}") from error

    def _lines(self) -> Iterator[str]:
        """Yield the lines of the table as text."""
        for raw in self._stream:
            self._line += 1
            if self._end is not None and raw.startswith(self._end.encode()):
                self.ended = True
                return
            if self._end is not None and not raw.endswith(b"\n"):
                msg = (
                    f"{self.path} ends within a row, before {self._end}: it is cut off; delete it "
                    "and get it again"
                )
                raise InputError(msg)
            refuse_too_wide(self.path, raw, b",;\t |")
            yield self._decoded(raw)
            if not raw.endswith(b"\n"):
                self.notes.append(
                    "the file does not end with a line break: if it was cut off within its last "
                    "number, that number is wrong; compare its size with the original"
                )

    def _decoded(self, raw: bytes) -> str:
        try:
            return raw.decode("utf-8-sig" if self._line == 1 else "utf-8")
        except UnicodeDecodeError:
            with suppress(UnicodeDecodeError, LookupError):
                text = raw.decode(self._encoding or "")
                if not self.notes:
                    letter = next(c for c in text if ord(c) > 127)
                    self.notes.append(
                        f"line {self._line} is not UTF-8 and was read as {self._encoding}, as were "
                        f"others of the kind; check names with {letter!r}"
                    )
                return text
        msg = (
            f"{self.path}, line {self._line}: not UTF-8 text; if Windows wrote it, set "
            "encoding=cp1252 in the sheet's options, else save the file as UTF-8"
        )
        raise InputError(msg, key=f"line {self._line}")


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
        if stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return True
        try:
            while chunk := stream.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return False
    return True


def utf16_lines(path: str | Path, stream: "io.BufferedReader[Any]") -> Iterator[bytes] | None:
    """Return the lines of a UTF-16 text as UTF-8; None if it has no byte order mark of UTF-16."""
    if stream.peek(2)[:2] not in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return None

    def lines() -> Iterator[bytes]:
        try:
            with io.TextIOWrapper(stream, "utf-16", newline="\n") as text:
                yield from (line.encode() for line in text)
        except UnicodeDecodeError as error:
            msg = f"{path}: not valid UTF-16 ({error.reason}); save the file as UTF-8"
            raise InputError(msg) from error

    return lines()


def sniff(
    path: str | Path, head: Sequence[str], default: str, decimal: str | None, *, certain: bool
) -> tuple[str, str]:
    """Return the separator and the decimal sign of a text where the sheet does not give both.

    ``default`` is the separator in the sheet, if it is ``certain``, or that of the file's suffix.
    Without a decimal sign in the sheet, a comma is the decimal sign only in a table that is
    separated by semicolons.
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
            by_name = {name: text for name, text in SEPARATORS.items() if text != default}
            header = lines[0].strip("\r\n")
            possible = [name for name, text in by_name.items() if text in header] or list(by_name)
            msg = (
                f"{path}: its header is the single cell {quoted(header)}; if cells are separated "
                f"by {' or '.join(possible)}, set in the sheet's options: "
                f"{' or '.join(f'separator={name}' for name in possible)}"
            )
            raise InputError(msg, key="separator")
    if decimal is None and separator == ";":
        cells = [cell.strip('" \r\n') for line in lines[1:] for cell in line.split(";")]
        if not any(DECIMAL_POINT.fullmatch(cell) for cell in cells):
            decimal = "," if any(DECIMAL_COMMA.fullmatch(cell) for cell in cells) else None
    return separator, decimal or "."


def _lines_above(lines: Sequence[str], header_line: int | None) -> int:
    """Return the number of the first lines that are above the header.

    A separator that divides all lines evenly decides alone; else the one that leaves the fewest
    titles above lines that it divides evenly.
    """
    if header_line is not None:
        return _lines_before(lines, header_line)
    filled = [line for line in lines if not line.isspace()]
    if len(filled) < 2:
        return 0
    if above := _marked_lines(lines):
        return above
    separators = [s for s in SEPARATORS.values() if s != " "]
    even = [s for s in separators if _divides(s, filled)]
    titles = []
    for separator in even or separators:
        first = find_header([_cells(separator, line) for line in filled]).first
        if first and _divides(separator, filled[first:]):
            titles.append(first)
    return lines.index(filled[min(titles)]) if titles else 0


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
    first, *rows = (_width(separator, line) for line in lines)
    return len(set(rows)) <= 1 and first > 1 and all(row in (first, first + 1) for row in rows)


def _width(separator: str, line: str) -> int:
    if '"' not in line:
        return line.count(separator) + 1
    try:
        return len(next(csv.reader(io.StringIO(line, newline=""), delimiter=separator), []))
    except csv.Error:  # this separator makes a cell of more characters than the module allows
        return 1


def _whole_lines(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines, those joined that a quoted line break divides."""
    lines = iter(lines)
    for line in lines:
        whole = line
        while whole.count('"') % 2 and len(whole) < _LONGEST_QUOTE and (more := next(lines, "")):
            whole += more
        yield whole
