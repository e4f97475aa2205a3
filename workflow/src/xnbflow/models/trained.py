"""A model fitted on all samples, with its performance and everything needed for its use.

`cross_validate` measures a classifier on a series, `fit_model` fits it on all samples and describes
the fit as a `TrainedModel`. `xnbflow.models.model_file` writes and reads it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from xnbflow.core.errors import InputError
from xnbflow.core.software import software
from xnbflow.data.canonical_order import numbered, order_of
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.evaluation.build import estimator_for
from xnbflow.evaluation.fitting import filled, fit_grouped
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved, unlabelled
from xnbflow.evaluation.selected import last_estimator
from xnbflow.evaluation.training import train
from xnbflow.inference.estimates import Performance, pooled_performance
from xnbflow.inference.halves import short_list_shares
from xnbflow.inference.intervals import CROSS_VALIDATED, Estimate, inflation_of
from xnbflow.models.pipelines import described_values, used_features, with_imputation
from xnbflow.models.signature import signature_table
from xnbflow.models.typicality import Typicality, typicality_features


@dataclass(frozen=True, kw_only=True)
class CrossValidation:
    """A cross-validation of a classifier on a series.

    Attributes
    ----------
    predictions : DataFrame
        With columns ``repeat``, ``fold``, ``sample``, ``true`` and ``predicted``, and others.
    selected : DataFrame
        The selected features, with columns ``repeat``, ``fold``, ``class`` and ``feature``; empty
        for a classifier that does not select.
    series : DataSet
        The series; `TrainedModel.series` describes it in words and numbers.
    inflation : float
        See `xnbflow.inference.intervals.inflation_of`.
    halves : DataFrame or None
        See `xnbflow.inference.halves.halves_table`.
    """

    predictions: pd.DataFrame
    selected: pd.DataFrame
    series: DataSet
    inflation: float = CROSS_VALIDATED
    halves: pd.DataFrame | None = None

    def figures(self) -> dict[str, Any]:
        """Return accuracies, recalls and their 95% intervals, and the majority's share.

        They equal those in a study's tables: each sample counts once, as the mean over repeats.
        Where samples have groups, the intervals count groups, and ``groups`` is their number. See
        `xnbflow.inference.estimates.performance`.
        """
        performance = self.performance()
        labels = [str(label) for label in self.series.classes]
        n_samples = sum(row.n_samples for row in performance.classes)
        recall = {}
        for row in performance.classes:
            recall[labels[row.code]] = _counted_share(row.recall, row.n_samples)
        largest = max(performance.classes, key=lambda row: row.n_samples)
        groups = self.series.groups
        return {
            "folds": int(self.predictions["fold"].nunique()),
            "repeats": int(self.predictions["repeat"].nunique()),
            "groups": None if groups is None else len(np.unique(groups)),
            "accuracy": _counted_share(performance.accuracy, n_samples),
            "balanced_accuracy": performance.balanced_accuracy._asdict(),
            "recall": recall,
            "majority": {"class": labels[largest.code], "share": performance.majority},
        }

    def performance(self) -> Performance:
        """Return the performance, pooled over folds and averaged over repeats."""
        return pooled_performance(self.predictions, self.series, self.inflation)

    def half_shares(self) -> dict[tuple[str, str], float] | None:
        """Return the share of halves that selected a feature for a class; None without halves."""
        if self.halves is None or self.halves.empty:
            return None
        return short_list_shares(self.halves)

    def fold_shares(self) -> dict[tuple[str, str], float]:
        """Return the share of folds that selected a feature for a class."""
        n_fits = len(self.predictions[["repeat", "fold"]].drop_duplicates())
        n_selected = self.selected.groupby(["class", "feature"]).size()
        shares = {}
        for (label, feature), n in n_selected.items():
            shares[str(label), str(feature)] = float(n / max(1, n_fits))
        return shares


def _counted_share(estimate: Estimate, n: int) -> dict[str, Any]:
    """Return a share of ``n`` samples with its interval, as model files contain it.

    ``right`` is the number of correctly predicted samples, a mean over repeats, ``of`` is ``n``.
    """
    return {**estimate._asdict(), "right": round(estimate.value * n, 6), "of": n}


@dataclass(frozen=True, kw_only=True)
class TrainedModel:
    """A fitted classifier with its metadata.

    Attributes
    ----------
    estimator : estimator
        Fitted on all samples of the series.
    entry : dict
        Its configuration: ``method`` and ``params``, or ``steps``.
    series : dict
        ``name``, ``digest``, ``samples``, ``features`` and ``classes`` (label to samples), and
        further items on its origin.
    features : ndarray of str, shape (n_features,)
        Its input, in order.
    symbols : dict of str to str
        Gene symbols of its features, where the series has them.
    used : ndarray of int, shape (n_used,)
        Positions of the features on which its predictions depend.
    quartiles : ndarray of shape (3, n_features)
        Quartiles of the training samples; counts are not transformed. The medians replace the
        values of features on which predictions do not depend, and missing values on request.
    typicality : Typicality
        The distribution of the training samples in (some of) the used features.
    signature : DataFrame
        See `signature_table`; empty for a classifier that uses all features for every class.
    figures : dict
        Cross-validated figures, see `CrossValidation.figures`; empty where there are none.
    versions : dict of str to str
        Versions of this package, Python and numerical packages.
    probe : ndarray of shape (3, n_classes) or (3,)
        Predictions for three samples, the training quartiles; not a probe of a microarray. They
        are computed again when the model is read, and must agree. The names of these fields are
        also the keys of the file.

    Examples
    --------
    >>> from xnbflow.sources.acquire import acquire
    >>> from xnbflow.sources.dataset_entry import DatasetEntry
    >>> wine = acquire(DatasetEntry("wine", "bundled", "wine"))
    >>> model = fit_model(wine, {"method": "gaussian_nb"})
    >>> model.classes, len(model.features), model.series["classes"]["class_0"]
    (['class_0', 'class_1', 'class_2'], 13, 59)
    """

    estimator: BaseEstimator
    entry: Mapping[str, Any]
    series: dict[str, Any]
    features: np.ndarray
    symbols: dict[str, str]
    used: np.ndarray
    quartiles: np.ndarray
    typicality: Typicality
    signature: pd.DataFrame
    figures: dict[str, Any]
    versions: dict[str, str]
    probe: np.ndarray

    @property
    def required(self) -> np.ndarray:
        """Names of the features on which its predictions depend."""
        return self.features[self.used]

    @property
    def classes(self) -> list[str]:
        """The class labels, in the order of the columns of probabilities."""
        return [str(label) for label in self.estimator.classes_]


def fit_model(
    series: DataSet,
    entry: Mapping[str, Any],
    validation: CrossValidation | None = None,
    *,
    symbols: Mapping[str, str] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> TrainedModel:
    """Fit a classifier on all samples of a series.

    Where values are missing, and the classifier does not impute them itself, imputation by the
    training medians becomes the model's first step, as in cross-validation.

    Parameters
    ----------
    series : DataSet
        The data set. Inner cross-validations of the classifier keep groups together.
    entry : mapping
        The classifier's configuration, see `xnbflow.evaluation.build.build_estimator`.
    validation : CrossValidation, optional
        Its cross-validation on the same series, see `cross_validate`; it gives the figures and the
        share of folds that select a feature.
    symbols : mapping of str to str, optional
        Feature to gene symbol.
    origin : mapping, optional
        Further items on the series: the ``entry`` of its data set as the configuration has it.

    Returns
    -------
    TrainedModel

    Raises
    ------
    InputError
        If the configuration is not that of a classifier.

    Examples
    --------
    >>> from xnbflow.sources.acquire import acquire
    >>> from xnbflow.sources.dataset_entry import DatasetEntry
    >>> wine = acquire(DatasetEntry("wine", "bundled", "wine"))
    >>> model = fit_model(wine, {"method": "xnb"}, cross_validate(wine, {"method": "xnb"}, 5))
    >>> model.classes, round(model.figures["accuracy"]["value"], 1)
    (['class_0', 'class_1', 'class_2'], 0.9)
    """
    entry = resolved(unlabelled(entry))
    estimator = unfitted_estimator(series, entry, "final")
    frame = series.frame()
    order = order_of(series)  # as in folds, see `xnbflow.evaluation.training`
    groups = None if series.groups is None else numbered(series.groups[order])
    fit_grouped(estimator, series.frame(order), series.labels[order], groups)
    if not hasattr(estimator, "classes_"):
        msg = f"{type(estimator).__name__} has no classes_ after fit; use a classifier"
        raise InputError(msg)
    return describe_fit(
        estimator,
        frame,
        series,
        entry=entry,
        validation=validation,
        symbols=symbols,
        origin=origin,
    )


def describe_fit(
    estimator: BaseEstimator,
    frame: pd.DataFrame,
    series: DataSet,
    *,
    entry: Mapping[str, Any],
    validation: CrossValidation | None = None,
    symbols: Mapping[str, str] | None = None,
    origin: Mapping[str, Any] | None = None,
) -> TrainedModel:
    """Return a fitted classifier with its metadata; ``frame`` (n_samples, n_features) is its input.

    The other parameters are those of `fit_model`.
    """
    symbols = {} if symbols is None else symbols
    origin = {} if origin is None else origin
    used = used_features(estimator, frame)
    # Counts are not transformed; missing values of other scales are filled in.
    values = series.values if series.scale == COUNTS else filled(series).values
    quartiles = np.quantile(values, [0.25, 0.5, 0.75], axis=1)
    signature = signature_table(
        estimator,
        described_values(estimator, frame),
        series.labels,
        shares=None if validation is None else validation.fold_shares(),
        halves=None if validation is None else validation.half_shares(),
        symbols=symbols,
    )
    # The distribution of used features in each class, to recognise atypical samples later.
    described = described_values(estimator, pd.DataFrame(values.T, columns=series.features))
    rows = typicality_features(used)
    typicality_values = described.to_numpy().T[rows]
    # A gene without reads has another logarithm in each sample, by the size of its library, but
    # does not vary: its logarithms are set to a constant, which has no influence on typicality.
    is_constant = values[rows].min(axis=1) == values[rows].max(axis=1)
    typicality_values[is_constant] = 0.0
    labels, codes, counts = np.unique(series.labels, return_inverse=True, return_counts=True)
    about_series = {
        "name": series.name,
        "digest": _series_digest(series),
        "samples": series.n_samples,
        "features": series.n_features,
        "classes": {str(label): int(n) for label, n in zip(labels, counts, strict=True)},
    }
    return TrainedModel(
        estimator=estimator,
        entry=entry,
        series={**about_series, **origin},
        features=series.features,
        symbols={name: symbols[name] for name in series.features if symbols.get(name)},
        used=used,
        quartiles=quartiles,
        typicality=Typicality.fit(typicality_values, codes),
        signature=signature,
        figures={} if validation is None else validation.figures(),
        versions=software(),
        probe=predict_quartiles(estimator, quartiles, series.features),
    )


def unfitted_estimator(
    series: DataSet, entry: Mapping[str, Any], *purpose: str | int
) -> BaseEstimator:
    """Return the estimator of a resolved configuration; it imputes where values are missing.

    ``purpose`` are words and numbers that seed its random generator together with the series, so
    that the fits of a study are independent of each other.
    """
    seed = series_seed(series, *purpose)
    estimator = estimator_for(series, entry, seed)
    return with_imputation(estimator) if series.missing else estimator


def predict_quartiles(
    estimator: BaseEstimator, quartiles: np.ndarray, features: np.ndarray
) -> np.ndarray:
    """Return the predictions for the training quartiles (3, n_features) as three samples.

    They are probabilities (3, n_classes), or, of a classifier without them, positions in
    ``classes_`` (3,).
    """
    frame = pd.DataFrame(quartiles, columns=features)
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(frame))
    return np.searchsorted(estimator.classes_, estimator.predict(frame)).astype(float)


def cross_validate(
    series: DataSet, entry: Mapping[str, Any], splits: int = 10, repeats: int = 1
) -> CrossValidation:
    """Cross-validate a classifier with stratified folds, as the workflow does.

    Parameters
    ----------
    series : DataSet
        No group is on both sides of a fold.
    entry : mapping
        The classifier's configuration, see `xnbflow.evaluation.build.build_estimator`.
    splits, repeats : int
        Folds of a repeat, and how often they are drawn.

    Returns
    -------
    CrossValidation

    Raises
    ------
    InputError
        If a fold cannot be fitted; the message has the reason.

    Examples
    --------
    >>> from xnbflow.sources.acquire import acquire
    >>> from xnbflow.sources.dataset_entry import DatasetEntry
    >>> wine = acquire(DatasetEntry("wine", "bundled", "wine"))
    >>> folds = cross_validate(wine, {"method": "gaussian_nb"}, splits=5)
    >>> right = folds.predictions["predicted"] == folds.predictions["true"]
    >>> len(right), round(float(right.mean()), 2)
    (178, 0.97)
    """
    folds = draw_folds(series, splits, repeats)
    entry = resolved(unlabelled(entry))
    tables = train(series, folds, entry)
    failed = tables["fits"].query("status != 'ok'")
    if len(failed):
        first = failed.iloc[0]
        prefix = f"{InputError.__module__}.{InputError.__qualname__}: "
        reason = first["error"].removeprefix(prefix)
        msg = f"fold {first['fold']} could not be fitted: {reason}"
        raise InputError(msg)
    return CrossValidation(
        predictions=tables["predictions"],
        selected=tables["selected"],
        series=series,
        inflation=inflation_of(entry),
    )


def _series_digest(series: DataSet) -> str:
    """Return the SHA-256 of a series' values, names and labels."""
    digest = hashlib.sha256(series.values.tobytes())
    for names in (series.features, series.samples, series.labels, series.kinds):
        digest.update("\x1f".join(names).encode() + b"\x1e")
    return digest.hexdigest()


def core_performance(model: TrainedModel) -> dict[str, Any] | None:
    """Return the number of core features and their accuracy alone; None without a core set."""
    last = last_estimator(model.estimator)
    if not hasattr(last, "core_scores_"):
        return None
    core: set[str] = set()
    for features in last.core_features_.values():
        core |= set(map(str, features))
    return {"features": len(core), **last.core_scores_}
