"""The file of a data set: its header, and its features by row groups.

It has *one row per feature*: ``feature``, ``kind``, ``values`` (a list of one float64 per sample)
and further columns of the features. Names and labels of samples are in the file's metadata. With a
row per sample, the overhead of fifty thousand columns would dominate the size and the time.

The fields of `xnbflow.data.dataset.DataSet` declare how they are stored (`Stored`): a new field is
written and read without a change of this module.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.errors import InputError
from xnbflow.tables.parquet import REMEDY, open_parquet, parquet_writer

#: Version of the format; increase it when older or newer programs cannot read the files.
SERIES_VERSION = 2

#: Key of the header in the metadata of the file.
_HEADER = b"xnbflow"
#: Key of a field's `Stored` in its metadata.
_STORED = "stored"
#: The column of the values.
_VALUES = "values"
#: Number of values in a row group, about 4 MB: a reader holds several groups in memory, and
#: allocation is slow.
_ROW_GROUP_VALUES = 500_000
#: Options of the Parquet writer: doubles compress best by separate streams of their bytes.
_PARQUET = {
    "compression_level": 1,
    "use_dictionary": ["kind"],
    "column_encoding": {f"{_VALUES}.list.element": "BYTE_STREAM_SPLIT"},
    "write_statistics": False,
}


@dataclass(frozen=True)
class Stored:
    """The form of a field of a data set, in memory and in its file.

    Attributes
    ----------
    form : {"numbers", "texts", "positions", "table", "text", "sentences", "flag"}
        An array of float64, of str or of int, a DataFrame of str, a str, a tuple of str, or a bool.
    axis : {"", "sample", "feature"}
        What its items, or rows, belong to. Fields of features are columns of the file, the others
        are in its header. (Values belong to features and samples.)
    column : str
        The name of the column of the file.
    """

    form: str
    axis: str = ""
    column: str = ""


def stored(form: str, axis: str = "", column: str = "") -> dict[str, Stored]:
    """Return the metadata of a dataclass' field: how it is stored, see `Stored`."""
    return {_STORED: Stored(form, axis, column)}


def stored_fields(data_set: Any) -> dict[str, Stored]:
    """Return how each field of a data set, or of its class, is stored, by name."""
    return {entry.name: entry.metadata[_STORED] for entry in fields(data_set)}


def write_series(data_set: Any, path: str | Path, declared: Mapping[str, Stored]) -> None:
    """Write the declared attributes of a data set, atomically."""
    header: dict[str, Any] = {"format": SERIES_VERSION}
    columns: dict[str, pa.Array] = {}
    tables: dict[str, pa.Array] = {}
    n_samples = len(data_set.samples)
    for name, field in declared.items():
        content = getattr(data_set, name)
        if field.axis != "feature":
            if encoded := _encoded(field.form, content):  # an absent item has its default
                header[name] = encoded
        elif field.form == "table":
            for column, cells in ({} if content is None else content).items():
                tables[column] = pa.array(cells.to_numpy(dtype=str))
        elif field.form == "numbers":
            numbers = pa.array(content.reshape(-1))
            columns[field.column] = pa.FixedSizeListArray.from_arrays(numbers, n_samples)
        else:
            columns[field.column] = pa.array(content)
    table = pa.table(columns | tables)
    table = table.replace_schema_metadata({_HEADER: json.dumps(header)})
    group_size = max(1, _ROW_GROUP_VALUES // max(1, n_samples))
    with parquet_writer(path, table.schema, **_PARQUET) as writer:
        writer.write_table(table, row_group_size=group_size)


def read_fields(
    path: str | Path, declared: Mapping[str, Stored], *, values: bool = True
) -> dict[str, Any]:
    """Read the fields of a data set by name; without ``values`` these are None.

    Fields that a file lacks have their default and are not among the result.

    Raises
    ------
    InputError
        If the file is not a series, or of another version of the format.
    """
    with open_parquet(path) as file:
        header = _header(file, path)
        n_features = file.metadata.num_rows
        names = [name for name in file.schema_arrow.names if name != _VALUES]
        texts = [] if values else [_complete(file.read(names), path)]
    content: dict[str, Any] = {}
    for name, field in declared.items():
        if field.axis != "feature" and name in header:
            content[name] = _decoded(field, header, name, path)
    numbers = None
    if values:
        numbers = np.empty((n_features, len(header["samples"])))
        start = 0
        for table, group_values in row_groups(path):  # values are never twice in memory
            numbers[start : start + len(group_values)] = group_values
            start += len(group_values)
            texts.append(table.drop_columns(_VALUES))
    # a series without features has no row group, but its columns
    empty = pd.DataFrame(columns=names, dtype=str)
    frame = pa.concat_tables(texts).to_pandas() if texts else empty
    columns = {field.column for field in declared.values()}
    others = [name for name in names if name not in columns]
    for name, field in declared.items():
        if field.form == "numbers":
            content[name] = numbers
        elif field.axis == "feature" and field.form == "table":
            content[name] = frame[others] if others else None
        elif field.axis == "feature":
            content[name] = frame[field.column].to_numpy()
    return content


def iterate_features(path: str | Path) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Stream a data set by row groups, so that millions of features need little memory.

    Parameters
    ----------
    path : path
        A canonical series.

    Yields
    ------
    features : ndarray of str, shape (n_group,)
    values : ndarray of float64, shape (n_group, n_samples)

    Examples
    --------
    >>> import tempfile
    >>> from xnbflow.data.dataset import DataSet
    >>> series = DataSet("toy", np.eye(2), ["g1", "g2"], ["s1", "s2"], ["tumour", "normal"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     series.write(f"{folder}/series.parquet")
    ...     parts = list(iterate_features(f"{folder}/series.parquet"))
    >>> [(features.tolist(), values.shape) for features, values in parts]
    [(['g1', 'g2'], (2, 2))]
    """
    for table, values in row_groups(path):
        yield table["feature"].to_numpy(), values


def row_groups(path: str | Path) -> Iterator[tuple[pa.Table, np.ndarray]]:
    """Yield columns and values (n_group, n_samples) of the features of each row group."""
    with open_parquet(path) as file:
        n_samples = len(_header(file, path)["samples"])
        for group in range(file.num_row_groups):
            table = _complete(file.read_row_group(group), path)
            values = table[_VALUES].combine_chunks().flatten()
            if values.null_count:
                raise _not_a_series(path, "something is missing in it")
            yield table, values.to_numpy().reshape(len(table), n_samples)


def _complete(table: pa.Table, path: str | Path) -> pa.Table:
    """Return a table; refuse missing cells."""
    if any(column.null_count for column in table.columns):
        raise _not_a_series(path, "something is missing in it")
    return table


def _header(file: pq.ParquetFile, path: str | Path) -> dict[str, Any]:
    """Return the header of a file; refuse files that are not a series, and other versions."""
    schema = file.schema_arrow
    fault = ""
    try:
        header: dict[str, Any] = json.loads((schema.metadata or {})[_HEADER])
        n_samples = len(header["samples"])
        version = header.get("format", 1)
        values_type = schema.field(_VALUES).type
        if values_type.list_size != n_samples:
            fault = f"it has {values_type.list_size} values for {n_samples} samples"
        elif values_type.value_type != pa.float64():
            fault = f"column {_VALUES!r} holds {values_type}"
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        fault = f"its metadata cannot be read: {error}"
    if fault:
        raise _not_a_series(path, fault)
    if version != SERIES_VERSION:
        msg = (
            f"{path} is a series of format {version}, this program reads {SERIES_VERSION}; {REMEDY}"
        )
        raise InputError(msg, file=str(path), remedy=REMEDY)
    return header


def _encoded(form: str, content: Any) -> Any:
    """Return a field of the header as a value of JSON."""
    if content is None or form in {"text", "flag"}:
        return content
    if form == "positions":
        return content.tolist()
    return content.to_dict("list") if form == "table" else list(content)


def _decoded(field: Stored, header: Mapping[str, Any], name: str, path: str | Path) -> Any:
    """Return a field of the header from its value of JSON."""
    content = header[name]
    if field.form == "positions":
        if sorted(content) != list(range(len(header["samples"]))):
            raise _not_a_series(path, f"{name} in its metadata is no order of the samples")
        return np.asarray(content, dtype=int)
    if field.axis == "sample":
        columns = content.values() if isinstance(content, dict) else [content]
        if not all(_are_texts(cells, len(header["samples"])) for cells in columns):
            raise _not_a_series(path, f"its metadata lacks one text per sample in {name}")
    if field.form == "table":
        return pd.DataFrame(content)
    return np.asarray(content, dtype=str) if field.form == "texts" else content


def _are_texts(cells: Any, n_samples: int) -> bool:
    are_texts = isinstance(cells, list) and all(isinstance(cell, str) for cell in cells)
    return are_texts and len(cells) == n_samples


def _not_a_series(path: str | Path, fault: str) -> InputError:
    msg = f"{path} is a Parquet file but not a series of this workflow ({fault})"
    return InputError(f"{msg}; {REMEDY}")
