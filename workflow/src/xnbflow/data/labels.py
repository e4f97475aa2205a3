"""Checks of a user's labels and targets: missing values, and codes of the classes."""

from datetime import date
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.utils.multiclass import check_classification_targets

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed

#: Types of sortable labels that scikit-learn's check does not recognise.
_ORDERED = (bytes, date, pd.Period)


def refuse_missing(y: Any, what: str = "label in y", remedy: str = "label them") -> None:
    """Raise an `InputError` that names the samples whose label, target or group is missing.

    None, NaN, NaT and `pandas.NA` are missing. Objects that are not arrays are not checked. The
    message has ``what`` is missing and, beside their removal, the ``remedy``.

    Examples
    --------
    >>> refuse_missing(pd.Series(["tumour", None, "normal"], index=["s1", "s2", "s3"]))
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: 1 of 3 samples has no label in y: 's2'. Remove them or ...
    """
    if isinstance(y, (list, tuple)):
        y = pd.Series(list(y), dtype=object)
    elif type(y) is np.ndarray and y.dtype.kind in "iub":  # no value is missing, unless masked
        return
    elif isinstance(y, np.ndarray) and y.ndim == 1:
        y = pd.Series(y)
    elif isinstance(y, np.ndarray) and y.ndim == 2:
        y = pd.DataFrame(y)
    if not isinstance(y, (pd.Series, pd.DataFrame, pd.api.extensions.ExtensionArray, pd.Index)):
        return
    missing = pd.DataFrame(np.asarray(pd.isna(y))).any(axis=1).to_numpy()
    if missing.any():
        rows = getattr(y, "index", np.arange(len(y)))[missing].tolist()
        msg = (
            f"{len(rows)} of {counted(len(y), 'sample')} {either(len(rows), 'has', 'have')} no "
            f"{what}: {listed(map(repr, rows))}. Remove them or {remedy}"
        )
        raise InputError(msg)


def refuse_transposed(X: Any, y: Any) -> None:
    """Raise an `InputError` if X has a column for each label, and another number of rows.

    Tables of expression often have genes in rows.

    Examples
    --------
    >>> refuse_transposed(np.zeros((100, 4)), ["a", "a", "b", "b"])
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: X has 100 rows and 4 columns, and y 4 labels: samples are ...
    """
    shape: tuple[int, ...] = getattr(X, "shape", ())
    if len(shape) == 2 and hasattr(y, "__len__") and shape[0] != len(y) == shape[1]:
        msg = (
            f"X has {shape[0]} rows and {shape[1]} columns, and y {len(y)} labels: samples are the "
            "rows of X, features the columns; give X.T"
        )
        raise InputError(msg)


class CodedLabels(NamedTuple):
    """The sorted distinct labels, the code of each sample, and the size of each class."""

    classes: np.ndarray
    codes: np.ndarray
    sizes: np.ndarray


def class_codes(y: np.ndarray) -> CodedLabels:
    """Return the classes of labels, and the code of each sample.

    Labels may be of any type that scikit-learn's classifiers accept, and also bytes, dates, times
    or periods.

    Examples
    --------
    >>> class_codes(np.array(["b", "a", "b"]))[1:]
    (array([1, 0, 1]), array([1, 2]))
    """
    try:
        if not all(isinstance(label, _ORDERED) for label in y):
            check_classification_targets(y)
        return CodedLabels(*np.unique(y, return_inverse=True, return_counts=True))
    except (TypeError, ValueError) as error:
        kinds = sorted({type(label).__name__ for label in y})
        message = str(error)
        if len(kinds) > 1:
            message = f"y mixes labels of types {', '.join(kinds)}; give labels of one type"
        elif "Unknown label type: unknown" in message:
            message = f"Unknown label type: {kinds[0]}; make the labels text, as y.astype(str)"
        raise InputError(message) from error
