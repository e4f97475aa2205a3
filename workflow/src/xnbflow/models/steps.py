"""Parts of pipelines: the last step's explanations, and the features on which it depends."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

from xnbflow.evaluation.fitting import imputes, sample_columns
from xnbflow.evaluation.selected import feature_use, last_step, named, transformed
from xnbflow.naive_bayes.class_specific_nb import BaseClassSpecificNB
from xnbflow.preprocessing.designs import OfSamples
from xnbflow.preprocessing.imputation import Imputer
from xnbflow.preprocessing.normalisation import Log2

__all__ = [
    "explainer",
    "imputing",
    "is_relative",
    "keeps_values",
    "takes_features_apart",
    "terms_of",
    "used_features",
]

#: Steps that take each feature by itself: what they make of one depends on no other.
_FEATURE_BY_FEATURE = (
    Imputer, Log2, MaxAbsScaler, MinMaxScaler, OfSamples, RobustScaler, SelectorMixin,
    SimpleImputer, StandardScaler,
)  # fmt: skip


def imputing(estimator: BaseEstimator) -> BaseEstimator:
    """Return a classifier that begins with imputation by medians, if it does not impute itself.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> imputing(GaussianNB())[0]
    Imputer()
    """
    if imputes(estimator):
        return estimator
    # the classifier must see features by their names: it may break ties by them
    first = Imputer().set_output(transform="pandas")
    return Pipeline([("impute", first), ("classify", estimator)])


def used_features(estimator: BaseEstimator, frame: pd.DataFrame) -> np.ndarray:
    """Return the positions of the features that a fitted classifier's answers depend on.

    The ``frame`` (n_samples, n_features) has its training samples, or some of them.
    """
    everything = np.arange(frame.shape[1] - len(sample_columns(estimator)))
    if not takes_features_apart(estimator):
        return everything
    use = feature_use(estimator, frame, explain=False)
    if use.selected is None:
        return everything
    return np.sort(frame.columns.get_indexer(use.selected["feature"].unique()))


def takes_features_apart(estimator: BaseEstimator) -> bool:
    """Whether the steps before the last make of each feature something that no other changes."""
    return all(isinstance(step, _FEATURE_BY_FEATURE) for step in _steps_before(estimator))


def keeps_values(estimator: BaseEstimator) -> bool:
    """Whether the last step sees the values of a sample as they are, but for missing ones."""
    kept = (Imputer, SelectorMixin, SimpleImputer)
    return all(isinstance(step, kept) for step in _steps_before(estimator))


def explainer(estimator: BaseEstimator) -> BaseEstimator | None:
    """Return the step that splits its answers over features; None where none does."""
    last, _, _ = last_step(estimator)
    return last if hasattr(last, "explain") else None


def is_relative(estimator: BaseEstimator) -> bool:
    """Whether a classifier weighs each feature against a reference that all classes share."""
    return isinstance(estimator, BaseClassSpecificNB)


def terms_of(estimator: BaseEstimator, X: pd.DataFrame) -> pd.DataFrame | None:
    """Return each feature's evidence for each class in samples X, see `BaseNaiveBayes.explain`.

    ``estimator`` is fitted and has an `explainer`; None where a transformer makes new features.
    """
    last, before, names = last_step(estimator, X.columns.to_numpy())
    if names is None:
        return None
    terms = last.explain(transformed(before, X))
    if last is estimator:
        return terms
    return named(terms, X.index, names)


def _steps_before(estimator: BaseEstimator) -> list[BaseEstimator]:
    """Return the steps before the last, those of pipelines and searches in it among them."""
    if isinstance(estimator, Pipeline):
        *before, last = (step for _, step in estimator.steps)
        return [*before, *_steps_before(last)]
    if hasattr(estimator, "best_estimator_"):
        return _steps_before(estimator.best_estimator_)
    return []
