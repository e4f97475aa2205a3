"""AnnData files (.h5ad) as tables: a row for each observation, with its texts and its genes.

An *observation* is what a row of ``obs`` describes: a biological cell, or a sample. Messages call
it a cell. In this module a *cell* is a cell of the table.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import quoted
from xnbflow.data.matrices import is_sparse
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.anndata_file import (
    is_scaled,
    matrix_places,
    open_anndata,
    read_frame,
    read_matrix,
)
from xnbflow.sources.formats.raw_table import RawTable

#: Values of a sparse matrix that are made dense at a time, 8 MB.
VALUES_AT_ONCE = 1_000_000


def read_h5ad(path: Path, options: Mapping[str, Any]) -> RawTable:
    """Read an AnnData file as a table with a row for each observation.

    Its columns are the names of the observations (a column without a name), the texts of ``obs``,
    and the genes of the matrix that the key ``matrix`` names: ``X`` (default), ``raw`` or
    ``layers:<name>``. A column of ``obs`` with fractional numbers is read only if it is
    among the ``columns`` of the options. The texts of ``var`` are the annotation of the
    genes.
    """
    used_columns = set(options.get("columns", ()))
    with open_anndata(path) as file:
        matrix, var = read_matrix(path, file, options.get("matrix", "X"))
        obs_texts = _text_columns(read_frame(path, file, "obs"), fractional_columns=used_columns)
        var_texts = _text_columns(var)
    names = list(map(str, obs_texts.index))
    text_columns = [names, *(list(obs_texts[name]) for name in obs_texts)]
    n_texts = len(text_columns)
    # The annotation has a text for each column of the table; the first ones are no genes.
    annotation = {}
    for name in var_texts:
        annotation[name] = [*([""] * n_texts), *var_texts[name]]
    return RawTable(
        path=path,
        header=["", *obs_texts, *map(str, var.index)],
        rows=AnnDataRows(text_columns, matrix),
        lines=list(map(quoted, names)),
        unit="cell",
        column_unit="gene",
        described=range(n_texts),
        annotation=annotation,
    )


class AnnDataRows:
    """The rows of an AnnData file; see `xnbflow.sources.formats.raw_table.StoredRows`.

    Parameters
    ----------
    text_columns : sequence of list of str
        The first columns of the table: the names of the observations, and texts of ``obs``.
    matrix : ndarray or sparse array, shape (n_observations, n_genes)
        The further columns, as the file stores them.
    """

    def __init__(self, text_columns: Sequence[list[str]], matrix: Any) -> None:
        self._text_columns = text_columns
        self._matrix = matrix

    def __len__(self) -> int:
        return len(self._text_columns[0])

    def cells(self, row: int) -> list[str]:
        """Return the texts of an observation, and the values of its genes as text."""
        values = self._matrix[row]
        dense = values.toarray() if is_sparse(values) else values
        texts = [column[row] for column in self._text_columns]
        return [*texts, *map(str, np.ravel(dense).tolist())]

    def columns(self, positions: Sequence[int]) -> list[list[str]]:
        """Return some columns; the values of a gene are returned as text."""
        columns = []
        n_texts = len(self._text_columns)
        for position in positions:
            if position < n_texts:
                columns.append(self._text_columns[position])
            else:
                values = dense_by_gene(self._matrix[:, [position - n_texts]])
                columns.append(list(map(str, values[0].tolist())))
        return columns

    def joined_cells(self, row: int, positions: Sequence[int], start: int | None) -> str:  # noqa: ARG002 - for lines of text
        """Return some cells of a row as one text, joined by line breaks."""
        cells = self.cells(row)
        return "\n".join([cells[position] for position in positions])

    def stored_numbers(self, rows: Sequence[int], positions: Sequence[int]) -> np.ndarray | None:
        """Return values of genes, (n_positions, n_rows); None with a text or an infinite value.

        All genes of a dense matrix are returned without a copy.
        """
        n_texts = len(self._text_columns)
        genes = np.asarray(positions, dtype=np.intp) - n_texts
        if (genes < 0).any():
            return None
        matrix = self._matrix
        if not np.array_equal(genes, np.arange(matrix.shape[1])):
            matrix = matrix[:, genes]
        values = dense_by_gene(matrix)
        if values.dtype.kind == "f" and values.size:
            extremes = [np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)]
            if np.isinf(extremes).any():
                return None
        return values if len(rows) == len(self) else values[:, list(rows)]

    def release_before(self, row: int) -> None:
        """Remove the matrix from memory when all rows have been converted; it has no parts."""
        if row >= len(self):
            self._matrix = None


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


def dense_by_gene(matrix: Any) -> np.ndarray:
    """Return a matrix (n_observations, n_genes) as a dense one, (n_genes, n_observations).

    A sparse matrix is made dense in parts, some rows of CSR or columns of CSC at a time, so that
    the result is the only dense matrix in memory. It is float64 in the order of genes.

    Examples
    --------
    >>> from scipy import sparse
    >>> dense_by_gene(sparse.csr_array([[0, 2, 0], [1, 0, 3]])).tolist()
    [[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]
    """
    if not is_sparse(matrix):
        return matrix.T
    n_observations, n_genes = matrix.shape
    values = np.empty((n_genes, n_observations))
    if matrix.format == "csr":
        width = max(1, VALUES_AT_ONCE // max(1, n_genes))
        for start in range(0, n_observations, width):
            values[:, start : start + width] = matrix[start : start + width].toarray().T
    else:
        width = max(1, VALUES_AT_ONCE // max(1, n_observations))
        for start in range(0, n_genes, width):
            values[start : start + width] = matrix[:, start : start + width].toarray().T
    return values


def read_obs_texts(path: str | Path) -> pd.DataFrame:
    """Return the columns of ``obs`` that are text, categories, truth values or whole numbers."""
    with open_anndata(path) as file:
        return _text_columns(read_frame(path, file, "obs"))


def proposed_matrix(path: str | Path) -> tuple[str, list[str]]:
    """Return the matrix to read, empty for ``X``, and the names of all matrices.

    Scaled values, which have no logarithms and no fold changes, are replaced by another matrix:
    counts, the values before genes were selected (``raw``), or another layer, in this order.
    """
    with open_anndata(path) as file:
        names = list(matrix_places(file))
        if "X" in names and not is_scaled(file, "X"):
            return "", names
        others = [name for name in names if name != "X" and not is_scaled(file, name)]
    preferred = ["layers:counts", "raw", *others]
    return next((name for name in preferred if name in others), ""), names


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
