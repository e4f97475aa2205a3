"""The file of a data set: its header, and its features by row groups.

It has *one row per feature*: ``feature``, ``kind``, ``values`` (a list of one float64 per sample)
and further columns of the features. Names and labels of samples are in the file's metadata. With a
row per sample, the overhead of fifty thousand columns would dominate the size and the time.
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

#: Keys of the samples' names and labels in the metadata of the file.
METADATA_KEY = b"xnbflow"


@dataclass(frozen=True, kw_only=True)
class DataSetHeader:
    """The contents of a file except its values.

    Attributes
    ----------
    n_features : int
    feature_columns : tuple of str
        Further columns of the features.
    name, samples, labels, groups, sample_metadata, missing, notes, scale, adjust, trend, reference
        As in `DataSet`, and so are ``contrasts`` and ``repeated``.
    order : ndarray of int, shape (n_samples,), optional
        Positions of the samples in canonical order, see `xnbflow.data.canonical_order`.
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
    reference: str = ""
    contrasts: tuple[str, ...] = ()
    repeated: str = "mean"
    order: np.ndarray | None = None

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
    fault = ""
    try:
        header = json.loads((schema.metadata or {})[METADATA_KEY])
        samples = header["samples"]
        labels = header["labels"]
        groups = header.get("groups")
        phenotype = header.get("sample_metadata")
        values_type = schema.field("values").type
        columns_of_samples = [samples, labels, *(phenotype or {}).values()]
        if groups:
            columns_of_samples.append(groups)
        if not all(_are_texts(cells, values_type.list_size) for cells in columns_of_samples):
            fault = "its metadata lacks one text per sample"
        elif values_type.value_type != pa.float64():
            fault = f"column 'values' holds {values_type}"
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        fault = f"its metadata cannot be read: {error}"
    if fault:
        raise _not_a_series(path, fault)
    return DataSetHeader(
        name=header["name"],
        samples=np.asarray(samples, dtype=str),
        labels=np.asarray(labels, dtype=str),
        n_features=file.metadata.num_rows,
        groups=np.asarray(groups, dtype=str) if groups else None,
        sample_metadata=pd.DataFrame(phenotype) if phenotype else None,
        feature_columns=tuple(header.get("feature_columns", ())),
        missing=header.get("missing", False),
        notes=tuple(header.get("notes", ())),
        scale=header.get("scale", ""),
        adjust=tuple(header.get("adjust", ())),
        trend=header.get("trend", False),
        reference=header.get("reference", ""),
        contrasts=tuple(header.get("contrasts", ())),
        repeated=header.get("repeated", "mean"),
        order=np.asarray(header["order"], dtype=int) if "order" in header else None,
    )


def _are_texts(cells: Any, n_samples: int) -> bool:
    are_texts = isinstance(cells, list) and all(isinstance(cell, str) for cell in cells)
    return are_texts and len(cells) == n_samples


def _not_a_series(path: str | Path, fault: str) -> InputError:
    msg = f"{path} is a Parquet file but not a series of this workflow ({fault})"
    return InputError(f"{msg}; {REMEDY}")
