"""The lines of a text: their encoding, their ends, and the first of them."""

import codecs
import io
import itertools
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from xnbflow.core.errors import InputError
from xnbflow.data.note import Note
from xnbflow.sources.formats.files import has_nul
from xnbflow.sources.formats.header_rows import HEAD_ROWS

#: The first bytes of a text in UTF-16.
UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: First line of a sample sheet of Illumina.
HEADER_SECTION = "[Header]"
#: The line above its header.
DATA_SECTION = "[Data]"
#: Most lines between these two.
_MOST_SECTION_LINES = 100
#: A carriage return that is no part of a line end of Windows.
_LINE_END_OF_MACS = re.compile(r"\r(?!\n)")
#: Most characters of a quoted cell with line breaks; in a longer one a quote is missing.
_LONGEST_QUOTE = 1 << 17


@dataclass(kw_only=True)
class DecodedLines:
    """The lines of a table as text.

    Attributes
    ----------
    path : path
        The file, for messages.
    stream : iterable of bytes
        Its lines.
    number : int
        The number of the last line that was read; before the first one, the number of lines above.
    end : str, optional
        The beginning of the line with which the table ends; it is not yielded.
    encoding : str, optional
        How lines that are not UTF-8 are read, with a note.
    notes : list of str
        Notes on lines that are not UTF-8, and on a missing line break at the end.
    ended : bool
        Whether the line ``end`` has been read.
    other_encoding : str
        The encoding of lines that are not UTF-8; empty if there are none.
    """

    path: str | Path
    stream: Iterable[bytes]
    number: int = 0
    end: str | None = None
    encoding: str | None = None
    notes: list[str] = field(default_factory=list)
    ended: bool = False
    other_encoding: str = ""

    def __iter__(self) -> Iterator[str]:
        for raw in self.stream:
            self.number += 1
            if b"\0" in raw:
                raise has_nul(self.path)
            if self.end is not None and raw.startswith(self.end.encode()):
                self.ended = True
                return
            if self.end is not None and not raw.endswith(b"\n"):
                msg = (
                    f"{self.path} ends within a row, before {self.end}: it is cut off; delete "
                    "it and get it again"
                )
                raise InputError(msg, file=str(self.path))
            try:
                text = raw.decode("utf-8-sig" if self.number == 1 else "utf-8")
            except UnicodeDecodeError:
                text = self._decode_otherwise(raw)
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

    def _decode_otherwise(self, raw: bytes) -> str:
        """Return a line that is not UTF-8 as text by the key ``encoding``, with a note."""
        with suppress(UnicodeDecodeError, LookupError):
            text = raw.decode(self.encoding or "")
            self.other_encoding = self.encoding or ""
            if not self.notes:
                character = next(c for c in text if ord(c) > 127)
                note = Note(
                    f"line {self.number} is not UTF-8 and was read as {self.encoding}, as were "
                    "others of the kind",
                    advice=f"check names with {character!r}",
                )
                self.notes.append(note)
            return text
        msg = (
            f"{self.path}, line {self.number}: not UTF-8 text; if Windows wrote it, set "
            "encoding: cp1252, else save the file as UTF-8"
        )
        raise InputError(msg, file=str(self.path), key="encoding")


class FirstLines(NamedTuple):
    """The first lines of a text.

    ``lines`` are as they are in the file. ``rows`` are the text of the first rows: the same lines,
    of which those between which a quoted cell continues are joined.
    """

    lines: list[str]
    rows: list[str]


def read_first_lines(path: str | Path, lines: Iterator[str]) -> FirstLines:
    """Read the lines that decide on separator and header from ``lines``, and no further ones.

    In Illumina's sample sheets the header is below the line ``[Data]``: more lines are read.
    """
    first_lines = list(itertools.islice(lines, HEAD_ROWS))
    is_sample_sheet = bool(first_lines) and first_lines[0].lstrip('"').startswith(HEADER_SECTION)
    if is_sample_sheet:
        for line in itertools.islice(lines, _MOST_SECTION_LINES):
            first_lines.append(line)
            if line.lstrip('"').startswith(DATA_SECTION):
                first_lines += itertools.islice(lines, HEAD_ROWS)
                break
    has_open_quote = any(line.count('"') % 2 for line in first_lines)
    rows = _join_quoted_lines(first_lines, lines) if has_open_quote else first_lines
    if len(rows) == 1 and _LINE_END_OF_MACS.search(rows[0].rstrip()):
        msg = f"{path} has the line ends of old Macs (carriage returns alone); save it anew"
        raise InputError(msg, file=str(path))
    return FirstLines(first_lines, rows)


def _join_quoted_lines(first_lines: list[str], lines: Iterator[str]) -> list[str]:
    """Return the first rows: a line whose quoted cell continues is joined with the following ones.

    Further ``lines`` are appended to ``first_lines`` where rows are too few, or the last one
    continues. The quotes of each line are counted once.
    """
    rows: list[str] = []
    parts: list[str] = []
    n_quotes = 0
    n_characters = 0
    n_lines = 0
    while n_lines < len(first_lines):
        line = first_lines[n_lines]
        n_lines += 1
        parts.append(line)
        n_quotes += line.count('"')
        n_characters += len(line)
        is_open = n_quotes % 2 == 1 and n_characters < _LONGEST_QUOTE
        if not is_open:
            rows.append("".join(parts))
            parts = []
            n_quotes = 0
            n_characters = 0
        if n_lines == len(first_lines) and (is_open or len(rows) < HEAD_ROWS):
            first_lines += itertools.islice(lines, 1)
    if parts:
        rows.append("".join(parts))
    return rows


def utf16_lines(path: str | Path, stream: "io.BufferedReader[Any]") -> Iterator[bytes]:
    """Yield the lines of a text in UTF-16 as UTF-8."""
    try:
        with io.TextIOWrapper(stream, "utf-16", newline="\n") as text:
            yield from (line.encode() for line in text)
    except UnicodeDecodeError as error:
        msg = f"{path}: not valid UTF-16 ({error.reason}); save the file as UTF-8"
        raise InputError(msg, file=str(path)) from error
