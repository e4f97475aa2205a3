"""The file of a data set: its header, and its features by row groups.

It has *one row per feature*: ``feature``, ``kind``, ``values`` (a list of one float64 per sample),
what else is known of the feature. Names and labels of samples are in the file's metadata: one
column for each of fifty thousand features would make Parquet's overhead dominate everything.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from xnbflow.core.errors import InputError
from xnbflow.tables.parquet import REMEDY, open_parquet

__all__ = ["METADATA_KEY", "DataSetHeader", "iterate_features", "read_header", "row_groups"]

#: Keys of the samples' names and labels in the metadata of the file.
METADATA_KEY = b"xnbflow"


@dataclass(frozen=True)
class DataSetHeader:
    """The contents of a file except its values.

    Attributes
    ----------
    n_features : int
    feature_columns : tuple of str
        Further columns of the features.
    name, samples, labels, groups, sample_metadata, missing, notes, scale, adjust, trend
        As those of `DataSet`.
    """

    name: str
    samples: np.ndarray
    labels: np.ndarray
    n_features: int
    groups: np.ndarray | None = None
    sample_metadata: pd.DataFrame | None = None
    feature_columns: tuple[str, ...] = ()
    missing: bool = False
    notes: tuple[str, ...] = ()
    scale: str = ""
    adjust: tuple[str, ...] = ()
    trend: bool = False

    @property
    def classes(self) -> np.ndarray:
        """The distinct class labels, sorted."""
        return np.unique(self.labels)


def read_header(path: str | Path) -> DataSetHeader:
    """Read names and labels of a series without its values.

    Parameters
    ----------
    path : path
        A canonical series.

    Returns
    -------
    DataSetHeader

    Raises
    ------
    InputError
        If the file is not a series.
    """
    with open_parquet(path) as file:
        return _header(file, path)


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
    """
    for table, values in row_groups(path):
        yield table["feature"].to_numpy(), values


def row_groups(path: str | Path) -> Iterator[tuple[pa.Table, np.ndarray]]:
    """Yield columns and values (n_group, n_samples) of the features of each row group."""
    with open_parquet(path) as file:
        n_samples = len(_header(file, path).samples)
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            values = table["values"].combine_chunks()
            flat = values.flatten()
            if any(column.null_count for column in (*table.columns, flat)):
                raise _not_a_series(path, "something is missing in it")
            yield table, flat.to_numpy().reshape(len(table), n_samples)


def _header(file: pq.ParquetFile, path: str | Path) -> DataSetHeader:
    schema = file.schema_arrow
    try:
        header = json.loads((schema.metadata or {})[METADATA_KEY])
    except (KeyError, ValueError) as error:
        raise _not_a_series(path, f"its metadata cannot be read: {error}") from error
    if wrong := _wrong_header(header) or _wrong_schema(schema, header):
        raise _not_a_series(path, wrong)
    return DataSetHeader(
        header["name"],
        np.asarray(header["samples"], dtype=str),
        np.asarray(header["labels"], dtype=str),
        file.metadata.num_rows,
        np.asarray(header["groups"], dtype=str) if "groups" in header else None,
        pd.DataFrame(header["sample_metadata"]) if "sample_metadata" in header else None,
        tuple(header.get("feature_columns", ())),
        header.get("missing", False),
        tuple(header.get("notes", ())),
        header.get("scale", ""),
        tuple(header.get("adjust", ())),
        header.get("trend", False),
    )


def _wrong_header(header: Any) -> str:
    """Return the error in a series' metadata; empty if there is none."""
    if not isinstance(header, dict) or not isinstance(header.get("name"), str):
        return "its metadata has no name"
    phenotype = header.get("sample_metadata", {})
    if not isinstance(phenotype, dict):
        return "its phenotype has no columns"
    samples = header.get("samples")
    of_samples = {"labels": header.get("labels"), "groups": header.get("groups", samples)}
    for key, cells in {"samples": samples, **of_samples, **phenotype}.items():
        if not _are_texts(cells) or len(cells) != len(samples or ()):
            return f"its metadata lacks one text per sample under {key!r}"
    texts = [header.get(key, []) for key in ("feature_columns", "notes", "adjust")]
    if not all(map(_are_texts, texts)):
        return "its metadata has columns or notes that are not text"
    if header.get("scale", "") not in ("", "log2", "ln"):
        return "its scale is unknown"
    marks = {key: header.get(key, False) for key in ("missing", "trend")}
    wrong = [key for key, value in marks.items() if not isinstance(value, bool)]
    return f"its mark {wrong[0]!r} is damaged" if wrong else ""


def _are_texts(cells: Any) -> bool:
    return isinstance(cells, list) and all(isinstance(cell, str) for cell in cells)


def _wrong_schema(schema: pa.Schema, header: dict[str, Any]) -> str:
    """Return how columns deviate from those of a series; empty if they do not."""
    n_samples = len(header["samples"])
    found = dict(zip(schema.names, schema.types, strict=True))
    for name in ("feature", "kind", *header.get("feature_columns", ())):
        kind = found.get(name, pa.null())
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return f"column {name!r} holds {kind}, not text"
    values = found.get("values", pa.null())
    if values != pa.list_(pa.float64(), n_samples):
        return f"column 'values' holds {values}, not {n_samples} numbers"
    return ""


def _not_a_series(path: str | Path, why: str) -> InputError:
    msg = f"{path} is a Parquet file but not a series of this workflow ({why})"
    return InputError(f"{msg}; {REMEDY}")
