"""The head of a series matrix: records of one line, though their values may hold line breaks.

A record is ``!Sample_title<tab>"..."<tab>"..."``, whose quoted values may hold line breaks,
carriage returns, quotes and even the words that announce the table.
"""

import io
import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.geo_head import GeoHead, joined_texts
from xnbflow.data.sources.labels import plain_text

__all__ = ["read_matrix_head"]

_MATRIX_BEGIN = b"!series_matrix_table_begin"
_RECORD = re.compile(rb"!(Series|Sample)_[\w/]+\t")
_CELL = re.compile(r'"([^"]*(?:"(?!\t|\Z)[^"]*)*)"(?:\t|\Z)|([^\t]*)(?:\t|\Z)', re.DOTALL)
_KEYED = re.compile(r"([^:]{1,80}?)\s*:(?!//)\s*(.*)", re.DOTALL)
_MOST_LINES = 2000  # of one quoted value
_CHARACTERISTICS = "characteristics"


def read_matrix_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
    """Read a series matrix up to its table, and leave the stream there.

    Raises
    ------
    InputError
        If it is no series matrix or names no samples.
    """
    reader = _Records(path, stream)
    records = list(reader)
    sample_records = [(name, cells) for name, cells in records if name.startswith("Sample_")]
    facts = _facts(records)
    samples = next((cells for name, cells in sample_records if name == "Sample_geo_accession"), [])
    while samples and not samples[-1]:
        samples = samples[:-1]
    if not samples:
        msg = f"{path} is no GEO series matrix: it has no !Sample_geo_accession; get it again"
        raise InputError(msg)
    fields, keys, short = _fields(path, samples, sample_records)
    platforms = Counter(
        cell for name, cells in sample_records if name == "Sample_platform_id" for cell in cells
    )
    supplementary = [
        cell
        for name, cells in records
        if "supplementary_file" in name
        for cell in cells
        if cell and cell.upper() != "NONE"
    ]
    return GeoHead(
        facts.get("geo_accession", Path(path).name.partition("_")[0]),
        facts.get("title", ""),
        " ".join(platforms) or facts.get("platform_id", ""),
        samples,
        fields,
        keys,
        supplementary,
        facts,
        reader.line,
        short,
        reader.has_table,
        "!series_matrix_table_end",
    )


class _Records:
    """The records of a series matrix, one after the other, as (name, values)."""

    def __init__(self, path: str | Path, stream: io.BufferedIOBase) -> None:
        self.path, self.stream = path, stream
        self.line, self.has_table = 0, False
        self._ahead: deque[bytes] = deque()

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        while line := self._next():
            if line.startswith(_MATRIX_BEGIN) and line.strip() == _MATRIX_BEGIN:
                self.has_table = True
                return
            if not line.startswith(b"!"):
                if line.strip():
                    self._refuse(line)
                continue
            cells, is_open = _cells(line)
            if is_open:
                cells = self._continued(line)
            yield cells[0].lstrip("!"), [plain_text(cell) for cell in cells[1:]]

    def _next(self) -> bytes:
        line = self._ahead.popleft() if self._ahead else self.stream.readline()
        self.line += bool(line)
        return line

    def _peek(self, number: int) -> bytes:
        while len(self._ahead) <= number:
            line = self.stream.readline()
            if not line:
                return b""
            self._ahead.append(line)
        return self._ahead[number]

    def _continued(self, line: bytes) -> list[str]:
        """Return the cells of a record that goes on in the next lines, if its quote ever ends."""
        whole = line
        for number in range(_MOST_LINES):
            more = self._peek(number)
            if not more or self._begins_anew(number):
                break
            whole += more
            if b'"' not in more:  # nothing can have ended here
                continue
            cells, is_open = _cells(whole)
            if not is_open:
                for _ in range(number + 1):
                    self._next()
                return cells
        warnings.warn(
            f"{self.path}, line {self.line}: a quote that does not end; read to the line's end",
            UserWarning,
            stacklevel=2,
        )
        return [cell.removeprefix('"') for cell in _cells(line)[0]]

    def _begins_anew(self, number: int) -> bool:
        """Return whether a line is no text of a quoted value, whatever it looks like."""
        line = self._peek(number)
        if line.strip() == _MATRIX_BEGIN:
            return self._peek(number + 1).lstrip(b'"').startswith(b"ID_REF")
        return bool(_RECORD.match(line))

    def _refuse(self, line: bytes) -> None:
        if line.startswith(b"^"):
            msg = (
                f"{self.path} is SOFT, not a series matrix; give the series' accession (GSE...), "
                "its file *_series_matrix.txt.gz, or a GDS"
            )
        else:
            msg = (
                f"{self.path}, line {self.line}: {line[:40]!r} is no record of a GEO series "
                "matrix; get the file again"
            )
        raise InputError(msg)


def _cells(line: bytes) -> tuple[list[str], bool]:
    """Split a record; say whether a quote is left open at its end."""
    text = line.decode("utf-8", errors="replace").rstrip("\r\n")
    cells, is_open = [], False
    for match in _CELL.finditer(text):
        quoted, plain = match.groups()
        if match.start() == len(text) and not text.endswith("\t"):
            break  # the empty match at the end
        if quoted is not None:
            cells.append(quoted.replace('""', '"'))
        else:
            is_open = is_open or plain.startswith('"')
            cells.append(plain)
    return cells, is_open


def _facts(records: Iterable[tuple[str, list[str]]]) -> dict[str, str]:
    facts: dict[str, str] = {}
    for name, cells in records:
        if name.startswith("Series_") and cells:
            facts.setdefault(name.removeprefix("Series_"), cells[0])
    return facts


def _fields(
    path: str | Path, samples: Sequence[str], records: Sequence[tuple[str, list[str]]]
) -> tuple[pd.DataFrame, list[str], list[str]]:
    """Return the table of what is said of each sample, its characteristics, its short fields."""
    names = {"Sample_title": "title", "Sample_source_name_ch1": "source"}
    names |= {"Sample_description": "description", "Sample_source_name_ch2": "source_ch2"}
    table: dict[str, list[str]] = {}
    spelling: dict[str, str] = {}
    keys: list[str] = []
    short: list[str] = []
    for name, cells in records:
        whole = _as_many(path, name, cells, len(samples))
        if name.startswith("Sample_characteristics"):
            suffix = "" if name.endswith("ch1") else " " + name.rpartition("_")[2]
            added = _characteristics(table, spelling, whole, suffix, len(samples))
        elif name in names:
            added = [names[name]]
            before = table.get(added[0], [""] * len(samples))
            table[added[0]] = [joined_texts(a, b) for a, b in zip(before, whole, strict=True)]
        else:
            continue
        if name.startswith("Sample_characteristics"):
            keys += [key for key in added if key not in keys]
        if len(whole) != len(cells):
            short += added
    frame = pd.DataFrame(table, dtype=object, index=range(len(samples)))
    return frame.fillna(""), keys, short


def _as_many(path: str | Path, name: str, cells: list[str], n_samples: int) -> list[str]:
    """Return as many values as samples; told where they are more or fewer."""
    if len(cells) > n_samples and not any(cells[n_samples:]):
        return cells[:n_samples] if len(cells) != n_samples else cells
    if len(cells) != n_samples and any(cells):
        msg = (
            f"{path}: !{name} has {counted(len(cells), 'value')} for "
            f"{counted(n_samples, 'sample')}; whose is unclear"
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    return (cells + [""] * n_samples)[:n_samples]


def _characteristics(
    table: dict[str, list[str]],
    spelling: dict[str, str],
    cells: Sequence[str],
    suffix: str,
    n_samples: int,
) -> list[str]:
    """Enter the values of one line by their keys, for a line may hold different ones."""
    added = []
    for i, cell in enumerate(cells):
        if not cell:
            continue
        match = _KEYED.fullmatch(cell)
        key, value = match.groups() if match else (_CHARACTERISTICS, cell)
        key = spelling.setdefault(key.strip().lower() + suffix, key.strip() + suffix)
        column = table.setdefault(key, [""] * n_samples)
        column[i] = joined_texts(column[i], value.strip())
        if key not in added:
            added.append(key)
    return added
