"""Prediction for new samples: columns are ordered; missing and unlike features are reported."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import compress
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError, require_choice
from xnbflow.core.nouns import counted, either, listed
from xnbflow.evaluation.fitting import imputes, with_sample_columns
from xnbflow.evaluation.selected import class_priors
from xnbflow.models.recalibration import RECALIBRATION, recalibrated
from xnbflow.models.steps import (
    described_values,
    explainer,
    is_relative,
    normalisation_of_counts,
    takes_features_apart,
    terms_of,
)
from xnbflow.models.trained import TrainedModel
from xnbflow.models.typicality import ATYPICAL, features_to_look_at
from xnbflow.naive_bayes.conformal import ERROR_RATE, sets_of_classes
from xnbflow.naive_bayes.independent import IndependentNB

#: Choices for a feature that the model uses and the table lacks.
MISSING = ("auto", "error", "impute", "drop")


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
        that limit it is below .01). A sample without any value has no typicality.
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
        evidence out where the model can (`can_drop`) and does not fill values in, or else refuses.

    Returns
    -------
    Prediction
        A row per sample, and notes on what may make the predictions unreliable.

    Raises
    ------
    InputError
        If there is no sample, if a feature is missing, named twice or has a cell that is not a
        finite number.
    """
    missing = resolved_missing(model, missing)
    frame, lacking = aligned(model, X, missing)
    log_posterior = _log_posterior(model, frame, lacking, missing)
    if log_posterior is not None:
        log_posterior = recalibrated(model.series, log_posterior)
    if log_posterior is None:
        labels = np.asarray(model.estimator.predict(frame), dtype=str)
        probabilities = np.full((len(frame), len(model.classes)), np.nan)
    else:
        labels = np.asarray(model.classes)[log_posterior.argmax(axis=1)]
        probabilities = np.exp(log_posterior)
    typicality = _typicality(model, frame, lacking)
    table = pd.DataFrame({"sample": X.index.astype(str), "label": labels})
    for label, column in zip(model.classes, probabilities.T, strict=True):
        table[f"probability.{label}"] = column
    sets = class_sets(model, probabilities)
    if sets is not None:
        table["set"], table["set_level"] = sets, 1.0 - ERROR_RATE
    least = 1 / (1 + len(model.typicality.held_out))  # the smallest possible value
    table["typicality"], table["atypical"] = np.maximum(typicality, least), typicality < ATYPICAL
    return Prediction(table, list(_notes(model, X, table, lacking, missing)))


def fitted_log_posterior(model: TrainedModel, X: pd.DataFrame, missing: str = "auto") -> np.ndarray:
    """Return log posteriors (n_samples, n_classes) of a model as fitted, before recalibration."""
    missing = resolved_missing(model, missing)
    found = _log_posterior(model, *aligned(model, X, missing), missing)
    if found is None:
        msg = f"{type(model.estimator).__name__} has no probabilities; fit another model"
        raise InputError(msg)
    return found


def aligned(model: TrainedModel, X: pd.DataFrame, missing: str) -> tuple[pd.DataFrame, np.ndarray]:
    """Return samples as input of the model, and a mask of missing values in its used features.

    The frame (n_samples, n_features) has the model's columns in order, and training medians for
    missing values, unless the model fills them in by itself; ``lacking`` is bool of shape
    (n_samples, n_used). Parameters are those of `predict_table`.
    """
    missing = resolved_missing(model, missing)
    if not len(X):
        msg = "the table has no samples; give at least one"
        raise InputError(msg)
    if len(repeated := X.columns[X.columns.duplicated()]):
        msg = (
            f"the table has {len(repeated)} repeated columns, {str(repeated[0])!r} for one; a "
            "feature is named once"
        )
        raise InputError(msg)
    places = X.columns.astype(str).get_indexer(model.features)
    _refuse_absent(model, places[model.used] < 0, missing)
    values = np.full((len(X), len(places)), np.nan)
    present = model.used[places[model.used] >= 0]
    values[:, present] = _numbers(X, places[present]) - _reference_level(model, X)
    lacking = np.isnan(values[:, model.used])
    itself = imputes(model.estimator)
    if missing == "error" and not itself:
        _refuse_incomplete(model, X, lacking)
    if missing == "drop" or not itself:
        values = np.where(np.isnan(values), model.quartiles[1], values)
    frame = pd.DataFrame(values, index=X.index, columns=model.features)
    return with_sample_columns(frame, model.estimator, X), lacking


def _reference_level(model: TrainedModel, X: pd.DataFrame) -> np.ndarray | float:
    """Return the mean of a panel's reference genes, (n_samples, 1), 0 where X has differences."""
    names = model.series.get("references", [])
    values = _numbers(X, np.flatnonzero(X.columns.isin(names)))
    if not values.size:
        return 0.0
    if values.shape[1] < len(names) or np.isnan(values).any():
        msg = (
            f"the panel takes differences to the mean of {listed(names)}, of which values are "
            "missing; add them, or leave these genes out of a table of differences"
        )
        raise InputError(msg)
    return np.asarray(values.mean(axis=1, keepdims=True))


def can_drop(estimator: BaseEstimator) -> bool:
    """Return whether a classifier can leave the evidence of features out, see `predict_table`.

    This needs classes that stay comparable: all use the same features, or features are relative to
    a common reference. Earlier steps of a pipeline must transform each feature by itself.
    """
    last = explainer(estimator)
    comparable = isinstance(last, IndependentNB) or (last is not None and is_relative(last))
    return comparable and takes_features_apart(estimator)


def resolved_missing(model: TrainedModel, missing: str) -> str:
    """Return the treatment of missing values, with "auto" resolved; see `predict_table`."""
    require_choice("missing", missing, MISSING)
    if missing != "auto":
        return missing
    return "drop" if can_drop(model.estimator) and not imputes(model.estimator) else "error"


def evidence_left(model: TrainedModel, lacking: np.ndarray) -> np.ndarray:
    """Return the share of the evidence's weight that samples have, (n_samples,), mean over classes.

    ``lacking`` (n_samples, n_used) is that of `aligned`. Without weights in the signature every
    feature of a class has weight 1; without a signature all features have.
    """
    rows = model.signature
    if rows.empty:
        return 1.0 - lacking.mean(axis=1)
    own = rows["weight"].astype(float).fillna(1.0)
    weights = (own / own.groupby(rows["class"]).transform("sum")).to_numpy()
    known = ~lacking[:, pd.Index(model.required).get_indexer(rows["feature"])]
    return known @ weights / rows["class"].nunique()


def _refuse_absent(model: TrainedModel, absent: np.ndarray, missing: str) -> None:
    names = model.required[absent]
    if absent.all():
        msg = (
            f"the table has none of the model's {len(absent)} features, {listed(names)}; are its "
            "samples in rows and named alike?"
        )
        raise InputError(msg)
    if len(names) and missing == "error":
        msg = (
            f"the table lacks {len(names)} of the model's {len(absent)} features: "
            f"{listed(names)}; add them, or choose to impute or drop them"
        )
        raise InputError(msg)


def _refuse_incomplete(model: TrainedModel, X: pd.DataFrame, lacking: np.ndarray) -> None:
    if lacking.any():
        row, column = np.argwhere(lacking)[0]
        n = int(lacking.sum())
        msg = (
            f"sample {X.index[row]!r} has no value of {str(model.required[column])!r} "
            f"({counted(n, 'value')} of features that the model uses {either(n, 'is', 'are')} "
            "missing); fill them in, or choose to impute or drop them"
        )
        raise InputError(msg)


def _numbers(X: pd.DataFrame, places: np.ndarray) -> np.ndarray:
    try:
        values = X.iloc[:, places].to_numpy(dtype=float)
    except (TypeError, ValueError) as error:
        msg = f"a cell of the table is not a number ({error}); correct it"
        raise InputError(msg) from error
    if len(wrong := np.argwhere(np.isinf(values))):
        row, column = wrong[0]
        msg = (
            f"sample {X.index[row]!r}: {X.columns[places[column]]!r} is {values[row, column]} "
            f"({counted(len(wrong), 'value', 'is', 'are')} infinite); correct them"
        )
        raise InputError(msg)
    return values


def _patterns(lacking: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield masks of lacking features, (n_used,), and the samples that lack exactly these."""
    patterns, kinds = np.unique(lacking, axis=0, return_inverse=True)
    for kind, pattern in enumerate(patterns):
        yield pattern, np.flatnonzero(kinds.reshape(-1) == kind)


def _log_posterior(
    model: TrainedModel, frame: pd.DataFrame, lacking: np.ndarray, missing: str
) -> np.ndarray | None:
    estimator = model.estimator
    if missing == "drop" and lacking.any():
        found = np.empty((len(frame), len(model.classes)))
        for pattern, rows in _patterns(lacking):
            gone = model.required[pattern]
            found[rows] = log_posterior_without(estimator, frame.iloc[rows], gone)
        return found
    if hasattr(estimator, "predict_log_proba"):
        return estimator.predict_log_proba(frame)
    if hasattr(estimator, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(estimator.predict_proba(frame))
    return None


def log_posterior_without(
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
    known = class_priors(last)
    joint = np.tile((known["log_prior"] + known["intercept"]).to_numpy(), (len(X), 1))
    terms = terms[~terms["feature"].isin(features)]
    for code, label in enumerate(last.classes_):
        own = terms[terms["class"] == label]
        sums = own.groupby("sample")["log_likelihood"].sum()
        joint[sums.index.astype(int), code] += sums
    return joint - logsumexp(joint, axis=1, keepdims=True)


def class_sets(model: TrainedModel, posterior: np.ndarray) -> list[str] | None:
    """Return the classes that each sample may belong to, as "a or b".

    They are conformal sets of error rate `ERROR_RATE`, see
    `xnbflow.naive_bayes.ClassSpecificNBCV.predict_set`; None where the classifier has none.
    """
    within = sets_of_classes(explainer(model.estimator), posterior)
    if within is None or RECALIBRATION in model.series:  # held-out posteriors are of another scale
        return None
    return [" or ".join(compress(model.classes, row)) for row in within]


def _typicality(model: TrainedModel, frame: pd.DataFrame, lacking: np.ndarray) -> np.ndarray:
    """Return the typicality of each sample by the features that it has."""
    looked_at = features_to_look_at(model.used)
    frame = described_values(model.estimator, frame)
    unknown = lacking[:, np.searchsorted(model.used, looked_at)]
    found = np.full(len(frame), np.nan)
    for pattern, rows in _patterns(unknown):
        if pattern.all():
            continue
        learned = model.typicality.restricted(~pattern) if pattern.any() else model.typicality
        values = frame.iloc[rows, looked_at[~pattern]].to_numpy().T
        found[rows] = learned.typicality(values)
    return found


def _notes(
    model: TrainedModel, X: pd.DataFrame, table: pd.DataFrame, lacking: np.ndarray, missing: str
) -> Iterator[str]:
    """Yield warnings about the predictions."""
    absent = model.required[lacking.all(axis=0)]
    if len(absent) and missing != "error":
        yield (
            f"{len(absent)} of the model's {len(model.used)} features "
            f"{either(len(absent), 'is', 'are')} missing and {_DONE[missing]} "
            f"({listed(absent)}){_lost(model, absent)}"
        )
    single = lacking[:, ~lacking.all(axis=0) | (missing == "error")]
    if single.any():
        samples = int(single.any(axis=1).sum())
        yield (
            f"{counted(single.sum(), 'value', 'is', 'are')} missing in {samples} of {len(single)} "
            f"samples and {_DONE[missing]}"
        )
    if missing == "drop" and lacking.any():
        left = evidence_left(model, lacking)
        least = f"; in the sample that lacks most, {left.min():.0%}" if np.ptp(left) > 0.0 else ""
        yield f"{left.mean():.0%} of the weight of the evidence is left{least}"
    places = X.columns.astype(str).get_indexer(model.features)
    known = np.flatnonzero(places >= 0)
    known = known[np.linspace(0, len(known) - 1, min(len(known), _MOST_FEATURES)).astype(int)]
    level, values = _reference_level(model, X), X.iloc[:, places[known]]
    values = values.apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float) - level
    if (names := model.series.get("references")) and not np.any(level):
        yield f"values are treated as differences to {listed(names)}, which the table lacks"
    if (normaliser := normalisation_of_counts(model.estimator)) is not None:
        sizes = np.nansum(values, axis=1) * (len(model.features) / max(1, len(known)))
        training_size = normaliser.mean_size_
        too_few = np.median(sizes) < _FEWEST_READS * training_size
        greatest = np.nanmax(values, initial=0.0)
        if too_few or greatest < _LARGEST_LOGARITHM or np.nanmin(values, initial=0.0) < 0:
            yield (
                f"the samples have {np.median(sizes):,.0f} reads in the median, the training "
                f"samples {training_size:,.0f}: the model needs counts of reads, not logarithms"
            )
    elif note := scale_note(model.quartiles[:, known], values):
        yield f"the table is on another scale: {note}"
    atypical = table.loc[table["atypical"], "sample"].to_numpy()
    if len(atypical):
        yield (
            f"{len(atypical)} of {len(table)} samples {either(len(atypical), 'is', 'are')} unlike "
            f"the training samples, beyond the {ATYPICAL:.0%} point estimated from those "
            f"{len(model.typicality.held_out)} ({listed(atypical)}): predictions are unreliable"
        )


_DONE = {
    "error": "are filled in as the model does with its training samples",
    "impute": "are replaced by their training medians",
    "drop": "are left out of the evidence",
}


def _lost(model: TrainedModel, absent: np.ndarray) -> str:
    """Return the number of missing features of each class, if classes have their own features."""
    if model.signature.empty:
        return ""
    lost = model.signature["feature"].isin(absent)
    shares = lost.groupby(model.signature["class"], sort=False).agg(["sum", "size"])
    counts = [
        f"{label} {row['sum']} of {row['size']}" for label, row in shares.iterrows() if row["sum"]
    ]
    return f"; signatures lose: {', '.join(counts)}"


_MOST_FEATURES = 2000
#: Fewer reads, relative to the training samples, are probably no counts.
_FEWEST_READS = 0.02
#: No logarithm of a count is above, and of counts at least one is.
_LARGEST_LOGARITHM = 50.0
#: Factors between these may be due to noise or to another mix of classes.
_FACTORS = (2 / 3, 3 / 2)
#: Least shift to report, in training quartile ranges; of a single sample, twice that.
_SHIFT = 1.0


def scale_note(quartiles: np.ndarray, values: np.ndarray) -> str | None:
    """Return in words how a cohort's scale differs from the training data's; None if it does not.

    ``quartiles`` (3, n_features) are of the training samples, ``values`` (n_samples, n_features)
    the cohort's; missing ones do not count.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> training = rng.normal(8.0, 1.0, (50, 200)) + rng.normal(0, 2, 200)
    >>> quartiles = np.quantile(training, [0.25, 0.5, 0.75], axis=0)
    >>> scale_note(quartiles, training[:20])
    >>> scale_note(quartiles, 2 * training[:20])[:56]
    'its values are about 2.0 times those of the training dat'
    """
    if not values.size:
        return None
    present = ~np.isnan(values).all(axis=0)
    lower, middle, upper = quartiles[:, present]
    medians = np.nanmedian(values[:, present], axis=0)
    widths = upper - lower
    known = widths > 0
    if not known.any():
        return None
    factor = _factor(middle, medians, widths)
    if factor is not None and not _FACTORS[0] < factor < _FACTORS[1]:
        times = f"{factor:.1f}" if 0.1 <= factor < 1000 else f"{factor:.1e}"
        return (
            f"its values are about {times} times those of the training data (medians of "
            f"{counted(present.sum(), 'feature')}); bring them to the training data's scale, "
            "or train with a rank transformation"
        )
    shift = np.median(np.abs(medians - middle)[known] / widths[known])
    if shift > _SHIFT * (2 if len(values) == 1 else 1):
        return (
            f"its medians lie {shift:.1f} training quartile ranges off, half of them further "
            f"({counted(known.sum(), 'feature')}); the cohorts are not on one scale"
        )
    return None


def _factor(training: np.ndarray, cohort: np.ndarray, widths: np.ndarray) -> float | None:
    """Return the slope of cohort medians on training medians; None where medians hardly differ."""
    middle = np.median(training)
    far = np.abs(training - middle) > 2 * np.median(widths)
    if far.sum() < 3:  # features with equal medians: compare the ratio to 0
        level = np.abs(training) > 2 * widths
        if level.sum() < 3:
            return None
        return float(np.median(cohort[level] / training[level]))
    origin = np.median(cohort[~far]) if (~far).any() else np.median(cohort)
    return float(np.median((cohort[far] - origin) / (training[far] - middle)))
