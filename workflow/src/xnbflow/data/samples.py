"""Samples and labels as arrays, tables or AnnData in memory."""

import math
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import issparse

from xnbflow.core.errors import InputError, known_names


class HasShape(Protocol):
    """Tables and sparse matrices, which are not `numpy.typing.ArrayLike`."""

    @property
    def shape(self) -> tuple[Any, ...]:
        """Number of rows and columns."""


#: Samples that estimators accept: nested lists, arrays, sparse arrays and matrices, DataFrames of
#: pandas and polars, AnnData.
Samples = npt.ArrayLike | HasShape

#: Labels that estimators accept: lists, arrays, Series; with AnnData also the name of a column.
Labels = npt.ArrayLike | HasShape


@runtime_checkable
class AnnDataLike(Protocol):
    """The public attributes of `anndata.AnnData` that are read."""

    X: Any
    obs: Any
    var_names: Any


def named_samples(X: Any) -> tuple[Any, np.ndarray | None]:
    """Return samples as an array, sparse array or table, and names that such an array lacks.

    AnnData gives its X and ``var_names``, a DataFrame of sparse columns CSR and its columns, tables
    of polars and Arrow become DataFrames. Anything else is returned as it is, without names.

    Examples
    --------
    >>> zeros = pd.SparseDtype(float, 0.0)
    >>> sparse = pd.DataFrame({"g1": [0.0, 1.0], "g2": [2.0, 0.0]}).astype(zeros)
    >>> named_samples(sparse)[0].toarray().tolist(), named_samples(sparse)[1].tolist()
    ([[0.0, 2.0], [1.0, 0.0]], ['g1', 'g2'])
    """
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, pd.DataFrame):
        return _sparse_frame(X)
    if isinstance(X, AnnDataLike):
        if getattr(X, "isbacked", False):
            raise InputError(_backed_message(X))
        names = np.asarray(X.var_names, dtype=object)
        if len(set(names.tolist())) < len(names):
            msg = "two genes of the AnnData have one name; call its var_names_make_unique()"
            raise InputError(msg)
        return (X.X if issparse(X.X) else np.asarray(X.X)), names
    return X, None


def _backed_message(cells: Any) -> str:
    """Return what to do about an AnnData whose values are in a file, and the memory it takes."""
    n_cells, n_genes = cells.X.shape
    stored = getattr(cells.X, "group", None)
    if stored is None:
        n_bytes, what = n_cells * n_genes * np.dtype(np.float64).itemsize, "dense"
    else:
        n_bytes = sum(stored[part].nbytes for part in ("data", "indices", "indptr"))
        what = "sparse"
    return (
        f"X is an AnnData of {n_cells:,} cells and {n_genes:,} genes whose values are in a file. "
        f"Give X.to_memory(): its {what} values take {_megabytes(n_bytes)} MB, and fit up to "
        f"{_megabytes(2 * n_bytes)} MB with its copy by gene. If that is too much, fit some of the "
        "genes (X[:, genes].to_memory()) or of the cells"
    )


def _megabytes(n_bytes: int) -> str:
    return f"{math.ceil(n_bytes / 1e6):,}"


def _sparse_frame(X: pd.DataFrame) -> tuple[Any, np.ndarray | None]:
    kinds = X.dtypes
    if not (len(kinds) and isinstance(kinds.iloc[0], pd.SparseDtype)):
        return X, None
    kinds = kinds.unique()
    if not all(isinstance(kind, pd.SparseDtype) for kind in kinds):
        return X, None
    if any(kind.fill_value != 0 for kind in kinds):
        return X.sparse.to_dense(), None
    names = np.asarray(X.columns, dtype=object)
    text = all(isinstance(name, str) for name in names)
    return X.sparse.to_coo().tocsr(), names if text else None


def plain_labels(y: Any, X: Any = None) -> Any:
    """Return labels whose values survive in a NumPy array; of AnnData ``y`` may name a column.

    pandas' nullable whole numbers and truth values become NumPy's, since scikit-learn makes floats
    of them, in which whole numbers beyond 2**53 are not exact.

    Examples
    --------
    >>> plain_labels(pd.Series([2**53, 2**53 + 1], dtype="Int64")).tolist()
    [9007199254740992, 9007199254740993]
    """
    if isinstance(y, str) and isinstance(X, AnnDataLike):
        if y not in X.obs:
            msg = f"the AnnData has no column {y!r} in obs; {known_names(y, list(X.obs))}"
            raise InputError(msg, key=y)
        y = X.obs[y]
    kind: Any = getattr(y, "dtype", None)
    nullable = isinstance(kind, pd.api.extensions.ExtensionDtype)
    whole = pd.api.types.is_integer_dtype(kind) or pd.api.types.is_bool_dtype(kind)
    if nullable and whole and hasattr(kind, "numpy_dtype"):
        return y if pd.isna(y).any() else y.to_numpy(kind.numpy_dtype)
    return y
