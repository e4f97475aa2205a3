"""What a fitted classifier says of the features it uses, in the names of the series."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from xnbflow.evaluation.sparse import features_with_effect
from xnbflow.evaluation.ties import ties_of

__all__ = [
    "SCALES",
    "FeatureUse",
    "class_priors",
    "feature_use",
    "last_step",
    "named",
    "transformed",
]

#: What a classifier's explanations are, as its ``explanation_scale_`` tells: log densities in the
#: unit of the feature (what is supposed of those that do not tell), evidence against a reference,
#: or log densities in a unit of the classifier's own.
SCALES = ("density", "evidence", "scaled")


@dataclass(frozen=True)
class FeatureUse:
    """The features that a classifier uses; tables are None where it does not tell.

    Attributes
    ----------
    per_class : float
        Number of features, mean over classes; missing where a transformer makes new ones.
    distinct : float
        Number of features that any class uses; missing likewise.
    selected : DataFrame or None
        ``class``, ``rank``, ``feature``, ``distance``, for a classifier that does not use all;
        ``constant`` if it tells.
    distances : DataFrame or None
        ``class``, ``feature``, ``other_class``, ``distance``.
    explanations : DataFrame or None
        ``sample``, ``class``, ``feature``, ``log_likelihood``, ``scale`` (one of `SCALES`).
    priors : DataFrame or None
        ``class``, ``log_prior``, ``intercept``: what a class has before any feature speaks, of a
        classifier that explains.
    ties : DataFrame or None
        See `xnbflow.evaluation.ties.ties_of`.
    """

    per_class: float
    distinct: float
    selected: pd.DataFrame | None = None
    distances: pd.DataFrame | None = None
    explanations: pd.DataFrame | None = None
    priors: pd.DataFrame | None = None
    ties: pd.DataFrame | None = None


def feature_use(model: BaseEstimator, X: pd.DataFrame, *, explain: bool) -> FeatureUse:
    """Return which features a fitted classifier uses.

    Parameters
    ----------
    model : estimator
        It tells by ``selected_features_``; which of them it could exchange for others by
        ``tied_features_`` (see `xnbflow.evaluation.ties.ties_of`), and which are there only
        because a class is constant by ``spike_features_`` (for each class their names). Of a
        pipeline the last step does, and transformers that select (`sklearn.feature_selection`) or
        keep features do; of a search over parameters the best estimator. Of models that set
        effects to 0 (`xnbflow.evaluation.sparse`) features are counted, not listed.
    X : DataFrame of shape (n_samples, n_features)
        Samples to explain.
    explain : bool
        Whether to explain them, if the classifier can.
    """
    everything = float(len(X.columns))
    last, before, names = last_step(model, X.columns.to_numpy())
    if names is None:
        return FeatureUse(np.nan, np.nan)
    chosen = getattr(last, "selected_features_", None)
    if chosen is None:
        used = features_with_effect(last)
        if used is not None:
            return FeatureUse(float(used.sum(axis=1).mean()), float(used.any(axis=0).sum()))
        if len(names) == everything:
            return FeatureUse(everything, everything)
        chosen = dict.fromkeys(model.classes_, names)
    rename = dict(enumerate(names)) if last is not model else {}
    chosen = {label: [rename.get(f, f) for f in features] for label, features in chosen.items()}
    distances = explanations = priors = None
    if hasattr(last, "pair_distances_"):
        distances = _renamed(last.pair_distances_, feature=rename)
    if explain and hasattr(last, "selected_features_") and hasattr(last, "explain"):
        explanations = last.explain(transformed(before, X))
        samples = X.index if last is not model else []
        explanations = named(explanations, samples, names if last is not model else [])
        explanations["scale"] = _scale(last)
        priors = class_priors(last)
    rows = _selected_rows(chosen, getattr(last, "selected_distances_", {}))
    if hasattr(last, "spike_features_"):
        rows["constant"] = _is_listed(rows, last.spike_features_, rename)
    return FeatureUse(
        float(np.mean([len(features) for features in chosen.values()])),
        float(len(set().union(*chosen.values()))),
        rows,
        distances,
        explanations,
        priors,
        _ties(last, chosen, rename),
    )


def class_priors(model: Any) -> pd.DataFrame:
    """Return ``class``, its ``log_prior``, and the ``intercept`` of its calibration, 0 without one.

    Parameters
    ----------
    model : naive Bayes classifier
        Fitted.
    """
    intercept = getattr(model, "calibration_intercept_", np.zeros(len(model.classes_)))
    return pd.DataFrame(
        {
            "class": model.classes_.astype(str),
            "log_prior": model.class_log_prior_,
            "intercept": intercept,
        }
    )


def _scale(model: BaseEstimator) -> str:
    """Return what a fitted classifier's explanations are, one of `SCALES`."""
    scale = getattr(model, "explanation_scale_", SCALES[0])
    if scale not in SCALES:
        msg = f"{type(model).__name__}: explanation_scale_ is {scale!r}, none of {SCALES}"
        raise ValueError(msg)
    return scale


def last_step(
    model: BaseEstimator, names: np.ndarray | None = None
) -> tuple[BaseEstimator, list[Pipeline], np.ndarray | None]:
    """Return the estimator at the end of pipelines and searches, what is before it, and its input.

    Parameters
    ----------
    model : estimator
    names : ndarray of shape (n_features,), optional
        Names of its features; without them only the last step is told.

    Returns
    -------
    last : estimator
    before : list of Pipeline
        What transforms samples for it, see `transformed`.
    names : ndarray or None
        Names of its features; None where a transformer makes new ones or does not tell.
    """
    before = []
    while isinstance(model, Pipeline) or hasattr(model, "best_estimator_"):
        if not isinstance(model, Pipeline):
            model = model.best_estimator_
            continue
        if len(model) > 1 and names is not None:
            before.append(model[:-1])
            names = _names_after(before[-1], names)
        model = model[-1]
    return model, before, names


def transformed(before: Sequence[Pipeline], X: pd.DataFrame) -> Any:
    """Return samples as the last step sees them."""
    for transformers in before:
        X = transformers.transform(X)
    return X


def _names_after(transformers: Pipeline, names: np.ndarray) -> np.ndarray | None:
    try:
        after = transformers.get_feature_names_out(names)
    except (AttributeError, NotImplementedError, ValueError):
        return None
    return after if pd.Index(after).isin(names).all() else None  # numpy.isin compares all pairs


def named(terms: pd.DataFrame, samples: Iterable[Any], names: Iterable[Any]) -> pd.DataFrame:
    """Return explanations of a pipeline's last step with the names of samples and features.

    That step knows either by name already, or by position.
    """
    return _renamed(terms, feature=dict(enumerate(names)), sample=dict(enumerate(samples)))


def _renamed(table: pd.DataFrame, **names: Mapping[Any, Any]) -> pd.DataFrame:
    """Return a table with the values of some columns replaced, and as text."""
    changed = {
        column: [str(known.get(value, value)) for value in table[column]]
        for column, known in names.items()
    }
    return table.assign(**changed)


def _is_listed(
    selected: pd.DataFrame, listed: Mapping[Any, Sequence[Any]], rename: Mapping[Any, Any]
) -> list[bool]:
    """Return which of the selected features are in their class's list."""
    known = {
        (str(label), str(rename.get(name, name)))
        for label, names in listed.items()
        for name in names
    }
    return [key in known for key in zip(selected["class"], selected["feature"], strict=True)]


def _ties(
    model: BaseEstimator, selected: Mapping[Any, Sequence[str]], rename: Mapping[Any, Any]
) -> pd.DataFrame | None:
    """Return the ties of a classifier that tells them; those at the end of a pipeline renamed."""
    if not hasattr(model, "tied_features_"):
        return None
    return ties_of(model.tied_features_, selected, rename)


def _selected_rows(
    selected: Mapping[Any, Sequence[str]], distances: Mapping[Any, Sequence[float]]
) -> pd.DataFrame:
    rows = []
    for label, features in selected.items():
        measured = distances.get(label, np.full(len(features), np.nan))
        for rank, (feature, distance) in enumerate(zip(features, measured, strict=True), start=1):
            rows.append((str(label), rank, str(feature), float(distance)))
    return pd.DataFrame(rows, columns=["class", "rank", "feature", "distance"])
