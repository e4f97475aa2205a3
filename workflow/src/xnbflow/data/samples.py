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
SamplesLike = npt.ArrayLike | HasShape

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

    From AnnData these are its X and ``var_names``, from a DataFrame of sparse columns a CSR array
    and the names of the columns. Tables of polars and Arrow become DataFrames, which need no names.
    All others are returned unchanged, without names.

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
        matrix = X.X if issparse(X.X) else np.asarray(X.X)
        return matrix, names
    return X, None


def _backed_message(cells: Any) -> str:
    """Return the remedy for an AnnData whose values are in a file, with the memory they need."""
    n_cells, n_genes = cells.X.shape
    csr_group = getattr(cells.X, "group", None)
    if csr_group is None:
        what = "dense"
        n_bytes = n_cells * n_genes * np.dtype(np.float64).itemsize
    else:
        what = "sparse"
        n_bytes = sum(csr_group[name].nbytes for name in ("data", "indices", "indptr"))
    return (
        f"X is an AnnData of {n_cells:,} cells and {n_genes:,} genes whose values are in a file. "
        f"Give X.to_memory(): its {what} values take {_megabytes(n_bytes)} MB, and fit up to "
        f"{_megabytes(2 * n_bytes)} MB with its copy by gene. If that is too much, fit some of the "
        "genes (X[:, genes].to_memory()) or of the cells"
    )


def _megabytes(n_bytes: int) -> str:
    return f"{math.ceil(n_bytes / 1e6):,}"


def _sparse_frame(X: pd.DataFrame) -> tuple[Any, np.ndarray | None]:
    """Return a DataFrame of sparse columns as CSR with its names; others unchanged, without names.

    Columns whose omitted value is not 0 are made dense. Names that are not texts, for example the
    numbers of columns, are omitted.
    """
    dtypes = X.dtypes
    if not (len(dtypes) and isinstance(dtypes.iloc[0], pd.SparseDtype)):
        return X, None
    dtypes = dtypes.unique()
    if not all(isinstance(dtype, pd.SparseDtype) for dtype in dtypes):
        return X, None
    if any(dtype.fill_value != 0 for dtype in dtypes):
        return X.sparse.to_dense(), None
    names = np.asarray(X.columns, dtype=object)
    are_texts = all(isinstance(name, str) for name in names)
    return X.sparse.to_coo().tocsr(), names if are_texts else None


def plain_labels(y: Any, X: Any = None) -> Any:
    """Return labels whose values a NumPy array preserves; with AnnData ``y`` may name a column.

    pandas' nullable whole numbers and truth values become NumPy's, since scikit-learn converts
    them to floats, in which whole numbers beyond 2**53 are not exact.

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
    dtype: Any = getattr(y, "dtype", None)
    nullable = isinstance(dtype, pd.api.extensions.ExtensionDtype)
    exact = pd.api.types.is_integer_dtype(dtype) or pd.api.types.is_bool_dtype(dtype)
    if nullable and exact and hasattr(dtype, "numpy_dtype") and not pd.isna(y).any():
        return y.to_numpy(dtype.numpy_dtype)
    return y
