"""Differences between the classes, feature by feature."""

import numpy as np
import pandas as pd
from scipy.special import stdtr

from xnbflow.core.errors import InputError
from xnbflow.core.study import Design
from xnbflow.data.dataset import COUNTS, DataSet, row_slices
from xnbflow.data.matrices import Rows
from xnbflow.data.read_counts import with_log_counts
from xnbflow.density.class_tiles import ClassTile, map_class_tiles
from xnbflow.density.distances import hellinger
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.diagnostics.adjustment import (
    covariates,
    missing_covariates,
    with_known_covariates,
)
from xnbflow.diagnostics.areas import doubled_wins, sample_order
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.diagnostics.modelled_features import modelled_features
from xnbflow.tables.contract import GROUPS

#: Factors from differences to log2 fold changes, by the scale of the values.
LOG2 = {
    "log2": 1.0,
    "ln": float(1 / np.log(2)),
    "log10": float(1 / np.log10(2)),
    COUNTS: 1.0,
}
#: Results of the model in `class_comparisons`.
_TESTED = (
    "standard_error",
    "lower",
    "upper",
    "t",
    "p",
    "fdr",
    "df",
    "posterior_variance",
    "least_difference",
    "least_t",
    "nearest",
)


def _areas(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the area under the ROC curve of each class against the rest, (n_classes, n_features).

    The area is the share of pairs, of a sample of the class and a sample of another class, in which
    the former has the larger value; ties count one half. This is Mann and Whitney's U over the
    number of pairs (Hanley and McNeil, Radiology 143, 1982). Missing values are omitted; the area
    is NaN where the class or the rest has no values.
    """
    n_classes = codes.max() + 1
    areas = np.empty((n_classes, len(features)))
    for rows in row_slices((len(features), n_classes * n_classes)):
        wins = doubled_wins(sample_order(features[rows]), codes, n_classes)
        sizes = np.sqrt(np.einsum("fcc->fc", wins))  # of the classes, without missing values
        pairs = sizes * (sizes.sum(axis=1, keepdims=True) - sizes)
        wins_over_rest = (wins.sum(axis=2) - sizes**2) / 2
        unknown = np.full_like(sizes, np.nan)
        areas[:, rows] = np.divide(wins_over_rest, pairs, unknown, where=pairs > 0).T
    return areas


def _distances(features: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return Hellinger's distance between each class and the rest, (n_classes, n_features).

    The densities are those by which `xnbflow.naive_bayes.XNB` ranks features. The density of the
    rest is the mean of the other classes' densities, weighted by their numbers of samples, so that
    with two classes the distance is that of XNB. Missing values are omitted; features that lack the
    same samples are compared together. The distance is NaN where the class or the rest has fewer
    than two values, or all values are equal.
    """
    distances = np.full((codes.max() + 1, len(features)), np.nan)
    varies = np.flatnonzero(np.fmin.reduce(features, axis=1) < np.fmax.reduce(features, axis=1))
    missing_patterns = pd.DataFrame(np.packbits(np.isnan(features)[varies], axis=1))
    for positions in missing_patterns.groupby(list(missing_patterns)).indices.values():
        rows = varies[positions]
        samples = np.flatnonzero(~np.isnan(features[rows[0]]))
        classes, class_codes = np.unique(codes[samples], return_inverse=True)
        if len(classes) < 2:
            continue
        complete = _complete_distances(Rows(features, rows), class_codes, samples)
        sizes = np.bincount(class_codes)
        comparable = (sizes > 1) & (sizes < len(samples) - 1)
        distances[np.ix_(classes[comparable], rows)] = complete[comparable]
    return distances


def _complete_distances(features: Rows, codes: np.ndarray, samples: np.ndarray) -> np.ndarray:
    """Return `_distances` of features in samples without missing values."""
    sizes = np.bincount(codes)
    n_classes = len(sizes)
    # Row c has the weights of the classes in the rest of class c.
    weights = sizes * (1 - np.eye(n_classes)) / (len(codes) - sizes)[:, None]
    pairs = np.stack([np.arange(n_classes), n_classes + np.arange(n_classes)], axis=1)
    distances = np.empty((n_classes, len(features)))

    def work(tile: ClassTile, strip: slice) -> None:
        widths = tile.bandwidths("silverman", 0.0)
        class_densities = tile.densities(
            widths, kernel="gaussian", n_grid=DEFAULT_N_GRID, underflow="as_published"
        )
        # `einsum` rather than a product: BLAS would start further threads.
        rest = np.einsum("ij,jgf->igf", weights, class_densities)
        distances[:, strip] = hellinger(np.concatenate([class_densities, rest]), pairs)

    map_class_tiles(work, features, codes, n_classes, samples=samples)
    return distances


def gene_table(series: DataSet, design: Design | None = None) -> pd.DataFrame:
    """Compare each class with the others, one linear feature at a time.

    The tests use the linear model of `xnbflow.diagnostics.linear_models`, with the groups of the
    series and, of the design, the columns to adjust for and the trend. Counts are
    tested with TMM factors and the weights of voom, where they have enough reads. Samples without a
    value of a column to adjust for are omitted from the tests. Areas and distances are computed
    from all samples, without adjustment; those of counts from log2 counts per million with TMM.

    Parameters
    ----------
    series : DataSet
        Missing values are omitted.
    design : Design, optional
        That of a study; without it nothing is adjusted for.

    Returns
    -------
    DataFrame
        The table ``genes`` of the group ``genes`` of `xnbflow.tables.contract`: a row per class and
        feature, by class and rank. The fold change is a logarithm to base 2, and is missing if the
        scale of the series is unknown. Features are ranked by the evidence in either direction: by
        the absolute ``least_t``, the test against the nearest other class; then by the absolute t,
        the difference of the area from 1/2, and position. With two classes both t are the same.

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
        return pd.DataFrame(columns=GROUPS["genes"].tables["genes"].fixed)
    values = series.values if len(linear) == series.n_features else series.values[linear]
    codes = np.unique(series.labels, return_inverse=True)[1]
    logarithms = with_log_counts(series).values[linear] if series.scale == COUNTS else values
    results = class_comparisons(values, series, design or Design())
    factor = LOG2.get(series.scale)
    results["log_fold_change"] = results["difference"] * (np.nan if factor is None else factor)
    results["lower"] = results["lower"] * (factor or 1.0)
    results["upper"] = results["upper"] * (factor or 1.0)
    results["auc"] = _areas(logarithms, codes)
    results["distance"] = _distances(logarithms, codes)
    names = feature_names(series, linear)
    parts = []
    for code, label in enumerate(series.classes):
        class_rows = names.assign(**{name: result[code] for name, result in results.items()})
        class_rows["class"] = str(label)
        class_rows["ties"] = (
            class_rows.groupby("auc")["auc"].transform("size").fillna(1).astype(int) - 1
        )
        codes_of_nearest = class_rows["nearest"].to_numpy(dtype=int)
        class_rows["nearest"] = np.append(series.classes, "")[codes_of_nearest]  # -1: the last, ""
        class_rows["least_fdr"] = class_rows["fdr"]
        if len(series.classes) > 2:
            class_rows["least_fdr"] = benjamini_hochberg(_least_p(class_rows))
        class_rows["explained_by"] = ""  # see `xnbflow.diagnostics.explained_features`
        evidence = np.nan_to_num(np.abs(class_rows["t"]), nan=-1.0)
        least = np.nan_to_num(np.abs(class_rows["least_t"]), nan=-1.0)
        if len(series.classes) == 2:
            least = evidence  # both are of the only other class, up to rounding
        order = np.lexsort((-np.abs(class_rows["auc"] - 0.5), -evidence, -least))
        parts.append(class_rows.iloc[order].assign(rank=np.arange(1, len(order) + 1)))
    return pd.concat(parts, ignore_index=True)[GROUPS["genes"].tables["genes"].fixed]


def _least_p(rows: pd.DataFrame) -> np.ndarray:
    """Return the two-sided p of the difference from the nearest class, missing without a test.

    A feature differs from all other classes in one direction only if it differs from the nearest
    one, so that the test of the nearest has the level of the statement on all (R. L. Berger,
    "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24 (1982), 295-300).

    Examples
    --------
    >>> rows = pd.DataFrame({"least_t": [0.0, -2.228, np.nan], "df": [10.0, 10.0, 10.0]})
    >>> _least_p(rows).round(3)
    array([1.  , 0.05,  nan])
    """
    return np.asarray(2 * stdtr(rows["df"], -np.abs(rows["least_t"])))


def feature_names(series: DataSet, rows: np.ndarray) -> pd.DataFrame:
    """Return ``feature``, ``symbol`` and ``chromosome`` of some features; "" where unknown."""
    metadata = pd.DataFrame() if series.feature_metadata is None else series.feature_metadata
    names = {"feature": series.features[rows]}
    for name in ("symbol", "chromosome"):
        unknown = np.full(len(rows), "")
        names[name] = metadata[name].to_numpy()[rows] if name in metadata else unknown
    return pd.DataFrame(names)


def class_comparisons(values: np.ndarray, series: DataSet, design: Design) -> dict[str, np.ndarray]:
    """Compare each class of a series with the mean of the others.

    ``values`` (n_features, n_samples) are those of all linear features; missing ones are omitted.
    Every result has shape (n_classes, n_features): the ``difference`` in the units of the values
    (for counts, of log2 counts per million), and the results of `moderated_contrasts` for it. They
    are missing for features that are not in the model (`modelled_features`), and if there are too
    few samples for a variance. Samples without a value of a column to adjust for are omitted.
    Columns that cannot be adjusted for are an `InputError`.
    """
    shape = (len(series.classes), len(values))
    results = {name: np.full(shape, np.nan) for name in ("difference", "mean", *_TESTED)}
    results["nearest"] = np.full(shape, -1)
    if missing_covariates(series, design):
        try:
            complete = with_known_covariates(series, design)
        except InputError as error:
            raise InputError(f"{series.name}: {error}", key="adjust") from error
        values = values.compress(np.isin(series.samples, complete.samples), axis=1)
        series = complete
    modelled = modelled_features(values, series, design)
    if not len(modelled.rows):
        return results
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        compared = moderated_contrasts(
            values=modelled.values,
            codes=codes,
            groups=series.groups,
            covariates=covariates(series, design),
            trend=modelled.trend,
            sizes=modelled.sizes,
            correlated=design.repeated == "correlation" and series.groups is not None,
        )
    except InputError as error:
        if not design.adjust and error.key != "repeated":
            return results  # too few samples for a test, which is not an error of the design
        raise InputError(f"{series.name}: {error}", key=error.key or "adjust") from error
    results["difference"][:, modelled.rows] = compared.log_fold_change
    results["mean"][:, modelled.rows] = compared.mean
    for name in _TESTED:
        results[name][:, modelled.rows] = getattr(compared, name)
    return results
