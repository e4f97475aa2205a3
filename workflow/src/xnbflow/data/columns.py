"""Columns of a user's samples: positions of named columns, and checks of their values."""

import reprlib
from numbers import Integral
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either

#: Greater values have squares whose sums overflow, and a column that varies by less than the
#: inverse has squares that underflow.
_LARGEST = 2.0**500
#: Different numbers, one of them at least this large, differ by more than 2**-500.
_SURELY_APART = 2.0**-447


def column_positions(columns: Any, names: np.ndarray, what: str) -> np.ndarray:
    """Return the positions of the columns that a parameter names, (n_named,), in the order named.

    ``columns`` are a position or a name, several of them, a slice of either (one of names includes
    both ends), or a mask; negative positions count from the end. ``names`` (n_columns,) are
    positions where columns have no names; ``what`` is the parameter's name.

    Examples
    --------
    >>> names = np.array(["flow", "wind", "sky"])
    >>> column_positions(["sky", 0], names, "categorical")
    array([2, 0])
    >>> column_positions([False, True, True], names, "categorical")
    array([1, 2])
    """
    index = pd.Index(names)
    if isinstance(columns, slice):
        first = columns.start
        if isinstance(first, str):
            first = _position(first, index, what)
        stop = columns.stop
        if isinstance(stop, str):
            stop = _position(stop, index, what) + 1
        return np.arange(len(names))[first : stop : columns.step]
    selection = np.atleast_1d(np.asarray(columns))
    if selection.dtype.kind not in "biu":  # NumPy makes text of mixed names and positions
        selection = np.atleast_1d(np.asarray(columns, dtype=object))
    if selection.ndim > 1:
        msg = f"{what} has shape {selection.shape}; give a list of columns"
        raise InputError(msg)
    if len(selection) and all(isinstance(column, (bool, np.bool_)) for column in selection):
        if len(selection) != len(names):
            n = counted(len(selection), "column")
            msg = f"{what} is a mask of {n}, but there are {_describe_columns(index)}"
            raise InputError(msg)
        return np.flatnonzero(selection.astype(bool))
    if selection.dtype == object:
        positions = [_position(column, index, what) for column in selection]
        selection = np.array(positions, dtype=np.intp)
    outside = (selection < -len(names)) | (selection >= len(names))
    if outside.any():
        _refuse(int(selection[outside][0]), index, what)
    return np.where(selection < 0, selection + len(names), selection).astype(np.intp)


def _position(column: Any, names: pd.Index, what: str) -> int:
    """Return the position of a column that is named, or given by its position."""
    if isinstance(column, Integral):
        return int(column)
    if not isinstance(column, str) or column not in names:
        _refuse(column, names, what)
    location = names.get_loc(column)
    if not isinstance(location, int):  # a slice or a mask of all columns with this name
        n = len(names[location])
        msg = f"{what} names column {column!r}, but {n} columns have that name"
        raise InputError(msg)
    return location


def _refuse(column: Any, names: pd.Index, what: str) -> NoReturn:
    msg = f"{what} names column {reprlib.repr(column)}, but there are {_describe_columns(names)}"
    raise InputError(msg)


def _describe_columns(names: pd.Index) -> str:
    """Return the number of columns and the first names, for example ``9 columns: a, b, c, ...``."""
    n = counted(len(names), "column")
    if names.dtype.kind in "iu":
        return f"{n}, without {either(len(names), 'a name', 'names')}"
    first_names = [str(name) for name in names[:3]]
    if len(names) > 3:
        first_names.append("...")
    return f"{n}: {', '.join(first_names)}"


def name_bad_value(X: Any, error: Exception) -> None:
    """Raise an `InputError` for the first cell that is not a finite number, if there is one.

    X may have any type; the cells of DataFrames and of arrays (n_samples, n_features) are named,
    those of an array by their positions. ``error`` is from the conversion of X to numbers. If it is
    on infinite values, missing ones are allowed.

    Examples
    --------
    >>> name_bad_value(pd.DataFrame({"g1": [0.5, None]}), ValueError("X has NaN"))
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: column 'g1' holds nan in row 1: features must be finite ...
    >>> name_bad_value(np.array([["0.5", "high"]]), ValueError("could not convert"))
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: column 1 holds 'high' in row 0: features must be finite ...
    """
    if isinstance(X, np.ndarray) and isinstance(error, ValueError):
        # Scikit-learn's own errors on other dimensions and on complex numbers are clear.
        X = pd.DataFrame(X) if X.ndim == 2 and X.dtype.kind != "c" else X
    if not isinstance(X, pd.DataFrame):
        return
    missing_are_allowed = "infinity" in str(error)
    for name, column in X.items():
        if pd.api.types.is_numeric_dtype(column):
            values = pd.to_numeric(column)
        else:
            values = pd.to_numeric(column.astype(str), errors="coerce")  # text for dates, too
        numbers = values.to_numpy(float, na_value=np.nan)
        bad = np.isinf(numbers) if missing_are_allowed else ~np.isfinite(numbers)
        if bad.any():
            row = int(np.argmax(bad))
            cell = column.tolist()[row]
            reason = "" if isinstance(error, TypeError) else f" ({str(error).splitlines()[0]})"
            msg = (
                f"column {name!r} holds {cell!r} in row {X.index[row]!r}: features must be finite "
                f"numbers{reason}; {_remedy(cell)}"
            )
            raise InputError(msg) from error


def _remedy(cell: Any) -> str:
    """Return what to do with a cell that is not a finite number.

    Examples
    --------
    >>> _remedy("high")
    'leave out columns that are not features, or encode them as numbers'
    """
    if pd.isna(cell):
        return (
            "leave out samples or features with missing values, or replace these by "
            "xnbflow.preprocessing.Imputer in a pipeline"
        )
    if isinstance(cell, str):
        return "leave out columns that are not features, or encode them as numbers"
    return "correct the value, or leave out the column"


def refuse_repeated_names(X: Any) -> None:
    """Raise an `InputError` for columns of a DataFrame that share a name.

    Examples
    --------
    >>> refuse_repeated_names(pd.DataFrame([[1, 2, 3]], columns=["g1", "g2", "g1"]))
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: X has 2 columns named 'g1': features are identified by name; ...
    """
    if isinstance(X, pd.DataFrame) and not X.columns.is_unique:
        repeated = X.columns[X.columns.duplicated()].unique().tolist()
        n = int((X.columns == repeated[0]).sum())
        others = len(repeated) - 1
        more = f" ({counted(others, 'more name', 'repeats', 'repeat')})" if others else ""
        msg = (
            f"X has {n} columns named {repeated[0]!r}{more}: features are identified by name; "
            "rename or drop the repetitions"
        )
        raise InputError(msg)


def refuse_beyond_squares(X: np.ndarray, names: Any = None) -> None:
    """Raise an `InputError` that names a column whose squares overflow or underflow.

    Variances and distances of the finite X (n_samples, n_features) would be infinite or zero.
    Without ``names`` columns are named by position.

    Examples
    --------
    >>> refuse_beyond_squares(np.array([[1e160], [2e160]]), ["g1"])
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: column 'g1' reaches 2e+160, whose square overflows or ...
    >>> refuse_beyond_squares(np.array([[1e-170], [2e-170]]))
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: column 0 varies by 1e-170, whose square overflows or ...
    """
    # The common case, in half the time: no value is too large, and different values of a
    # column cannot be too close to each other if one of them is not tiny.
    bounded = max(X.max(initial=0.0), -X.min(initial=0.0)) <= _LARGEST
    if bounded and (np.abs(X[0]) >= _SURELY_APART).all():
        return
    low = X.min(axis=0)
    high = X.max(axis=0)
    with np.errstate(over="ignore"):
        largest = np.maximum(high, -low)
        spread = high - low
    too_large = largest > _LARGEST
    if too_large.any():
        column = int(np.argmax(too_large))
        _refuse_unit(column, names, f"reaches {largest[column]:.3g}")
    too_close = (spread > 0.0) & (spread < 1.0 / _LARGEST)
    if too_close.any():
        column = int(np.argmax(too_close))
        _refuse_unit(column, names, f"varies by {spread[column]:.3g}")


def _refuse_unit(column: int, names: Any, what: str) -> NoReturn:
    name = column if names is None else np.asarray(names).tolist()[column]
    msg = (
        f"column {name!r} {what}, whose square overflows or underflows in double precision; give "
        "the column in another unit, so that its values lie between 1e-150 and 1e150"
    )
    raise InputError(msg)
