"""What happens inside a fold: groups of samples kept together, missing values filled in."""

import inspect
from dataclasses import replace
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.pipeline import Pipeline

from xnbflow.data.dataset import DataSet
from xnbflow.preprocessing.imputation import Imputer

__all__ = ["filled", "fit_grouped", "impute_within", "imputes"]


def fit_grouped(
    model: BaseEstimator, X: pd.DataFrame, y: np.ndarray, groups: np.ndarray | None
) -> BaseEstimator:
    """Fit a classifier; what it cross-validates inside keeps groups together, if it can.

    A ``fit`` that takes ``groups``, alone or at the end of pipelines, is given them. In searches of
    scikit-learn a number of folds ``cv``, which ignores them, becomes stratified group folds.
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


def imputes(model: BaseEstimator) -> bool:
    """Return whether a classifier imputes by a step of its own.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> imputes(GaussianNB()), imputes(make_pipeline(Imputer(), GaussianNB()))
    (False, True)
    """
    if isinstance(model, Pipeline):
        return any(imputes(step) for _, step in model.steps)
    return isinstance(model, Imputer) or type(model).__module__.startswith("sklearn.impute")


def impute_within(
    training: pd.DataFrame, tested: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return training and test samples, missing values replaced by the training medians."""
    imputer = Imputer().fit(training)
    return tuple(
        pd.DataFrame(imputer.transform(part), index=part.index, columns=part.columns, copy=False)
        for part in (training, tested)
    )


def filled(series: DataSet) -> DataSet:
    """Return a series without missing values, medians over all samples in their place.

    It is for drawings of all samples: what is fitted and tested must not be made from it.
    """
    if not series.missing:
        return series
    values = Imputer().fit_transform(series.values.T).T
    return replace(series, values=values, missing=False)
