"""AnnData files (.h5ad): a matrix of cells, dense or sparse, read some cells at a time."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.errors import InputError
from xnbflow.series import Series
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.assembly import Draft, assemble
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.files import what_is_wrong
from xnbflow.sources.labels import UNLABELLED, listed

__all__ = ["read_h5ad"]

_VALUES_PER_CHUNK = 4_000_000


def read_h5ad(path: str | Path, dataset: DataSet) -> Series:
    """Read a matrix of an AnnData file, and what the file says of its cells and genes.

    Parameters
    ----------
    path : path
        An ``.h5ad`` file; it is read through the package anndata.
    dataset : DataSet
        ``label`` (and the option ``group``) name columns of ``obs``, with or without ``obs:``
        before them. The option ``matrix`` is ``X`` (default), ``raw`` or ``layers:<name>``; the
        other options are those of `xnbflow.sources.assembly.assemble`.

    Returns
    -------
    Series
        Genes by cells; the text and category columns of ``obs`` and of ``var`` are its metadata.

    Raises
    ------
    InputError
        If anndata is not installed, or the file has not what the options name.
    """
    path = Path(path)
    if wrong := what_is_wrong(path):
        msg = f"{path} {wrong}"
        raise InputError(msg)
    data = _opened(path)
    try:
        matrix, var = _matrix(path, data, dataset.options.get("matrix", "X"))
        obs = data.obs
        if dataset.label is None:  # cells to predict
            obs = obs.assign(**{UNLABELLED: UNLABELLED})
        label = _column(path, obs, dataset.label or UNLABELLED, "label")
        options = dict(dataset.options)
        if "group" in options:
            options["group"] = _column(path, obs, options["group"], "group")
        values = _read(matrix, obs.shape[0], len(var))
    finally:
        data.file.close()
    metadata = _texts(obs)
    genes = standard_names(_texts(var))
    draft = Draft(
        f"data set {dataset.id}: {path}",
        values,
        list(map(str, var.index)),
        list(map(str, obs.index)),
        list(_texts(obs[[label]])[label]),
        f"obs {label!r}",
        metadata.drop(columns=label, errors="ignore"),
        feature_metadata=genes if len(genes.columns) else None,
        place=lambda gene, cell: f"gene {var.index[gene]!r}, cell {obs.index[cell]!r}",
    )
    row = DataSet(dataset.id, dataset.source, dataset.location, label=label, options=options)
    return assemble(row, draft)


def _opened(path: Path) -> Any:
    try:
        import anndata  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f"{path} is AnnData; to read it, install anndata (the extra h5ad of this package)"
        raise InputError(msg) from error
    try:
        return anndata.read_h5ad(path, backed="r")
    except (OSError, KeyError, ValueError) as error:
        msg = f"{path} cannot be read as AnnData ({error}); write it anew, or get it again"
        raise InputError(msg) from error


def _matrix(path: Path, data: Any, name: str) -> tuple[Any, pd.DataFrame]:
    kind, _, layer = name.partition(":")
    if name == "X" and data.X is not None:
        return data.X, data.var
    if name == "raw" and data.raw is not None:
        return data.raw.X, data.raw.var
    if kind == "layers" and layer in data.layers:
        return data.layers[layer], data.var
    there = [*(["X"] if data.X is not None else []), *(["raw"] if data.raw is not None else [])]
    there += [f"layers:{layer}" for layer in data.layers]
    msg = f"{path} has no matrix {name!r}; the sheet's option matrix may be {', '.join(there)} here"
    raise InputError(msg)


def _column(path: Path, obs: pd.DataFrame, name: str, key: str) -> str:
    name = name.removeprefix("obs:").strip()
    if name not in obs:
        msg = (
            f"{path}: obs has no {name!r}, which the sheet's {key} names; it has "
            f"{listed(list(obs.columns))}"
        )
        raise InputError(msg)
    return name


def _read(matrix: Any, n_cells: int, n_genes: int) -> np.ndarray:
    """Return the matrix turned, (n_genes, n_cells), dense; a chunk of cells at a time."""
    values = np.empty((n_genes, n_cells))
    step = max(1, _VALUES_PER_CHUNK // max(1, n_genes))
    for start in range(0, n_cells, step):
        chunk = matrix[start : start + step]
        chunk = chunk.toarray() if hasattr(chunk, "toarray") else np.asarray(chunk)
        values[:, start : start + step] = chunk.T
    return values


def _texts(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns that are text, categories, truth values or whole numbers, as text."""
    kept = {
        str(name): [("" if pd.isna(cell) else str(cell)) for cell in table[name]]
        for name in table
        if not pd.api.types.is_float_dtype(table[name].dtype)
    }
    return pd.DataFrame(kept, dtype=object, index=range(len(table)))
