"""Prediction for new samples: columns put in order, what is missing and what is unlike said."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from xnbflow.errors import InputError, require_choice
from xnbflow.models.scale import scale_note
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import ATYPICAL, features_to_look_at
from xnbflow.naive_bayes.class_specific_nb import BaseClassSpecificNB
from xnbflow.naive_bayes.independent import IndependentNB

__all__ = ["MISSING", "Prediction", "aligned", "log_posterior_without", "predict_table"]

#: What may be done about a feature that the model uses and the table lacks.
MISSING = ("error", "impute", "drop")

_SHOWN = 5


@dataclass(frozen=True)
class Prediction:
    """What a model says of samples.

    Attributes
    ----------
    table : DataFrame
        One row per sample: ``sample``, ``label``, ``probability.{class}`` (missing without
        probabilities), ``typicality`` (share of held-out training samples that are less typical)
        and ``atypical`` (typicality below .01).
    notes : list of str
        What a reader must know: missing features and what that costs, another scale, how many
        samples are atypical.
    """

    table: pd.DataFrame
    notes: list[str] = field(default_factory=list)


def predict_table(model: TrainedModel, X: pd.DataFrame, missing: str = "error") -> Prediction:
    """Predict samples.

    Parameters
    ----------
    model : TrainedModel
    X : DataFrame of shape (n_samples, n_features)
        Samples by features; columns in any order, further ones are ignored. The index names the
        samples.
    missing : {"error", "impute", "drop"}
        What to do where a feature that the model uses is absent: refuse; take the training
        median; or leave its evidence out, which only a naive Bayes classifier can.

    Raises
    ------
    InputError
        If a feature is missing, named twice or holds something that is no finite number.
    """
    require_choice("missing", missing, MISSING)
    frame, absent = aligned(model, X, missing)
    log_posterior = _log_posterior(model, frame, absent if missing == "drop" else np.empty(0, int))
    labels, probabilities = _answers(model, frame, log_posterior)
    typicality = _typicality(model, frame, absent)
    table = pd.DataFrame({"sample": X.index.astype(str), "label": labels})
    for label, column in zip(model.classes, probabilities.T, strict=True):
        table[f"probability.{label}"] = column
    table["typicality"], table["atypical"] = typicality, typicality < ATYPICAL
    notes = [_absent_note(model, absent, missing), _scale_note(model, X), _atypical_note(table)]
    return Prediction(table, [note for note in notes if note])


def aligned(model: TrainedModel, X: pd.DataFrame, missing: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return samples with the model's columns in order, and the positions of absent ones it uses.

    Absent columns hold the training median.
    """
    repeated = X.columns[X.columns.duplicated()]
    if len(repeated):
        msg = f"the table has {len(repeated)} repeated columns, {str(repeated[0])!r} for one"
        raise InputError(f"{msg}; a feature is named once")
    places = X.columns.astype(str).get_indexer(model.features)
    absent = model.used[places[model.used] < 0]
    if len(absent) == len(model.used):
        msg = (
            f"the table has none of the model's {len(model.used)} features, "
            f"{_named(model.features[absent])}; are its samples in rows and named alike?"
        )
        raise InputError(msg)
    if len(absent) and missing == "error":
        msg = (
            f"the table lacks {len(absent)} of the model's {len(model.used)} features: "
            f"{_named(model.features[absent])}; add them, or choose to impute or drop them"
        )
        raise InputError(msg)
    values = np.tile(model.quartiles[1], (len(X), 1))
    present = places >= 0
    values[:, present] = _numbers(X, places[present])
    return pd.DataFrame(values, index=X.index, columns=model.features), absent


def _numbers(X: pd.DataFrame, places: np.ndarray) -> np.ndarray:
    try:
        values = X.iloc[:, places].to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        msg = f"the table holds something that is no number ({error}); correct it"
        raise InputError(msg) from error
    wrong = np.argwhere(~np.isfinite(values))
    if len(wrong):
        row, column = wrong[0]
        msg = (
            f"sample {X.index[row]!r}: {X.columns[places[column]]!r} is {values[row, column]} "
            f"({len(wrong)} values are missing or infinite); fill them in or leave the column out"
        )
        raise InputError(msg)
    return values


def _log_posterior(
    model: TrainedModel, frame: pd.DataFrame, dropped: np.ndarray
) -> np.ndarray | None:
    estimator = model.estimator
    if len(dropped):
        return log_posterior_without(estimator, frame, model.features[dropped])
    if hasattr(estimator, "predict_log_proba"):
        return estimator.predict_log_proba(frame)
    if hasattr(estimator, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(estimator.predict_proba(frame))
    return None


def log_posterior_without(
    estimator: BaseEstimator, X: pd.DataFrame, features: Sequence[str]
) -> np.ndarray:
    """Return log posteriors from the evidence of all features but some.

    Parameters
    ----------
    estimator : classifier
        Naive Bayes whose classes stay comparable where a feature is left out: all classes use
        the same features, or each one's are relative to a common reference.
    X : DataFrame of shape (n_samples, n_features)
    features : sequence of str
        Those to leave out; what X holds there is of no matter.

    Returns
    -------
    ndarray of shape (n_samples, n_classes)

    Raises
    ------
    InputError
        If the classifier cannot leave features out.
    """
    relative = isinstance(estimator, BaseClassSpecificNB) and estimator.evidence != "absolute"
    if not isinstance(estimator, IndependentNB) and not relative:
        msg = (
            f"{type(estimator).__name__} cannot leave a feature out: its classes would no longer "
            "be comparable; impute the missing ones"
        )
        raise InputError(msg)
    terms = estimator.explain(X.set_axis(np.arange(len(X))))
    joint = np.tile(estimator.class_log_prior_, (len(X), 1))
    for code, label in enumerate(estimator.classes_):
        own = terms[(terms["class"] == label) & ~terms["feature"].isin(features)]
        sums = own.groupby("sample")["log_likelihood"].sum()
        joint[sums.index, code] += sums
    return joint - logsumexp(joint, axis=1, keepdims=True)


def _answers(
    model: TrainedModel, frame: pd.DataFrame, log_posterior: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return labels and probabilities, the latter missing where the classifier gives none."""
    if log_posterior is None:
        unknown = np.full((len(frame), len(model.classes)), np.nan)
        return np.asarray(model.estimator.predict(frame), dtype=str), unknown
    labels = np.asarray(model.estimator.classes_)[log_posterior.argmax(axis=1)]
    return labels.astype(str), np.exp(log_posterior)


def _typicality(model: TrainedModel, frame: pd.DataFrame, absent: np.ndarray) -> np.ndarray:
    """Return the typicality of each sample, told from the features that the table has."""
    looked_at = features_to_look_at(model.used)
    present = ~np.isin(looked_at, absent)
    learned = model.typicality if present.all() else model.typicality.restricted(present)
    return learned.typicality(frame.to_numpy().T[looked_at[present]])


def _absent_note(model: TrainedModel, absent: np.ndarray, missing: str) -> str | None:
    if not len(absent):
        return None
    done = {
        "impute": "stand at their training medians",
        "drop": "are left out of the evidence",
    }[missing]
    return (
        f"{len(absent)} of the model's {len(model.used)} features are missing and {done} "
        f"({_named(model.features[absent])}){_lost(model, absent)}"
    )


def _lost(model: TrainedModel, absent: np.ndarray) -> str:
    """Return how many of its features each class has lost, where classes have their own."""
    if model.signature.empty:
        return ""
    lost = model.signature["feature"].isin(model.features[absent])
    shares = lost.groupby(model.signature["class"], sort=False).agg(["sum", "size"])
    told = [
        f"{label} {row['sum']} of {row['size']}" for label, row in shares.iterrows() if row["sum"]
    ]
    return f"; signatures lose: {', '.join(told)}"


def _scale_note(model: TrainedModel, X: pd.DataFrame) -> str | None:
    places = X.columns.astype(str).get_indexer(model.features)
    known = np.flatnonzero(places >= 0)
    note = scale_note(model.quartiles[:, known], X.iloc[:, places[known]].to_numpy(dtype=float))
    return None if note is None else f"the table is on another scale: {note}"


def _atypical_note(table: pd.DataFrame) -> str | None:
    atypical = table.loc[table["atypical"], "sample"].to_numpy()
    if not len(atypical):
        return None
    return (
        f"{len(atypical)} of {len(table)} samples are unlike the training samples, beyond their "
        f"{ATYPICAL:.0%} point ({_named(atypical)}): take their labels for guesses"
    )


def _named(names: np.ndarray) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(map(str, names[:_SHOWN])) + more
