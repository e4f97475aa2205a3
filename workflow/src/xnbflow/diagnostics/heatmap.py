"""The heat map of a ranking: its best features in each sample, standardised and ordered."""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage

from xnbflow.data.contract import MODEL_TABLES
from xnbflow.data.dataset import DataSet

__all__ = ["heatmap"]

#: Features of a heat map.
_MOST_FEATURES = 40
#: Samples of a heat map; of more each class shows its share, evenly spaced.
_MOST_SAMPLES = 150


def heatmap(ranked: pd.DataFrame, series: DataSet) -> pd.DataFrame:
    """Return the best features in each sample, standardised and ordered.

    Samples stand class after class. Features are in the order of the leaves of an average-linkage
    tree of Euclidean distances between standardised profiles (a function of their correlation),
    turned so that neighbours are as alike as possible.

    Parameters
    ----------
    ranked : DataFrame
        ``feature``, ``symbol`` and ``rank``, as of `gene_table` or of a signature. The best are
        taken, the first of every class, then the second, up to 40.
    series : DataSet
        Its samples; of more than 150 each class shows its share, evenly spaced.

    Returns
    -------
    DataFrame
        The table ``heatmap`` of `MODEL_TABLES`.
    """
    ordered = ranked.sort_values("rank", kind="stable").drop_duplicates("feature")
    best = ordered.head(_MOST_FEATURES)
    if best.empty:
        return pd.DataFrame(columns=MODEL_TABLES["heatmap"].fixed)
    rows = pd.Index(series.features).get_indexer(best["feature"])
    z = _standardised(series.values[rows])
    order, samples = _seriated(z), _shown(series.labels)
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


def _standardised(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean(axis=1, keepdims=True)
    spread = values.std(axis=1, keepdims=True)
    return np.divide(centred, spread, out=np.zeros_like(centred), where=spread > 0)


def _seriated(z: np.ndarray) -> np.ndarray:
    """Return an order of rows in which neighbours are alike."""
    if len(z) < 3:
        return np.arange(len(z))
    return leaves_list(linkage(z, "average", optimal_ordering=True))


def _shown(labels: np.ndarray) -> np.ndarray:
    """Return positions of samples, class after class, evenly spaced where there are many."""
    shown = []
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        room = max(1, round(_MOST_SAMPLES * len(own) / len(labels)))
        taken = own if len(labels) <= _MOST_SAMPLES else own[_spread(len(own), room)]
        shown.append(taken)
    return np.concatenate(shown)


def _spread(n: int, room: int) -> np.ndarray:
    return np.linspace(0, n - 1, min(n, room)).astype(int)
