"""Opening a table, whatever its format: a header, and rows by blocks."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from xnbflow.data.errors import InputError
from xnbflow.data.sources.arff import Arff
from xnbflow.data.sources.blocks import Block, Columns
from xnbflow.data.sources.cell_texts import is_missing
from xnbflow.data.sources.columnar import ParquetTable
from xnbflow.data.sources.delimited import DelimitedText
from xnbflow.data.sources.dialects import DECIMAL_COMMA, SEPARATORS, Dialect, sniff
from xnbflow.data.sources.files import open_raw, what_is_wrong
from xnbflow.data.sources.formats import refuse_other_formats
from xnbflow.data.sources.labels import listed
from xnbflow.data.sources.workbook import WORKBOOKS, Workbook

__all__ = ["OpenTable", "column_position", "opened_table", "suffix_of", "table_texts"]

_PARQUET = frozenset({".parquet", ".pq"})
_TABS = frozenset({".tsv", ".tab", ".txt"})
_DECIMALS = {"point": ".", "comma": ","}


class OpenTable(Protocol):
    """A table whose header is read.

    Attributes
    ----------
    header : list of str
    unit : str
        What its rows are called in messages: line or row.
    """

    header: list[str]
    unit: str

    def blocks(self, columns: Columns) -> Iterator[Block]:
        """Yield the rows below the header."""


@contextmanager
def opened_table(path: Path, options: Mapping[str, str]) -> Iterator[OpenTable]:
    """Open a table by its format, which its name tells.

    Parameters
    ----------
    path : path
        ``.parquet``, ``.arff``, a workbook, or text in lines and cells.
    options : mapping of str to str
        Of the sheet: ``separator``, ``decimal``, ``sheet``.

    Raises
    ------
    InputError
        If the file cannot be read, or is of another format.
    """
    suffix = suffix_of(path)
    if suffix in WORKBOOKS:
        if wrong := what_is_wrong(path):
            msg = f"{path} {wrong}"
            raise InputError(msg)
        yield Workbook(path, options.get("sheet"), _advice)
        return
    if suffix not in _PARQUET:
        refuse_other_formats(path)
    with open_raw(path) as stream:
        if suffix in _PARQUET:
            yield ParquetTable(path, stream, _advice)
        elif suffix == ".arff":
            yield Arff(path, stream, _advice)
        else:
            yield DelimitedText(
                path, stream, lambda head: _dialect(path, head, options), advice=_advice
            )


def table_texts(table: OpenTable, names: Sequence[str]) -> list[list[str]]:
    """Return all columns as text."""
    columns = Columns(names, tuple(range(len(names))), ())
    texts: list[list[str]] = [[] for _ in names]
    for block in table.blocks(columns):
        for whole, part in zip(texts, block.texts, strict=True):
            whole.extend(part)
    return texts


def column_position(path: Path, names: Sequence[str], name: str, key: str) -> int:
    """Return where a name of the sheet stands, once."""
    count = list(names).count(name)
    if count == 1:
        return list(names).index(name)
    if count:
        msg = (
            f"{path}: {name!r}, which the sheet's {key} names, occurs {count} times; rename or "
            "remove all but one"
        )
    else:
        msg = (
            f"{path}: there is no {name!r}, which the sheet's {key} names; there are "
            f"{listed(names)} ({len(names)} in all). Correct {key}, or the orientation or "
            "separator, in the sheet"
        )
    raise InputError(msg)


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


def _dialect(path: Path, head: list[bytes], options: Mapping[str, str]) -> Dialect:
    decimal = options.get("decimal")
    if decimal is not None and decimal not in _DECIMALS:
        msg = f"{path}: unknown decimal {decimal!r} in the sheet's options; use point or comma"
        raise InputError(msg)
    sign = _DECIMALS.get(decimal) if decimal else None
    name = options.get("separator")
    if name is None:
        default = SEPARATORS["tab" if suffix_of(path) in _TABS else "comma"]
        return sniff(path, head, default, sign)
    if name not in SEPARATORS:
        msg = (
            f"{path}: unknown separator {name!r} in the sheet's options; "
            f"use one of {', '.join(SEPARATORS)}"
        )
        raise InputError(msg)
    return sniff(path, head, SEPARATORS[name], sign, certain=True)


def _advice(cell: str) -> str:
    """Return what to do about a cell of a linear or angular feature that is no finite number."""
    if DECIMAL_COMMA.fullmatch(cell.strip()):
        return (
            "this looks like a decimal comma: say decimal=comma in the sheet's options, or save it "
            "with decimal points"
        )
    if is_missing(cell) or cell.strip("+-").lower() in {"inf", "infinity"}:
        return (
            "fill it in, remove the sample, or list the feature under drop= in the sheet's options"
        )
    return "correct it, or list the feature under categorical= or drop= in the sheet's options"
