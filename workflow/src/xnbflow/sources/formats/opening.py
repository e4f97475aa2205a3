"""A file as a `TextTable`, by the ending of its name: one module for each format."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from xnbflow.core.errors import about_file
from xnbflow.sources.formats.files import open_raw, refuse_other_formats
from xnbflow.sources.formats.gct import read_gct
from xnbflow.sources.formats.parquet import PARQUET, read_parquet_table
from xnbflow.sources.formats.program_exports import refuse_export
from xnbflow.sources.formats.text import read_text
from xnbflow.sources.formats.text_lines import SEPARATORS, UTF16_MARKS, sniff, utf16_lines
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS, read_workbook

if TYPE_CHECKING:
    import io

#: The endings of text whose cells are separated by tabs, unless its lines show otherwise.
_TABS = frozenset({".tsv", ".tab", ".txt"})
#: Bytes in which an export is recognised.
_HEAD = 1 << 18
_DECIMALS = {"point": ".", "comma": ","}

Reading = Mapping[str, Any]


def read_raw_table(
    path: Path,
    reading: Reading,
    most_rows: int | None = None,
    *,
    refuse_exports: bool = False,
) -> TextTable:
    """Read a table as Parquet, ARFF, GCT, AnnData, a workbook or text, by the suffix of its name.

    An AnnData file is a table with a row for each cell. The keys ``separator``,
    ``decimal``, ``encoding``, ``header``, ``sheet`` and ``matrix`` apply. Of text only the first
    ``most_rows`` rows may be read, and with ``refuse_exports`` exports of programs are refused.
    """
    suffix = suffix_of(path)
    with about_file(path):
        if suffix in _READERS:
            return _READERS[suffix](path, reading)
        with open_raw(path) as stream:
            if suffix == ".gct":
                return read_gct(path, stream, most_rows)
            refuse_other_formats(path, stream)
            if refuse_exports and suffix in (".csv", *_TABS):
                refuse_export(path, stream.peek(1)[:_HEAD])
            return _read_delimited(path, stream, reading, most_rows)


def _read_delimited(
    path: Path, stream: "io.BufferedReader[Any]", reading: Reading, most_rows: int | None
) -> TextTable:
    """Read text in lines and cells, of any ending that no other format has."""
    separator = SEPARATORS.get(reading.get("separator", ""))
    default = "\t" if suffix_of(path) in _TABS else ","
    has_mark = stream.peek(2)[:2] in UTF16_MARKS
    recoded = utf16_lines(path, stream) if has_mark else None
    table = read_text(
        path,
        recoded or stream,
        partial(
            sniff,
            path,
            default=separator or default,
            decimal=_DECIMALS.get(reading.get("decimal", "")),
            is_separator_set=separator is not None,
        ),
        encoding=reading.get("encoding"),
        header_line=reading.get("header"),
        most_rows=most_rows,
    )
    if recoded:
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

    with open_raw(path) as stream:
        refuse_other_formats(path, stream)
        return read_arff(path, stream)


#: The reader of each ending in small letters, but GCT and text, of which a part can be read.
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
