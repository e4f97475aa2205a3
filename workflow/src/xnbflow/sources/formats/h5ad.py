"""AnnData files (.h5ad) as dense tables with a row for each sample, by the package anndata.

The file is that of pseudo-bulk, sorted cells or organoids: a row of ``obs`` is a sample, a row of
``var`` a feature. Only ``obs``, ``var`` and the chosen matrix are read. A matrix of more than
`_MOST_VALUES` is refused before it is read.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import listed
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.files import fault_of
from xnbflow.sources.formats.parquet import ArrowTable
from xnbflow.sources.formats.text_table import TextTable

if TYPE_CHECKING:
    import h5py

#: Values (samples times features) of the largest matrix that is read, for example 1,600 samples of
#: 60,000 genes. Dense values take 8 bytes each, and two copies while a data set is made of them:
#: together 2.4 GB. Larger matrices have a row for each of many cells.
_MOST_VALUES = 100_000_000
#: First samples by which the scale of a matrix is recognised.
_SAMPLES_OF_TRIAL = 200


def read_h5ad(path: Path, reading: Mapping[str, Any]) -> TextTable:
    """Read an AnnData file as a table with a row for each sample.

    Its columns are the names of the samples (a column without a name), the texts of ``obs``, and
    the features of the matrix that the key ``matrix`` names: ``X`` (default), ``raw`` or
    ``layers:<name>``. A column of ``obs`` with fractional numbers is read only if it is
    among the ``columns`` of the keys. The texts of ``var`` are the annotation of the
    features.

    Raises
    ------
    InputError
        If the file is damaged, has no such matrix, or a matrix of more than `_MOST_VALUES`.
    """
    used_columns = set(reading.get("columns", ()))
    name = reading.get("matrix", "X")
    with _open(path) as file:
        places = _matrix_places(file)
        if name not in places:
            msg = f"{path} has no matrix {quoted(name)}; matrix may be {listed(places)} here"
            raise InputError(msg, file=str(path), key="matrix")
        obs = _read_element(file["obs"])
        # The features of ``raw`` are in a table beside its matrix.
        var = _read_element(file["raw/var" if name == "raw" else "var"])
        if len(obs) * len(var) > _MOST_VALUES:
            n_samples = f"{len(obs):,}"
            n_features = f"{len(var):,}"
            most = f"{_MOST_VALUES:,}"
            msg = (
                f"{path}: matrix {name} has {n_samples} samples and {n_features} features. At "
                f"most {most} values are read, because a dense table of them takes 2.4 GB of "
                "memory. Add up the cells of each sample and type (pseudo-bulk: "
                "scanpy.get.aggregate), or write a file of fewer features: data[:, "
                "data.var['highly_variable']].write_h5ad('fewer.h5ad')"
            )
            raise InputError(msg, file=str(path))
        matrix = _read_element(file[places[name]])
        if not isinstance(matrix, np.ndarray):
            matrix = matrix.toarray()
        if matrix.shape != (len(obs), len(var)):
            msg = f"matrix {name} has shape {matrix.shape}, not {(len(obs), len(var))}"
            raise ValueError(msg)
    obs_texts = _text_columns(obs, fractional_columns=used_columns)
    var_texts = _text_columns(var)

    names = list(map(str, obs_texts.index))
    text_columns = [names, *(list(obs_texts[column]) for column in obs_texts)]
    n_texts = len(text_columns)
    header = ["", *obs_texts, *map(str, var.index)]
    # Arrow refers to the values of a feature without a copy if they are next to each other.
    values = np.asfortranarray(matrix)
    columns = [pa.array(texts, pa.string()) for texts in text_columns]
    columns += [pa.array(values[:, j]) for j in range(values.shape[1])]
    # The annotation has a text for each column of the table; the first ones are no features.
    annotation = {}
    for column in var_texts:
        annotation[column] = [*([""] * n_texts), *var_texts[column]]
    return ArrowTable(
        path=path,
        header=header,
        arrow=pa.Table.from_arrays(columns, names=header),
        lines=list(map(quoted, names)),
        unit="sample",
        column_unit="feature",
        described=range(n_texts),
        annotation=annotation,
    )


def as_anndata(dataset: DatasetEntry) -> DatasetEntry:
    """Return the entry of an AnnData file: samples are rows, without prefixes ``obs:``.

    Examples
    --------
    >>> as_anndata(DatasetEntry("x", "table", label="obs:type", group="donor")).label
    'type'
    """
    return replace(
        dataset,
        label=dataset.label and _column_of_obs(dataset.label),
        id_column=dataset.id_column and _column_of_obs(dataset.id_column),
        group=dataset.group and _column_of_obs(dataset.group),
        batch=dataset.batch and _column_of_obs(dataset.batch),
        samples="rows",
    )


def _column_of_obs(name: str) -> str:
    """Return a name without the prefix of scanpy's documentation, ``obs:type`` as ``type``."""
    return name.removeprefix("obs:").strip()


def proposed_matrix(path: str | Path) -> tuple[str, list[str]]:
    """Return the matrix to read, empty for ``X``, and the names of all matrices.

    Scaled values, which have no logarithms and no fold changes, are replaced by another matrix:
    counts, the values before genes were selected (``raw``), or another layer, in this order.
    """
    with _open(path) as file:
        places = _matrix_places(file)
        names = list(places)
        if "X" in places and not _is_scaled(file[places["X"]]):
            return "", names
        others = [name for name in names if name != "X" and not _is_scaled(file[places[name]])]
    preferred = ["layers:counts", "raw", *others]
    return next((name for name in preferred if name in others), ""), names


@contextmanager
def _open(path: str | Path) -> "Iterator[h5py.File]":
    """Open an AnnData file; errors while it is read become an `InputError`."""
    if fault := fault_of(path):
        raise fault
    try:
        import anndata  # noqa: F401, PLC0415 - an extra, which requires h5py
        import h5py  # noqa: PLC0415
    except ImportError as error:
        msg = f"{path} is AnnData; to read it, install anndata (the extra h5ad of this package)"
        raise InputError(msg, file=str(path)) from error
    try:
        with h5py.File(path, "r") as file:
            for table in ("obs", "var"):
                if not isinstance(file.get(table), h5py.Group):
                    msg = f"{table} is no table of anndata 0.7 (2020) or later"
                    raise ValueError(msg)
            yield file
    except InputError:
        raise
    except Exception as error:  # h5py and anndata have no common class of errors
        reason = str(error)[:200]
        msg = (
            f"{path} cannot be read as AnnData ({reason}); read it with the version of anndata "
            "that wrote it and write it again, or get it again"
        )
        raise InputError(msg, file=str(path)) from error


def _read_element(element: Any) -> Any:
    """Return a table as a DataFrame, or a matrix as an array or sparse matrix."""
    from anndata.io import read_elem  # noqa: PLC0415 - an extra

    return read_elem(element)


def _matrix_places(file: "h5py.File") -> dict[str, str]:
    """Return the path within the file of each matrix, by its name in the key ``matrix``."""
    places = {}
    if "X" in file:
        places["X"] = "X"
    if "raw/X" in file:
        places["raw"] = "raw/X"
    for layer in file.get("layers", ()):
        places[f"layers:{layer}"] = f"layers/{layer}"
    return places


def _is_scaled(element: Any) -> bool:
    """Return whether a matrix has negative values, as after scaling each gene to mean 0."""
    from anndata.io import sparse_dataset  # noqa: PLC0415 - an extra

    matrix = element if hasattr(element, "dtype") else sparse_dataset(element)
    return bool((matrix[:_SAMPLES_OF_TRIAL] < 0).sum())


def _text_columns(
    table: pd.DataFrame, fractional_columns: Collection[str | None] = ()
) -> pd.DataFrame:
    """Return the columns that are text, categories, truth values or whole numbers, as text.

    Columns of fractional numbers are returned only if ``fractional_columns`` names them.
    """
    columns = {}
    for name in table:
        if name in fractional_columns or not pd.api.types.is_float_dtype(table[name].dtype):
            columns[str(name)] = ["" if pd.isna(value) else str(value) for value in table[name]]
    return pd.DataFrame(columns, dtype=object, index=table.index)
