"""Groups of samples in what happens inside a fit: inner cross-validations keep them together."""

import inspect
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import Pipeline

__all__ = ["fit_grouped"]


def fit_grouped(
    model: BaseEstimator, X: pd.DataFrame, y: np.ndarray, groups: np.ndarray | None
) -> BaseEstimator:
    """Fit a classifier; what it cross-validates inside keeps groups together, if it can.

    Parameters
    ----------
    model : estimator
        A classifier whose ``fit`` takes ``groups``, alone or at the end of pipelines, is given
        them. Where it has a number of folds as ``cv``, as scikit-learn's searches have, stratified
        group folds stand for it: those of a number would ignore the groups. Estimators that do not
        take groups are fitted without.
    X : DataFrame of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    groups : ndarray of shape (n_samples,) or None
    """
    if groups is None:
        return model.fit(X, y)
    last, prefix = model, ""
    while isinstance(last, Pipeline):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    if "groups" not in inspect.signature(last.fit).parameters and not _searches(last):
        return model.fit(X, y)
    if isinstance(getattr(last, "cv", None), Integral) and _searches(last):
        n_splits = min(last.cv, len(np.unique(groups)))
        last.set_params(cv=StratifiedGroupKFold(n_splits))
    return model.fit(X, y, **{f"{prefix}groups": groups})


def _searches(model: BaseEstimator) -> bool:
    """Return whether a model is one of scikit-learn's searches over parameters."""
    return hasattr(model, "evaluate_candidates") or hasattr(model, "_run_search")
