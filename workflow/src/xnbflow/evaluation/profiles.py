"""Selected features in the classes they were selected for: high or low, and how far apart."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.direction import direction

__all__ = ["class_distances", "feature_profiles", "feature_values"]


def feature_profiles(series: DataSet, selected: pd.DataFrame) -> pd.DataFrame:
    """Return how high each selected feature is in its class, against the other classes.

    Parameters
    ----------
    series : DataSet
        The data set.
    selected : DataFrame
        ``class``, ``feature``; pairs may come more than once.

    Returns
    -------
    DataFrame
        ``class``, ``feature``, ``direction``, ``median_inside``, ``median_outside`` (over the
        samples of all other classes) and ``constant``: whether the class has one value only. The
        direction compares the class with every other, see `xnbflow.evaluation.direction.direction`.
        ``symbol`` is that of the feature's gene, empty where the series has none.
    """
    pairs = selected[["class", "feature"]].drop_duplicates().reset_index(drop=True)
    if pairs.empty:
        return pairs.reindex(columns=_PROFILE)
    rows = pd.Index(series.features).get_indexer(pairs["feature"])
    codes = pd.Index(series.classes).get_indexer(pairs["class"])
    used, at = np.unique(rows, return_inverse=True)
    values = series.values[used]
    members = [series.labels == label for label in series.classes]
    medians = np.array([np.median(values[:, own], axis=1) for own in members])
    means = np.array([values[:, own].mean(axis=1) for own in members])
    outside = np.array([_median(values[:, ~own]) for own in members])
    spans = np.array([np.ptp(values[:, own], axis=1) for own in members])
    return pairs.assign(
        direction=[
            direction(medians[:, i], means[:, i], code) for i, code in zip(at, codes, strict=True)
        ],
        median_inside=medians[codes, at],
        median_outside=outside[codes, at],
        constant=spans[codes, at] == 0,
        symbol=_symbols(series)[rows],
    )


_PROFILE = [
    "class",
    "feature",
    "direction",
    "median_inside",
    "median_outside",
    "constant",
    "symbol",
]


def _symbols(series: DataSet) -> np.ndarray:
    """Return the gene symbol of every feature, empty without."""
    metadata = series.feature_metadata
    if metadata is None or "symbol" not in metadata:
        return np.full(series.n_features, "", dtype=object)
    return metadata["symbol"].to_numpy(dtype=object)


def _median(values: np.ndarray) -> np.ndarray:
    """Return the median of each row; missing where there are no values: a single class."""
    return np.median(values, axis=1) if values.shape[1] else np.full(len(values), np.nan)


def feature_values(series: DataSet, features: Sequence[str]) -> pd.DataFrame:
    """Return the values of some features: ``feature``, ``sample``, ``class``, ``value``."""
    rows = pd.Index(series.features).get_indexer(list(features))
    return pd.DataFrame(
        {
            "feature": np.repeat(series.features[rows], series.n_samples),
            "sample": np.tile(series.samples, len(rows)),
            "class": np.tile(series.labels, len(rows)),
            "value": series.values[rows].reshape(-1),
        }
    )


def class_distances(distances: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance of a class from another in a feature, over the folds that tell.

    Parameters
    ----------
    distances : DataFrame
        ``class``, ``feature``, ``other_class``, ``distance`` per fold.

    Returns
    -------
    DataFrame
        ``class``, ``feature``, ``other_class``, ``distance``, ``fits`` (how many tell).
    """
    groups = distances.groupby(["class", "feature", "other_class"], sort=False)["distance"]
    return groups.agg(distance="mean", fits="size").reset_index()
