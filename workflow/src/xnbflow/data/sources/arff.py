"""Weka's ARFF: attributes with their types, then rows as CSV."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from xnbflow.data.errors import InputError
from xnbflow.data.sources.blocks import Block, Columns, row_blocks

__all__ = ["Arff"]

_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\S+))\s+(.+)""", re.IGNORECASE
)


class Arff:
    """An ARFF file as a table.

    Parameters
    ----------
    path : path
        For errors.
    stream : binary file
        At its beginning.
    advice : callable
        As in `DelimitedText`.

    Attributes
    ----------
    header : list of str
        The attributes' names.
    nominal : list of str
        The names of those that are categories: ``{a, b}`` or string.
    """

    unit = "line"

    def __init__(self, path: Path, stream: io.BufferedIOBase, advice: Callable[[str], str]) -> None:
        self.path, self.advice, self._stream = path, advice, stream
        self.header: list[str] = []
        self.nominal: list[str] = []
        self._line = 0
        for line in self._lines():
            word = line.split(None, 1)[0].lower()
            if word == "@data":
                return
            if word == "@attribute":
                self._add(line)
        msg = f"{path} has no @data; it is no whole ARFF file. Get it again"
        raise InputError(msg)

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield the rows below ``@data``; see `DelimitedText.blocks`."""
        yield from row_blocks(self.path, self._rows(), columns, self.unit, self.advice)

    def _lines(self) -> Iterator[str]:
        for raw in self._stream:
            self._line += 1
            try:
                line = raw.decode("utf-8-sig").strip()
            except UnicodeDecodeError as error:
                msg = f"{self.path}, line {self._line}: not UTF-8 text; save the file as UTF-8"
                raise InputError(msg) from error
            if line and not line.startswith("%"):
                yield line

    def _add(self, line: str) -> None:
        match = _ATTRIBUTE.fullmatch(line)
        if match is None:
            msg = f"{self.path}, line {self._line}: {line!r} is no attribute; correct it"
            raise InputError(msg)
        *names, kind = match.groups()
        name = re.sub(r"\\(.)", r"\1", next(n for n in names if n is not None))
        self.header.append(name)
        if kind.lower().split()[:1] not in (["numeric"], ["real"], ["integer"]):
            self.nominal.append(name)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        for line in self._lines():
            if line.startswith("{"):
                msg = (
                    f"{self.path}, line {self._line}: a sparse ARFF row; in Weka, apply the filter "
                    "SparseToNonSparse and save the file again"
                )
                raise InputError(msg)
            quote = "'" if "'" in line else '"'
            reader = csv.reader([line], quotechar=quote, escapechar="\\", skipinitialspace=True)
            try:
                cells = next(reader)
            except csv.Error as error:
                msg = f"{self.path}, line {self._line}: not valid ARFF ({error}); correct the line"
                raise InputError(msg) from error
            yield self._line, [cell.strip() for cell in cells]
