"""A Parquet file as a table, whose numbers are not converted to text."""

import io
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.formats.cell_texts import numbers_of
from xnbflow.sources.formats.text_table import TextTable

PARQUET = frozenset({".parquet", ".pq"})
#: The name that pandas gives to an index without one.
_INDEX = re.compile(r"__index_level_\d+__$")
#: Rows that are converted to text at a time: with 850,000 columns the texts of all need some GB.
_ROWS_OF_BLOCK = 1000


@dataclass(kw_only=True)
class ArrowTable(TextTable):
    """A table whose columns are those of Arrow, some of which are numbers."""

    arrow: pa.Table
    _block: list[list[str]] = field(default_factory=list)
    _start: int = 0

    def cells(self, row: int) -> list[str]:
        """Return the cells of a row as text; a block of rows is converted at a time."""
        if not self._start <= row < self._start + len(self._block):
            self._start = row
            part = self.arrow.slice(row, _ROWS_OF_BLOCK)
            columns = list(map(self._texts, part.columns))
            self._block = list(map(list, zip(*columns, strict=True)))
        return self._block[row - self._start]

    def columns(self, positions: Sequence[int]) -> list[list[str]]:
        """Return the cells of some columns as text."""
        return [self._texts(self.arrow[position]) for position in positions]

    def values(self, variables: Sequence[int], *, release: bool = False) -> np.ndarray:  # noqa: ARG002 - of columns no row is removed
        """Return variables as numbers; those of other columns are converted from their texts."""
        if self.samples_are_rows:
            columns: Sequence[int] = variables
            rows: Sequence[int] = range(len(self.lines))
            selected_rows: slice | np.ndarray = slice(None)
        else:
            columns = self._columns_of_samples
            rows = variables
            selected_rows = np.asarray(variables, dtype=int)
        numbers = np.empty((len(columns), len(rows)))
        for position, column in enumerate(columns):
            stored = self.arrow[column]
            if pa.types.is_floating(stored.type) or pa.types.is_integer(stored.type):
                numbers[position] = stored.cast(pa.float64(), safe=False).to_numpy()[selected_rows]
            else:
                numbers[position] = self._numbers_of_texts(column, rows)
        # Infinite numbers are converted again as texts, so that an error names the cell.
        for position in np.flatnonzero(np.isinf(numbers).any(axis=1)).tolist():
            self._numbers_of_texts(columns[position], rows)
        return numbers if self.samples_are_rows else np.ascontiguousarray(numbers.T)

    def _numbers_of_texts(self, column: int, rows: Sequence[int]) -> np.ndarray:
        """Return the numbers of a column in some rows; an `InputError` names a cell without one."""
        cells = self._texts(self.arrow[column])
        texts = [cells[row] for row in rows]
        numbers = numbers_of("\n".join(texts), len(texts))
        if numbers is not None:
            return numbers
        return np.array(
            [self.number(text, column, row) for text, row in zip(texts, rows, strict=True)]
        )

    def _texts(self, column: pa.Array | pa.ChunkedArray) -> list[str]:
        """Return the cells of a column as text."""
        try:
            cells = column.to_pylist()
        except (pa.ArrowException, ValueError, OverflowError) as error:  # dates beyond Python's
            reason = quoted(str(error), 160)
            msg = (
                f"{self.path}: a column of the type {column.type} cannot be read ({reason}); "
                "correct it, or get the file again"
            )
            raise InputError(msg, file=str(self.path)) from error
        return ["" if cell is None else str(cell).strip() for cell in cells]


def read_parquet_table(path: Path, stream: io.BufferedIOBase) -> TextTable:
    """Read a Parquet file; the index of pandas is first."""
    try:
        content = stream.read()
        # Arrow's own limits, 100 MB of text and a million parts, refuse 850,000 columns. No part of
        # a file has more bytes than the file. The limits are 32-bit integers.
        most = min(len(content) + 1, 2**31 - 1)
        file = pq.ParquetFile(
            pa.BufferReader(content),
            thrift_string_size_limit=most,
            thrift_container_size_limit=most,
        )
        table = file.read()
        table.validate(full=True)  # texts are UTF-8, dates are dates, ...
        table = _with_index_first(table, _index_of_pandas(path, table.schema.metadata))
        names = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        reason = quoted(str(error), 160)
        msg = f"{path} is not a Parquet file ({reason}); correct its name, or get it again"
        raise InputError(msg, file=str(path)) from error
    return ArrowTable(
        path=path,
        header=[_INDEX.sub("", name.strip()) for name in names],
        arrow=table,
        lines=range(1, len(table) + 1),
    )


def _index_of_pandas(path: Path, metadata: Mapping[bytes, bytes] | None) -> set[str]:
    """Return the columns of a Parquet file that are the index of pandas' table.

    ``metadata`` are the file's. Pandas describes its table there as JSON, which a transfer may
    damage as it damages cells: an `InputError` names the file. An index that is a range of numbers
    has no column.

    Examples
    --------
    >>> _index_of_pandas(Path("a.parquet"), {b"pandas": b'{"index_columns": ["sample"]}'})
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
    return table.select(sorted(range(len(names)), key=lambda i: names[i] not in index))
