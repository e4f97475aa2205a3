"""AnnData files (.h5ad) as tables: a row for each cell, with the texts of obs and the genes."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import quoted
from xnbflow.data.matrices import is_sparse
from xnbflow.sources.formats.anndata_file import (
    frame_of,
    is_scaled,
    matrix_of,
    matrix_places,
    opened,
)
from xnbflow.sources.formats.raw_table import RawTable
from xnbflow.sources.sheet import SheetRow

#: Values of a sparse matrix that are made dense at a time, 8 MB.
VALUES_AT_ONCE = 1_000_000


class CellRows:
    """The rows of an AnnData file; see `xnbflow.sources.formats.raw_table.StoredRows`.

    The first columns are ``texts``, a list for each; the others are the genes of the ``matrix``
    (n_cells, n_genes), dense or sparse as in the file.
    """

    def __init__(self, texts: Sequence[list[str]], matrix: Any) -> None:
        self._texts = texts
        self._matrix = matrix

    def __len__(self) -> int:
        return len(self._texts[0])

    def cells(self, row: int) -> list[str]:
        """Return the texts of a cell and the values of its genes as text."""
        values = self._matrix[row]
        dense = values.toarray() if is_sparse(values) else values
        return [*(texts[row] for texts in self._texts), *map(str, np.ravel(dense).tolist())]

    def columns(self, positions: Sequence[int]) -> list[list[str]]:
        """Return the texts of some columns; those of genes are their values as text."""
        columns = []
        for position in positions:
            if position < len(self._texts):
                columns.append(self._texts[position])
            else:
                values = dense_by_gene(self._matrix[:, [position - len(self._texts)]])
                columns.append(list(map(str, values[0].tolist())))
        return columns

    def number_text(self, row: int, positions: Sequence[int], first: int | None) -> str:  # noqa: ARG002
        """Return some cells of a row as text, with line breaks between them."""
        cells = self.cells(row)
        return "\n".join([cells[position] for position in positions])

    def matrix(self, rows: Sequence[int], positions: Sequence[int]) -> np.ndarray | None:
        """Return values of genes, (n_positions, n_rows); None with a text or an infinite value.

        All genes of a dense matrix are returned without a copy.
        """
        n_texts = len(self._texts)
        genes = np.asarray(positions, dtype=np.intp) - n_texts
        if (genes < 0).any():
            return None
        matrix = self._matrix
        if not np.array_equal(genes, np.arange(matrix.shape[1])):
            matrix = matrix[:, genes]
        values = dense_by_gene(matrix)
        if values.dtype.kind == "f" and values.size:
            ends = [np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)]
            if np.isinf(ends).any():  # converted one by one, so that an error names the cell
                return None
        return values if len(rows) == len(self) else values[:, list(rows)]

    def release(self, row: int) -> None:
        """Remove the matrix from memory when all rows have been converted."""
        if row >= len(self):
            self._matrix = None


def read_h5ad(path: Path, options: Mapping[str, str]) -> RawTable:
    """Read an AnnData file as a table with a row for each cell.

    Its columns are the names of the cells (without a name), the texts of ``obs``, and the genes of
    the matrix that the option ``matrix`` names: ``X`` (default), ``raw`` or ``layers:<name>``.
    Numbers with fractions in ``obs`` are among the texts only where an option names them. The texts
    of ``var`` are the annotation of the genes.
    """
    named = {*options.get("phenotype_columns", "").split(","), options.get("batch")}
    with opened(path) as file:
        matrix, var = matrix_of(path, file, options.get("matrix", "X"))
        cells = _as_texts(frame_of(path, file, "obs"), named)
        genes = _as_texts(var)
    names = list(map(str, cells.index))
    n_texts = 1 + len(cells.columns)
    annotation = {}
    for name in genes:
        annotation[name] = [*([""] * n_texts), *genes[name]]
    return RawTable(
        path=path,
        header=["", *cells, *map(str, var.index)],
        rows=CellRows([names, *(list(cells[name]) for name in cells)], matrix),
        lines=list(map(quoted, names)),
        unit="cell",
        column_unit="gene",
        described=range(n_texts),
        annotation=annotation,
    )


def as_cells(dataset: SheetRow) -> SheetRow:
    """Return the row of an AnnData file: samples are rows, and ``obs:type`` is the column type.

    Examples
    --------
    >>> as_cells(SheetRow("x", "table", label="obs:type", options={"group": "donor"})).label
    'type'
    """
    options = dict(dataset.options)
    for key in ("group", "batch"):
        if key in options:
            options[key] = _column_of_obs(options[key])
    label = dataset.label and _column_of_obs(dataset.label)
    id_column = dataset.id_column and _column_of_obs(dataset.id_column)
    return replace(dataset, label=label, id_column=id_column, orientation="rows", options=options)


def _column_of_obs(name: str) -> str:
    return name.removeprefix("obs:").strip()


def dense_by_gene(matrix: Any) -> np.ndarray:
    """Return a matrix of cells by genes, dense or sparse, as a dense one (n_genes, n_cells).

    Of a sparse matrix some rows (CSR) or columns (CSC) are made dense at a time and copied to their
    place, so that the result is the only dense matrix in memory, as float64 in the order of genes.

    Examples
    --------
    >>> from scipy import sparse
    >>> dense_by_gene(sparse.csr_array([[0, 2, 0], [1, 0, 3]])).tolist()
    [[0.0, 1.0], [2.0, 0.0], [0.0, 3.0]]
    """
    if not is_sparse(matrix):
        return matrix.T
    n_cells, n_genes = matrix.shape
    values = np.empty((n_genes, n_cells))
    if matrix.format == "csr":
        width = max(1, VALUES_AT_ONCE // max(1, n_genes))
        for start in range(0, n_cells, width):
            values[:, start : start + width] = matrix[start : start + width].toarray().T
    else:
        width = max(1, VALUES_AT_ONCE // max(1, n_cells))
        for start in range(0, n_genes, width):
            values[start : start + width] = matrix[:, start : start + width].toarray().T
    return values


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
