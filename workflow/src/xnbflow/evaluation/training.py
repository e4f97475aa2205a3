"""Training of one classifier over folds, with tables of all outcomes."""

import traceback
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from xnbflow.core.progress import track
from xnbflow.data.canonical_order import numbered, order_of
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.build import estimator_for
from xnbflow.evaluation.fitting import as_read, fit_grouped, impute_within, imputes
from xnbflow.evaluation.keyed_tables import LOG_POSTERIOR
from xnbflow.evaluation.selected import feature_use, last_estimator, only_constant
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.conformal import sets_of_classes
from xnbflow.tables.contract import GROUPS, TableSchema

#: Data sets with more samples than this are not explained sample by sample.
MOST_EXPLAINED = 1000
#: Most rows of a classifier's explanations (a row for each tested sample, class and feature), and
#: most distances (for each class, feature and other class): about 1 GB. More are left out. 1,000
#: samples of 100 classes with 2,000 features each have 2e8 explanations, and 2e7 distances in each
#: fold.
_MOST_EXPLANATION_ROWS = 10_000_000
#: The measurements of a fit before it, which remain if it fails.
_NOTHING_FITTED = {"features_per_class": np.nan, "features": np.nan, "imputed": 0}
#: Python's types of the contract's types of columns.
_TYPES = {"text": str, "integer": int, "number": float, "boolean": bool}


def train(
    series: DataSet, folds: pd.DataFrame, entry: Mapping[str, Any], *, explain: bool = True
) -> dict[str, pd.DataFrame]:
    """Fit a classifier on the training samples of each fold and predict the test samples.

    A fit that fails is a row with its status and error; the study continues. Where values are
    missing, and the classifier does not impute them itself, the medians of the fold's training
    samples replace them. Where samples have groups, inner cross-validations keep these together,
    see `xnbflow.evaluation.fitting`.

    Parameters
    ----------
    series : DataSet
    folds : DataFrame
        As made by `xnbflow.evaluation.folds`, or some of these.
    entry : mapping
        The classifier as the configuration has it.
    explain : bool, default=True
        Whether predictions are explained, if the classifier supports it and there are at most
        `MOST_EXPLAINED` samples.

    Returns
    -------
    dict of str to DataFrame
        The tables of the group ``training`` of `xnbflow.tables.contract`. A table has no rows where
        the classifier has nothing to report. The explanations have none either where they would
        have more than `_MOST_EXPLANATION_ROWS` rows.
    """
    explain = explain and series.n_samples <= MOST_EXPLAINED
    most_rows = _MOST_EXPLANATION_ROWS / max(1, len(folds.drop_duplicates(["repeat", "fold"])))
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in GROUPS["training"].tables}
    for repeat, rows in track(folds.groupby("repeat", sort=False), "repeats"):
        seed = series_seed(series, repeat, "classifier")
        estimator = estimator_for(series, entry, seed)
        for fold, samples in track(rows.groupby("fold")["sample"], "folds"):
            test = np.flatnonzero(np.isin(series.samples, samples.to_numpy(dtype=str)))
            tables = _train_fold(estimator, series, test, explain=explain, most_rows=most_rows)
            for name, table in tables.items():
                table.insert(0, "repeat", repeat)
                table.insert(1, "fold", fold)
                parts[name].append(table)
    if len(parts["explanations"]) < len(parts["predictions"]):
        parts["explanations"].clear()  # no table of some folds only
    return {
        name: _concatenate(parts[name], table) for name, table in GROUPS["training"].tables.items()
    }


def _concatenate(parts: Sequence[pd.DataFrame], table: TableSchema) -> pd.DataFrame:
    """Return the rows of all folds; without any, the columns of the table with their types."""
    present = [rows for rows in parts if len(rows)]
    if present:  # a table without rows has no types: a fold where nothing was selected
        return pd.concat(present, ignore_index=True)
    types = {name: _TYPES[table.columns[name].type] for name in table.fixed}
    return pd.DataFrame({name: pd.Series(dtype=kind) for name, kind in types.items()})


def _train_fold(
    estimator: BaseEstimator, series: DataSet, test: np.ndarray, *, explain: bool, most_rows: float
) -> dict[str, pd.DataFrame]:
    """Return the rows of one fold in each table."""
    fit = {"status": "ok", "error": "", "warnings": "", **_NOTHING_FITTED}
    tables: dict[str, pd.DataFrame] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            tables = _fit_and_predict(
                clone(estimator),
                series,
                test,
                measurements=fit,
                explain=explain,
                most_rows=most_rows,
            )
        except (OSError, MemoryError):  # the machine is at fault, for example a full disk
            raise
        except Exception as error:  # noqa: BLE001  a failed fit is an outcome of the study
            fit["status"] = "failed"
            fit["error"] = "".join(traceback.format_exception_only(error)).strip()
    fit["warnings"] = "; ".join(dict.fromkeys(str(warning.message) for warning in caught))
    return {**tables, "fits": pd.DataFrame([fit])}


def _fit_and_predict(
    model: BaseEstimator,
    series: DataSet,
    test: np.ndarray,
    *,
    measurements: dict[str, Any],
    explain: bool,
    most_rows: float,
) -> dict[str, pd.DataFrame]:
    """Return the tables of a fit, and write its numbers into ``measurements``.

    What was measured before an error remains in the row of the fit.
    """
    # Inner cross-validations divide samples in their order: in the canonical one.
    order = order_of(series)
    training = order[~np.isin(order, test)]
    X = series.frame(training)
    tested = series.frame(test)
    y = series.labels[training]

    # Fit, after imputation, and predict.
    if series.missing:
        measurements["imputed"] = int(X.isna().to_numpy().sum() + tested.isna().to_numpy().sum())
        if not imputes(model):
            X, tested = impute_within(X, tested)
    groups = None if series.groups is None else numbered(series.groups[training])
    fit_grouped(model, as_read(model, X), y, groups)
    tables = {"predictions": _predict(model, as_read(model, tested), series, test)}

    # The features that it uses, with its priors and explanations.
    use = feature_use(model, tested, explain=explain, most_rows=most_rows)
    measurements["features_per_class"] = use.per_class
    measurements["features"] = use.distinct
    if use.priors is not None:
        absent = {"log_prior": -np.inf, "intercept": 0.0}
        all_classes = use.priors.set_index("class").reindex(series.classes).fillna(absent)
        for name in absent:
            for label, value in all_classes[name].items():
                measurements[f"{name}.{label}"] = float(value)
    if use.selected is not None:
        use.selected["constant"] = only_constant(use.selected, X, y)
    optional = {"selected": use.selected, "explanations": use.explanations}
    return tables | {name: table for name, table in optional.items() if table is not None}


def _predict(
    model: BaseEstimator, X: pd.DataFrame | np.ndarray, series: DataSet, test: np.ndarray
) -> pd.DataFrame:
    """Return the table ``predictions`` of a fold's test samples."""
    log_posterior: Any = None
    if hasattr(model, "predict_log_proba"):
        log_posterior = model.predict_log_proba(X)
    elif hasattr(model, "predict_proba"):
        with np.errstate(divide="ignore"):
            log_posterior = np.log(model.predict_proba(X))
    if isinstance(model, BaseNaiveBayes):  # its predictions are these, not computed a second time
        predicted = model.classes_[np.argmax(log_posterior, axis=1)]
    else:
        predicted = model.predict(X)
    columns: dict[str, Any] = {
        "sample": series.samples[test],
        "true": series.labels[test],
        "predicted": predicted,
        "set_size": np.nan,
        "covered": np.nan,
    }
    trained_classes = [] if log_posterior is None else list(model.classes_)
    sets = None
    if trained_classes:
        sets = sets_of_classes(last_estimator(model), np.exp(log_posterior))
    if sets is not None:
        columns["set_size"] = sets.sum(axis=1).astype(float)
        true = pd.Index(trained_classes).get_indexer(series.labels[test])
        columns["covered"] = (sets[np.arange(len(test)), true] & (true >= 0)).astype(float)
    # A class without training samples is impossible; without probabilities nothing is known.
    absent = np.nan if log_posterior is None else -np.inf
    for label in series.classes:
        is_trained = label in trained_classes
        columns[LOG_POSTERIOR + label] = (
            log_posterior[:, trained_classes.index(label)] if is_trained else absent
        )
    return pd.DataFrame(columns)
