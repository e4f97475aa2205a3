"""What a feature says for and against a class, in nats: its density against a common reference."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from xnbflow.data.dataset import DataSet
from xnbflow.data.seeds import derive_seed
from xnbflow.evaluation.densities import density_estimator, log_densities

__all__ = ["relative_evidence"]


def relative_evidence(
    series: DataSet, predictions: pd.DataFrame, explanations: pd.DataFrame, entry: Mapping[str, Any]
) -> pd.DataFrame:
    """Return how much more probable each class makes a value than all classes together.

    The evidence of feature v for class c is ``log p(x | c) - log p(x)`` with the reference
    ``p(x) = sum_k pi_k p(x | k)``: 0 says nothing, above 0 speaks for the class, below against it,
    and a change of units changes nothing. The reference is that of the fold's training samples.
    What a classifier tells as evidence already, against a reference of its own, stays as it is.

    Parameters
    ----------
    series : DataSet
        The data set.
    predictions, explanations : DataFrame
        What the training jobs wrote, of all repeats; the first repeat counts.
    entry : mapping
        The classifier's configuration.

    Returns
    -------
    DataFrame
        ``repeat``, ``fold``, ``sample``, ``class``, ``feature``, ``log_likelihood``,
        ``log_reference`` (0 where the classifier told evidence) and ``evidence``; the last two are
        missing where the classifier has no densities of single features, or not in their units.
    """
    rows = explanations[explanations["repeat"] == 0]
    columns = [*explanations.columns.drop("scale"), "log_reference", "evidence"]
    tested = predictions[predictions["repeat"] == 0]
    index = pd.Index(series.features)  # many names: hashed once, not in every fold
    parts = [
        _of_fold(series, index, tested.loc[tested["fold"] == fold, "sample"], group, entry)
        for fold, group in rows.groupby("fold", sort=True)
    ]
    return pd.concat(parts, ignore_index=True)[columns] if parts else rows.reindex(columns=columns)


def _of_fold(
    series: DataSet,
    index: pd.Index,
    tested: pd.Series,
    group: pd.DataFrame,
    entry: Mapping[str, Any],
) -> pd.DataFrame:
    """Return the evidence in one fold; all its rows are of one fit, and of one scale."""
    scale = group["scale"].iloc[0]
    if scale == "evidence":
        return group.assign(log_reference=0.0, evidence=group["log_likelihood"])
    found = index.get_indexer(group["feature"].unique())
    features = np.sort(found[found >= 0])
    values = series.values[features]
    if scale != "density" or np.isnan(values).any():
        return group.assign(log_reference=np.nan, evidence=np.nan)
    is_tested = np.isin(series.samples, tested.to_numpy(dtype=str))
    samples = np.flatnonzero(np.isin(series.samples, group["sample"].unique()))
    labels = series.labels[~is_tested]
    seed = derive_seed(series.name, 0, "classifier")
    estimator, _ = density_estimator(entry, series.kinds[features], seed)
    logs = None
    if estimator is not None:
        logs = log_densities(estimator, values[:, ~is_tested], labels, values[:, samples])
    if logs is None:
        return group.assign(log_reference=np.nan, evidence=np.nan)
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    reference = logsumexp(logs, axis=0, b=shares[:, None, None])
    i = pd.Index(series.features[features]).get_indexer(group["feature"])
    j = pd.Index(series.samples[samples]).get_indexer(group["sample"])
    at = reference[i, j]
    with np.errstate(invalid="ignore"):
        evidence = np.where(np.isneginf(at), 0.0, group["log_likelihood"].to_numpy() - at)
    return group.assign(log_reference=at, evidence=evidence)
