"""Parts of pipelines: the last step's explanations, and the features on which it depends."""

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.instances import is_instance
from xnbflow.data.read_counts import log_cpm
from xnbflow.evaluation.fitting import imputes, is_pipeline
from xnbflow.evaluation.selected import feature_use, last_estimator, last_step
from xnbflow.preprocessing.counts import CountNormalizer
from xnbflow.preprocessing.imputation import Imputer
from xnbflow.preprocessing.selector import selects_features

#: Steps of scikit-learn that transform each feature by itself.
_FEATURE_BY_FEATURE = (
    "sklearn.impute.SimpleImputer",
    "sklearn.preprocessing.MaxAbsScaler",
    "sklearn.preprocessing.MinMaxScaler",
    "sklearn.preprocessing.RobustScaler",
    "sklearn.preprocessing.StandardScaler",
)


def with_imputation(estimator: BaseEstimator) -> BaseEstimator:
    """Return a classifier that begins with imputation by medians, if it does not impute itself.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> with_imputation(GaussianNB())[0]
    Imputer()
    """
    if imputes(estimator):
        return estimator
    # the classifier needs the names of features, since it may break ties by them
    first = Imputer().set_output(transform="pandas")
    from sklearn.pipeline import Pipeline  # noqa: PLC0415  a tenth of a second

    return Pipeline([("impute", first), ("classify", estimator)])


def used_features(estimator: BaseEstimator, frame: pd.DataFrame) -> np.ndarray:
    """Return the positions of the features on which a fitted classifier's predictions depend.

    The ``frame`` (n_samples, n_features) has its training samples, or some of them.
    """
    everything = np.arange(frame.shape[1])
    # A decorrelated value depends on all features of a sample.
    decorrelates = hasattr(last_estimator(estimator), "decorrelated_")
    if decorrelates or not takes_features_apart(estimator):
        return everything
    use = feature_use(estimator, frame, explain=False)
    if use.selected is None:
        return everything
    return np.sort(frame.columns.get_indexer(use.selected["feature"].unique()))


def takes_counts(estimator: BaseEstimator) -> bool:
    """Return whether a classifier begins with counts of reads, which it normalises.

    Examples
    --------
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.pipeline import make_pipeline
    >>> takes_counts(make_pipeline(CountNormalizer(), GaussianNB())), takes_counts(GaussianNB())
    (True, False)
    """
    return any(isinstance(step, CountNormalizer) for step in _steps_before(estimator))


def takes_features_apart(estimator: BaseEstimator) -> bool:
    """Return whether the steps before the last transform each feature by itself."""
    for step in _steps_before(estimator):
        imputes = isinstance(step, Imputer)
        if not (imputes or selects_features(step) or is_instance(step, *_FEATURE_BY_FEATURE)):
            return False
    return True


def keeps_values(estimator: BaseEstimator) -> bool:
    """Return whether the last step gets the values of a sample unchanged, except missing ones."""
    for step in _steps_before(estimator):
        imputes = isinstance(step, Imputer) or is_instance(step, "sklearn.impute.SimpleImputer")
        if not (imputes or selects_features(step)):
            return False
    return True


def normalisation_of_counts(estimator: BaseEstimator) -> CountNormalizer | None:
    """Return the fitted step that normalises counts; None of a model of other values."""
    steps = estimator.named_steps.values() if is_pipeline(estimator) else ()
    return next((step for step in steps if isinstance(step, CountNormalizer)), None)


def described_values(estimator: BaseEstimator, frame: pd.DataFrame) -> pd.DataFrame:
    """Return samples on the scale on which they are described: counts as logarithms, all features.

    The library sizes and TMM factors are those of the model's features with enough reads. Values
    that are no counts stay as they are.
    """
    normaliser = normalisation_of_counts(estimator)
    if normaliser is None:
        return frame
    n_steps_before = [step for _, step in estimator.steps].index(normaliser)
    filtered = estimator[:n_steps_before].transform(frame) if n_steps_before else frame
    sizes = normaliser.library_sizes(np.asarray(filtered, dtype=float))
    counts = frame.to_numpy(dtype=float).T
    values = log_cpm(counts, sizes, normaliser.prior_count, normaliser.mean_size_)
    return pd.DataFrame(values.T, index=frame.index, columns=frame.columns)


def explainer(estimator: BaseEstimator) -> BaseEstimator | None:
    """Return the step that has evidence of single features; None without one."""
    last: BaseEstimator = last_estimator(estimator)
    return last if hasattr(last, "explain") else None


def is_relative(estimator: BaseEstimator) -> bool:
    """Return whether a classifier has evidence relative to a reference common to all classes."""
    return getattr(estimator, "explanation_scale_", "density") == "evidence"


def terms_of(estimator: BaseEstimator, X: pd.DataFrame) -> pd.DataFrame | None:
    """Return what each feature contributes to each class in samples X.

    See `BaseNaiveBayes.explain`; the column ``log_likelihood`` has the contributions of any
    classifier. ``estimator`` is fitted and has an `explainer`; None where a transformer makes new
    features.
    """
    last = last_step(estimator, X.columns.to_numpy())
    if last.names is None:
        return None
    terms = last.estimator.explain(X) if last.is_model else last.explain(X)
    return terms.rename(columns={"evidence": "log_likelihood"})


def _steps_before(estimator: BaseEstimator) -> list[BaseEstimator]:
    """Return the steps before the last, also those in nested pipelines and searches."""
    if is_pipeline(estimator):
        *before, last = [step for _, step in estimator.steps]
        return [*before, *_steps_before(last)]
    if hasattr(estimator, "best_estimator_"):
        return _steps_before(estimator.best_estimator_)
    return []
