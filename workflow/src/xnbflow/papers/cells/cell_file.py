"""An AnnData file (.h5ad) as what ``fit_stream`` takes: its genes by chunks."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.counts import listed
from xnbflow.core.errors import InputError
from xnbflow.sources.anndata_file import matrix_of, opened, table_of

__all__ = ["CellFile"]


class CellFile:
    """A matrix of an AnnData file, of which a chunk of genes is in memory at a time.

    Iterating over it yields names and values, as ``fit_stream`` of `XNB` and `ClassSpecificNB`
    takes them, anew each time. A matrix stored by gene (CSC) or dense is read once. One stored by
    cell (CSR), as most are, is read once to count the values of each gene and then once for each
    chunk, whose genes are picked out of all cells: ``1 + n_values / values_in_memory`` passes, each
    in parts of a few MB.

    Parameters
    ----------
    path : path
        An ``.h5ad`` file; h5py (the extra ``h5ad``) reads it.
    matrix : str, default="X"
        ``X``, ``raw`` or ``layers:<name>``. Markers are sought in logarithms of normalised counts,
        not in scaled values.
    values_in_memory : int, default=64_000_000
        Stored values of a chunk, at 8 to 12 bytes each.

    Attributes
    ----------
    genes : ndarray of str, shape (n_genes,)
        Names of the genes.
    obs, var : DataFrame
        What the file says of cells and of genes; index their names.
    shape : (int, int)
        Cells and genes.

    Raises
    ------
    InputError
        If the file is no AnnData or lacks the matrix, or two genes have one name.

    Examples
    --------
    ``cells = CellFile("cells.h5ad", matrix="raw")``, and then
    ``ClassSpecificNB().fit_stream(cells, cells.labels("cell_type"))``.
    """

    def __init__(
        self, path: str | Path, *, matrix: str = "X", values_in_memory: int = 64_000_000
    ) -> None:
        self.path = Path(path)
        self.matrix = matrix
        self.values_in_memory = values_in_memory
        with opened(self.path) as file:
            found = matrix_of(self.path, file, matrix)
            self.shape, self.var = found.shape, found.var
            self.obs = table_of(self.path, file, "obs")
        self.genes = self.var.index.to_numpy(dtype=object)
        if not self.var.index.is_unique:
            first = self.var.index[self.var.index.duplicated()][0]
            msg = (
                f"{self.path}: two genes are named {first!r}; make names unique "
                "(AnnData.var_names_make_unique) and write the file anew"
            )
            raise InputError(msg)

    def __iter__(self) -> Iterator[tuple[np.ndarray, Any]]:
        with opened(self.path) as file:
            matrix = matrix_of(self.path, file, self.matrix)
            for which, block in matrix.blocks(self.values_in_memory):
                yield self.genes[which], block

    def labels(self, column: str) -> np.ndarray:
        """Return a column of ``obs`` as text, shape (n_cells,): classes of cells, or their donors.

        Raises
        ------
        InputError
            If there is no such column, or a cell has no value in it.
        """
        if column not in self.obs:
            has = listed(list(self.obs.columns))
            msg = f"{self.path}: obs has no column {column!r}; it has {has}"
            raise InputError(msg)
        values = self.obs[column]
        if values.isna().any():
            cell = values.index[values.isna()][0]
            msg = f"{self.path}: cell {cell!r} has no {column!r}; label it or leave it out"
            raise InputError(msg)
        return values.astype(str).to_numpy(dtype=object)

    def samples(self, genes: Sequence[str] | np.ndarray) -> Any:
        """Return all cells with some genes, as `predict` takes them after ``fit_stream``.

        Parameters
        ----------
        genes : sequence of str
            Say ``feature_names_in_`` of the classifier.

        Returns
        -------
        CSC array or ndarray of shape (n_cells, n_genes)
            Sparse where the file is.
        """
        positions = pd.Index(self.genes).get_indexer(list(genes))
        if (positions < 0).any():
            missing = [gene for gene, at in zip(genes, positions, strict=True) if at < 0]
            msg = f"{self.path} lacks the genes {listed(missing)}, which the classifier uses"
            raise InputError(msg)
        with opened(self.path) as file:
            matrix = matrix_of(self.path, file, self.matrix)
            return matrix.samples(positions, self.values_in_memory)
