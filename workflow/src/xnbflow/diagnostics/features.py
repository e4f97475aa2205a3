"""Input of the diagnostics: samples by features as feature-major rows."""

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.data.columns import name_bad_value
from xnbflow.data.dataset import DataSet
from xnbflow.density.tiles import feature_major
from xnbflow.sources.series.scale_recognition import recognise_scale

#: Ratio of the standard deviation to the median absolute deviation in a normal distribution.
MAD_TO_SD = 1.4826


def linear_values(series: DataSet) -> np.ndarray:
    """Return the values of the linear features, without a copy if all are linear."""
    is_linear = series.kinds == "linear"
    return series.values if is_linear.all() else series.values[is_linear]


def is_unlogged(series: DataSet) -> bool:
    """Return whether samples are compared by the logarithms of their linear values (`logged`)."""
    values = linear_values(series)
    recognised = recognise_scale(values, samples=series.samples, features=series.features)
    return recognised.is_unlogged


def logged(values: np.ndarray) -> np.ndarray:
    """Return logarithms to base 2 of values that are not logged; those below 1 become 0.

    Without logarithms, a few extreme values would decide how similar samples are.
    """
    return np.asarray(np.log2(np.maximum(values, 1.0)))


def feature_rows(X: np.ndarray | pd.DataFrame) -> np.ndarray:
    """Return X (n_samples, n_features) transposed as float64, without a copy if possible.

    An X that is not two-dimensional, has no feature, or has cells that are not numbers is an
    `InputError`.
    """
    try:
        values = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        name_bad_value(X, error)
        msg = f"X is no matrix of numbers ({error}); give samples in rows, one column per feature"
        raise InputError(msg) from error
    if values.ndim != 2 or values.shape[1] == 0:
        msg = f"X has shape {values.shape}; give samples in rows and at least one feature column"
        raise InputError(msg)
    return feature_major(values)


def codes_of_labels(y: np.ndarray, n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the sorted class labels of y and the code 0..k-1 of each sample.

    Not one label per sample, or labels of types without an order, are an `InputError`.
    """
    labels = np.asarray(y)
    if labels.shape != (n_samples,):
        msg = f"y has shape {labels.shape}; give one class label for each of {n_samples} samples"
        raise InputError(msg)
    missing = pd.isna(np.asarray(y, dtype=object))  # in an array of texts, NaN would be a label
    if missing.any():
        msg = (
            f"y has no label in row {int(np.argmax(missing))} "
            f"({counted(missing.sum(), 'sample', 'has', 'have')} none); "
            "label them or leave them out"
        )
        raise InputError(msg)
    try:
        classes, codes = np.unique(labels, return_inverse=True)
    except TypeError as error:
        msg = f"y mixes labels of different types ({error}); make all of them text"
        raise InputError(msg) from error
    return classes, codes


def feature_name(X: np.ndarray | pd.DataFrame, column: int) -> str:
    """Return the name of a column of X for a message, or its number."""
    return f"feature {X.columns[column]!r}" if isinstance(X, pd.DataFrame) else f"column {column}"


def refuse_not_finite(X: np.ndarray | pd.DataFrame, column: int) -> None:
    """Raise the InputError for a column of X that holds NaN, infinite or too large values."""
    values = feature_rows(X)[column]
    name = feature_name(X, column)
    if np.isfinite(values).all():
        msg = f"{name} ranges from {values.min()} to {values.max()}: too wide; rescale it"
        raise InputError(msg)
    row = int(np.argmin(np.isfinite(values)))
    msg = f"{name} is {values[row]} in row {row}; remove or impute missing and infinite values"
    raise InputError(msg)
