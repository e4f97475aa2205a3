"""Weka's ARFF as a table: attributes with their types, then rows as CSV.

CuMiDa serves every series in this format as well. SciPy's reader (`scipy.io.arff`) takes no text
attributes, such as names of samples, and no values that contain a quote; where it reads a file, the
tests compare both.
"""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from xnbflow.core.refusals import Refusal
from xnbflow.sources.formats.raw_table import RawTable, TextRows, other_width

#: A declaration: its name, in quotes of either kind or without, and its type.
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

#: Types beside nominal ones, ``{a, b}``.
_TYPES = frozenset({"numeric", "real", "integer", "string", "date"})


_SPARSE = Refusal(
    code="arff.sparse",
    sentence=(
        "{path}, line {number}: a sparse row; in Weka, apply SparseToNonSparse and save the file "
        "again"
    ),
)


def read_arff(path: Path, stream: io.BufferedIOBase) -> RawTable:
    """Read an ARFF file; the stream is at its beginning. A question mark is a missing value."""
    contents = _contents(path, stream)
    header = _header(path, contents)
    rows = []
    lines = []
    for number, line in contents:
        if line.startswith("{"):
            raise _SPARSE.error(path=path, number=number, key=f"line {number}")
        cells = _cells(path, number, line)
        if len(cells) != len(header):
            raise other_width(path, f"line {number}", len(cells), len(header))
        rows.append(cells)
        lines.append(number)
    return RawTable(path=path, header=header, rows=TextRows(rows), lines=lines, unit="line")


def attribute_names(path: Path, stream: io.BufferedIOBase) -> list[str]:
    """Return the names of the attributes of an ARFF file, whose rows are not read."""
    return _header(path, _contents(path, stream))


_NO_DATA = Refusal(
    code="arff.no-data",
    sentence="{path} has no @data; it is not a complete ARFF file. Get it again",
)


def _header(path: Path, contents: Iterator[tuple[int, str]]) -> list[str]:
    """Return the names of the attributes that are declared above ``@data``."""
    names: list[str] = []
    for number, line in contents:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            return names
        if word != "@relation":
            names.append(_attribute(path, number, line))
    raise _NO_DATA.error(path=path)


_NO_DECLARATION = Refusal(
    code="arff.no-declaration",
    sentence="{path}, line {number}: {line!r} is not a declaration of ARFF; correct it",
)

_INCOMPLETE_DECLARATION = Refusal(
    code="arff.incomplete-declaration",
    sentence=(
        "{path}, line {number}: {line!r} lacks the name or the type of an attribute; correct it"
    ),
)

_UNKNOWN_TYPE = Refusal(
    code="arff.unknown-type",
    sentence="{path}, line {number}: {type!r} is not a type of ARFF; correct it",
)


def _attribute(path: Path, number: int, line: str) -> str:
    """Return the name of a declared attribute, whose type must be known."""
    place = f"line {number}"
    if not line.lower().startswith("@attribute"):
        raise _NO_DECLARATION.error(path=path, number=number, line=line, key=place)
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise _INCOMPLETE_DECLARATION.error(path=path, number=number, line=line, key=place)
    single, double, plain, kind = match.groups()
    name = next(text for text in (single, double, plain) if text is not None)
    word = kind.split()[0].lower()
    if word not in _TYPES and not kind.startswith("{"):
        raise _UNKNOWN_TYPE.error(path=path, number=number, type=kind, key=place)
    return _ESCAPED.sub(r"\1", name)


_WRONG_QUOTES = Refusal(
    code="arff.wrong-quotes",
    sentence="{path}, line {number}: not valid ARFF ({error}); correct the quotes",
)


def _cells(path: Path, number: int, line: str) -> list[str]:
    """Split a row; a cell may be in quotes of either kind."""
    if "'" not in line and '"' not in line:
        return line.split(",")
    quote = "'" if "'" in line else '"'
    # A strict reader refuses spaces between a closing quote and the comma.
    line = re.sub(rf"{quote}\s+(?=,|$)", quote, line)
    reader = csv.reader(
        [line], quotechar=quote, escapechar="\\", skipinitialspace=True, strict=True
    )
    try:
        return [cell.strip() for cell in next(reader)]
    except csv.Error as error:
        place = f"line {number}"
        raise _WRONG_QUOTES.error(path=path, number=number, error=error, key=place) from error


_NO_UTF8 = Refusal(
    code="arff.no-utf8",
    sentence="{path}, line {number}: not UTF-8 text; save the file as UTF-8",
)

_CONTROL_CHARACTER = Refusal(
    code="arff.control-character",
    sentence="{path}, line {number}: a control character; get the file again",
)


def _contents(path: Path, stream: io.BufferedIOBase) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither empty nor comments, with their numbers."""
    for number, raw in enumerate(stream, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise _NO_UTF8.error(path=path, number=number, key=f"line {number}") from error
        if _CONTROL.search(line):
            raise _CONTROL_CHARACTER.error(path=path, number=number, key=f"line {number}")
        if line and not line.startswith("%"):
            yield number, line
