"""Missing values of a fold, filled in by what its training samples have."""

from dataclasses import replace

import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from xnbflow.data.dataset import DataSet
from xnbflow.preprocessing.imputation import Imputer

__all__ = ["filled", "impute_within", "imputes"]


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
    """Return training and test samples, missing values replaced by the training samples' medians.

    Parameters
    ----------
    training, tested : DataFrame of shape (n_samples, n_features)

    Raises
    ------
    InputError
        If no value of the training samples is there.
    """
    imputer = Imputer().fit(training)
    return tuple(
        pd.DataFrame(imputer.transform(part), index=part.index, columns=part.columns, copy=False)
        for part in (training, tested)
    )


def filled(series: DataSet) -> DataSet:
    """Return a series without missing values, medians over all samples in their place.

    For what is drawn of all samples. Nothing that is fitted and tested may come of it.
    """
    values = Imputer().fit_transform(series.values.T).T
    return replace(series, values=values, missing=False)
