"""What GEO says of a series and its samples: the head of a series matrix or of a GDS.

A record of a series matrix is ``!Sample_title<tab>"..."<tab>"..."``, whose quoted values may hold
line breaks, carriage returns, quotes and even the words that announce the table. A curated data set
(GDS) in SOFT format has lines ``!key = value``; each subset of its samples has its type, its
description and its members.
"""

import io
import re
import warnings
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.class_labels import plain_text
from xnbflow.data.sources.files import format_of

__all__ = ["GeoHead", "read_head"]

_MATRIX_BEGIN = b"!series_matrix_table_begin"
_RECORD = re.compile(rb"!(Series|Sample)_[\w/]+\t")
_CELL = re.compile(r'"([^"]*(?:"(?!\t|\Z)[^"]*)*)"(?:\t|\Z)|([^\t]*)(?:\t|\Z)', re.DOTALL)
_KEYED = re.compile(r"([^:]{1,80}?)\s*:(?!//)\s*(.*)", re.DOTALL)
_MOST_LINES = 2000  # of one quoted value
_CHARACTERISTICS = "characteristics"
_DATASET_BEGIN = b"!dataset_table_begin"


@dataclass
class GeoHead:
    """What a file says before its table.

    Attributes
    ----------
    accession, title, platform : str
    samples : list of str
        Accessions (GSM...), in the file's order.
    fields : DataFrame of str, shape (n_samples, n_fields)
        ``title``, ``source``, ``description``, ..., and each characteristic by its key; in a GDS
        each type of subset. Empty where a sample has none.
    characteristics : list of str
        Which of those fields are characteristics or subsets.
    supplementary : list of str
        Files beside the table.
    facts : dict of str to str
        Other records of the series, the first of each name.
    lines : int
        How many lines were read, that which begins the table included.
    short : list of str
        Fields with another number of values than samples.
    has_table : bool
        Whether a table begins.
    table_end : str
        The line that ends it.
    """

    accession: str
    title: str
    platform: str
    samples: list[str]
    fields: pd.DataFrame
    characteristics: list[str]
    supplementary: list[str] = field(default_factory=list)
    facts: dict[str, str] = field(default_factory=dict)
    lines: int = 0
    short: list[str] = field(default_factory=list)
    has_table: bool = True
    table_end: str = ""

    def label_texts(self, where: str, label: str) -> tuple[str, list[str]]:
        """Return the field that the sheet's ``label`` names, and each sample's text in it.

        ``characteristics:diagnosis`` or ``diagnosis``, ``title``, ``source``, ``description``;
        small and capital letters are alike.

        Raises
        ------
        InputError
            If there is no such field, or it is not of all samples.
        """
        if (name := self.field_named(label)) is not None:
            if name in self.short:
                msg = (
                    f"{where}: {name!r} has another number of values than there are samples, "
                    "so that nobody knows whose they are; get the file again, or name another "
                    "label"
                )
                raise InputError(msg)
            return name, list(self.fields[name])
        keys = ", ".join(f"characteristics:{name}" for name in self.characteristics) or "none"
        msg = (
            f"{where}: there is no {label!r}, which the sheet's label names; there are title, "
            f"source, description, and characteristics: {keys}"
        )
        raise InputError(msg)

    def field_named(self, label: str) -> str | None:
        """Return the field that a name of the sheet means, as `label_texts` reads it."""
        wanted = plain_text(label).lower()
        for prefix in ("characteristics:", "subset:", "characteristics_ch1:"):
            wanted = wanted.removeprefix(prefix).strip()
        return next((name for name in self.fields if name.lower() == wanted), None)


def read_head(path: str | Path, stream: "io.BufferedReader[Any]") -> GeoHead:
    """Read the head of a series matrix or of a GDS, whichever it is, and leave the stream there.

    Raises
    ------
    InputError
        If it is neither.
    """
    kind = format_of(stream.peek(4096)[:4096])
    if kind == "SOFT":
        return _read_dataset_head(path, stream)
    if kind == "series matrix":
        return _read_matrix_head(path, stream)
    msg = f"{path} is neither a GEO series matrix nor a GDS; use source table for a table"
    raise InputError(msg, file=str(path))


def _joined(before: str, text: str) -> str:
    """Return both of two texts that are said of the same, each once.

    Examples
    --------
    >>> _joined("", "adenoma"), _joined("adenoma", "stage 2")
    ('adenoma', 'adenoma; stage 2')
    """
    return f"{before}; {text}" if before and text and before != text else before or text


def _read_matrix_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
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
            table[added[0]] = [_joined(a, b) for a, b in zip(before, whole, strict=True)]
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
        column[i] = _joined(column[i], value.strip())
        if key not in added:
            added.append(key)
    return added


def _read_dataset_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
    """Read a GDS in SOFT format up to its table, and leave the stream there.

    Raises
    ------
    InputError
        If it is no GDS, or has no table.
    """
    facts: dict[str, str] = {}
    subsets: list[dict[str, str]] = []
    titles: dict[str, str] = {}
    line_number, has_table = 0, False
    for raw in stream:
        line_number += 1
        line = raw.decode("utf-8", errors="replace").rstrip("\r\n")
        if raw.startswith(_DATASET_BEGIN):
            has_table = True
            break
        name, _, value = (part.strip() for part in line.partition("="))
        if name == "^SUBSET":
            subsets.append({})
        elif name.startswith("!subset_") and subsets:
            subsets[-1][name.removeprefix("!subset_")] = value
        elif name.startswith("!dataset_"):
            facts.setdefault(name.removeprefix("!dataset_"), value)
        elif name.startswith("#GSM"):
            told = re.sub(r"^Value for GSM\d+:\s*", "", value)
            titles[name[1:]] = told
        elif name == "^DATASET":
            facts.setdefault("accession", value)
    if not facts or not has_table:
        msg = (
            f"{path} is no GDS in SOFT format with a table"
            f"{' (it is cut off)' if facts else ''}; for a GSE give its series matrix"
        )
        raise InputError(msg)
    _refuse_partial(path, subsets)
    samples = list(titles) or _subset_samples(subsets)
    fields = _subset_fields(path, samples, subsets)
    keys = list(fields)
    named = [titles.get(sample, "").partition("; src:") for sample in samples]
    fields.insert(0, "title", pd.Series([t[0].strip() for t in named], dtype=object))
    fields.insert(1, "source", pd.Series([t[2].strip() for t in named], dtype=object))
    return GeoHead(
        facts.get("accession", ""),
        facts.get("title", ""),
        facts.get("platform", ""),
        samples,
        fields,
        keys,
        facts=facts,
        lines=line_number,
        table_end="!dataset_table_end",
    )


def _refuse_partial(path: str | Path, subsets: Sequence[dict[str, str]]) -> None:
    for subset in subsets:
        if lacking := {"type", "description", "sample_id"}.difference(subset):
            msg = f"{path}: a subset has no !subset_{min(lacking)}; get the file again"
            raise InputError(msg)


def _members(subset: dict[str, str]) -> list[str]:
    return [name.strip() for name in subset["sample_id"].split(",") if name.strip()]


def _subset_samples(subsets: Sequence[dict[str, str]]) -> list[str]:
    return list(dict.fromkeys(sample for subset in subsets for sample in _members(subset)))


def _subset_fields(
    path: str | Path, samples: Sequence[str], subsets: Sequence[dict[str, str]]
) -> pd.DataFrame:
    row_of = {sample: row for row, sample in enumerate(samples)}
    table: dict[str, list[str]] = {}
    for subset in subsets:
        column = table.setdefault(subset["type"], [""] * len(samples))
        for sample in _members(subset):
            if sample not in row_of:
                msg = f"{path}: a subset names sample {sample!r}, which the table lacks"
                raise InputError(msg)
            row = row_of[sample]
            column[row] = _joined(column[row], plain_text(subset["description"]))
    return pd.DataFrame(table, dtype=object, index=range(len(samples)))
