"""Accuracy against the number of features: one classifier at every size, on the same folds."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import PredefinedSplit
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from xnbflow.core.seeds import derive_seed
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import folds_of_repeat
from xnbflow.evaluation.metrics import fold_metrics
from xnbflow.evaluation.selected import features_with_effect
from xnbflow.naive_bayes.class_specific_nb_cv import ClassSpecificNBCV
from xnbflow.naive_bayes.xnb import XNB
from xnbflow.papers.common.classifier_titles import CSNB, XNB_PUBLISHED
from xnbflow.papers.common.repeats import check_complete, run_repeats
from xnbflow.papers.signatures import LASSO, PAM
from xnbflow.papers.signatures.entries import ANALYSIS
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: The analysis's parameters; `analyse` explains them.
DEFAULTS: dict[str, Any] = {
    "splits": 10,
    "repeats": 1,
    "sizes": [1, 2, 3, 5, 8, 13, 20, 35, 60, 100, 200],
    "thresholds": [0.5, 0.9, 0.99, 0.999, 0.9999, 0.999999],
    "shrinkage": [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0],
    "C": [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
}

_METRICS = ["accuracy", "balanced_accuracy", "log_loss"]
_POINT = ["method", "parameter", "value"]


def analyse(
    series: dict[str, DataSet], params: dict[str, Any], threads: int
) -> dict[str, pd.DataFrame]:
    """Cross-validate every classifier that has a path over sizes, at each of its sizes.

    Folds, ``splits`` and ``repeats``, are those that a study with as many draws. The values are
    ``sizes``, features per pair of classes, of `ClassSpecificNB`; ``thresholds`` of `XNB`;
    ``shrinkage`` (scikit-learn's ``shrink_threshold``) of nearest shrunken centroids; ``C`` of
    l1-logistic regression. No value may be missing.

    Along the curve of `ClassSpecificNB` the evidence is calibrated as `ClassSpecificNBCV` does it,
    class by class, for each fold by the predictions of the others. The table ``sizes`` has those
    that `ClassSpecificNBCV` chooses inside each fold.
    """
    params = {**DEFAULTS, **params}
    for data in series.values():
        check_complete(data, "signatures", params["splits"])
    results = run_repeats(_run_repeat, series, params, threads)
    if not results:
        return {name: pd.DataFrame(columns=table.fixed) for name, table in TABLES.items()}
    points = pd.concat([points for points, _ in results], ignore_index=True)
    sizes = pd.concat([sizes for _, sizes in results], ignore_index=True)
    groups = points.groupby(["dataset", *_POINT, "samples", "classes", "folds"], sort=False)
    means = groups[["features_per_class", *_METRICS]].mean()
    spread = groups["accuracy"].std(ddof=1).rename("accuracy_sd")
    curves = means.join([spread, groups.size().rename("repeats")]).reset_index()
    chosen = sizes.groupby("dataset", sort=False).agg(
        least=("n_features", "min"),
        median=("n_features", "median"),
        most=("n_features", "max"),
        features_per_class=("features_per_class", "mean"),
        temperature=("temperature", "median"),
    )
    curves = curves[TABLES["curves"].fixed]
    return {"curves": curves, "sizes": sizes, "chosen": chosen.reset_index()}


def _run_repeat(
    data: DataSet, repeat: int, params: Mapping[str, Any]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the points of all curves, and the chosen sizes, of one repeat."""
    drawn = folds_of_repeat(data, params["splits"], repeat).set_index("sample")["fold"]
    splits = PredefinedSplit(drawn.loc[data.samples].to_numpy())
    folds = list(splits.split())
    seed = derive_seed(data.name, repeat, "signatures")
    with threadpool_limits(1):
        rows = class_specific_curve(data.values.T, data.labels, splits, params)
        for point in points_of_other_methods(params, seed):
            about = {"method": point.method, "parameter": point.parameter, "value": point.value}
            rows.append(about | _cross_validate(data, folds, point.model))
        sizes = _chosen_sizes(data, folds).assign(repeat=repeat)
    points = pd.DataFrame(rows).assign(
        dataset=data.name,
        samples=data.n_samples,
        classes=len(data.classes),
        folds=len(folds),
    )
    return points, sizes[TABLES["sizes"].fixed]


def _chosen_sizes(data: DataSet, folds: list[tuple[np.ndarray, np.ndarray]]) -> pd.DataFrame:
    """Return what ClassSpecificNBCV chooses from the training samples of each fold."""
    X = data.values.T
    rows = []
    for fold, (training, _) in enumerate(folds):
        groups = None if data.groups is None else data.groups[training]
        model = ClassSpecificNBCV().fit(X[training], data.labels[training], groups)
        chosen = model.path_.set_index("chosen").loc[True]
        rows.append(
            {
                "dataset": data.name,
                "fold": fold,
                "n_features": model.n_features_,
                "features_per_class": features_per_class(model),
                "temperature": chosen["temperature"],
            }
        )
    return pd.DataFrame(rows)


def class_specific_curve(
    X: np.ndarray, y: np.ndarray, splits: PredefinedSplit, params: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the points of `ClassSpecificNB`, from the path of `ClassSpecificNBCV`."""
    model = ClassSpecificNBCV(sizes=list(params["sizes"]), cv=splits, rule="one_standard_error")
    path = model.fit(X, y).path_.rename(columns={"n_features_per_class": "features_per_class"})
    path = path.assign(
        method=CSNB,
        parameter="features per pair of classes",
        value=path["n_features_per_pair"].astype(float),
    )
    return path[[*_POINT, "features_per_class", *_METRICS]].to_dict("records")


@dataclass(frozen=True, kw_only=True)
class _Point:
    """A point of a curve: an estimator with one value of its parameter."""

    method: str
    parameter: str
    value: float
    model: BaseEstimator


def points_of_other_methods(params: Mapping[str, Any], seed: int) -> Iterator[_Point]:
    """Yield every point of the other curves."""
    for value in params["thresholds"]:
        yield _Point(
            method=XNB_PUBLISHED,
            parameter="threshold",
            value=float(value),
            model=XNB(threshold=value),
        )
    for value in params["shrinkage"]:
        centroids = NearestCentroid(shrink_threshold=value, priors="empirical")
        yield _Point(
            method=PAM,
            parameter="shrink_threshold",
            value=float(value),
            model=make_pipeline(StandardScaler(), centroids),
        )
    for value in params["C"]:
        lasso = LogisticRegression(
            C=value, l1_ratio=1.0, solver="liblinear", random_state=seed % 2**31
        )
        yield _Point(
            method=LASSO,
            parameter="C",
            value=float(value),
            model=make_pipeline(StandardScaler(), OneVsRestClassifier(lasso)),
        )


def _cross_validate(
    data: DataSet, folds: list[tuple[np.ndarray, np.ndarray]], model: BaseEstimator
) -> dict[str, float]:
    """Return the metrics of a model's predictions over all folds, and its number of features."""
    X = data.values.T
    classes = data.classes
    predicted = np.empty(data.n_samples, dtype=classes.dtype)
    posterior = np.full((data.n_samples, len(classes)), -np.inf)
    counts = []
    with warnings.catch_warnings():
        # the ends of a curve have few features or none, so warnings are not needed
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        for train, test in folds:
            model.fit(X[train], data.labels[train])
            predicted[test] = model.predict(X[test])
            trained_classes = np.searchsorted(classes, model.classes_)
            with np.errstate(divide="ignore"):
                posterior[np.ix_(test, trained_classes)] = np.log(model.predict_proba(X[test]))
            counts.append(features_per_class(model))
    tested = np.concatenate([test for _, test in folds])
    metrics = fold_metrics(data.labels[tested], predicted[tested], posterior[tested], classes)
    return {
        "features_per_class": float(np.mean(counts)),
        **{name: metrics[name] for name in _METRICS},
    }


def features_per_class(model: BaseEstimator) -> float:
    """Return the number of features of a fitted model of a curve, mean over classes.

    Examples
    --------
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.1], [5.0, 0.9], [6.0, 1.0]]), ["a", "a", "b", "b"]
    >>> features_per_class(NearestCentroid(shrink_threshold=1.0).fit(X, y))
    1.0
    """
    last = model[-1] if hasattr(model, "steps") else model
    used = features_with_effect(last)
    if used is not None:
        return float(used.sum(axis=1).mean())
    return float(np.mean([len(chosen) for chosen in last.selected_features_.values()]))
