"""Tables as files: the only writer and reader, which check the contract."""

import hashlib
import json
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import types

from xnbflow.core.atomic import write_atomically
from xnbflow.core.errors import InputError
from xnbflow.core.software import software
from xnbflow.tables.contract import TableSchema, stacked_schema
from xnbflow.tables.parquet import REMEDY, open_parquet, parquet_writer

#: The versions of the software that wrote a table, in its metadata.
_SOFTWARE = b"xnbflow.software"

# The types of columns in files.
_TEXT = pa.large_string()
_WHOLE = pa.int64()
_REAL = pa.float64()
_TRUTH = pa.bool_()
#: The types in files that each type of the contract allows; the first is that of an empty column.
_ALLOWED_TYPES = {
    "text": (_TEXT,),
    "text or none": (_TEXT,),
    "integer": (_WHOLE,),
    "number": (_REAL,),
    "boolean": (_TRUTH,),
    "text or number": (_TEXT, _WHOLE, _REAL),
}
#: Which types of pyarrow are converted to each type in files. For example, floats of 32 bits and
#: whole numbers become `_REAL`.
_CONVERTED_TYPES = {
    _TEXT: (types.is_string, types.is_large_string),
    _WHOLE: (types.is_integer,),
    _REAL: (types.is_floating, types.is_integer),
    _TRUTH: (types.is_boolean,),
}

#: Rows of a table that are converted to text at a time; seven million at once take 3 GB.
_TEXT_ROWS_AT_ONCE = 200_000
#: Characters that separate cells or rows of a text, or quote a cell.
_SEPARATORS = re.compile(r'[\t\n\r"]')
#: First characters of text that a spreadsheet may run as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def table_of(
    rows: Iterable[Mapping[str, Any]], table: TableSchema, without: Collection[str] = ()
) -> pd.DataFrame:
    """Return rows of named fields as a table of the contract.

    Columns that the caller adds later are named in ``without``.

    Raises
    ------
    TypeError
        If a row lacks a column of the table, or has a field that is not a column.

    Examples
    --------
    >>> from xnbflow.tables.contract import GROUPS
    >>> normality = GROUPS["diagnostic"].tables["normality"]
    >>> table_of([{"W": 0.9, "feature": "g1"}], normality, without=["class", "p"])
      feature    W
    0      g1  0.9
    """
    rows = list(rows)
    names = dict.fromkeys(name for name in table.fixed if name not in without)
    # Most rows have the same fields, which are compared with the contract once.
    for fields in dict.fromkeys(map(tuple, rows)):
        if fault := _wrong_names(fields, table, without):
            msg = f"a row of the table {table.name!r} breaks the contract: {fault}"
            raise TypeError(msg)
        names |= dict.fromkeys(fields)
    return pd.DataFrame(rows, columns=table.ordered(names))


def write_parquet(frame: pd.DataFrame, path: str | Path, table: TableSchema) -> None:
    """Write a table to Parquet in the order of its columns, with checksums, without its index.

    The versions of the software are recorded in its metadata, see `recorded_versions`.

    Parameters
    ----------
    frame : DataFrame
        The table.
    path : path
        The file.
    table : TableSchema
        The schema of the table.

    Raises
    ------
    TypeError
        If the frame breaks the contract: the code that computed it is wrong.
    """
    place = f"table {table.name!r} for {path}"
    if fault := _wrong_names(list(frame.columns), table):
        msg = f"{place} breaks the contract: {fault}"
        raise TypeError(msg)
    rows = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    rows = rows.select(table.ordered(frame))
    fields = []
    for name, declared_type in _column_types(rows.column_names, table).items():
        stored_type = _type_in_file(rows[name], declared_type)
        if stored_type is None:
            missing = " with missing values" if rows[name].null_count else ""
            fault = f"column {name!r} holds {rows[name].type}{missing}, not {declared_type}"
            msg = f"{place} breaks the contract: {fault}"
            raise TypeError(msg)
        fields.append((name, stored_type))
    metadata = {_SOFTWARE: json.dumps(software()).encode()}
    # Numbers rarely repeat, so a dictionary does not shorten them; their bytes in separate streams
    # compress better, and faster.
    numbers = [name for name, stored_type in fields if stored_type == _REAL]
    options = {
        "use_dictionary": [name for name, _ in fields if name not in numbers],
        "column_encoding": dict.fromkeys(numbers, "BYTE_STREAM_SPLIT"),
    }
    with parquet_writer(path, pa.schema(fields, metadata), **options) as writer:
        writer.write_table(rows.cast(pa.schema(fields)))


def read_parquet(
    path: str | Path, table: TableSchema, columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """Read a table that `write_parquet` has written, or some of its columns."""
    with open_parquet(path) as file:
        schema = file.schema_arrow
        fault = _wrong_names(schema.names, table) or _wrong_type(schema, table)
        if fault:
            msg = f"{path} is not a table {table.name!r} of this version ({fault}); {REMEDY}"
            raise InputError(msg, file=str(path), remedy=REMEDY)
        selected = table.ordered(schema.names)
        if columns is not None:
            selected = [name for name in selected if name in columns]
        return file.read(selected).select(selected).to_pandas()


def write_stacked(frames: Mapping[str, pd.DataFrame], path: str | Path, table: TableSchema) -> None:
    """Write the tables of several classifiers to one file, with the classifier in the first column.

    ``frames`` are by the id of the classifier, ``table`` is the schema of one of them.
    """
    parts = [frame.assign(classifier=name) for name, frame in frames.items() if len(frame)]
    schema = stacked_schema(table)
    stacked = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=schema.fixed)
    write_parquet(stacked, path, schema)


def read_stacked(
    path: str | Path,
    table: TableSchema,
    classifiers: Sequence[str],
    columns: Sequence[str] | None = None,
) -> dict[str, pd.DataFrame]:
    """Read what `write_stacked` has written; return the table of each classifier by its id.

    The table of a classifier without rows is empty. An `InputError` names a file with rows of
    another classifier than ``classifiers``, the classifiers of the job that wrote the file.
    """
    selected = None if columns is None else ["classifier", *columns]
    stacked = read_parquet(path, stacked_schema(table), selected)
    if others := sorted(set(stacked["classifier"].unique()) - set(classifiers)):
        msg = f"{path} has rows of the classifier {others[0]}, which is not of this job; {REMEDY}"
        raise InputError(msg, file=str(path), remedy=REMEDY)
    rows_of = stacked.groupby("classifier", sort=False).indices
    values = stacked.drop(columns="classifier")
    empty = np.empty(0, dtype=np.intp)
    return {
        name: rows_at(values, rows_of.get(name, empty)).reset_index(drop=True)
        for name in classifiers
    }


def rows_at(frame: pd.DataFrame, positions: np.ndarray) -> pd.DataFrame:
    """Return rows of a table by ascending positions; consecutive rows are not copied.

    Examples
    --------
    >>> frame = pd.DataFrame({"fold": [0, 1, 2, 3]})
    >>> [rows_at(frame, np.array(rows))["fold"].tolist() for rows in ([1, 2], [0, 3])]
    [[1, 2], [0, 3]]
    """
    if len(positions) and positions[-1] - positions[0] + 1 == len(positions):
        return frame.iloc[positions[0] : positions[-1] + 1]
    return frame.take(positions)


def digest_of_file(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recorded_versions(paths: Iterable[str | Path]) -> dict[str, str]:
    """Return the versions of the software that wrote tables.

    Where tables were written with several versions of a package, these are joined by "and". An
    `InputError` names a table whose metadata are damaged.
    """
    versions: dict[str, dict[str, None]] = {}  # the keys of the inner dictionary are ordered
    for path in paths:
        with open_parquet(path) as file:
            metadata: dict[bytes, bytes] = dict(file.schema_arrow.metadata or {})
        try:
            recorded = dict(json.loads(metadata.get(_SOFTWARE, b"{}")))
        except (ValueError, TypeError, RecursionError) as error:
            msg = f"the metadata of {path} are damaged; {REMEDY}"
            raise InputError(msg, file=str(path), remedy=REMEDY) from error
        for package, version in recorded.items():
            versions.setdefault(package, {})[version] = None
    return {package: " and ".join(used) for package, used in versions.items()}


def write_tsv(frame: pd.DataFrame, path: str | Path, table: TableSchema) -> None:
    """Write a table to a file as the text of `tsv`, in the order of the table's columns."""
    ordered = frame[table.ordered(frame)]

    def write(part: Path) -> None:
        with part.open("w", encoding="utf-8", newline="") as file:
            file.writelines(_blocks_of_text(ordered))

    write_atomically(path, write)


def tsv(frame: pd.DataFrame) -> str:
    r"""Return a table as tab-separated text, numbers with six significant digits.

    Text that a spreadsheet would run as a formula, because it begins with ``=``, ``+``, ``-`` or
    ``@`` and is not a number, gets a ``'`` before it; Parquet has the original text.

    Examples
    --------
    >>> tsv(pd.DataFrame({"class": ["=1+1", "-1", "a"], "recall": [0.5, 1.0, 2 / 3]}))
    "class\trecall\n'=1+1\t0.5\n-1\t1\na\t0.666667\n"
    """
    return "".join(_blocks_of_text(frame))


def _blocks_of_text(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the header, and the text of some rows at a time."""
    yield "\t".join(map(_cell, frame)) + "\n"
    inferred = frame.infer_objects()
    for start in range(0, len(inferred), _TEXT_ROWS_AT_ONCE):
        block = inferred.iloc[start : start + _TEXT_ROWS_AT_ONCE]
        columns = [_format_column(column) for _, column in block.items()]
        # One format for a whole row, such as %s<tab>%.6g for ("tumour", 0.25), is faster than
        # joining the texts of its cells.
        row_format = "\t".join(column.cell_format for column in columns) + "\n"
        cells = [column.cells for column in columns]
        if row_format == "%s\n":  # readers skip empty lines
            cells = [[text or '""' for text in cells[0]]]
        yield "".join(row_format % row for row in zip(*cells, strict=True))


class _FormattedColumn(NamedTuple):
    """The cells of a column, and the format ``%s`` or ``%.6g`` that makes a text of each."""

    cell_format: str
    cells: list[Any]


def _format_column(column: pd.Series) -> _FormattedColumn:
    """Return the cells of a column with their format; missing cells are empty text."""
    if pd.api.types.is_float_dtype(column.dtype):  # four times as fast as pandas' formatting
        values = column.to_numpy(dtype=float, na_value=math.nan)
        if np.isnan(values).any():
            texts = ["" if math.isnan(value) else f"{value:.6g}" for value in values.tolist()]
            return _FormattedColumn("%s", texts)
        return _FormattedColumn("%.6g", values.tolist())
    if column.dtype == object:  # of several types
        cells = column.where(column.notna(), "").tolist()
        return _FormattedColumn("%s", list(map(_cell, cells)))
    # Names repeat, for example a feature in every class: each distinct name is converted once.
    # Missing cells have the code -1, which is the last text.
    codes, distinct = pd.factorize(column)
    distinct_texts = np.array([*map(_cell, distinct.tolist()), ""], dtype=object)
    return _FormattedColumn("%s", distinct_texts[codes].tolist())


def _cell(cell: Any) -> str:
    """Return a name or value as text, in quotes if it contains separators."""
    text = str(without_formula(cell))
    if not _SEPARATORS.search(text):
        return text
    escaped = text.replace('"', '""')
    return f'"{escaped}"'


def without_formula(cell: Any) -> Any:
    """Return a cell with a ``'`` before text that a spreadsheet may run.

    Examples
    --------
    >>> without_formula("=1+1"), without_formula("-1"), without_formula(-1.0)
    ("'=1+1", '-1', -1.0)
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def write_tables(
    frames: Mapping[str, pd.DataFrame],
    folder: str | Path,
    tables: Mapping[str, TableSchema],
) -> None:
    """Write tables to a folder as Parquet, and those that people open as text, too.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        The tables by name.
    folder : path
        The folder.
    tables : mapping of str to TableSchema
        All tables that the job may write to the folder. Files of a table that is not among the
        frames, which an earlier run has written, are removed. Other files remain.
    """
    if unknown := sorted(set(frames) - set(tables)):
        msg = f"table {unknown[0]!r} for {folder} is not in the contract"
        raise TypeError(msg)
    absent = [name for name in tables if name not in frames]
    remove_files(folder, table_files(absent))
    for name, frame in frames.items():
        path = Path(folder, f"{name}.parquet")
        write_parquet(frame, path, tables[name])
        if tables[name].text:
            write_tsv(frame, path.with_suffix(".tsv"), tables[name])


def table_files(names: Iterable[str]) -> list[str]:
    """Return the names of the files of tables, each as Parquet and as text.

    Examples
    --------
    >>> table_files(["ranks"])
    ['ranks.parquet', 'ranks.tsv']
    """
    return [f"{name}{suffix}" for name in names for suffix in (".parquet", ".tsv")]


def remove_files(folder: str | Path, names: Iterable[str]) -> None:
    """Remove the files of these names from a folder, where they exist."""
    for name in names:
        Path(folder, name).unlink(missing_ok=True)


def _column_types(names: Sequence[str], table: TableSchema) -> dict[str, str]:
    """Return the type that the contract declares for each column that is in it."""
    columns = {name: table.column(name) for name in names}
    return {name: column.type for name, column in columns.items() if column}


def _type_in_file(values: pa.ChunkedArray, declared_type: str) -> pa.DataType | None:
    """Return the type of values in a file; None if the contract does not allow them."""
    may_be_missing = declared_type in {"number", "text or none"}
    if values.null_count and not may_be_missing:
        return None
    # A column without a value has any type in pandas, for example object; it is always valid.
    if values.null_count == len(values):
        return _ALLOWED_TYPES[declared_type][0]
    for stored_type in _ALLOWED_TYPES[declared_type]:
        if any(is_type(values.type) for is_type in _CONVERTED_TYPES[stored_type]):
            return stored_type
    return None


def _wrong_type(schema: pa.Schema, table: TableSchema) -> str:
    """Return how the types in a file deviate from the schema; empty if they do not."""
    for name, declared_type in _column_types(schema.names, table).items():
        stored_type = schema.field(name).type
        if stored_type not in _ALLOWED_TYPES[declared_type]:
            return f"column {name!r} holds {stored_type}, not {declared_type}"
    return ""


def _wrong_names(names: Sequence[str], table: TableSchema, without: Collection[str] = ()) -> str:
    """Return how the names of columns deviate from the schema; empty if they do not."""
    if missing := [name for name in table.fixed if name not in {*names, *without}]:
        return f"column {missing[0]!r} is missing"
    if unknown := [name for name in names if table.column(name) is None]:
        return f"column {unknown[0]!r} is not known"
    return "two columns have the same name" if len(set(names)) < len(names) else ""
