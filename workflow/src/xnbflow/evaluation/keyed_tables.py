"""Tables of classifiers by data set, scheme of folds and classifier."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet

#: Prefix of the columns of the predictions that hold the log-posterior of a class.
LOG_POSTERIOR = "log_posterior."

#: Columns that name a classifier on a data set, and columns that name one of its fits.
KEY = ["dataset", "folds", "classifier"]
FOLD = ["repeat", "fold"]

#: Key of the results of a classifier: data set, scheme of folds, classifier.
Key = tuple[str, str, str]

#: Tables of all repeats.
Tables = Mapping[Key, pd.DataFrame]
Headers = Mapping[str, DataSet]


def key_fields(key: Key) -> dict[str, str]:
    """Return the fields of a row that identify its classifier."""
    return dict(zip(KEY, key, strict=True))


def stack(tables: Tables, columns: list[str]) -> pd.DataFrame:
    """Put the given columns of all classifiers into one table, with their key."""
    if not tables:
        return pd.DataFrame(columns=[*KEY, *columns])
    rows = pd.concat({key: table[columns] for key, table in tables.items()}, names=KEY)
    return rows.reset_index(KEY).reset_index(drop=True)


class PredictionArrays(NamedTuple):
    """Predictions as arrays.

    ``true`` and ``predicted`` (n_samples,) are labels, ``log_posterior`` (n_samples, n_classes) is
    None where a classifier has no probabilities, ``classes`` are its columns.
    """

    true: np.ndarray
    predicted: np.ndarray
    log_posterior: np.ndarray | None
    classes: np.ndarray


def arrays(table: pd.DataFrame, header: DataSet) -> PredictionArrays:
    """Return the predictions of a table as arrays."""
    log_posterior = table[[LOG_POSTERIOR + label for label in header.classes]].to_numpy(dtype=float)
    return PredictionArrays(
        true=table["true"].to_numpy(dtype=str),
        predicted=table["predicted"].to_numpy(dtype=str),
        log_posterior=None if np.isnan(log_posterior).all() else log_posterior,
        classes=header.classes,
    )
