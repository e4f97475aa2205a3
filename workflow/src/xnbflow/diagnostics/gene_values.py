"""The values of some features in every sample, with classes, groups and batches for drawings."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.terms import is_batch_column
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.heatmap import shown_samples
from xnbflow.sources.series.column_meaning import is_technical
from xnbflow.tables.contract import GROUPS

#: Most batches with colours that a reader can distinguish.
_MOST_BATCHES = 8


def first_features(genes: pd.DataFrame, n_features: int) -> list[str]:
    """Return the first feature of every class by rank, then the second ones, without repetitions.

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
    """Return the table ``gene_values`` of the group ``genes``: a row per feature and sample.

    If there are more than ``n_samples`` samples, each class has its share of them, evenly spaced.
    The batch is the first column of the phenotype whose name is that of a batch and that has 2 to 8
    values; the column of the key ``batch`` has priority. It is empty without such a column.
    Groups, which may be patients, are numbered from 1 in the order of samples, so that their names
    are not on the page.

    Examples
    --------
    >>> series = DataSet("toy", [[1.0, 5.0]], ["g1"], ["s1", "s2"], ["a", "b"])
    >>> gene_values(series, ["g1"])["value"].tolist()
    [1.0, 5.0]
    """
    rows = pd.Index(series.features).get_indexer(features)
    samples = shown_samples(series.labels, n_samples or series.n_samples)
    groups = np.full(series.n_samples, "")
    if series.groups is not None:
        groups = (pd.factorize(series.groups)[0] + 1).astype(str)
    columns_of_samples = {
        "sample": series.samples,
        "class": series.labels,
        "group": groups,
        "batch": _batches(series),
    }
    columns: dict[str, np.ndarray] = {
        "feature": np.repeat(np.asarray(features, dtype=object), len(samples)),
        "value": series.values[np.ix_(rows, samples)].reshape(-1),
    }
    for name, column in columns_of_samples.items():
        columns[name] = np.tile(column[samples], len(rows))
    return pd.DataFrame(columns)[GROUPS["genes"].tables["gene_values"].fixed]


def _batches(series: DataSet) -> np.ndarray:
    """Return the batch of each sample; empty texts if there are no batches to draw."""
    phenotype = pd.DataFrame() if series.sample_metadata is None else series.sample_metadata
    names = [name for name in phenotype if is_technical(name)]
    for name in sorted(names, key=lambda name: not is_batch_column(name)):
        if 1 < phenotype[name].nunique() <= _MOST_BATCHES:
            return phenotype[name].to_numpy(dtype=str)
    return np.full(series.n_samples, "")
