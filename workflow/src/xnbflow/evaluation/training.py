"""Training: one classifier over a batch of folds, every outcome a row of a table."""

import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from xnbflow.data.dataset import KINDS, DataSet
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.build import build_estimator
from xnbflow.evaluation.constant import only_constant
from xnbflow.evaluation.grouping import fit_grouped
from xnbflow.evaluation.incomplete import impute_within, imputes
from xnbflow.evaluation.selected import feature_use
from xnbflow.evaluation.ties import TIES
from xnbflow.naive_bayes.base import BaseNaiveBayes

__all__ = ["Outcome", "train", "train_all"]

#: Prefix of the columns of `Outcome.predictions` that hold the log-posterior of a class.
LOG_POSTERIOR = "log_posterior."

#: Data sets with more samples than this are not explained sample by sample.
MOST_EXPLAINED = 1000


@dataclass
class Outcome:
    """What training a classifier over folds yields; each attribute is a tidy table.

    Attributes
    ----------
    predictions : DataFrame
        ``repeat``, ``fold``, ``sample``, ``true``, ``predicted`` and one column
        ``log_posterior.<class>`` per class (missing where the classifier gives no probabilities).
    selected : DataFrame
        ``repeat``, ``fold``, ``class``, ``rank``, ``feature``, ``distance``: the features that a
        class uses, for classifiers that select; ``constant``: whether it is there only because
        a class is (almost) constant in it, see `xnbflow.evaluation.constant.only_constant`.
    distances : DataFrame
        ``repeat``, ``fold``, ``class``, ``feature``, ``other_class``, ``distance``: how far a
        selected feature separates its class from each other one, for classifiers that tell.
    explanations : DataFrame
        ``repeat``, ``fold``, ``sample``, ``class``, ``feature``, ``log_likelihood``: what each
        selected feature says of each tested sample, for classifiers that explain; ``scale``: see
        `xnbflow.evaluation.selected.SCALES`.
    priors : DataFrame
        ``repeat``, ``fold``, ``class``, ``log_prior`` (-inf for a class that was absent from
        training), ``intercept`` of the calibration: what a class has before any feature speaks,
        for classifiers that explain.
    ties : DataFrame
        ``repeat``, ``fold``, ``class``, ``group``, ``feature``, ``selected``, ``exchangeable``:
        the groups of features of equal rank between which names decide, selected or not, for
        classifiers that tell; see `xnbflow.evaluation.ties.ties_of`.
    fits : DataFrame
        ``repeat``, ``fold``, ``status`` (ok or failed), ``error``, ``warnings``,
        ``features_per_class`` (mean over classes) and ``features`` (distinct), both missing where
        a transformer makes new ones, ``ties`` (groups of which a feature was selected and another
        left out; missing where the classifier does not tell), ``imputed`` (missing values of
        training and test samples, filled in by the fold or a step), ``fit_seconds``,
        ``predict_seconds``.
    """

    predictions: pd.DataFrame
    selected: pd.DataFrame
    distances: pd.DataFrame
    explanations: pd.DataFrame
    priors: pd.DataFrame
    ties: pd.DataFrame
    fits: pd.DataFrame


@dataclass
class _Fold:
    """The rows that one fold adds to an `Outcome`."""

    fit: dict[str, Any] = field(default_factory=dict)
    predictions: pd.DataFrame | None = None
    selected: pd.DataFrame | None = None
    distances: pd.DataFrame | None = None
    explanations: pd.DataFrame | None = None
    priors: pd.DataFrame | None = None
    ties: pd.DataFrame | None = None


def train_all(
    series: DataSet, folds: pd.DataFrame, entry: Mapping[str, Any]
) -> dict[str, pd.DataFrame]:
    """Train a classifier over folds, one repeat after the other; see `train`.

    Returns
    -------
    dict of str to DataFrame
        The tables of an `Outcome` by name, of all repeats.
    """
    repeats = [train(series, folds, entry, repeat, None) for repeat in folds["repeat"].unique()]
    return {
        each.name: pd.concat([getattr(one, each.name) for one in repeats], ignore_index=True)
        for each in fields(Outcome)
    }


def train(
    series: DataSet,
    folds: pd.DataFrame,
    entry: Mapping[str, Any],
    repeat: int,
    batch: Sequence[int] | None,
) -> Outcome:
    """Fit a classifier on the training samples of each fold and predict the test samples.

    A fit that fails is a row with its status and error, not a lost study. Where values are missing,
    and the classifier does not impute them itself, the medians of the fold's training samples stand
    for them. Where samples have groups, inner cross-validations keep these together, see
    `xnbflow.evaluation.grouping`.

    Parameters
    ----------
    series : DataSet
        The data set.
    folds : DataFrame
        As made by `xnbflow.evaluation.folds`.
    entry : mapping
        The classifier's configuration, see `xnbflow.evaluation.build.build_estimator`.
    repeat : int
        The repeat to train.
    batch : sequence of int or None
        The folds of that repeat to train; None trains all.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        If the configuration entry makes no estimator.
    """
    columns = {kind: np.flatnonzero(series.kinds == kind) for kind in KINDS}
    seed = derive_seed(series.name, repeat, "classifier")
    estimator = build_estimator(entry, columns, seed)
    folds = folds[folds["repeat"] == repeat]
    batch = sorted(folds["fold"].unique().tolist()) if batch is None else batch
    results = [
        _train_fold(estimator, series, series_positions(series, folds, fold)) for fold in batch
    ]
    for fold, result in zip(batch, results, strict=True):
        for table in (
            result.predictions,
            result.selected,
            result.distances,
            result.explanations,
            result.priors,
            result.ties,
        ):
            if table is not None:
                table.insert(0, "repeat", repeat)
                table.insert(1, "fold", fold)
        result.fit = {"repeat": repeat, "fold": fold, **result.fit}
    return Outcome(
        _concat([r.predictions for r in results], _PREDICTIONS),
        _concat([r.selected for r in results], _SELECTED),
        _concat([r.distances for r in results], _DISTANCES),
        _concat([r.explanations for r in results], _EXPLANATIONS),
        _concat([r.priors for r in results], _PRIORS),
        _concat([r.ties for r in results], {"repeat": int, "fold": int, **TIES}),
        pd.DataFrame([r.fit for r in results]),
    )


_PREDICTIONS = {"repeat": int, "fold": int, "sample": str, "true": str, "predicted": str}
_SELECTED = {
    "repeat": int,
    "fold": int,
    "class": str,
    "rank": int,
    "feature": str,
    "distance": float,
    "constant": bool,
}
_DISTANCES = {
    "repeat": int,
    "fold": int,
    "class": str,
    "feature": str,
    "other_class": str,
    "distance": float,
}
_EXPLANATIONS = {
    "repeat": int,
    "fold": int,
    "sample": str,
    "class": str,
    "feature": str,
    "log_likelihood": float,
    "scale": str,
}
_PRIORS = {"repeat": int, "fold": int, "class": str, "log_prior": float, "intercept": float}


def series_positions(series: DataSet, folds: pd.DataFrame, fold: int) -> np.ndarray:
    """Return the positions of a fold's test samples in the series, ascending."""
    tested = folds.loc[folds["fold"] == fold, "sample"]
    return np.flatnonzero(np.isin(series.samples, tested.to_numpy(dtype=str)))


def _concat(tables: list[pd.DataFrame | None], columns: Mapping[str, type]) -> pd.DataFrame:
    present = [table for table in tables if table is not None and len(table)]
    if present:  # a table without rows has no types: a fold where nothing was selected
        return pd.concat(present, ignore_index=True)
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in columns.items()})


def _train_fold(estimator: BaseEstimator, series: DataSet, test: np.ndarray) -> _Fold:
    training = np.setdiff1d(np.arange(series.n_samples), test)
    result = _Fold()
    result.fit = {"status": "ok", "error": "", "warnings": "", **_NOTHING_FITTED}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            _fit_and_predict(clone(estimator), series, training, test, result)
        except Exception as error:  # noqa: BLE001  a failed fit is an outcome of the study
            result.fit["status"] = "failed"
            result.fit["error"] = "".join(traceback.format_exception_only(error)).strip()
    result.fit["warnings"] = "; ".join(dict.fromkeys(str(w.message) for w in caught))
    return result


_NOTHING_FITTED = {
    "features_per_class": np.nan,
    "features": np.nan,
    "ties": np.nan,
    "imputed": 0,
    "fit_seconds": np.nan,
    "predict_seconds": np.nan,
}


def _fit_and_predict(
    model: BaseEstimator, series: DataSet, training: np.ndarray, test: np.ndarray, result: _Fold
) -> None:
    X, y = series.frame(training), series.labels[training]
    tested = series.frame(test)
    groups = None if series.groups is None else series.groups[training]
    start = time.perf_counter()
    if series.missing:
        result.fit["imputed"] = int(X.isna().to_numpy().sum() + tested.isna().to_numpy().sum())
        if not imputes(model):
            X, tested = impute_within(X, tested)
    values = X
    fit_grouped(model, X, y, groups)
    result.fit["fit_seconds"] = time.perf_counter() - start
    X = tested
    start = time.perf_counter()
    result.predictions = _predict(model, X, series, test)
    result.fit["predict_seconds"] = time.perf_counter() - start
    use = feature_use(model, X, explain=series.n_samples <= MOST_EXPLAINED)
    result.fit |= {"features_per_class": use.per_class, "features": use.distinct}
    result.selected, result.distances = use.selected, use.distances
    result.explanations, result.ties = use.explanations, use.ties
    if use.priors is not None:
        every = use.priors.set_index("class").reindex(series.classes)
        absent = {"log_prior": -np.inf, "intercept": 0.0}
        result.priors = every.fillna(absent).rename_axis("class").reset_index()
    if use.ties is not None:
        groups = use.ties[use.ties["exchangeable"] & use.ties["selected"]]
        result.fit["ties"] = float(len(groups[["class", "group"]].drop_duplicates()))
    if use.selected is not None and "constant" not in use.selected:
        chosen = values[use.selected["feature"]].to_numpy().T
        use.selected["constant"] = only_constant(use.selected, use.distances, chosen, y)


def _predict(
    model: BaseEstimator, X: pd.DataFrame, series: DataSet, test: np.ndarray
) -> pd.DataFrame:
    log_posterior = _log_posterior(model, X)
    if isinstance(model, BaseNaiveBayes):
        predicted = model.classes_[np.argmax(log_posterior, axis=1)]
    else:
        predicted = model.predict(X)
    table = pd.DataFrame(
        {"sample": series.samples[test], "true": series.labels[test], "predicted": predicted}
    )
    known = [] if log_posterior is None else list(model.classes_)
    for label in series.classes:
        missing = np.nan if log_posterior is None else -np.inf
        column = log_posterior[:, known.index(label)] if label in known else missing
        table[LOG_POSTERIOR + label] = column
    return table


def _log_posterior(model: Any, X: pd.DataFrame) -> Any:
    if hasattr(model, "predict_log_proba"):
        return model.predict_log_proba(X)
    if hasattr(model, "predict_proba"):
        with np.errstate(divide="ignore"):
            return np.log(model.predict_proba(X))
    return None
