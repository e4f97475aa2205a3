"""The values of some features in every sample, with classes, groups and batches for drawings."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.heatmap import shown_samples
from xnbflow.sources.plausibility import is_technical
from xnbflow.tables.contract import DIAGNOSTIC_TABLES

#: Most batches with colours that a reader can distinguish.
_MOST_BATCHES = 8


def first_features(genes: pd.DataFrame, n_features: int) -> list[str]:
    """Return the first features of every class by rank, then the second, each once.

    Examples
    --------
    >>> genes = pd.DataFrame({"feature": ["a", "b", "b", "c"], "rank": [1, 2, 1, 2]})
    >>> first_features(genes, 2)
    ['a', 'b']
    """
    order = genes.sort_values("rank", kind="stable")["feature"]
    return [str(name) for name in order.drop_duplicates().head(n_features)]


def gene_values(
    series: DataSet, features: Sequence[str], n_samples: int | None = None
) -> pd.DataFrame:
    """Return the table ``gene_values`` of `DIAGNOSTIC_TABLES`: a row per feature and sample.

    Of more than ``n_samples`` samples each class has its share, evenly spaced. The batch is the
    first column of the phenotype that names one and has 2 to 8 values, the column of the option
    ``batch`` before others; it is empty where there is none. Groups, which may be patients, are
    numbered from 1 in the order of samples: their names stay in the series.

    Examples
    --------
    >>> series = DataSet("toy", [[1.0, 5.0]], ["g1"], ["s1", "s2"], ["a", "b"])
    >>> gene_values(series, ["g1"])["value"].tolist()
    [1.0, 5.0]
    """
    rows = pd.Index(series.features).get_indexer(features)
    samples = shown_samples(series.labels, n_samples or series.n_samples)
    empty = np.full(series.n_samples, "")
    of_samples = {
        "sample": series.samples,
        "class": series.labels,
        "group": empty if series.groups is None else _numbered(series.groups),
        "batch": _batches(series),
    }
    columns = {name: np.tile(each[samples], len(rows)) for name, each in of_samples.items()}
    values = series.values[np.ix_(rows, samples)].reshape(-1)
    found = {"feature": np.repeat(np.asarray(features, dtype=object), len(samples)), **columns}
    return pd.DataFrame({**found, "value": values})[DIAGNOSTIC_TABLES["gene_values"].fixed]


def _numbered(groups: np.ndarray) -> np.ndarray:
    return (pd.factorize(groups)[0] + 1).astype(str)


def _batches(series: DataSet) -> np.ndarray:
    """Return the batch of each sample; empty texts if there are no batches to draw."""
    known = pd.DataFrame() if series.sample_metadata is None else series.sample_metadata
    names = sorted(filter(is_technical, known), key=lambda name: not name.startswith("batch ("))
    for name in names:
        if 1 < known[name].nunique() <= _MOST_BATCHES:
            return known[name].to_numpy(dtype=str)
    return np.full(series.n_samples, "")
