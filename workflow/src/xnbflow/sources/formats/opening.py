"""A file as a `TextTable`, by the ending of its name: one module for each format."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from xnbflow.core.errors import about_file
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.formats.gct import read_gct
from xnbflow.sources.formats.parquet import PARQUET, read_parquet_table
from xnbflow.sources.formats.program_exports import refuse_export
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.formats.text_lines import UTF16_MARKS, utf16_lines
from xnbflow.sources.formats.text_recognition import SEPARATORS
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS, read_workbook

#: The endings of text whose cells are separated by tabs, unless its lines show otherwise.
_TABS = frozenset({".tsv", ".tab", ".txt"})
#: Bytes in which an export is recognised.
_HEAD = 1 << 18
_DECIMALS = {"point": ".", "comma": ","}

#: The keys of an entry by which a file is read (`DatasetEntry.reading`).
Reading = Mapping[str, Any]


def read_text_table(path: Path, reading: Reading, *, refuse_exports: bool = False) -> TextTable:
    """Read a table as Parquet, ARFF, GCT, AnnData, a workbook or text, by the suffix of its name.

    An AnnData file is a table with a row for each cell. The keys ``separator``,
    ``decimal``, ``encoding``, ``header``, ``sheet`` and ``matrix`` apply. With ``refuse_exports``
    exports of programs are refused.
    """
    suffix = suffix_of(path)
    if suffix in _READERS:
        with about_file(path):
            return _READERS[suffix](path, reading)
    with open_raw(path, is_delimited=suffix != ".gct") as stream:
        if suffix == ".gct":
            return read_gct(path, stream)
        head = stream.peek(1)[:_HEAD]
        if refuse_exports and suffix in (".csv", *_TABS):
            refuse_export(path, head)
        is_utf16 = head.startswith(UTF16_MARKS)
        separator = SEPARATORS.get(reading.get("separator", ""))
        table = read_text(
            path,
            utf16_lines(path, stream) if is_utf16 else stream,
            separator=separator or ("\t" if suffix in _TABS else ","),
            is_separator_set=separator is not None,
            decimal=_DECIMALS.get(reading.get("decimal", "")),
            encoding=reading.get("encoding"),
            header_line=reading.get("header"),
        )
        if is_utf16:
            table.notes.insert(0, "the table is UTF-16 text, and was read as such")
        return table


def _read_workbook(path: Path, reading: Reading) -> TextTable:
    return read_workbook(
        path,
        sheet=reading.get("sheet"),
        decimal=_DECIMALS.get(reading.get("decimal", "")),
        header_line=reading.get("header"),
    )


def _read_h5ad(path: Path, reading: Reading) -> TextTable:
    from xnbflow.sources.formats.h5ad import read_h5ad  # noqa: PLC0415 - an extra

    return read_h5ad(path, reading)


def _read_parquet(path: Path, reading: Reading) -> TextTable:  # noqa: ARG001 - no key applies
    with open_raw(path) as stream:
        return read_parquet_table(path, stream)


def _read_arff(path: Path, reading: Reading) -> TextTable:  # noqa: ARG001 - no key applies
    # scipy.io, a tenth of a second, for few files
    from xnbflow.sources.formats.arff import read_arff  # noqa: PLC0415

    with open_raw(path, is_delimited=True) as stream:
        return read_arff(path, stream)


#: The reader of each ending in small letters, but GCT and text.
_READERS: Mapping[str, Callable[[Path, Reading], TextTable]] = {
    ".h5ad": _read_h5ad,
    ".arff": _read_arff,
    **dict.fromkeys(WORKBOOKS, _read_workbook),
    **dict.fromkeys(PARQUET, _read_parquet),
}


def suffix_of(path: str | Path) -> str:
    """Return the suffix in small letters, that before ``.gz`` if there is one.

    Examples
    --------
    >>> suffix_of("a/b.CSV.gz")
    '.csv'
    """
    path = Path(urlsplit(str(path)).path)
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower()
