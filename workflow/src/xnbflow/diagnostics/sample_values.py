"""The values of each sample: quantiles before and after normalisation, library size, correlations.

A sample that differs from all others in them (a failed array, a library of few reads, a copy) is
visible in these numbers before any class is compared.
"""

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features, with_log_counts
from xnbflow.diagnostics.features import is_unlogged, linear_values, logged
from xnbflow.diagnostics.heatmap import shown_samples
from xnbflow.diagnostics.sample_components import compared_positions

#: Quantiles of the values of a sample, by the end of the name of their column.
QUANTILES = {"05": 0.05, "25": 0.25, "50": 0.5, "75": 0.75, "95": 0.95}
#: Most samples that are compared with each other: cells of a larger map could not be distinguished.
_MOST_CORRELATED = 100
#: Samples whose quantiles are computed at once, so that few values are copied.
_SAMPLES_AT_ONCE = 64
#: Least number of values that two samples have in common for a correlation.
_FEWEST_COMMON = 3


def sample_values(series: DataSet) -> pd.DataFrame:
    """Return the quantiles of each sample, its library size and its correlations.

    Quantiles are those of log2 values: of counts, log2 counts per million with TMM of the features
    with enough reads, and before this normalisation ``log2(count + 1)``. Values that look like
    intensities are replaced by their logarithms, those below 1 by 0. Missing values are omitted.

    Correlations are Pearson's, over the features that both samples have, of these logarithms. If
    there are more than 100 samples, each class has its share of them, evenly spaced; the others
    have no correlations.

    Returns
    -------
    DataFrame
        A row per sample of `compared_positions`, with the columns of these numbers in the table
        ``samples`` of the group ``audit``. The columns ``correlation.{sample}`` are in the order of
        the leaves of an average-linkage tree, with similar samples side by side.

    Examples
    --------
    >>> values = np.array([[1.0, 1.5, 4.0], [2.0, 2.5, 3.0], [3.0, 3.5, 2.0], [4.0, 4.5, 1.0]])
    >>> series = DataSet("toy", values, list("pqrs"), ["x", "y", "z"], ["a", "a", "b"])
    >>> table = sample_values(series)
    >>> table["value_50"].tolist(), table["correlation.x"].round(3).tolist()
    ([2.5, 3.0, 2.5], [1.0, 1.0, -1.0])
    """
    positions = compared_positions(series.n_samples)
    values = linear_values(with_log_counts(series))
    # Only counts have library sizes and values before normalisation.
    library_sizes = np.full(series.n_samples, np.nan)
    before = np.empty((0, series.n_samples))
    if series.scale == COUNTS:
        library_sizes = series.values.sum(axis=0)
        expressed = expressed_features(series)
        values = values[expressed[series.kinds == "linear"]]
        before = np.log2(series.values[expressed] + 1)
    elif is_unlogged(series):
        values = logged(values)
    table = pd.DataFrame(
        {"sample": series.samples[positions], "library_size": library_sizes[positions]}
    )
    table = table.join(_quantiles(before, positions, "before"))
    table = table.join(_quantiles(values, positions, "value"))

    # Correlations of some rows of the table; their columns have the order of the tree.
    rows = np.arange(len(positions))
    if len(positions) > _MOST_CORRELATED:
        rows = np.sort(shown_samples(series.labels[positions], _MOST_CORRELATED))
    compared = positions[rows]
    correlations = _correlations(values[:, compared])
    order = _order_of_leaves(correlations)
    names = [f"correlation.{name}" for name in series.samples[compared[order]]]
    return table.join(pd.DataFrame(correlations[:, order], index=rows, columns=names))


def _quantiles(values: np.ndarray, positions: np.ndarray, prefix: str) -> pd.DataFrame:
    """Return the quantiles of the samples at some positions of values (n_features, n_samples)."""
    names = [f"{prefix}_{name}" for name in QUANTILES]
    quantiles = np.full((len(positions), len(QUANTILES)), np.nan)
    if not len(values):  # no feature: all quantiles are missing
        return pd.DataFrame(quantiles, columns=names)
    shares = list(QUANTILES.values())
    for start in range(0, len(positions), _SAMPLES_AT_ONCE):
        rows = slice(start, start + _SAMPLES_AT_ONCE)
        samples = np.ascontiguousarray(values[:, positions[rows]].T)
        if not np.isnan(samples).any():
            quantiles[rows] = np.quantile(samples, shares, axis=1).T
            continue
        for i, sample in enumerate(samples, start=start):
            present = sample[~np.isnan(sample)]
            if len(present):
                quantiles[i] = np.quantile(present, shares)
    return pd.DataFrame(quantiles, columns=names)


def _correlations(values: np.ndarray) -> np.ndarray:
    """Return Pearson's correlations of samples, (n_samples, n_samples); 0 where there is none.

    ``values`` are (n_features, n_samples). A pair of samples is compared in the features that both
    have. A sample without variance has a correlation with itself only.
    """
    present = ~np.isnan(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        centre = np.where(present, values, 0.0).sum(axis=0) / present.sum(axis=0)
        centred = np.where(present, values - centre, 0.0)
        products = centred.T @ centred
        if present.all():
            spread = np.sqrt(np.diag(products))
            correlations = products / np.outer(spread, spread)
        else:
            # Row i, column j: sums of sample i over the features that i and j have.
            mask = present.astype(float)
            n_common = mask.T @ mask
            sums = centred.T @ mask
            squares = (centred**2).T @ mask
            covariance = products - sums * sums.T / n_common
            variance = squares - sums**2 / n_common
            correlations = covariance / np.sqrt(variance * variance.T)
            correlations[n_common < _FEWEST_COMMON] = np.nan
    correlations = np.nan_to_num(correlations, nan=0.0, posinf=0.0, neginf=0.0).clip(-1, 1)
    np.fill_diagonal(correlations, 1.0)
    return correlations


def _order_of_leaves(correlations: np.ndarray) -> np.ndarray:
    """Return the positions of samples in the order of an average-linkage tree."""
    if len(correlations) < _FEWEST_COMMON:
        return np.arange(len(correlations))
    distances = squareform(1 - (correlations + correlations.T) / 2, checks=False)
    tree = linkage(distances, "average", optimal_ordering=True)
    return np.asarray(leaves_list(tree))
