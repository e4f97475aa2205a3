"""Formats of tables: text, workbooks, ARFF and Parquet, each a `TableFile`."""

import importlib.util
import io
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.data.note import Note
from xnbflow.sources.formats.arff import ArffTable
from xnbflow.sources.formats.cell_texts import DECIMAL_COMMA
from xnbflow.sources.formats.files import open_raw, refuse_bomb, refuse_other_formats, what_is_wrong
from xnbflow.sources.formats.header_rows import (
    HEAD_ROWS,
    chosen_header,
    fill_forward,
    find_header,
    merged_corner,
)
from xnbflow.sources.formats.raw_table import Cells, Columns, TableFile
from xnbflow.sources.formats.text import SEPARATORS, DelimitedText, sniff, utf16_lines

WORKBOOKS = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
_PARQUET = frozenset({".parquet", ".pq"})
_TABS = frozenset({".tsv", ".tab", ".txt"})
_DECIMALS = {"point": ".", "comma": ","}

#: Code with which `workbook_process.py` ends if the workbook has no sheet of the name.
_NO_SUCH_SHEET = 3
#: Limit of memory for a workbook, in bytes: a constant and a multiple of its unpacked size.
_LEAST_MEMORY = 1 << 30
_MEMORY_RATIO = 60


@contextmanager
def open_table(path: Path, options: Mapping[str, str]) -> Iterator[TableFile]:
    """Open a table as Parquet, ARFF, GCT, a workbook or text, by the suffix of its name.

    The sheet's options ``separator``, ``decimal``, ``encoding`` and ``sheet`` apply.
    """
    suffix = suffix_of(path)
    with about_file(path):
        if suffix in WORKBOOKS:
            book = Workbook(
                path,
                sheet=options.get("sheet"),
                decimal=_DECIMALS.get(options.get("decimal", "")),
                header_line=_header_line(options),
            )
            with book.naming_sheets("sheet" in options):
                yield book
            return
        if suffix not in {*_PARQUET, ".gct"}:
            refuse_other_formats(path)
        with open_raw(path) as stream:
            if suffix in _PARQUET:
                yield ParquetTable(path, stream)
            elif suffix == ".arff":
                yield ArffTable(path, stream)
            elif suffix == ".gct":  # of GenePattern: version, size, then a table
                if stream.readline()[:4] not in (b"#1.2", b"#1.3") or not stream.readline():
                    msg = f"{path} is not GCT of version 1.2 or 1.3; write one, or a plain table"
                    raise InputError(msg)
                yield DelimitedText(path, stream, ("\t", "."), first_line=3)
            else:
                yield _open_text(path, stream, options)


def _open_text(
    path: Path, stream: "io.BufferedReader[Any]", options: Mapping[str, str]
) -> DelimitedText:
    """Open text whose separator is that of the options, or that of its suffix and first lines."""
    separator = SEPARATORS.get(options.get("separator", ""))
    is_certain = separator is not None
    if separator is None:
        separator = "\t" if suffix_of(path) in _TABS else ","
    decimal = _DECIMALS.get(options.get("decimal", ""))
    recoded = utf16_lines(path, stream)
    text = DelimitedText(
        path,
        recoded or stream,
        lambda head: sniff(path, head, separator, decimal, certain=is_certain),
        encoding=options.get("encoding"),
        header_line=_header_line(options),
    )
    if recoded:
        text.notes.append("the table is UTF-16 text, and was read as such")
    return text


def _header_line(options: Mapping[str, str]) -> int | None:
    """Return the number of the line that the option ``header`` names."""
    return int(options["header"]) if "header" in options else None


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


def sheet_names(path: Path) -> list[str]:
    """Return the names of a workbook's sheets."""
    return _workbook_rows(path, None)[0]


class Workbook(TableFile):
    """A sheet of a workbook, the first one if it is not named; read by python-calamine."""

    def __init__(
        self,
        path: Path,
        *,
        sheet: str | None,
        decimal: str | None = None,
        header_line: int | None = None,
    ) -> None:
        super().__init__(path)
        self._sheets, rows = _workbook_rows(path, sheet)
        if sheet is None and len(self._sheets) > 1:
            first, *others = map(repr, self._sheets)
            note = Note(
                f"the first sheet, {first}, was read",
                advice=f"the option sheet= names another one: {listed(others)}",
            )
            self.notes.append(note)
        self.decimal = decimal or self.decimal
        texts = ([_text(cell, self.decimal) for cell in row] for row in rows)
        self._rows = [(number, row) for number, row in enumerate(texts, 1) if any(row)]
        self._read_header(header_line)

    def _read_header(self, header_line: int | None) -> None:
        """Find the header among the first rows, and name a row of conditions by its number."""
        head = self._rows[:HEAD_ROWS]
        place = find_header([row for _, row in head])
        if header_line is not None:
            place = chosen_header(self.path, head, header_line)
        titles = [next(cell for cell in row if cell) for _, row in head[: place.first]]
        if titles and header_line is None:
            note = Note(
                f"{counted(len(titles), 'title row', 'was', 'were')} left out above the header "
                f"({quoted(titles[0])})",
                advice="the option header= names another row as the header",
            )
            self.notes.append(note)
        self.header = list(self._rows[place.header][1]) if self._rows else []
        below = self._rows[place.below :]
        if place.conditions is not None:
            number, cells = self._rows[place.conditions]
            if place.conditions < place.header:
                self.header, cells = merged_corner(self.header, cells)
            below.insert(0, (number, fill_forward(cells, f"{self.unit} {number}")))
        self._rows = below

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the rows below the header that are not empty."""
        return iter(self._rows)

    def read(self, columns: Columns, *, by_column: bool = False) -> Cells:
        """Read all rows; see `TableFile.read`. Numbers among the texts have decimal points."""
        cells = super().read(columns, by_column=by_column)
        if self.decimal == ",":
            for texts in cells.texts:
                texts[:] = [
                    text.replace(",", ".") if DECIMAL_COMMA.fullmatch(text) else text
                    for text in texts
                ]
        return cells

    @contextmanager
    def naming_sheets(self, chosen: bool) -> Iterator[None]:
        """Name the other sheets in each `InputError` of the block, if none was ``chosen``."""
        try:
            yield
        except InputError as error:
            if chosen or len(self._sheets) < 2:
                raise
            first, *others = map(repr, self._sheets)
            msg = (
                f"{error}. This is the first sheet, {first}; to read another, set sheet= in the "
                f"options: {', '.join(others[:8])}"
            )
            raise InputError(
                msg, file=error.file, key=error.key, remedy=error.remedy, sheet=True
            ) from error


def _workbook_rows(path: Path, sheet: str | None) -> tuple[list[str], list[list[Any]]]:
    """Read the names of all sheets, and one of them, in a process of bounded memory.

    A workbook of one cell in its last row and column would take hundreds of gigabytes, and the
    library ends the process that asks for them.
    """
    if wrong := what_is_wrong(path):
        msg = f"{path} {wrong}"
        raise InputError(msg)
    size = path.stat().st_size
    try:
        if zipfile.is_zipfile(path):  # of ODF and of Excel since 2007
            with zipfile.ZipFile(path) as parts:
                unpacked = sum(part.file_size for part in parts.infolist())
            refuse_bomb(path, size, unpacked)
            size = max(size, unpacked)
    except (zipfile.BadZipFile, NotImplementedError, UnicodeDecodeError) as error:
        msg = f"{path} cannot be read as a workbook ({quoted(str(error), 160)}); save it anew"
        raise InputError(msg) from error
    if importlib.util.find_spec("python_calamine") is None:
        msg = f"{path} is a workbook; to read it, install python-calamine, or save it as CSV"
        raise InputError(msg)
    memory = _LEAST_MEMORY + _MEMORY_RATIO * size
    command = [sys.executable, "-P", str(Path(__file__).with_name("workbook_process.py"))]
    command += [str(path), str(memory), *([sheet] if sheet is not None else [])]
    process = subprocess.run(command, capture_output=True, check=False)  # noqa: S603
    if process.returncode == 0:
        sheets, rows = json.loads(process.stdout)
        return sheets, rows
    lines = process.stderr.decode(errors="replace").strip().splitlines()
    reason = lines[-1] if lines else "no reason is given"
    if process.returncode < 0:
        reason = f"it takes more than {memory >> 20} MiB of memory"
    msg = (
        f"{path} cannot be read as a workbook ({quoted(reason, 200)[1:-1]}); save it anew, or as "
        "CSV"
    )
    is_missing_sheet = process.returncode == _NO_SUCH_SHEET
    raise InputError(msg, key="sheet" if is_missing_sheet else None)


def _text(cell: Any, decimal: str) -> str:
    """Return a cell as text: numbers in their shortest exact form, whole ones without ``.0``."""
    if isinstance(cell, float):
        is_whole = cell.is_integer() and abs(cell) < 2**53
        return str(int(cell)) if is_whole else str(cell).replace(".", decimal)
    return str(cell).strip()


#: Rows of a Parquet file that are converted to text at a time: its head is read alone, and with
#: 850,000 rows the texts of all would need some GB.
_ROWS_OF_BLOCK = 1000


#: The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_\d+__$")


class ParquetTable(TableFile):
    """A Parquet file, whose numbers are not converted to text."""

    def __init__(self, path: Path, stream: io.BufferedIOBase) -> None:
        super().__init__(path)
        try:
            content = stream.read()
            # Arrow's own limits, 100 MB of text and a million parts, refuse 850,000 columns. No
            # part of a file has more bytes than the file. The limits are 32-bit integers.
            most = min(len(content) + 1, 2**31 - 1)
            file = pq.ParquetFile(
                pa.BufferReader(content),
                thrift_string_size_limit=most,
                thrift_container_size_limit=most,
            )
            n_cells = file.metadata.num_rows * file.metadata.num_columns
            refuse_bomb(path, path.stat().st_size, 8 * n_cells)
            table = file.read()
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            reason = quoted(str(error), 160)
            msg = f"{path} is not a Parquet file ({reason}); correct its name, or get it again"
            raise InputError(msg) from error
        self._table = _with_index_first(table, index_of_pandas(path, table.schema.metadata))
        self.header = [_INDEX.sub("", name.strip()) for name in self._table.column_names]

    def rows(self) -> Iterator[tuple[int, Sequence[str]]]:
        """Yield the rows as text; a block of rows is converted at a time."""
        number = 0
        for block in self._table.to_batches(max_chunksize=_ROWS_OF_BLOCK):
            columns = [_texts(column) for column in block.columns]
            for cells in zip(*columns, strict=True):
                number += 1
                yield number, cells

    def read(self, columns: Columns, *, by_column: bool = False) -> Cells:
        """Read all rows; see `TableFile.read`."""
        numbers = [self._table[place] for place in columns.numbers]
        types = {column.type for column in numbers}
        are_numeric = all(pa.types.is_floating(kind) or pa.types.is_integer(kind) for kind in types)
        if columns.is_text is None and are_numeric:
            values = np.empty((len(numbers), len(self._table)))
            for row, column in enumerate(numbers):
                values[row] = column.cast(pa.float64(), safe=False).to_numpy()
            if not np.isinf(values).any():
                texts = [_texts(self._table[place]) for place in columns.text]
                values = values.T if by_column else np.ascontiguousarray(values.T)
                return Cells(list(range(1, len(self._table) + 1)), texts, values)
        return super().read(columns, by_column=by_column)  # its error names the invalid cell


def index_of_pandas(path: Path, metadata: Mapping[bytes, bytes] | None) -> set[str]:
    """Return the columns of a Parquet file that are the index of pandas' table.

    ``metadata`` are the file's. Pandas describes its table there as JSON, which a transfer may
    damage as it damages cells: an `InputError` names the file. An index that is a range of numbers
    has no column.

    Examples
    --------
    >>> index_of_pandas(Path("a.parquet"), {b"pandas": b'{"index_columns": ["sample"]}'})
    {'sample'}
    """
    text = (metadata or {}).get(b"pandas")
    if text is None:
        return set()
    try:
        described = json.loads(text)
        columns = described["index_columns"]
        return {name for name in columns if isinstance(name, str)}
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        msg = f"{path}: the metadata of pandas are damaged; write the file again, or get it again"
        raise InputError(msg, file=str(path)) from error


def _with_index_first(table: pa.Table, index: Collection[str]) -> pa.Table:
    """Return a table with the index of pandas, names of samples or features, as first columns.

    Pandas stores it after the values.
    """
    names = table.column_names  # once: Arrow makes a new list each time
    return table.select(sorted(range(len(names)), key=lambda place: names[place] not in index))


def _texts(column: pa.Array | pa.ChunkedArray) -> list[str]:
    """Return the cells of a column of a Parquet file as text."""
    return ["" if cell is None else str(cell).strip() for cell in column.to_pylist()]
