"""A file as a `TextTable`, by the ending of its name: one module for each format."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any
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

_TABS = frozenset({".tsv", ".tab", ".txt"})
#: Bytes in which an export is recognised.
_HEAD = 1 << 18
_DECIMALS = {"point": ".", "comma": ","}


def read_raw_table(
    path: Path,
    reading: Mapping[str, Any],
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
    header_line = reading.get("header")
    with about_file(path):
        if suffix == ".h5ad":
            from xnbflow.sources.formats.h5ad import read_h5ad  # noqa: PLC0415 - an extra

            return read_h5ad(path, reading)
        if suffix in WORKBOOKS:
            return read_workbook(
                path,
                sheet=reading.get("sheet"),
                decimal=_DECIMALS.get(reading.get("decimal", "")),
                header_line=header_line,
            )
        with open_raw(path) as stream:
            if suffix in PARQUET:
                return read_parquet_table(path, stream)
            if suffix != ".gct":
                refuse_other_formats(path, stream)
            if suffix == ".arff":
                # scipy.io, a tenth of a second, for few files
                from xnbflow.sources.formats.arff import read_arff  # noqa: PLC0415

                return read_arff(path, stream)
            if suffix == ".gct":
                return read_gct(path, stream, most_rows)
            if refuse_exports and suffix in (".csv", *_TABS):
                refuse_export(path, stream.peek(1)[:_HEAD])
            separator = SEPARATORS.get(reading.get("separator", ""))
            default = "\t" if suffix in _TABS else ","
            decimal = _DECIMALS.get(reading.get("decimal", ""))
            has_mark = stream.peek(2)[:2] in UTF16_MARKS
            recoded = utf16_lines(path, stream) if has_mark else None
            table = read_text(
                path,
                recoded or stream,
                partial(
                    sniff,
                    path,
                    default=separator or default,
                    decimal=decimal,
                    is_separator_set=separator is not None,
                ),
                encoding=reading.get("encoding"),
                header_line=header_line,
                most_rows=most_rows,
            )
            if recoded:
                table.notes.insert(0, "the table is UTF-16 text, and was read as such")
            return table


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
