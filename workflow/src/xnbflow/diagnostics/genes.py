"""Differences between the classes, feature by feature."""

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import COUNTS, DataSet, row_slices
from xnbflow.data.matrices import Rows
from xnbflow.data.read_counts import with_log_counts
from xnbflow.density.class_tiles import Tile, map_class_tiles
from xnbflow.density.distances import hellinger
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.diagnostics.areas import doubled_wins, sample_order
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.diagnostics.modelled_features import modelled_features
from xnbflow.sources.sample_columns import missing_covariates, with_known_covariates
from xnbflow.tables.contract import DIAGNOSTIC_TABLES

#: Factors from differences to log2 fold changes, by the scale of the values.
LOG2 = {"log2": 1.0, "ln": float(1 / np.log(2)), COUNTS: 1.0}
#: Results of the model in `class_comparisons`.
_TESTED = ("standard_error", "lower", "upper", "t", "p", "fdr", "df", "posterior_variance")


def _areas(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of each class against the rest, (n_classes, n_features).

    It is the share of pairs of a sample of the class and another one in which the former has the
    larger value, ties as one half: Mann and Whitney's U over the number of pairs (Hanley and
    McNeil, Radiology 143, 1982). Missing values are left out; NaN where one side has no values.
    """
    k = codes.max() + 1
    areas = np.empty((k, len(features)))
    for part in row_slices((len(features), k * k)):
        wins = doubled_wins(sample_order(features[part]), codes, k)
        own = np.sqrt(np.einsum("fcc->fc", wins))
        pairs = own * (own.sum(axis=1, keepdims=True) - own)
        higher = (wins.sum(axis=2) - own**2) / 2
        areas[:, part] = np.divide(higher, pairs, np.full_like(own, np.nan), where=pairs > 0).T
    return areas


def _distances(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return Hellinger's distance of each class's density from the rest's, in the areas' shape.

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
    """Return `_distances` of features in samples without missing values."""
    sizes = np.bincount(codes)
    k = len(sizes)
    weights = sizes * (1 - np.eye(k)) / (len(codes) - sizes)[:, None]
    pairs = np.stack([np.arange(k), k + np.arange(k)], axis=1)
    found = np.empty((k, len(features)))

    def work(tile: Tile, strip: slice) -> None:
        widths = tile.bandwidths("silverman", 0.0)
        own = tile.densities(
            widths, kernel="gaussian", n_grid=DEFAULT_N_GRID, underflow="as_published"
        )
        rest = np.einsum("ij,jgf->igf", weights, own)  # BLAS would start further threads
        found[:, strip] = hellinger(np.concatenate([own, rest]), pairs)

    map_class_tiles(work, features, codes, k, samples=samples)
    return found


def gene_table(series: DataSet) -> pd.DataFrame:
    """Compare each class with the others, one linear feature at a time.

    The tests are of the linear model of `xnbflow.diagnostics.linear_models`, with the groups of
    the series, its columns to adjust for and, if it asks for it, the trend. Counts are tested with
    TMM factors and the weights of voom, where they have enough reads. Samples without a value of a
    column to adjust for are left out of the tests. Areas and distances are of all samples (of
    counts, of their log2 per million by TMM) and adjusted for nothing.

    Parameters
    ----------
    series : DataSet
        Missing values are left out.

    Returns
    -------
    DataFrame
        The table ``genes`` of `DIAGNOSTIC_TABLES` of `xnbflow.tables.contract`: a row per class and
        feature, by class and rank. The fold change is a logarithm to base 2, missing where the
        series' ``scale`` is unknown. The feature of rank 1 has the strongest evidence in either
        direction: the largest absolute t, then the area furthest from 1/2, then the first position.

    Raises
    ------
    InputError
        If the series cannot be adjusted for its columns (see `class_designs`).

    References
    ----------
    Smyth G. K. (2004), Statistical Applications in Genetics and Molecular Biology 3, article 3.
    Benjamini Y., Hochberg Y. (1995), J. R. Statist. Soc. B 57, 289-300.

    Examples
    --------
    >>> values = [[1.0, 2.0, 5.0, 6.0], [3.0, 4.0, 3.0, 4.0]]
    >>> series = DataSet("toy", values, ["g1", "g2"], list("wxyz"), ["a", "a", "b", "b"])
    >>> genes = gene_table(series)
    >>> shown = genes.loc[genes["class"] == "b", ["feature", "difference", "auc", "rank"]]
    >>> shown.round(3).values.tolist()
    [['g1', 4.0, 1.0, 1], ['g2', 0.0, 0.5, 2]]
    """
    linear = np.flatnonzero(series.kinds == "linear")
    if not len(linear):
        return pd.DataFrame(columns=DIAGNOSTIC_TABLES["genes"].fixed)
    values = series.values if len(linear) == series.n_features else series.values[linear]
    codes = np.unique(series.labels, return_inverse=True)[1]
    shown = with_log_counts(series).values[linear] if series.scale == COUNTS else values
    areas, distances = _areas(shown, codes), _distances(shown, codes)
    compared = class_comparisons(values, series)
    factor = LOG2.get(series.scale)
    compared["log_fold_change"] = compared["difference"] * (np.nan if factor is None else factor)
    for limit in ("lower", "upper"):
        compared[limit] = compared[limit] * (factor or 1.0)
    names = feature_names(series, linear)
    parts = []
    for code, label in enumerate(series.classes):
        evidence = np.nan_to_num(np.abs(compared["t"][code]), nan=-1.0)
        order = np.lexsort((-np.abs(areas[code] - 0.5), -evidence))
        ties = pd.Series(areas[code]).groupby(areas[code]).transform("size").fillna(1) - 1
        columns = {
            **{name: column[code] for name, column in compared.items()},
            "auc": areas[code],
            "distance": distances[code],
            "ties": ties.to_numpy(dtype=int),
        }
        part = {name: column[order] for name, column in columns.items()}
        part |= {"class": str(label), "rank": np.arange(1, len(order) + 1)}
        parts.append(pd.DataFrame({**names.take(order).reset_index(drop=True), **part}))
    return pd.concat(parts, ignore_index=True)[DIAGNOSTIC_TABLES["genes"].fixed]


def feature_names(series: DataSet, rows: np.ndarray) -> pd.DataFrame:
    """Return ``feature``, ``symbol`` and ``chromosome`` of some features; "" where unknown."""
    metadata = pd.DataFrame() if series.feature_metadata is None else series.feature_metadata
    names = {"feature": series.features[rows]}
    for name in ("symbol", "chromosome"):
        unknown = np.full(len(rows), "")
        names[name] = metadata[name].to_numpy()[rows] if name in metadata else unknown
    return pd.DataFrame(names)


def class_comparisons(values: np.ndarray, series: DataSet) -> dict[str, np.ndarray]:
    """Compare each class of a series with the mean of the others.

    ``values`` (n_features, n_samples) are those of all linear features; missing ones are left out.
    Every result has shape (n_classes, n_features): the ``difference`` in the units of the values
    (of counts, of their log2 per million), and what `moderated_contrasts` returns with it. All are
    missing for features that are not in the model (`modelled_features`), and where there are too
    few samples for a variance. Samples without a value of a column to adjust for are left out.
    Columns that cannot be adjusted for are an `InputError`.
    """
    shape = (len(series.classes), len(values))
    results = {name: np.full(shape, np.nan) for name in ("difference", "mean", *_TESTED)}
    if missing_covariates(series):
        try:
            known = with_known_covariates(series)
        except InputError as error:
            raise InputError(f"{series.name}: {error}", key="adjust") from error
        values = values.compress(np.isin(series.samples, known.samples), axis=1)
        series = known
    modelled = modelled_features(values, series)
    if not len(modelled.rows):
        return results
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        compared = moderated_contrasts(
            modelled.values,
            codes,
            series.groups,
            series.covariates,
            trend=modelled.trend,
            sizes=modelled.sizes,
            correlated=series.repeated == "correlation" and series.groups is not None,
        )
    except InputError as error:
        if not series.adjust and error.key != "repeated":
            return results  # too few samples for a test, which is not an error in the sheet
        raise InputError(f"{series.name}: {error}", key=error.key or "adjust") from error
    results["difference"][:, modelled.rows] = compared.log_fold_change
    results["mean"][:, modelled.rows] = compared.mean
    for name in _TESTED:
        results[name][:, modelled.rows] = getattr(compared, name)
    return results
