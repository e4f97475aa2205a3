"""The heat map of a ranking: its best features in each sample, standardised and ordered."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from xnbflow.core.natural_order import natural_key
from xnbflow.data.dataset import DataSet
from xnbflow.tables.contract import GROUPS


def heatmap(
    ranked: pd.DataFrame, series: DataSet, n_features: int = 40, n_samples: int = 150
) -> pd.DataFrame:
    """Return the best features of a ranking in each sample, standardised and ordered.

    The best ``n_features`` are the first of every class by ``rank``, then the second ones, without
    repetitions. If there are more than ``n_samples`` samples, each class has its share of them,
    evenly spaced. Samples are in the order of classes. Features are in the order of the leaves of
    an average-linkage tree of Euclidean distances between standardised profiles (a function of
    their correlation), with similar features beside each other. z is missing where the value is.
    """
    # Every class ranks all features, so this many rows have at least `n_features` distinct ones.
    n_rows = n_features * len(series.classes)
    first = np.argsort(ranked["rank"].to_numpy(), kind="stable")[:n_rows]
    best = ranked.iloc[first].drop_duplicates("feature").head(n_features)
    if best.empty:
        return pd.DataFrame(columns=GROUPS["model"].tables["heatmap"].fixed)

    # Features (n_features, n_samples) in standard deviations from their mean. A constant
    # feature becomes 0. Missing values are ignored and remain missing.
    values = series.values[pd.Index(series.features).get_indexer(best["feature"])]
    present = np.ma.masked_invalid(values)
    spread = present.std(axis=1, keepdims=True).filled(0.0)
    centred = present - present.mean(axis=1, keepdims=True)
    z = np.asarray((centred / np.where(spread > 0, spread, 1.0)).filled(np.nan))

    order: np.ndarray = np.arange(len(z))
    if len(z) > 2:
        order = leaves_list(linkage(np.nan_to_num(z), "average", optimal_ordering=True))
    best = best.iloc[order]
    samples = shown_samples(series.labels, n_samples)
    return pd.DataFrame(
        {
            "row": np.repeat(np.arange(len(order)), len(samples)),
            "feature": np.repeat(best["feature"].to_numpy(), len(samples)),
            "symbol": np.repeat(best["symbol"].to_numpy(), len(samples)),
            "column": np.tile(np.arange(len(samples)), len(order)),
            "sample": np.tile(series.samples[samples], len(order)),
            "class": np.tile(series.labels[samples], len(order)),
            "z": z[np.ix_(order, samples)].reshape(-1),
        }
    )


def shown_samples(labels: np.ndarray, n_samples: int) -> np.ndarray:
    """Return positions of about ``n_samples`` samples, class after class, evenly spaced.

    Classes are in natural order: C1, C2, ..., C10.
    """
    n_samples = min(len(labels), n_samples)
    positions = []
    for label in sorted(set(labels.tolist()), key=natural_key):
        members = np.flatnonzero(labels == label)
        n_shown = max(1, round(n_samples * len(members) / len(labels)))
        positions.append(members[np.linspace(0, len(members) - 1, n_shown).astype(int)])
    return np.concatenate(positions)
