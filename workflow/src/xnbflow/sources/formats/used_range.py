"""The used range of a sheet, as its workbook states it, before any cell is read.

The library allocates all cells of the range, 500 GB where the last cell of a sheet has a space. The
formats of Microsoft state the range in the first bytes of a sheet (ECMA-376, part 1, 18.3.1.35;
MS-XLSB, 2.4.822). OpenDocument does not; of it the library reads at most 100,000,000 cells, from
its version 0.9.1 on.
"""

import html
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from xnbflow.core.errors import InputError

#: Endings of workbooks whose sheets state their used range: in XML, and as binary records.
_XML = frozenset({".xlsx", ".xlsm"})
_BINARY = frozenset({".xlsb"})

#: Most cells of the used range of a sheet. The library needs 32 bytes for each, empty or not.
_MOST_CELLS = 50_000_000
#: Bytes at the beginning of a sheet in which its used range is.
_HEAD = 4096
#: The used range in the XML of a sheet, as ``<dimension ref="A1:XFD1048576"/>``.
_DIMENSION = re.compile(rb'<(?:\w+:)?dimension ref="([A-Z]+)(\d+):([A-Z]+)(\d+)"')
#: A sheet in the list of a workbook, and a part in the list of its files.
_SHEET = re.compile(r"<(?:\w+:)?sheet\s[^>]*>")
_PART = re.compile(r"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(r'([\w:]+)="([^"]*)"')
#: The records of a sheet in the list of a binary workbook, and of the used range of a sheet.
_BUNDLED_SHEET = 156
_SHEET_DIMENSION = 148
#: How to mend a sheet whose last used cell is far from the others.
DELETE_UNUSED = (
    "Delete the rows below and the columns beside the table in the spreadsheet program (also cells "
    "that look empty) and save it, or save the table as CSV"
)


class _UsedRange(NamedTuple):
    """The first and last row and column with cells, from 1."""

    first_row: int
    last_row: int
    first_column: int
    last_column: int


def refuse_stray_cell(path: Path, sheet: str) -> None:
    """Refuse a sheet whose last used cell is far from the others.

    A sheet that does not state its range is read, and so is one of a damaged archive, of which the
    library reports what is wrong.
    """
    suffix = path.suffix.lower()
    used = None
    damages = (zipfile.BadZipFile, zlib.error, KeyError, EOFError, NotImplementedError)
    if suffix in (*_XML, *_BINARY):
        with suppress(*damages), zipfile.ZipFile(path) as archive:
            used = (
                _range_of_xml(archive, sheet)
                if suffix in _XML
                else _range_of_binary(archive, sheet)
            )
    if used is None:
        return
    n_rows = used.last_row - used.first_row + 1
    n_columns = used.last_column - used.first_column + 1
    if n_rows * n_columns > _MOST_CELLS:
        last_cell = f"{_letters_of_column(used.last_column)}{used.last_row}"
        msg = (
            f"{path}: the last used cell of the sheet {sheet!r} is {last_cell}, so that "
            f"{n_rows:,} rows and {n_columns:,} columns would be read. {DELETE_UNUSED}"
        )
        raise InputError(msg, file=str(path))


def _range_of_xml(archive: zipfile.ZipFile, sheet: str) -> _UsedRange | None:
    """Return the used range of a sheet in XML; None without one.

    Sheets have a name and an identifier in ``xl/workbook.xml``.
    """
    book = archive.read("xl/workbook.xml").decode("utf-8", errors="replace")
    identifiers = {}
    for tag in _SHEET.findall(book):
        attributes = dict(_ATTRIBUTE.findall(tag))
        identifiers[html.unescape(attributes.get("name", ""))] = attributes.get("r:id", "")
    part = _part_of_identifier(archive, "workbook.xml", identifiers.get(sheet, ""))
    match = _DIMENSION.search(archive.open(part).read(_HEAD))
    if match is None:
        return None
    first_column, first_row, last_column, last_row = (text.decode() for text in match.groups())
    return _UsedRange(
        first_row=int(first_row),
        last_row=int(last_row),
        first_column=_number_of_column(first_column),
        last_column=_number_of_column(last_column),
    )


def _range_of_binary(archive: zipfile.ZipFile, sheet: str) -> _UsedRange | None:
    """Return the used range of a sheet of binary records; None without one.

    A record of a sheet in ``xl/workbook.bin`` has 8 bytes, its identifier and its name.
    """
    identifier = ""
    for kind, content in _records(archive.read("xl/workbook.bin")):
        if kind == _BUNDLED_SHEET:
            texts = _wide_texts(content[8:])
            if texts[1:] == [sheet]:
                identifier = texts[0]
    part = _part_of_identifier(archive, "workbook.bin", identifier)
    for kind, content in _records(archive.open(part).read(_HEAD)):
        if kind == _SHEET_DIMENSION and len(content) == 16:
            return _UsedRange(*(position + 1 for position in struct.unpack("<4I", content)))
    return None


def _part_of_identifier(archive: zipfile.ZipFile, book: str, identifier: str) -> str:
    """Return the file of a sheet in the archive of its workbook; empty without one."""
    parts = archive.read(f"xl/_rels/{book}.rels").decode("utf-8", errors="replace")
    for tag in _PART.findall(parts):
        attributes = dict(_ATTRIBUTE.findall(tag))
        if attributes.get("Id") == identifier:
            return posixpath.join("/xl", attributes["Target"]).lstrip("/")
    return ""


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    r"""Yield the kind and the content of binary records, of which the last may be cut.

    Kind and size are numbers with 7 bits in each byte, the lowest first; the eighth bit marks that
    another byte follows.

    Examples
    --------
    >>> list(_records(b"\x94\x01\x02ab" b"\x00\x01c"))
    [(148, b'ab'), (0, b'c')]
    """
    position = 0
    while position < len(data):
        numbers = []
        for _ in range(2):
            number = 0
            shift = 0
            is_marked = True
            while is_marked and position < len(data):
                byte = data[position]
                position += 1
                number |= (byte & 0x7F) << shift
                shift += 7
                is_marked = byte >= 0x80
            numbers.append(number)
        kind, size = numbers
        yield kind, data[position : position + size]
        position += size


def _wide_texts(data: bytes) -> list[str]:
    """Return texts of UTF-16, each after the number of its units as four bytes."""
    texts = []
    position = 0
    while position + 4 <= len(data):
        end = position + 4 + 2 * int.from_bytes(data[position : position + 4], "little")
        texts.append(data[position + 4 : end].decode("utf-16-le", errors="replace"))
        position = end
    return texts


def _number_of_column(letters: str) -> int:
    """Return the number of a column of a spreadsheet from 1.

    Examples
    --------
    >>> _number_of_column("A"), _number_of_column("AB"), _number_of_column("XFD")
    (1, 28, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + ord(letter) - ord("A") + 1
    return number


def _letters_of_column(number: int) -> str:
    """Return the letters of a column of a spreadsheet.

    Examples
    --------
    >>> _letters_of_column(1), _letters_of_column(28), _letters_of_column(16384)
    ('A', 'AB', 'XFD')
    """
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
