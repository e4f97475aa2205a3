"""AnnData files (.h5ad) as data sets: a matrix of cells, dense or sparse, with obs and var."""

from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import DataSet
from xnbflow.data.matrices import is_sparse
from xnbflow.sources.annotation import standard_names
from xnbflow.sources.formats.anndata_file import (
    frame_of,
    is_scaled,
    matrix_of,
    matrix_places,
    opened,
)
from xnbflow.sources.series.class_labels import UNLABELLED
from xnbflow.sources.series.raw_series import RawSeries
from xnbflow.sources.series.steps import finish
from xnbflow.sources.sheet import SheetRow

#: Values of a sparse matrix that are made dense at a time, 8 MB.
_VALUES_AT_ONCE = 1_000_000


def read_h5ad(path: str | Path, dataset: SheetRow) -> DataSet:
    """Read a matrix of an AnnData file, genes by cells, and the texts of ``obs`` and ``var``.

    The row's ``label`` (and the option ``group``) name columns of ``obs``, with or without ``obs:``
    before them. The option ``matrix`` is ``X`` (default), ``raw`` or ``layers:<name>``; the other
    options are those of `xnbflow.sources.series.steps.finish`.
    """
    path = Path(path)
    phenotype_columns = {*dataset.names("phenotype_columns"), dataset.options.get("batch")}
    with opened(path) as file:
        matrix, var = matrix_of(path, file, dataset.options.get("matrix", "X"))
        values = _by_gene(matrix)
        del matrix
        cells = _as_texts(frame_of(path, file, "obs"), phenotype_columns)
        genes = standard_names(_as_texts(var))
        label = _column_of_cells(path, cells, dataset.label, "label")
        group = _column_of_cells(path, cells, dataset.options.get("group"), "group")
    names = list(map(str, cells.index))
    labels = [UNLABELLED] * len(names)
    if label is not None:
        labels = list(cells.pop(label))
    series = RawSeries(
        where=f"data set {dataset.id}: {path}",
        values=values,
        features=np.array(var.index, dtype=str),
        samples=np.array(names, dtype=str),
        labels=labels,
        label_place=f"obs {label!r}",
        sample_metadata=cells.reset_index(drop=True),
        feature_metadata=genes.reset_index(drop=True) if len(genes.columns) else None,
        place=lambda gene, cell: f"gene {var.index[gene]!r}, cell {names[cell]!r}",
    )
    options = dict(dataset.options)
    if group:
        options["group"] = group
    row = SheetRow(dataset.id, dataset.source, dataset.location, label=label, options=options)
    return finish(series, row)


def _by_gene(matrix: Any) -> np.ndarray:
    """Return a matrix of cells by genes, dense or sparse, as a dense one (n_genes, n_cells).

    Of a sparse matrix some rows (CSR) or columns (CSC) are made dense at a time and copied to their
    place, so that the result is the only dense matrix in memory, as float64 in the order of genes.

    Examples
    --------
    >>> from scipy import sparse
    >>> _by_gene(sparse.csr_array([[0, 2, 0], [1, 0, 3]])).tolist()
    [[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]
    """
    if not is_sparse(matrix):
        return matrix.T
    n_cells, n_genes = matrix.shape
    values = np.empty((n_genes, n_cells))
    if matrix.format == "csr":
        width = max(1, _VALUES_AT_ONCE // max(1, n_genes))
        for start in range(0, n_cells, width):
            values[:, start : start + width] = matrix[start : start + width].toarray().T
    else:
        width = max(1, _VALUES_AT_ONCE // max(1, n_cells))
        for start in range(0, n_genes, width):
            values[start : start + width] = matrix[:, start : start + width].toarray().T
    return values


_ABSENT_COLUMN = Refusal(
    code="h5ad.absent-column",
    sentence=(
        "{path}: obs has no {column!r}, which the sheet's {key} names; its columns of text "
        "are {columns:list}"
    ),
    sheet=True,
)


def _column_of_cells(path: Path, cells: pd.DataFrame, name: str | None, key: str) -> str | None:
    """Return the column of ``obs`` that the sheet's ``key`` names; None where it names none."""
    column = name and name.removeprefix("obs:").strip()
    if column and column not in cells:
        raise _ABSENT_COLUMN.error(path=path, column=column, key=key, columns=list(cells.columns))
    return column


def cells_of(path: str | Path) -> pd.DataFrame:
    """Return the columns of ``obs`` that are text, categories, truth values or whole numbers."""
    with opened(path) as file:
        return _as_texts(frame_of(path, file, "obs"))


def proposed_matrix(path: str | Path) -> tuple[str, list[str]]:
    """Return the matrix to read, empty for ``X``, and the names of all matrices.

    Scaled values, which have no logarithms and no fold changes, are replaced by another matrix:
    counts, else the values before genes were selected (``raw``), else another layer.
    """
    with opened(path) as file:
        names = list(matrix_places(file))
        if "X" in names and not is_scaled(file, "X"):
            return "", names
        others = [name for name in names if name != "X" and not is_scaled(file, name)]
    preferred = ["layers:counts", "raw", *others]
    return next((name for name in preferred if name in others), ""), names


def _as_texts(table: pd.DataFrame, fractions: Container[str | None] = ()) -> pd.DataFrame:
    """Return the columns that are text, categories, truth values or whole numbers, as text.

    Of the columns of fractional numbers only those named in ``fractions`` are among them.
    """
    columns = {}
    for name in table:
        if name in fractions or not pd.api.types.is_float_dtype(table[name].dtype):
            columns[str(name)] = ["" if pd.isna(cell) else str(cell) for cell in table[name]]
    return pd.DataFrame(columns, dtype=object, index=table.index)
