"""Curves of the densities of a classifier's features in each class, for drawings."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import KINDS, DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.density.kernels import kernel_title
from xnbflow.evaluation.build import build_estimator
from xnbflow.naive_bayes.base import BaseNaiveBayes
from xnbflow.naive_bayes.flexible_nb import FlexibleNB

#: Points of a curve.
_POINTS = 128
#: Margin of a curve beyond the least and greatest value, as a share of their distance.
_MARGIN = 0.08


def most_selected_features(selection: pd.DataFrame, per_class: int, most: int) -> list[str]:
    """Return the features selected most often for each class, in turn over the classes.

    ``selection`` has ``class``, ``feature``, ``frequency`` and ``mean_rank`` of one data set.

    Examples
    --------
    >>> table = pd.DataFrame({"class": ["a", "a", "b"], "feature": ["g1", "g2", "g3"],
    ...                       "frequency": [1.0, 0.5, 0.9], "mean_rank": [1.0, 2.0, 1.0]})
    >>> most_selected_features(table, per_class=2, most=2)
    ['g1', 'g3']
    """
    ordered = selection.sort_values(
        ["frequency", "mean_rank"], ascending=[False, True], kind="stable"
    ).drop_duplicates(["class", "feature"])
    position = ordered.groupby("class").cumcount()
    chosen = ordered.assign(position=position)[position < per_class]
    chosen = chosen.sort_values(["position", "class"], kind="stable")
    return chosen["feature"].drop_duplicates().head(most).tolist()


def density_estimator(
    entry: Mapping[str, Any], series: DataSet, features: np.ndarray
) -> BaseNaiveBayes | None:
    """Return an estimator that has a configured classifier's densities; None if there are none.

    A class-specific classifier has densities of selected features only; a flexible naive Bayes
    classifier with the same kernel and bandwidth has the same ones, and those of all others. Fit
    the estimator to the ``features`` at these positions.
    """
    columns = {kind: np.flatnonzero(series.kinds[features] == kind).tolist() for kind in KINDS}
    estimator = build_estimator(entry, columns, series_seed(series, 0, "classifier"))
    inner = getattr(estimator, "estimator", None)  # behind a selector
    estimator = inner if isinstance(inner, BaseNaiveBayes) else estimator
    params = estimator.get_params(deep=False)
    if {"bandwidth", "kernel"} <= set(params):
        shared = {key: params[key] for key in FlexibleNB().get_params() if key in params}
        estimator = FlexibleNB(**shared)
    return estimator if isinstance(estimator, BaseNaiveBayes) else None


def class_densities(
    series: DataSet, features: Sequence[str], entry: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the density of some features in each class, from all samples.

    The columns are those of ``DESCRIPTION_TABLES["densities"]`` of `xnbflow.tables.contract`.
    Where the classifier of the configuration ``entry`` has no densities of single features they are
    Gaussian kernel densities with Silverman's bandwidth.
    """
    if not len(features):
        columns = ["class", "feature", "x", "density", "estimator", "own"]
        types = {"x": float, "density": float, "own": bool}
        return pd.DataFrame(columns=columns).astype(types)
    rows = pd.Index(series.features).get_indexer(list(features))
    values = series.values[rows]
    low, high = values.min(axis=1), values.max(axis=1)
    margin = _MARGIN * np.where(high > low, high - low, 1.0)
    grids = np.linspace(low - margin, high + margin, _POINTS, axis=1)
    configured = density_estimator(entry, series, rows)
    for estimator in (configured, FlexibleNB()):
        if estimator is not None:
            logs = log_densities(estimator, values, series.labels, grids)
            if logs is not None:
                break
    else:
        msg = f"{series.name}: no density of {', '.join(features)}; give them in another unit"
        raise InputError(msg)
    name = f"the densities of {type(estimator).__name__}"
    if isinstance(estimator, FlexibleNB):
        name = f"{kernel_title(estimator.kernel)} kernels, bandwidth by {estimator.bandwidth}"
    k = len(series.classes)
    n, points = grids.shape
    return pd.DataFrame(
        {
            "class": np.repeat(series.classes, n * points),
            "feature": np.tile(np.repeat(series.features[rows], points), k),
            "x": np.tile(grids.reshape(-1), k),
            "density": np.exp(logs).reshape(-1),
            "estimator": name,
            "own": estimator is configured,
        }
    )


def log_densities(
    estimator: BaseNaiveBayes, values: np.ndarray, labels: np.ndarray, points: np.ndarray
) -> np.ndarray | None:
    """Fit an estimator and return the log density of each feature in each class.

    It is fitted to ``values`` and ``labels`` of shape (n_features, n_samples) and (n_samples,);
    ``points`` have shape (n_features, n_points). The result, of shape (n_classes, n_features,
    n_points), is in the order of the sorted labels; None where the estimator cannot be fitted, or
    has no density of every single feature.
    """
    try:
        model = estimator.fit(values.T, labels)
    except (InputError, ValueError):
        return None
    terms = model.explain(points.T)
    n_features, n_points = points.shape
    order = terms["feature"].head(n_features).to_numpy()
    if "log_likelihood" not in terms:
        return None
    if len(terms) != len(model.classes_) * points.size or set(order) != set(range(n_features)):
        return None
    logs = terms["log_likelihood"].to_numpy().reshape(len(model.classes_), n_points, n_features)
    return logs[:, :, np.argsort(order)].transpose(0, 2, 1)
