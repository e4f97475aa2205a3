"""AnnData's file format (.h5ad): matrices, dense or sparse, and the tables obs and var; by h5py.

Every version is read: today's (each element says its ``encoding-type``), that of 0.7 (categories in
``__categories``) and earlier ones (tables as HDF5 records, ``raw.X`` beside ``X``). See the
anndata documentation, "On-disk format".
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.data.sources.files import what_is_wrong
from xnbflow.density.sparse_blocks import feature_blocks, turned_blocks

if TYPE_CHECKING:
    import h5py

__all__ = ["CellMatrix", "matrix_of", "opened", "table_of"]

_SPARSE = {"csr_matrix": "csr", "csc_matrix": "csc", "csr": "csr", "csc": "csc"}


@contextmanager
def opened(path: str | Path) -> "Iterator[h5py.File]":
    """Open an AnnData file.

    Raises
    ------
    InputError
        If h5py is not installed, or the file is damaged or no AnnData.
    """
    path = Path(path)
    try:
        import h5py  # noqa: PLC0415 - an extra
    except ImportError as error:
        msg = f"{path} is AnnData; to read it, install h5py (the extra h5ad of this package)"
        raise InputError(msg) from error
    if wrong := what_is_wrong(path):
        msg = f"{path} {wrong}"
        raise InputError(msg)
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        msg = f"{path} cannot be read as AnnData ({error}); write it anew, or get it again"
        raise InputError(msg) from error
    with file:
        if missing := [name for name in ("obs", "var") if name not in file]:
            msg = (
                f"{path} cannot be read as AnnData (it has no {' and no '.join(missing)}); write "
                "it anew, or get it again"
            )
            raise InputError(msg)
        yield file


@dataclass(frozen=True)
class CellMatrix:
    """A matrix of cells by genes in an open file.

    Attributes
    ----------
    element : h5py.Dataset or h5py.Group
    shape : tuple of int
        Cells and genes.
    format : {"dense", "csr", "csc"}
    var : DataFrame
        The genes, index their names.
    """

    element: Any
    shape: tuple[int, int]
    format: str
    var: pd.DataFrame

    def blocks(self, most_values: int) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of genes, each of shape (n_some, n_cells).

        A matrix compressed by cell is read once to count each gene's values, and once for each
        block; the others are read once.

        Parameters
        ----------
        most_values : int
            Stored values of a block, if a single gene has no more.

        Yields
        ------
        which : slice
        block : ndarray or CSR array
        """
        n_cells, n_genes = self.shape
        if self.format == "dense":
            width = max(1, most_values // max(1, n_cells))
            for start in range(0, n_genes, width):
                which = slice(start, min(start + width, n_genes))
                yield which, np.asarray(self.element[:, which], dtype=np.float64).T
            return
        indptr = self.element["indptr"][:]
        indices, data = self.element["indices"], self.element["data"]
        if self.format == "csr":
            yield from turned_blocks(indptr, indices, data, n_genes, most_values)
            return
        whole = _Lazy(indptr, indices, data, (n_genes, n_cells))
        yield from feature_blocks(whole, most_values)

    def samples(self, genes: np.ndarray, most_values: int) -> Any:
        """Return all cells of some genes, (n_cells, n_genes), dense or CSC; one pass over all."""
        parts = []
        for which, block in self.blocks(most_values):
            inside = np.flatnonzero((genes >= which.start) & (genes < which.stop))
            if len(inside):
                parts.append((inside, block[genes[inside] - which.start]))
        if not parts:
            return np.empty((self.shape[0], 0))
        places = np.argsort(np.concatenate([inside for inside, _ in parts]))
        if self.format == "dense":
            return np.concatenate([part for _, part in parts])[places].T
        return sparse.vstack([part for _, part in parts], format="csr")[places].T


@dataclass(frozen=True)
class _Lazy:
    """What `feature_blocks` takes of a CSR array, with arrays that are still in the file."""

    indptr: np.ndarray
    indices: Any
    data: Any
    shape: tuple[int, int]
    format = "csr"


def matrix_of(path: str | Path, file: "h5py.File", name: str) -> CellMatrix:
    """Return a matrix by its name: ``X``, ``raw`` or ``layers:<name>``.

    Raises
    ------
    InputError
        If there is none of this name, with those there are; or its genes are not those of its
        table.
    """
    there = _matrices(file)
    if name not in there:
        msg = f"{path} has no matrix {name!r}; the option matrix may be {', '.join(there)} here"
        raise InputError(msg)
    element, var = file[there[name]], table_of(path, file, "var")
    if name == "raw":
        var = table_of(path, file, "raw/var" if "raw/var" in file else "raw.var")
    stored = _text(element.attrs.get("encoding-type", element.attrs.get("h5sparse_format", "")))
    dense = hasattr(element, "dtype")
    if not dense and stored not in _SPARSE:
        msg = f"{path}: matrix {name} is stored as {stored or 'a group'}, which is not known"
        raise InputError(msg)
    shape = (
        element.shape if dense else element.attrs.get("shape", element.attrs.get("h5sparse_shape"))
    )
    shape = tuple(int(n) for n in shape)
    n_cells = len(table_of(path, file, "obs"))
    if shape != (n_cells, len(var)):
        msg = (
            f"{path}: matrix {name} has shape {shape}, but there are {counted(n_cells, 'cell')} "
            "in obs and "
            f"{counted(len(var), 'gene')} in var; write the file anew"
        )
        raise InputError(msg)
    return CellMatrix(element, shape, "dense" if dense else _SPARSE[stored], var)


def _matrices(file: "h5py.File") -> dict[str, str]:
    """Return where each matrix stands, by name."""
    there = {"X": "X"} if "X" in file else {}
    raw = [place for place in ("raw/X", "raw.X") if place in file]
    there |= {"raw": raw[0]} if raw else {}
    return there | {f"layers:{layer}": f"layers/{layer}" for layer in file.get("layers", ())}


def table_of(path: str | Path, file: "h5py.File", name: str) -> pd.DataFrame:
    """Return a table, ``obs`` or ``var``; its index are the names of cells or genes.

    Raises
    ------
    InputError
        If a column is stored in a way that is not known.
    """
    element = file[name]
    if hasattr(element, "dtype"):
        return _of_records(file, element[:])
    index = _text(element.attrs.get("_index", "_index"))
    order = [_text(column) for column in element.attrs.get("column-order", ())]
    columns = {}
    for column in order:
        try:
            columns[column] = _column(element[column])
        except (KeyError, TypeError, ValueError) as error:
            msg = f"{path}: column {column!r} of {name} cannot be read ({error}); write it anew"
            raise InputError(msg) from error
    names = pd.Index(_column(element[index])).astype(str)
    return pd.DataFrame(columns, index=names)


def _of_records(file: "h5py.File", records: np.ndarray) -> pd.DataFrame:
    """Return a table of the format before 0.7: records, categories apart in uns."""
    columns: dict[str, Any] = {}
    for name in records.dtype.names or ():
        values = records[name]
        categories = file.get(f"uns/{name}_categories")
        if categories is not None and values.dtype.kind in "iu":
            values = pd.Categorical.from_codes(values, _column(categories))
        elif values.dtype.kind in "SO":
            values = np.array([_text(each) for each in values], dtype=object)
        columns[name] = values
    index = next(name for name in ("index", "_index", *columns) if name in columns)
    return pd.DataFrame(columns).set_index(index).rename_axis(None)


def _column(element: Any) -> Any:
    if not hasattr(element, "dtype"):
        if "codes" in element:
            return pd.Categorical.from_codes(element["codes"][:], _column(element["categories"]))
        values = pd.Series(_column(element["values"]))
        return values.mask(element["mask"][:].astype(bool)).to_numpy()
    if "categories" in element.attrs:
        return pd.Categorical.from_codes(
            element[:], _column(element.file[element.attrs["categories"]])
        )
    if element.dtype.kind in "SO":
        return element.asstr()[:].astype(object)
    return element[:]


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
