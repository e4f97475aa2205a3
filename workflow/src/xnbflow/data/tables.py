"""Tables as files: the one writer and the one reader, which hold them to the contract."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pandas.api import types

from xnbflow.data.atomic import write_atomically
from xnbflow.data.contract import TableSchema
from xnbflow.data.errors import InputError
from xnbflow.data.parquet import REMEDY, open_parquet, parquet_writer

__all__ = ["read_parquet", "tsv", "write_parquet", "write_tables", "write_tsv"]

#: What a type of the contract is in a file; the first is what an empty column has.
_ARROW = {
    "text": (pa.large_string(),),
    "text or none": (pa.large_string(),),
    "integer": (pa.int64(),),
    "number": (pa.float64(),),
    "boolean": (pa.bool_(),),
    "text or number": (pa.large_string(), pa.float64(), pa.int64()),
}


def write_parquet(frame: pd.DataFrame, path: str | Path, table: TableSchema) -> None:
    """Write a table to Parquet, with checksums and without its index.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    path : path
        Where to write.
    table : TableSchema
        What the contract says of it.

    Raises
    ------
    TypeError
        If the columns, their order or their types are not those of the contract, or something is
        missing that may not be: what made the table is at fault.
    """
    fault = _wrong_names(list(frame.columns), table) or _wrong_types(frame, table)
    if fault:
        msg = f"table {table.name!r} for {path} breaks the contract: {fault}"
        raise TypeError(msg)
    kinds = _kinds(frame.columns, table)
    schema = pa.schema([(name, _arrow_type(frame[name], kind)) for name, kind in kinds.items()])
    if frame.empty:  # pandas may not know the type of a column without values
        rows = schema.empty_table()
    else:
        rows = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
    with parquet_writer(path, schema) as writer:
        writer.write_table(rows.replace_schema_metadata(None))


def read_parquet(path: str | Path, table: TableSchema) -> pd.DataFrame:
    """Read a table that `write_parquet` has written.

    Parameters
    ----------
    path : path
        A file.
    table : TableSchema
        What the contract says of it.

    Raises
    ------
    InputError
        If the file is absent or damaged, or its columns are not those of the contract.
    """
    with open_parquet(path) as file:
        schema = file.schema_arrow
        names = schema.names
        wrong = _wrong_names(names, table) or _wrong_arrow_types(schema, table)
        if wrong:
            msg = f"{path} is no table {table.name!r} of this version ({wrong})"
            raise InputError(f"{msg}; {REMEDY}")
        return file.read().to_pandas()


def write_tsv(frame: pd.DataFrame, path: str | Path) -> None:
    """Write a table to a file as `tsv` gives it."""
    write_atomically(path, lambda part: part.write_text(tsv(frame), encoding="utf-8", newline=""))


def tsv(frame: pd.DataFrame) -> str:
    r"""Return a table as tab-separated text, numbers with six significant digits.

    Text that a spreadsheet would run as a formula, because it begins with ``=``, ``+``, ``-`` or
    ``@`` and is no number, gets a ``'`` before it; Parquet has it as it is.

    Examples
    --------
    >>> tsv(pd.DataFrame({"class": ["=1+1", "-1", "a"], "recall": [0.5, 1.0, 2 / 3]}))
    "class\trecall\n'=1+1\t0.5\n-1\t1\na\t0.666667\n"
    """
    safe = frame.copy(deep=False)
    for name in frame.select_dtypes(exclude=["number", "bool"]):
        if not _is_harmless(frame[name]):
            safe[name] = frame[name].map(_defused)
    safe = safe.rename(columns=_defused)
    return safe.to_csv(sep="\t", index=False, float_format="%.6g", lineterminator="\n")


#: How text begins that a spreadsheet may run.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def _is_harmless(column: pd.Series) -> bool:
    """Tell whether no cell of a column of text is a formula: most columns, so not cell by cell."""
    if not isinstance(column.dtype, pd.StringDtype):
        return False
    return not column.str.startswith(_FORMULA).fillna(False).any()


def _defused(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(_FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def write_tables(
    frames: Mapping[str, pd.DataFrame], folder: str | Path, tables: Mapping[str, TableSchema]
) -> None:
    """Write tables to a folder, each as Parquet and as text.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        The tables by name.
    folder : path
        Where to write. Tables in it that the contract does not know are removed.
    tables : mapping of str to TableSchema
        What the contract says of them.

    Raises
    ------
    TypeError
        If a table is not in the contract, or breaks it.
    """
    if unknown := sorted(set(frames) - set(tables)):
        msg = f"table {unknown[0]!r} for {folder} is not in the contract"
        raise TypeError(msg)
    for old in Path(folder).glob("*"):
        if old.suffix in {".parquet", ".tsv"} and old.stem not in frames:
            old.unlink()
    for name, frame in frames.items():
        path = Path(folder, f"{name}.parquet")
        write_parquet(frame, path, tables[name])
        write_tsv(frame, path.with_suffix(".tsv"))


def _kinds(names: Sequence[str], table: TableSchema) -> dict[str, str]:
    """Return the types of columns whose names are the contract's."""
    columns = {name: table.column(name) for name in names}
    return {name: column.type for name, column in columns.items() if column}


def _arrow_type(values: pd.Series, kind: str) -> pa.DataType:
    """Return the type of a column in a file."""
    possible = _ARROW[kind]
    if len(possible) == 1 or not len(values) or not types.is_numeric_dtype(values):
        return possible[0]
    return pa.int64() if types.is_integer_dtype(values) else pa.float64()


def _wrong_names(names: Sequence[str], table: TableSchema) -> str:
    """Say how columns deviate; empty if they do not."""
    if missing := [name for name in table.fixed if name not in names]:
        return f"column {missing[0]!r} is missing"
    if unknown := [name for name in names if table.column(name) is None]:
        return f"column {unknown[0]!r} is not known"
    if len(set(names)) < len(names):
        return "two columns have the same name"
    fixed = [name for name in names if name in table.fixed]
    return "" if fixed == table.fixed else f"columns are not in the order {', '.join(table.fixed)}"


def _wrong_arrow_types(schema: pa.Schema, table: TableSchema) -> str:
    for name, kind in _kinds(schema.names, table).items():
        held = schema.field(name).type
        if held not in _ARROW[kind]:
            return f"column {name!r} holds {held}, not {kind}"
    return ""


def _wrong_types(frame: pd.DataFrame, table: TableSchema) -> str:
    if frame.empty:
        return ""
    for name, kind in _kinds(frame.columns, table).items():
        values = frame[name]
        missing, may_miss = values.isna(), kind in {"number", "text or none"}
        if may_miss and missing.all():
            continue  # pandas may not know the type
        if not _is(values, kind):
            return f"column {name!r} holds {values.dtype}, not {kind}"
        if missing.any() and not may_miss:
            return f"column {name!r} has missing values"
    return ""


def _is(values: pd.Series, kind: str) -> bool:
    is_text = types.is_string_dtype(values.dropna())
    is_integer = types.is_integer_dtype(values)
    is_number = is_integer or types.is_float_dtype(values)
    return {
        "text": is_text,
        "text or none": is_text,
        "integer": is_integer,
        "number": is_number,
        "boolean": types.is_bool_dtype(values),
        "text or number": is_text or is_number,
    }[kind]
