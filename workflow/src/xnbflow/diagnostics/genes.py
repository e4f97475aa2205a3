"""Which features differ between the classes: each class against the rest, feature by feature."""

import numpy as np
import pandas as pd
from scipy.special import gammaln, stdtr

from xnbflow.core.jit import njit
from xnbflow.data.dataset import DataSet, row_slices
from xnbflow.data.matrices import Rows
from xnbflow.density.class_tiles import DenseTile, map_class_tiles
from xnbflow.density.distances import compare
from xnbflow.density.sparse_tiles import SparseTile
from xnbflow.density.tiles import map_strips
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.tables.contract import DIAGNOSTIC_TABLES

__all__ = ["class_comparisons", "gene_table"]


def _areas(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of each class against the rest, (n_classes, n_features).

    It is the share of pairs of a sample of the class and another one in which the former has the
    larger value, ties as one half: Mann and Whitney's U over the number of pairs (Hanley and
    McNeil, Radiology 143, 1982). Missing values are left out; NaN where one side has no others.
    """
    n_classes = codes.max() + 1
    areas = np.empty((n_classes, len(features)))

    def compare_ranks(strip: slice) -> None:
        rows = features[strip]
        ranks, inside = np.zeros((2, len(rows), n_classes))
        _sum_ranks(rows, rows.argsort(axis=1), codes, ranks, inside)
        wins = ranks - inside * (inside + 1) / 2
        pairs = inside * (inside.sum(axis=1, keepdims=True) - inside)
        areas[:, strip] = np.divide(wins, pairs, np.full_like(wins, np.nan), where=pairs > 0).T

    map_strips(compare_ranks, *features.shape)
    return areas


@njit(nogil=True)
def _sum_ranks(
    features: np.ndarray,
    order: np.ndarray,
    codes: np.ndarray,
    ranks: np.ndarray,
    counts: np.ndarray,
) -> None:
    """Add up ranks and numbers of samples (n_features, n_classes), of equal values their mean rank.

    In ``order`` the samples of each feature are ascending, missing values last.
    """
    for i in range(len(features)):
        first = 0
        while first < order.shape[1] and not np.isnan(features[i, order[i, first]]):
            stop = first + 1
            while stop < order.shape[1] and (
                features[i, order[i, stop]] == features[i, order[i, first]]
            ):
                stop += 1
            for j in range(first, stop):
                ranks[i, codes[order[i, j]]] += 0.5 * (first + 1 + stop)
                counts[i, codes[order[i, j]]] += 1.0
            first = stop


def _distances(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return Hellinger's distance of each class's density from the rest's, as shaped as areas.

    Densities are those by which `xnbflow.naive_bayes.XNB` ranks features; that of the rest is the
    mean of the other classes', weighted by their samples, so that of two classes the distance is
    XNB's. Missing values are left out, features with the same gaps compared together; NaN where a
    class or the rest has fewer than two values, or none differ.
    """
    found = np.full((codes.max() + 1, len(features)), np.nan)
    varies = np.flatnonzero(np.fmin.reduce(features, axis=1) < np.fmax.reduce(features, axis=1))
    gaps = pd.DataFrame(np.packbits(np.isnan(features)[varies], axis=1))
    for rows in gaps.groupby(list(gaps)).indices.values():
        samples = np.flatnonzero(~np.isnan(features[varies[rows[0]]]))
        classes, own = np.unique(codes[samples], return_inverse=True)
        if len(classes) > 1:
            sizes = np.bincount(own)
            distances = _complete_distances(Rows(features, varies[rows]), own, samples)
            several = (sizes > 1) & (sizes < len(own) - 1)
            found[np.ix_(classes[several], varies[rows])] = distances[several]
    return found


def _complete_distances(features: Rows, codes: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return `_distances` of features in some samples, of which all values are known."""
    sizes = np.bincount(codes)
    k = len(sizes)
    weights = sizes * (1 - np.eye(k)) / (len(codes) - sizes)[:, None]
    pairs = np.stack([np.arange(k), k + np.arange(k)], axis=1)
    found = np.empty((k, len(features)))

    def work(tile: DenseTile | SparseTile, strip: slice) -> None:
        widths = tile.bandwidths("silverman", "gaussian", 0.0)
        own = tile.densities(widths, kernel="gaussian", n_grid=50, underflow="as_published")
        rest = np.einsum("ij,jgf->igf", weights, own)  # BLAS would start threads of its own
        found[:, strip] = compare(np.concatenate([own, rest]), pairs, "hellinger")

    map_class_tiles(work, features, codes, k, bandwidth="silverman", samples=samples)
    return found


def gene_table(series: DataSet) -> pd.DataFrame:
    """Compare each class with the rest, one linear feature at a time.

    Samples of one patient are not independent. Where samples have groups, means and tests are
    therefore of *units*: the mean of each group within a class. Areas and distances are of samples.

    Parameters
    ----------
    series : DataSet
        Missing values are left out.

    Returns
    -------
    DataFrame
        The table ``genes`` of `DIAGNOSTIC_TABLES` of `xnbflow.tables.contract`: a row per class and
        feature, by class and rank. p is of Welch's t test, two-sided; it is missing where a class
        or the rest has fewer than two units, or where neither varies. The fold change is a
        logarithm to base 2, missing where the series' ``scale`` is unknown. A feature of rank 1 is
        the highest in its class against the rest: by area, then by Welch's t, then by position.

    References
    ----------
    Welch B. L. (1947), Biometrika 34, 28-35. Benjamini Y., Hochberg Y. (1995), J. R. Statist. Soc.
    B 57, 289-300. Ranks as of Wolf F. A. and others (2018), Genome Biology 19, 15
    (``scanpy.tl.rank_genes_groups``).

    Examples
    --------
    >>> values = [[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 3.0, 4.0]]
    >>> series = DataSet("toy", values, ["g1", "g2"], list("wxyz"), ["a", "a", "b", "b"])
    >>> gene_table(series)[["class", "feature", "auc", "rank"]].values.tolist()
    [['a', 'g2', 0.5, 1], ['a', 'g1', 0.0, 2], ['b', 'g1', 1.0, 1], ['b', 'g2', 0.5, 2]]
    """
    linear = np.flatnonzero(series.kinds == "linear")
    values = series.values if len(linear) == series.n_features else series.values[linear]
    if not len(linear):
        return pd.DataFrame(columns=DIAGNOSTIC_TABLES["genes"].fixed)
    codes = np.unique(series.labels, return_inverse=True)[1]
    areas, distances = _areas(values, codes), _distances(values, codes)
    found = class_comparisons(values, series)
    fdr = benjamini_hochberg(found["p"])
    names = {"feature": series.features[linear]}
    known = pd.DataFrame() if series.feature_metadata is None else series.feature_metadata
    for name in ("symbol", "chromosome"):
        given = known[name].to_numpy()[linear] if name in known else np.full(len(linear), "")
        names[name] = given
    texts, parts = pd.DataFrame(names), []
    for code, label in enumerate(series.classes):
        order = np.lexsort((-np.nan_to_num(found["t"][code]), -areas[code]))
        ties = pd.Series(areas[code]).groupby(areas[code]).transform("size").fillna(1) - 1
        columns = {
            **{name: column[code] for name, column in found.items() if name != "t"},
            "fdr": fdr[code],
            "auc": areas[code],
            "distance": distances[code],
            "ties": ties.to_numpy(dtype=int),
        }
        part = {name: column[order] for name, column in columns.items()}
        part |= {"class": str(label), "rank": np.arange(1, len(order) + 1)}
        parts.append(pd.DataFrame({**texts.take(order).reset_index(drop=True), **part}))
    return pd.concat(parts, ignore_index=True)[DIAGNOSTIC_TABLES["genes"].fixed]


def class_comparisons(values: np.ndarray, series: DataSet) -> dict[str, np.ndarray]:
    """Compare each class of a series with the rest, in all its features or some.

    Of ``values`` (n_features, n_samples) missing ones are left out. Every result has shape
    (n_classes, n_features): means, their difference, Welch's ``t`` and ``p``, and ``effect``,
    Hedges' g, with its ``variance``: the difference in standard deviations pooled of the class and
    the rest, corrected for bias by the exact factor (L. V. Hedges, Journal of Educational
    Statistics 6, 1981; the variance by Hedges and Olkin, "Statistical methods for meta-analysis",
    1985, p. 86). The last four are missing where a class or the rest has fewer than two units (see
    `gene_table`), or where neither varies.
    """
    codes = np.unique(series.labels, return_inverse=True)[1]
    units = np.arange(len(codes))
    if series.groups is not None:
        units = pd.DataFrame({"group": series.groups, "class": codes}).groupby(["group", "class"])
        units = units.ngroup().to_numpy()
        codes = codes[np.unique(units, return_index=True)[1]]
    columns = ["mean_in", "mean_out", "difference", "log_fold_change", "t", "p"]
    columns += ["effect", "variance"]
    found = {name: np.empty((codes.max() + 1, len(values))) for name in columns}
    with np.errstate(divide="ignore", invalid="ignore"):
        for rows in row_slices(values.shape):
            part = values[rows] if series.groups is None else _means(values[rows], units)
            for name, block in zip(columns, _welch(part, codes, series.scale), strict=True):
                found[name][:, rows] = block.T
    return found


def _means(values: np.ndarray, units: np.ndarray) -> np.ndarray:
    """Return the mean of each unit, whatever is missing of it left out."""
    known, filled = _known(values)
    member = np.eye(units.max() + 1)[units]
    return filled @ member / (known @ member)


def _known(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which values are known, and the values with 0 for the others."""
    known = ~np.isnan(values)
    return known, values if known.all() else np.where(known, values, 0.0)


def _welch(values: np.ndarray, codes: np.ndarray, scale: str) -> tuple[np.ndarray, ...]:
    """Return `class_comparisons` of some features, arrays of shape (n_features, n_classes)."""
    member = np.eye(codes.max() + 1)[codes]
    known, filled = _known(values)
    size = known @ member
    mean = filled @ member / size
    squares = np.where(known, filled - np.nan_to_num(mean)[:, codes], 0.0) ** 2 @ member
    rest = 1 - np.eye(member.shape[1])
    size_out = size @ rest
    mean_out = np.nan_to_num(size * mean) @ rest / size_out
    # the sum of squares about the mean of the rest: within its classes, and between them
    apart = np.nan_to_num(size[:, None, :] * (mean[:, None, :] - mean_out[:, :, None]) ** 2)
    squares_out = squares @ rest + (apart * rest).sum(axis=2)
    # rounding errors of the means are no variance
    noise = (size + size_out) * (8 * np.finfo(float).eps * np.abs(filled).max(axis=1)[:, None]) ** 2
    varies = squares + squares_out > noise
    spread, spread_out = (
        np.sqrt(s / np.where(n > 1, n - 1, np.nan))
        for s, n in ((squares, size), (squares_out, size_out))
    )
    error, error_out = spread**2 / size, spread_out**2 / size_out
    difference = mean - mean_out
    t = difference / np.sqrt(error + error_out)
    power = -np.frexp(error + error_out)[1]  # their squares may be too large or small for a float
    error, error_out = np.ldexp(error, power), np.ldexp(error_out, power)
    freedom = (error + error_out) ** 2 / (error**2 / (size - 1) + error_out**2 / (size_out - 1))
    p = 2 * stdtr(freedom, -np.abs(t))
    change = difference * {"log2": 1.0, "ln": 1 / np.log(2)}.get(scale, np.nan)
    degrees = size + size_out - 2
    correction = np.exp(gammaln(degrees / 2) - gammaln((degrees - 1) / 2)) / np.sqrt(degrees / 2)
    effect = correction * difference / np.sqrt((squares + squares_out) / degrees)
    variance = 1 / size + 1 / size_out + effect**2 / (2 * (size + size_out))
    compared = varies & (size > 1) & (size_out > 1)
    tested = (np.where(compared, each, np.nan) for each in (t, p, effect, variance))
    return mean, mean_out, difference, change, *tested
