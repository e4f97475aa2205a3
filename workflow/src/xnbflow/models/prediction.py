"""Prediction for new samples: labels, probabilities, sets of classes, typicality and warnings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError
from xnbflow.evaluation.selected import class_priors
from xnbflow.models.alignment import AlignedSamples, align, can_drop, resolve_missing
from xnbflow.models.pipelines import described_values, explainer, terms_of
from xnbflow.models.prediction_notes import prediction_notes
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import ATYPICAL, typicality_features
from xnbflow.naive_bayes.conformal import ERROR_RATE, sets_of_classes


@dataclass(frozen=True)
class Prediction:
    """The predictions of a model for samples.

    Attributes
    ----------
    table : DataFrame
        One row per sample: ``sample``, ``label``, ``probability.{class}`` (missing without
        probabilities), ``set`` and ``set_level`` (where the classifier has conformal sets, see
        `class_sets`, and their nominal coverage), ``typicality`` (share of held-out training
        samples that are less typical, at least one in ``n_samples + 1``) and ``atypical`` (without
        that limit it is below .01). A sample without any value has no typicality and is atypical.
    notes : list of str
        Warnings: missing features and their share of the evidence, another scale, atypical samples.
    """

    table: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def predict_table(model: TrainedModel, X: pd.DataFrame, missing: str = "auto") -> Prediction:
    """Predict samples.

    Parameters
    ----------
    model : TrainedModel
    X : DataFrame of shape (n_samples, n_features)
        Samples by features; columns in any order, further ones are ignored. The index names the
        samples. NaN where a value is missing.
    missing : {"auto", "error", "impute", "drop"}
        What to do where a feature that the model uses is absent, or its value missing: refuse; take
        the training median; or leave its evidence out, which is possible only for naive Bayes. A
        model that was trained with missing values fills single ones in by itself. "auto" leaves the
        evidence out where the model can (`xnbflow.models.alignment.can_drop`) and does not fill
        values in, or else refuses.

    Returns
    -------
    Prediction
        A row per sample, and notes on what may make the predictions unreliable.

    Raises
    ------
    InputError
        If there is no sample, if a feature is missing, named twice or has a cell that is not a
        finite number.

    Examples
    --------
    >>> from xnbflow.models import fit_model
    >>> from xnbflow.sources.acquire import acquire
    >>> from xnbflow.sources.dataset_entry import DatasetEntry
    >>> wine = acquire(DatasetEntry("wine", "bundled", "wine"))
    >>> model = fit_model(wine, {"method": "gaussian_nb"})
    >>> new_samples = wine.frame()[:2]
    >>> predict_table(model, new_samples).table[["label", "atypical"]].values.tolist()
    [['class_0', False], ['class_0', False]]
    """
    missing = resolve_missing(model, missing)
    aligned = align(model, X, missing)
    log_posterior = _log_posterior(model, aligned, missing)
    if log_posterior is None:
        labels = np.asarray(model.estimator.predict(aligned.frame), dtype=str)
        probabilities = np.full((len(X), len(model.classes)), np.nan)
    else:
        labels = np.asarray(model.classes)[log_posterior.argmax(axis=1)]
        probabilities = np.exp(log_posterior)
    table = pd.DataFrame({"sample": X.index.astype(str), "label": labels})
    for label, column in zip(model.classes, probabilities.T, strict=True):
        table[f"probability.{label}"] = column
    sets = class_sets(model, probabilities)
    if sets is not None:
        table["set"] = sets
        table["set_level"] = 1.0 - ERROR_RATE
    typicality = _sample_typicality(model, aligned)
    smallest = 1 / (1 + len(model.typicality.held_out))
    table["typicality"] = np.maximum(typicality, smallest)
    table["atypical"] = ~(typicality >= ATYPICAL)
    notes = prediction_notes(model, X, table, lacking=aligned.lacking, missing=missing)
    return Prediction(table, list(notes))


def _log_posterior(model: TrainedModel, samples: AlignedSamples, missing: str) -> np.ndarray | None:
    """Return log posteriors (n_samples, n_classes); None of a classifier without probabilities."""
    estimator = model.estimator
    frame = samples.frame
    if missing == "drop" and samples.lacking.any():
        log_posterior = np.empty((len(frame), len(model.classes)))
        for pattern, rows in _patterns(samples.lacking):
            lacking_features = model.required[pattern]
            log_posterior[rows] = _log_posterior_without(
                estimator, frame.iloc[rows], lacking_features
            )
        return log_posterior
    if hasattr(estimator, "predict_log_proba"):
        return estimator.predict_log_proba(frame)
    if hasattr(estimator, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(estimator.predict_proba(frame))
    return None


def _log_posterior_without(
    estimator: BaseEstimator, X: pd.DataFrame, features: Sequence[str]
) -> np.ndarray:
    """Return log posteriors (n_samples, n_classes) from the evidence of all features but some.

    Only naive Bayes whose classes stay comparable can leave a feature out: all classes use the same
    features, or each one's are relative to a common reference. The values of X there are ignored.
    """
    last: Any = explainer(estimator)
    terms = terms_of(estimator, X.set_axis(np.arange(len(X)))) if can_drop(estimator) else None
    if terms is None:
        msg = (
            f"{type(estimator if last is None else last).__name__} cannot leave a feature out: its "
            "classes would no longer be comparable; impute the missing ones"
        )
        raise InputError(msg)
    priors = class_priors(last)
    joint = np.tile((priors["log_prior"] + priors["intercept"]).to_numpy(), (len(X), 1))
    terms = terms[~terms["feature"].isin(features)]
    for code, label in enumerate(last.classes_):
        class_terms = terms[terms["class"] == label]
        sums = class_terms.groupby("sample")["log_likelihood"].sum()
        joint[sums.index.astype(int), code] += sums
    return joint - logsumexp(joint, axis=1, keepdims=True)


def class_sets(model: TrainedModel, posterior: np.ndarray) -> list[str] | None:
    """Return the classes that each sample may belong to, as "a or b".

    They are conformal sets of error rate `ERROR_RATE`, see
    `xnbflow.naive_bayes.ClassSpecificNBCV.predict_set`; None where the classifier has none.
    """
    members = sets_of_classes(explainer(model.estimator), posterior)
    if members is None:
        return None
    return [" or ".join(compress(model.classes, row)) for row in members]


def _sample_typicality(model: TrainedModel, samples: AlignedSamples) -> np.ndarray:
    """Return the typicality of each sample by the features that it has."""
    positions = typicality_features(model.used)
    frame = described_values(model.estimator, samples.frame)
    lacking = samples.lacking[:, np.searchsorted(model.used, positions)]
    typicality = np.full(len(frame), np.nan)
    for pattern, rows in _patterns(lacking):
        if pattern.all():
            continue
        training = model.typicality.restricted(~pattern) if pattern.any() else model.typicality
        values = frame.iloc[rows, positions[~pattern]].to_numpy().T
        typicality[rows] = training.typicality(values)
    return typicality


def _patterns(lacking: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield masks of lacking features, (n_used,), and the samples that lack exactly these."""
    patterns, pattern_of_sample = np.unique(lacking, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        yield pattern, np.flatnonzero(pattern_of_sample.reshape(-1) == i)
