"""Samples and labels as arrays, tables or AnnData in memory."""

from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, known_names


class SamplesLike(Protocol):
    """Samples (n_samples, n_features): lists, arrays, DataFrames of pandas and polars, AnnData."""

    def __len__(self) -> int:
        """Return the number of samples."""


class Labels(Protocol):
    """Labels (n_samples,): a list, an array, a Series; with AnnData also the name of a column."""

    def __len__(self) -> int:
        """Return the number of samples."""


@runtime_checkable
class AnnDataLike(Protocol):
    """The public attributes of `anndata.AnnData` that are read."""

    X: Any
    obs: Any
    var_names: Any


def named_samples(X: Any) -> tuple[Any, np.ndarray | None]:
    """Return samples as an array or table, and the names that an array lacks.

    From AnnData these are its X and ``var_names``. Tables of polars and Arrow become DataFrames,
    which need no names. All others are returned unchanged, without names. A sparse matrix is
    returned as it is: scikit-learn's check of the samples refuses it.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> annotated = SimpleNamespace(X=np.eye(2), obs=pd.DataFrame(), var_names=["g1", "g2"])
    >>> named_samples(annotated)[1].tolist()
    ['g1', 'g2']
    """
    if hasattr(X, "to_pandas"):
        X = X.to_pandas()
    if isinstance(X, AnnDataLike):
        if getattr(X, "isbacked", False):
            msg = "the values of the AnnData are in a file; give its to_memory()"
            raise InputError(msg)
        names = np.asarray(X.var_names, dtype=object)
        if len(set(names.tolist())) < len(names):
            msg = "two genes of the AnnData have one name; call its var_names_make_unique()"
            raise InputError(msg)
        return X.X, names
    return X, None


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
