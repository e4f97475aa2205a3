"""The heat map of a ranking: its best features in each sample, standardised and ordered."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from xnbflow.data.dataset import DataSet
from xnbflow.tables.contract import MODEL_TABLES


def heatmap(
    ranked: pd.DataFrame, series: DataSet, n_features: int = 40, n_samples: int = 150
) -> pd.DataFrame:
    """Return the best features of a ranking in each sample, standardised and ordered.

    The best ``n_features`` are the first of every class by ``rank``, then the second; of more than
    ``n_samples`` each class shows its share, evenly spaced. Samples are in the order of classes.
    Features are in the order of the leaves of an average-linkage tree of Euclidean distances
    between standardised profiles (a function of their correlation), turned so that neighbours are
    as alike as possible. z is missing where the value is.
    """
    # every class ranks all features; each feature is used once
    first = np.argsort(ranked["rank"].to_numpy(), kind="stable")[: n_features * len(series.classes)]
    best = ranked.iloc[first].drop_duplicates("feature").head(n_features)
    if best.empty:
        return pd.DataFrame(columns=MODEL_TABLES["heatmap"].fixed)
    rows = pd.Index(series.features).get_indexer(best["feature"])
    known = np.ma.masked_invalid(series.values[rows])
    spread = known.std(axis=1, keepdims=True).filled(0.0)
    centred = known - known.mean(axis=1, keepdims=True)
    z = (centred / np.where(spread > 0, spread, 1.0)).filled(np.nan)
    order: np.ndarray = np.arange(len(z))
    samples = shown_samples(series.labels, n_samples)
    if len(z) > 2:
        order = leaves_list(linkage(np.nan_to_num(z), "average", optimal_ordering=True))
    z, best = z[np.ix_(order, samples)], best.iloc[order]
    n, m = z.shape
    return pd.DataFrame(
        {
            "row": np.repeat(np.arange(n), m),
            "feature": np.repeat(best["feature"].to_numpy(), m),
            "symbol": np.repeat(best["symbol"].to_numpy(), m),
            "column": np.tile(np.arange(m), n),
            "sample": np.tile(series.samples[samples], n),
            "class": np.tile(series.labels[samples], n),
            "z": z.reshape(-1),
        }
    )


def shown_samples(labels: np.ndarray, n_samples: int) -> np.ndarray:
    """Return positions of samples, class after class, evenly spaced where there are many."""
    shown, most = [], min(len(labels), n_samples)
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        room = max(1, round(most * len(own) / len(labels)))
        shown.append(own[np.linspace(0, len(own) - 1, room).astype(int)])
    return np.concatenate(shown)
