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

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.formats.raw_table import RawTable, TextRows, refuse_uneven

#: A declaration: its name, in quotes of either kind or without, and its type.
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

#: Types beside nominal ones, ``{a, b}``.
_TYPES = frozenset({"numeric", "real", "integer", "string", "date"})


def read_arff(path: Path, stream: io.BufferedIOBase) -> RawTable:
    """Read an ARFF file; the stream is at its beginning. A question mark is a missing value."""
    contents = _contents(path, stream)
    header = _header(path, contents)
    rows = []
    lines = []
    for number, line in contents:
        if line.startswith("{"):
            problem = "a sparse row; in Weka, apply SparseToNonSparse and save the file again"
            raise _refusal(path, number, problem)
        cells = _cells(path, number, line)
        refuse_uneven(path, f"line {number}", len(cells), len(header))
        rows.append(cells)
        lines.append(number)
    return RawTable(path=path, header=header, rows=TextRows(rows), lines=lines, unit="line")


def attribute_names(path: Path, stream: io.BufferedIOBase) -> list[str]:
    """Return the names of the attributes of an ARFF file, whose rows are not read."""
    return _header(path, _contents(path, stream))


def _header(path: Path, contents: Iterator[tuple[int, str]]) -> list[str]:
    """Return the names of the attributes that are declared above ``@data``."""
    names: list[str] = []
    for number, line in contents:
        word = line.split(None, 1)[0].lower()
        if word == "@data":
            return names
        if word != "@relation":
            names.append(_attribute(path, number, line))
    msg = f"{path} has no @data; it is not a complete ARFF file. Get it again"
    raise InputError(msg)


def _attribute(path: Path, number: int, line: str) -> str:
    """Return the name of a declared attribute, whose type must be known."""
    if not line.lower().startswith("@attribute"):
        raise _refusal(path, number, f"{quoted(line)} is not a declaration of ARFF; correct it")
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        problem = f"{quoted(line)} lacks the name or the type of an attribute; correct it"
        raise _refusal(path, number, problem)
    single, double, plain, kind = match.groups()
    name = next(text for text in (single, double, plain) if text is not None)
    word = kind.split()[0].lower()
    if word not in _TYPES and not kind.startswith("{"):
        raise _refusal(path, number, f"{quoted(kind)} is not a type of ARFF; correct it")
    return _ESCAPED.sub(r"\1", name)


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
        raise _refusal(path, number, f"not valid ARFF ({error}); correct the quotes") from error


def _contents(path: Path, stream: io.BufferedIOBase) -> Iterator[tuple[int, str]]:
    """Yield the lines that are neither empty nor comments, with their numbers."""
    for number, raw in enumerate(stream, 1):
        try:
            line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        except UnicodeDecodeError as error:
            raise _refusal(path, number, "not UTF-8 text; save the file as UTF-8") from error
        if _CONTROL.search(line):
            raise _refusal(path, number, "a control character; get the file again")
        if line and not line.startswith("%"):
            yield number, line


def _refusal(path: Path, number: int, problem: str) -> InputError:
    return InputError(f"{path}, line {number}: {problem}", key=f"line {number}")
