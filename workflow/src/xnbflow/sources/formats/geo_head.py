"""GEO's description of a series and its samples: the head of a series matrix or of a GDS.

A record of a series matrix is ``!Sample_title<tab>"..."<tab>"..."``, whose quoted values may hold
line breaks, quotes and even the words that announce the table. A curated data set (GDS) in SOFT
format has lines ``!key = value``; each subset of its samples has its type and its members.
"""

import io
import itertools
import re
import warnings
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted
from xnbflow.sources.formats.cell_texts import plain_text
from xnbflow.sources.formats.files import format_of, text_lines

#: Most notes on the processing.
MOST_TEXTS = 3

_MATRIX_BEGIN = b"!series_matrix_table_begin"
_RECORD = re.compile(rb"!(Series|Sample)_[\w/]+\t")
#: A cell in quotes, which may contain quotes and line breaks, or one without.
_CELL = re.compile(r'"([^"]*(?:"(?!\t|\Z)[^"]*)*)"(?:\t|\Z)|([^\t]*)(?:\t|\Z)', re.DOTALL)
#: A characteristic, as ``tissue: colon``; the colon of an address is none.
_KEYED = re.compile(r"([^:]{1,80}?)\s*:(?!//)\s*(.*)", re.DOTALL)
#: Most lines of one quoted value.
_MOST_LINES = 2000
#: Dates of submission are related to batches; they are a field if they differ between samples.
_SUBMITTED = "submission date"
#: The fields of samples by the names of their records.
_FIELDS = {
    "Sample_title": "title",
    "Sample_source_name_ch1": "source",
    "Sample_description": "description",
    "Sample_source_name_ch2": "source_ch2",
    "Sample_submission_date": _SUBMITTED,
}


@dataclass(kw_only=True)
class GeoHead:
    """The head of a file, before its table.

    ``fields`` has a row per sample (in the order of ``samples``, their accessions): ``title``,
    ``source``, ``description``, ..., and each of the ``characteristics`` by its key; in a GDS each
    type of subset. A field is ``short`` if it had another number of values than samples. ``facts``
    are other records of the series, the first of each name; ``processing`` are the authors'
    distinct texts on the processing of values; ``lines`` is the number of lines that were read,
    with the first of the table; ``table_end`` is the line that ends the table.
    """

    accession: str
    title: str
    platform: str
    samples: list[str]
    fields: pd.DataFrame
    characteristics: list[str]
    facts: dict[str, str]
    lines: int
    table_end: str
    supplementary: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)
    has_table: bool = True
    processing: list[str] = field(default_factory=list)

    def label_texts(self, where: str, label: str) -> tuple[str, list[str]]:
        """Return the field that ``label`` names, and each sample's text in it.

        ``characteristics:diagnosis`` or ``diagnosis``, ``title``, ``source``, ``description``;
        small and capital letters are alike.
        """
        name = self.field_named(label)
        if name is None:
            keys = ", ".join(f"characteristics:{name}" for name in self.characteristics) or "none"
            msg = (
                f"{where}: there is no {quoted(label)}, which label names; there are title, "
                f"source, description, and characteristics: {keys}. Correct label"
            )
            raise InputError(msg, key="label")
        if name in self.short:
            msg = (
                f"{where}: {quoted(name)} has another number of values than there are samples, "
                "so the values cannot be assigned to samples; get the file again, or name "
                "another label"
            )
            raise InputError(msg, key="label")
        return name, list(self.fields[name])

    def field_named(self, label: str) -> str | None:
        """Return the field for a name of the entry, see `label_texts`."""
        wanted = plain_text(label).lower()
        for prefix in ("characteristics:", "subset:", "characteristics_ch1:"):
            wanted = wanted.removeprefix(prefix).strip()
        return next((name for name in self.fields if name.lower() == wanted), None)


def read_head(path: str | Path, stream: "io.BufferedReader[Any]") -> GeoHead:
    """Read the head of a series matrix or of a GDS, and leave the stream at its end."""
    kind = format_of(stream.peek(4096)[:4096])
    if kind == "SOFT":
        return _read_dataset_head(path, stream)
    if kind == "series matrix":
        return _read_matrix_head(path, stream)
    msg = f"{path} is neither a GEO series matrix nor a GDS; use source table for a table"
    raise InputError(msg, file=str(path))


def _append_text(before: str, text: str) -> str:
    """Return a sample's field with a further text, unless both are equal or one is empty."""
    if before and text and before != text:
        return f"{before}; {text}"
    return before or text


def _read_matrix_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
    reader = _Records(path, stream)
    records = list(reader)
    facts: dict[str, str] = {}
    for name, cells in records:
        if name.startswith("Series_") and cells:
            facts.setdefault(name.removeprefix("Series_"), cells[0])
    sample_records = [(name, cells) for name, cells in records if name.startswith("Sample_")]
    samples = next((cells for name, cells in sample_records if name == "Sample_geo_accession"), [])
    while samples and not samples[-1]:
        samples = samples[:-1]
    if not samples:
        msg = f"{path} is not a GEO series matrix: it has no !Sample_geo_accession; get it again"
        raise InputError(msg, file=str(path))
    fields, keys, short = _fields(path, len(samples), sample_records)
    platforms: list[str] = []
    for name, cells in sample_records:
        if name == "Sample_platform_id":
            platforms += cells
    supplementary: list[str] = []
    for name, cells in records:
        if "supplementary_file" in name:
            supplementary += [cell for cell in cells if cell and cell.upper() != "NONE"]
    return GeoHead(
        accession=facts.get("geo_accession", Path(path).name.partition("_")[0]),
        title=facts.get("title", ""),
        platform=" ".join(dict.fromkeys(platforms)) or facts.get("platform_id", ""),
        samples=samples,
        fields=fields,
        characteristics=keys,
        facts=facts,
        lines=reader.line,
        table_end="!series_matrix_table_end",
        supplementary=supplementary,
        short=short,
        has_table=reader.has_table,
        processing=_processing(sample_records),
    )


def _processing(records: Sequence[tuple[str, list[str]]]) -> list[str]:
    """Return the distinct texts on the processing of samples, apart from spaces and capitals.

    A sample may have several records, which belong together.
    """
    rows = [cells for name, cells in records if name == "Sample_data_processing"]
    by_sample = itertools.zip_longest(*rows, fillvalue="")
    texts = [" ".join(filter(None, cells)) for cells in by_sample]
    distinct = {re.sub(r"\W", "", text).lower(): text for text in texts if text}
    return list(distinct.values())


class _Records:
    """Iterator over the records of a series matrix as (name, values)."""

    def __init__(self, path: str | Path, stream: io.BufferedIOBase) -> None:
        self.path = path
        self.lines = text_lines(path, stream)
        #: Number of the lines that belong to records so far.
        self.line = 0
        self.has_table = False
        #: Lines that were read to see whether a quoted value ends in them.
        self._ahead: deque[bytes] = deque()

    def __iter__(self) -> Iterator[tuple[str, list[str]]]:
        while line := self._peek(0):
            self._ahead.popleft()
            self.line += 1
            if line.strip() == _MATRIX_BEGIN:
                self.has_table = True
                return
            if line.startswith(b"!"):
                cells = self._read_record(line)
                yield cells[0].lstrip("!"), [plain_text(cell) for cell in cells[1:]]
            elif line.strip():
                record = line[:40]
                msg = (
                    f"{self.path}, line {self.line}: {quoted(record)} is not a record of a GEO "
                    "series matrix; get the file again, or give the series' accession (GSE...)"
                )
                raise InputError(msg, file=str(self.path))

    def _peek(self, number: int) -> bytes:
        """Return a line ahead, 0 for the next one; empty at the end."""
        while len(self._ahead) <= number:
            if not (line := next(self.lines, b"")):
                return b""
            self._ahead.append(line)
        return self._ahead[number]

    def _read_record(self, line: bytes) -> list[str]:
        """Return the cells of a record, which may continue in the next lines if its quote ends.

        Lines are appended as long as a quote is open. If none of them ends it, the record is its
        first line, and the quote a part of its value.
        """
        cells, is_open = _split_record(line)
        if not is_open:
            return cells
        record = line
        for number in range(_MOST_LINES):
            following = self._peek(number)
            if not following or self._begins_record(number):
                break
            record += following
            if b'"' not in following:  # no quote can end here
                continue
            joined_cells, is_open = _split_record(record)
            if not is_open:
                for _ in range(number + 1):
                    self._ahead.popleft()
                self.line += number + 1
                return joined_cells
        warnings.warn(
            f"{self.path}, line {self.line}: a quote that does not end; read to the line's end",
            UserWarning,
            stacklevel=2,
        )
        return [cell.removeprefix('"') for cell in cells]

    def _begins_record(self, number: int) -> bool:
        """Return whether a line begins a record, so that it cannot continue a quoted value."""
        line = self._peek(number)
        if line.strip() == _MATRIX_BEGIN:
            return self._peek(number + 1).lstrip(b'"').startswith(b"ID_REF")
        return bool(_RECORD.match(line))


def _split_record(line: bytes) -> tuple[list[str], bool]:
    """Return the cells of a record, and whether a quote is left open at its end."""
    text = line.decode("utf-8", errors="replace").rstrip("\r\n")
    cells = []
    is_open = False
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


class _SampleFields(NamedTuple):
    """Fields of samples, and which of them are characteristics or short; see `GeoHead`."""

    fields: pd.DataFrame
    characteristics: list[str]
    short: list[str]


def _fields(
    path: str | Path, n_samples: int, records: Sequence[tuple[str, list[str]]]
) -> _SampleFields:
    """Return the fields of the samples from the records of a series matrix.

    A record of characteristics may have several keys, as ``sex: f`` of one sample and ``age: 60``
    of another; each key is a field. Small and capital letters of keys are alike.
    """
    table: dict[str, list[str]] = {}
    spelling: dict[str, str] = {}
    short: list[str] = []
    for name, cells in records:
        while len(cells) > n_samples and not cells[-1]:
            cells.pop()
        names_of_record = [_FIELDS[name]] if name in _FIELDS else []
        for sample, cell in enumerate(cells[:n_samples]):
            if name in _FIELDS:
                key = _FIELDS[name]
                value = cell
            elif name.startswith("Sample_characteristics") and cell:
                key, value = _split_characteristic(name, cell)
                key = spelling.setdefault(key.lower(), key)
                names_of_record.append(key)
            else:
                continue
            column = table.setdefault(key, [""] * n_samples)
            column[sample] = _append_text(column[sample], value.strip())
        if len(cells) != n_samples and any(cells):
            msg = (
                f"{path}: !{name} has {counted(len(cells), 'value')} for "
                f"{counted(n_samples, 'sample')}; it is unclear which sample each value belongs to"
            )
            warnings.warn(msg, UserWarning, stacklevel=2)
            short += dict.fromkeys(names_of_record)
    if len(set(table.get(_SUBMITTED, ()))) == 1:
        del table[_SUBMITTED]
    frame = pd.DataFrame(table, dtype=object, index=range(n_samples))
    return _SampleFields(frame.fillna(""), list(spelling.values()), short)


def _split_characteristic(name: str, cell: str) -> tuple[str, str]:
    """Return the key and the value of a characteristic in a record of some name.

    Keys of the second channel of an array end with ``ch2``.

    Examples
    --------
    >>> _split_characteristic("Sample_characteristics_ch1", "tissue: colon")
    ('tissue', 'colon')
    >>> _split_characteristic("Sample_characteristics_ch2", "healthy")
    ('characteristics ch2', 'healthy')
    """
    key = "characteristics"
    value = cell
    if match := _KEYED.fullmatch(cell):
        key, value = match.groups()
    key = key.strip()
    if not name.endswith("ch1"):
        key = f"{key} {name[-3:]}"
    return key, value


def _read_dataset_head(path: str | Path, stream: io.BufferedIOBase) -> GeoHead:
    """Read a GDS in SOFT format up to its table, and leave the stream there."""
    facts: dict[str, str] = {}
    subsets: list[dict[str, str]] = []
    descriptions: dict[str, str] = {}  # of samples, as "Value for GSM1: title; src: source"
    n_lines = 0
    has_table = False
    for raw in text_lines(path, stream):
        n_lines += 1
        if has_table := raw.startswith(b"!dataset_table_begin"):
            break
        line = raw.decode("utf-8", errors="replace")
        name, _, value = (part.strip() for part in line.partition("="))
        if name == "^SUBSET":
            subsets.append({})
        elif name.startswith("!subset_") and subsets:
            subsets[-1][name.removeprefix("!subset_")] = value
        elif name.startswith("!dataset_"):
            facts.setdefault(name.removeprefix("!dataset_"), value)
        elif name.startswith("#GSM"):
            descriptions[name[1:]] = re.sub(r"^Value for GSM\d+:\s*", "", value)
        elif name == "^DATASET":
            facts.setdefault("accession", value)
    if not facts or not has_table:
        cut = " (it is cut off)" if facts else ""
        msg = (
            f"{path} is not a GDS in SOFT format with a table{cut}; for a GSE give its series "
            "matrix"
        )
        raise InputError(msg, file=str(path))
    samples, subset_fields = _subset_fields(path, list(descriptions), subsets)
    fields: dict[str, list[str]] = {"title": [], "source": []}
    for sample in samples:
        title, _, source = descriptions.get(sample, "").partition("; src:")
        fields["title"].append(title.strip())
        fields["source"].append(source.strip())
    return GeoHead(
        accession=facts.get("accession", ""),
        title=facts.get("title", ""),
        platform=facts.get("platform", ""),
        samples=samples,
        fields=pd.DataFrame(fields | subset_fields, dtype=object, index=range(len(samples))),
        characteristics=list(subset_fields),
        facts=facts,
        lines=n_lines,
        table_end="!dataset_table_end",
    )


def _subset_fields(
    path: str | Path, samples: list[str], subsets: Sequence[dict[str, str]]
) -> tuple[list[str], dict[str, list[str]]]:
    """Return the samples, by default all of the subsets, and a text of each sample by type."""
    members = []
    for subset in subsets:
        if lacking := {"type", "description", "sample_id"}.difference(subset):
            record = min(lacking)
            msg = f"{path}: a subset has no !subset_{record}; get the file again"
            raise InputError(msg, file=str(path))
        names = [name.strip() for name in subset["sample_id"].split(",")]
        members.append([name for name in names if name])
    samples = samples or list(dict.fromkeys(itertools.chain.from_iterable(members)))
    table: dict[str, list[str]] = {}
    for subset, names in zip(subsets, members, strict=True):
        column = table.setdefault(subset["type"], [""] * len(samples))
        for name in names:
            if name not in samples:
                msg = (
                    f"{path}: a subset names sample {quoted(name)}, which the table lacks; get "
                    "the file again"
                )
                raise InputError(msg, file=str(path))
            sample = samples.index(name)
            column[sample] = _append_text(column[sample], plain_text(subset["description"]))
    return samples, table
