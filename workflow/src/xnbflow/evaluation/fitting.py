"""Fits within a fold: groups of samples are kept together, missing values filled in."""

import inspect
from dataclasses import replace
from numbers import Integral

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.instances import is_instance
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.preprocessing.imputation import Imputer

#: Folds of scikit-learn's searches without a number.
_DEFAULT_FOLDS = 5


def is_pipeline(model: object) -> bool:
    """Return whether a model is a pipeline of scikit-learn, without importing its module."""
    return is_instance(model, "sklearn.pipeline.Pipeline")


def as_read(model: BaseEstimator, X: pd.DataFrame) -> pd.DataFrame | np.ndarray:
    """Return samples as an array if nothing in a model reads the names of their columns.

    Scikit-learn examines every column of a DataFrame at each fit and prediction: of 20,000 features
    this takes as long as a forest. Among its estimators only those of `sklearn.compose` read names.
    """
    nested = [value for value in model.get_params().values() if hasattr(value, "fit")]
    modules = [type(estimator).__module__ for estimator in [model, *nested]]
    reads_no_names = all(
        module.startswith("sklearn.") and not module.startswith("sklearn.compose")
        for module in modules
    )
    return X.to_numpy() if reads_no_names else X


def fit_grouped(
    model: BaseEstimator,
    X: pd.DataFrame | np.ndarray,
    y: np.ndarray,
    groups: np.ndarray | None,
) -> BaseEstimator:
    """Fit a classifier; its inner cross-validations keep groups together, if possible.

    ``groups`` are passed to a ``fit`` that has this parameter, also at the end of pipelines. In
    searches of scikit-learn a number of folds ``cv`` (None is 5), which ignores groups, becomes
    stratified group folds.
    """
    if groups is None:
        return model.fit(X, y)
    last = model
    prefix = ""
    while is_pipeline(last):
        name, last = last.steps[-1]
        prefix += f"{name}__"
    if "groups" not in inspect.signature(last.fit).parameters and not _searches(last):
        return model.fit(X, y)
    if _searches(last) and (last.cv is None or isinstance(last.cv, Integral)):
        n_splits = min(_DEFAULT_FOLDS if last.cv is None else last.cv, len(np.unique(groups)))
        from sklearn.model_selection import StratifiedGroupKFold  # noqa: PLC0415  a third of a second

        last.set_params(cv=StratifiedGroupKFold(n_splits))
    return model.fit(X, y, **{f"{prefix}groups": groups})


def _searches(model: BaseEstimator) -> bool:
    """Return whether a model is one of scikit-learn's searches over parameters."""
    return hasattr(model, "evaluate_candidates") or hasattr(model, "_run_search")


def imputes(model: BaseEstimator) -> bool:
    """Return whether a classifier has a step that imputes.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> imputes(GaussianNB()), imputes(make_pipeline(Imputer(), GaussianNB()))
    (False, True)
    """
    if is_pipeline(model):
        return any(imputes(step) for _, step in model.steps)
    return isinstance(model, Imputer) or type(model).__module__.startswith("sklearn.impute")


def impute_within(
    training: pd.DataFrame, tested: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return training and test samples, missing values replaced by the training medians."""
    imputer = Imputer().fit(training)

    def fill(frame: pd.DataFrame) -> pd.DataFrame:
        values = imputer.transform(frame)
        return pd.DataFrame(values, index=frame.index, columns=frame.columns, copy=False)

    return fill(training), fill(tested)


def filled(series: DataSet) -> DataSet:
    """Return a series without missing values, medians over all samples in their place.

    Counts become logarithms (`with_log_counts`). Both learn from all samples, but not from labels:
    use it for drawings and descriptions, not for fits that are tested.
    """
    series = with_log_counts(series)
    if not series.missing:
        return series
    values = Imputer().fit_transform(series.values.T).T
    return replace(series, values=values, missing=False)
