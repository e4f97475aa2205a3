"""Weka's ARFF as a table: attributes with their types, then rows as CSV.

CuMiDa serves every series in this format as well. SciPy's reader (`scipy.io.arff`) takes no text
attributes, such as names of samples, and no values that contain a quote; where it reads a file, the
tests compare both.
"""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.formats.raw_table import TableFile

#: A declaration: its name, in quotes of either kind or without, and its type.
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)
_ESCAPED = re.compile(r"\\(.)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")

#: Types beside nominal ones, ``{a, b}``.
_TYPES = frozenset({"numeric", "real", "integer", "string", "date"})


class ArffTable(TableFile):
    """An ARFF file; nominal and text attributes are columns of text.

    The stream is at its beginning. A question mark is a missing value.
    """

    unit = "line"

    def __init__(self, path: Path, stream: io.BufferedIOBase) -> None:
        super().__init__(path)
        self._lines = self._contents(stream)
        for number, line in self._lines:
            word = line.split(None, 1)[0].lower()
            if word == "@data":
                break
            if word == "@relation":
                continue
            self.header.append(self._attribute(number, line))
        else:
            msg = f"{path} has no @data; it is not a complete ARFF file. Get it again"
            raise InputError(msg)

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the rows below ``@data``, each with the number of its line."""
        for number, line in self._lines:
            if line.startswith("{"):
                problem = "a sparse row; in Weka, apply SparseToNonSparse and save the file again"
                raise self._refusal(number, problem)
            yield number, self._cells(number, line)

    def _attribute(self, number: int, line: str) -> str:
        """Return the name of a declared attribute, whose type must be known."""
        if not line.lower().startswith("@attribute"):
            raise self._refusal(number, f"{quoted(line)} is not a declaration of ARFF; correct it")
        match = _ATTRIBUTE.fullmatch(line)
        if match is None:
            problem = f"{quoted(line)} lacks the name or the type of an attribute; correct it"
            raise self._refusal(number, problem)
        single, double, plain, kind = match.groups()
        name = next(text for text in (single, double, plain) if text is not None)
        word = kind.split()[0].lower()
        if word not in _TYPES and not kind.startswith("{"):
            raise self._refusal(number, f"{quoted(kind)} is not a type of ARFF; correct it")
        return _ESCAPED.sub(r"\1", name)

    def _cells(self, number: int, line: str) -> list[str]:
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
            problem = f"not valid ARFF ({error}); correct the quotes"
            raise self._refusal(number, problem) from error

    def _contents(self, stream: io.BufferedIOBase) -> Iterator[tuple[int, str]]:
        """Yield the lines that are neither empty nor comments, with their numbers."""
        for number, raw in enumerate(stream, 1):
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                problem = "not UTF-8 text; save the file as UTF-8"
                raise self._refusal(number, problem) from error
            if _CONTROL.search(line):
                raise self._refusal(number, "a control character; get the file again")
            if line and not line.startswith("%"):
                yield number, line

    def _refusal(self, number: int, problem: str) -> InputError:
        return InputError(f"{self.path}, line {number}: {problem}", key=f"line {number}")
