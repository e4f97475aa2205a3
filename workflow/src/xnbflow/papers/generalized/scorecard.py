"""Scoring by a look-up table alone, without the classifier that made it (Larsen 2005)."""

import numpy as np
import pandas as pd
from scipy.special import expit

from xnbflow.core.errors import InputError
from xnbflow.papers.generalized.naive_effect import look_up

__all__ = ["score"]


def score(scorecard: pd.DataFrame, X: np.ndarray | pd.DataFrame) -> np.ndarray:
    """Return the probability of the second class, shape (n_samples,).

    Parameters
    ----------
    scorecard : DataFrame
        What `GeneralizedNB.scorecard` returns, fresh or read from a file.
    X : array-like of shape (n_samples, n_features)
        Samples. A DataFrame's columns are found by name and may stand in any order; an array's
        are those of training. A missing feature or a value that is not finite is refused.

    Examples
    --------
    >>> from xnbflow.naive_bayes import GeneralizedNB
    >>> X, y = np.array([[0.0], [0.0], [1.0], [1.0]]), [0, 1, 0, 1]
    >>> model = GeneralizedNB().fit(X, y)
    >>> bool(np.allclose(score(model.scorecard(), X), model.predict_proba(X)[:, 1]))
    True
    """
    tables = dict(list(scorecard.groupby("feature", sort=False)))
    log_odds = tables.pop("(intercept)")["sum"].iloc[0]
    if not isinstance(X, pd.DataFrame):
        X = np.asarray(X)
        if X.ndim != 2 or X.shape[1] != len(tables):
            msg = f"the samples have shape {X.shape}, but the scorecard has {len(tables)} features"
            raise InputError(msg)
        X = pd.DataFrame(X, columns=list(tables))
    missing = [feature for feature in tables if feature not in X.columns]
    if missing:
        msg = f"the samples lack column {missing[0]!r} of the scorecard ({len(missing)} missing)"
        raise InputError(msg)
    for feature, table in tables.items():
        column = X[feature].to_numpy(dtype=np.float64)
        if not np.isfinite(column).all():
            row = int(np.argmin(np.isfinite(column)))
            msg = f"column {feature!r} is {column[row]} in row {row}; impute or remove it first"
            raise InputError(msg)
        points, sums = table["value"].to_numpy(), table["sum"].to_numpy()
        categorical = table["kind"].iloc[0] == "categorical"
        log_odds = log_odds + look_up(points, sums, column, categorical=categorical)
    return expit(log_odds)
