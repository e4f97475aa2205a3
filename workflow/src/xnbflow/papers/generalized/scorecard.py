"""Scoring samples by an exported look-up table alone, without the fitted classifier (Larsen 2005).

The paper's macro %SCOREGNBC does this with the tables that %GNBC writes. The card is a CSV file
with a row for the intercept and a row for each feature and distinct training value. The log odds
of a sample with values ``x_j`` are

    log odds = sum(intercept) + sum_j e_j(x_j),    p = 1 / (1 + exp(-log odds)),

where ``e_j`` is read from the rows of feature j, of which ``value`` v and ``sum`` s ascend in v:

* ``continuous``: between two rows, ``s_i + (x - v_i) / (v_{i+1} - v_i) * (s_{i+1} - s_i)``; below
  the first row its sum, above the last row its sum;
* ``categorical``: the sum of the row with this value, and 0 without one.

Any spreadsheet or database can apply it. This module does so with NumPy and pandas.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit

from xnbflow.core.errors import InputError

#: Name of the intercept's row, and the columns that scoring needs.
INTERCEPT = "(intercept)"
SCORECARD_COLUMNS = ("feature", "kind", "value", "sum")


def read_scorecard(path: Path | str) -> pd.DataFrame:
    """Read a card that was written by ``GeneralizedNB.scorecard().to_csv(path, index=False)``.

    An `InputError` names a missing column, a card without intercept, or a sum that is no number.
    """
    card = pd.read_csv(path, dtype={"feature": str})
    missing = [column for column in SCORECARD_COLUMNS if column not in card]
    if missing:
        columns = list(SCORECARD_COLUMNS)
        msg = f"{path} lacks column {missing[0]!r}; a scorecard has the columns {columns}"
        raise InputError(msg)
    if np.count_nonzero(card["feature"] == INTERCEPT) != 1:
        msg = f"{path} must have exactly one row whose feature is {INTERCEPT!r}"
        raise InputError(msg)
    if not np.isfinite(pd.to_numeric(card["sum"], errors="coerce")).all():
        msg = f"{path} has a sum that is not a finite number; export the card again"
        raise InputError(msg)
    return card


def score(card: pd.DataFrame, X: np.ndarray | pd.DataFrame) -> np.ndarray:
    """Return the probability of the second class, shape (n_samples,).

    Parameters
    ----------
    card : DataFrame
        As `GeneralizedNB.scorecard` returns or `read_scorecard` reads it.
    X : array-like of shape (n_samples, n_features)
        Samples. The columns of a DataFrame are found by their names and may be in any order; those
        of an array are in the order of training.

    Raises
    ------
    InputError
        If a feature of the card is missing or a value is not finite.

    Examples
    --------
    >>> card = pd.DataFrame(
    ...     {
    ...         "feature": ["(intercept)", "dose", "dose"],
    ...         "kind": ["intercept", "continuous", "continuous"],
    ...         "value": [np.nan, 0.0, 10.0],
    ...         "sum": [-1.0, 0.0, 4.0],
    ...     }
    ... )
    >>> score(card, pd.DataFrame({"dose": [2.5, 99.0]})).round(3)  # log odds 0 and 3
    array([0.5  , 0.953])
    """
    features = card.loc[card["feature"] != INTERCEPT, "feature"].unique()
    samples = _samples_of(features, X)
    log_odds = np.full(len(samples), card.loc[card["feature"] == INTERCEPT, "sum"].item())
    for feature in features:
        rows = card[card["feature"] == feature].sort_values("value")
        values = rows["value"].to_numpy()
        sums = rows["sum"].to_numpy()
        column = samples[feature].to_numpy(dtype=np.float64)
        if not np.isfinite(column).all():
            row = int(np.argmin(np.isfinite(column)))
            msg = f"column {feature!r} is {column[row]} in row {row}; impute or remove it first"
            raise InputError(msg)
        if rows["kind"].iloc[0] == "categorical":
            log_odds += samples[feature].map(dict(zip(values, sums, strict=True))).fillna(0.0)
        else:
            log_odds += np.interp(column, values, sums)
    return np.asarray(expit(log_odds))


def _samples_of(features: np.ndarray, X: np.ndarray | pd.DataFrame) -> pd.DataFrame:
    """Return the samples as a table with the columns ``features``."""
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != len(features):
            msg = f"the samples have shape {X.shape}; the scorecard has {len(features)} features"
            raise InputError(msg)
        return pd.DataFrame(X, columns=features)
    missing = [feature for feature in features if feature not in X.columns]
    if missing:
        msg = f"the samples lack column {missing[0]!r} of the scorecard ({len(missing)} missing)"
        raise InputError(msg)
    return X
