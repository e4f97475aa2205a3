"""Tables of one classifier on one data set beyond its figures: its features, drawn on a page."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp

from xnbflow.data.contract import DESCRIPTION_TABLES, DIAGNOSTIC_TABLES, TRAINING_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.seeds import derive_seed
from xnbflow.data.tables import read_parquet
from xnbflow.diagnostics.correlation import normalised_residuals
from xnbflow.evaluation.densities import (
    class_densities,
    density_estimator,
    log_densities,
    telling_features,
)
from xnbflow.evaluation.fitting import filled

__all__ = [
    "class_distances",
    "dependent_groups",
    "dependent_pairs",
    "describe",
    "description_tables",
    "direction",
    "feature_profiles",
    "feature_values",
    "relative_evidence",
]

#: Features whose densities are drawn: per class, and in all.
_PER_CLASS, _MOST = 4, 12
#: Features looked at for dependence: those selected most often.
_MOST_DEPENDENT = 200


_TRAINED = ("predictions", "selected", "distances", "explanations", "priors")


def description_tables(
    owners: Mapping[str, Sequence[Any]],
    entries: Mapping[str, Mapping[str, Mapping[str, Any]]],
    files: Mapping[str, Sequence[str]],
) -> dict[str, pd.DataFrame]:
    """Make every table of `xnbflow.data.contract.DESCRIPTION_TABLES`.

    Parameters
    ----------
    owners : mapping of str to sequence
        What the files belong to, see `xnbflow.evaluation.study.study_tables`.
    entries : mapping of str to mapping
        Per data set the classifiers' configuration by id.
    files : mapping of str to sequence of path
        Of the data sets ``series``, of the diagnosed ones ``dependence_test``, and of what is
        trained ``predictions``, ``selected``, ``distances``, ``explanations`` and ``priors``.

    Returns
    -------
    dict of str to DataFrame
    """
    series = dict(zip(owners["datasets"], files["series"], strict=True))
    tests = dict(zip(owners["diagnosed"], files["dependence_test"], strict=True))
    cuts = {
        dataset: float(read_parquet(path, DIAGNOSTIC_TABLES["dependence_test"])["cut"].iloc[0])
        for dataset, path in tests.items()
    }
    parts: dict[str, list[pd.DataFrame]] = {name: [] for name in DESCRIPTION_TABLES}
    read: dict[str, DataSet] = {}
    for i, (dataset, folds, classifier) in enumerate(owners["trained"]):
        if dataset not in read:  # one at a time: they may be large
            read = {dataset: DataSet.read(series[dataset])}
        trained = {name: read_parquet(files[name][i], TRAINING_TABLES[name]) for name in _TRAINED}
        told = describe(read[dataset], entries[dataset][classifier], trained, cuts.get(dataset))
        key = {"dataset": dataset, "folds": folds, "classifier": classifier}
        for name, table in told.items():
            parts[name].append(table.assign(**key))
    return {name: _joined(parts[name], table.fixed) for name, table in DESCRIPTION_TABLES.items()}


def _joined(parts: Sequence[pd.DataFrame], columns: list[str]) -> pd.DataFrame:
    present = [table for table in parts if len(table)]
    if not present:
        return pd.DataFrame(columns=columns)
    return pd.concat(present, ignore_index=True)[columns]


def describe(
    series: DataSet,
    entry: Mapping[str, Any],
    trained: Mapping[str, pd.DataFrame],
    cut: float | None,
) -> dict[str, pd.DataFrame]:
    """Return the tables of `xnbflow.data.contract.DESCRIPTION_TABLES`.

    Parameters
    ----------
    series : DataSet
        The data set.
    entry : mapping
        The classifier's configuration.
    trained : mapping of str to DataFrame
        What its training jobs wrote: ``predictions``, ``selected``, ``distances``,
        ``explanations``, ``priors``.
    cut : float or None
        The |r| above which features count as dependent given the class; None if no one looked.

    Returns
    -------
    dict of str to DataFrame
        Empty tables for a classifier that does not select. Where values are missing, the features'
        medians over all samples stand for them, but in the evidence, which then is told only where
        the classifier tells it itself.
    """
    given = series
    if series.missing:
        series = filled(series)
    selected = trained["selected"]
    ranked = _ranked(selected)
    shown = telling_features(ranked, _PER_CLASS, _MOST)
    told = ranked["feature"].drop_duplicates().head(_MOST_DEPENDENT).tolist()
    pairs = dependent_pairs(series, told if cut is not None else [], cut or 1.0)
    groups = dict(zip(told, dependent_groups(pairs, told), strict=True))
    profiles = feature_profiles(series, ranked)
    evidence = relative_evidence(given, trained["predictions"], trained["explanations"], entry)
    return {
        "profiles": profiles.assign(
            dependence_group=profiles["feature"].map(groups).fillna("").astype(str)
        ),
        "class_distances": class_distances(trained["distances"]),
        "dependent_pairs": pairs,
        "densities": class_densities(series, shown, entry),
        "values": feature_values(series, shown),
        "priors": _priors(trained["priors"]),
        "evidence": evidence,
        "scores": _scores(evidence),
    }


def _priors(trained: pd.DataFrame) -> pd.DataFrame:
    """Return what a class has before any feature speaks, in the first repeat."""
    first = trained[trained["repeat"] == 0]
    return first.assign(log_offset=first["log_prior"] + first["intercept"])


def _scores(evidence: pd.DataFrame) -> pd.DataFrame:
    """Return what all features of a class say together of a sample."""
    key = ["repeat", "fold", "sample", "class"]
    told = evidence.dropna(subset=["evidence"])
    return told.groupby(key, sort=False)[["evidence", "log_reference"]].sum().reset_index()


def _ranked(selected: pd.DataFrame) -> pd.DataFrame:
    """Return how often each feature was selected for each class, most often first.

    ``frequency`` counts folds: it only orders here, the study's table ``selection`` tells shares.
    """
    groups = selected.groupby(["class", "feature"], sort=True)
    counts = groups.agg(frequency=("rank", "size"), mean_rank=("rank", "mean")).reset_index()
    return counts.sort_values(
        ["frequency", "mean_rank", "class", "feature"],
        ascending=[False, True, True, True],
        ignore_index=True,
    )


def feature_profiles(series: DataSet, selected: pd.DataFrame) -> pd.DataFrame:
    """Return how high each selected feature is in its class, against the other classes.

    Parameters
    ----------
    series : DataSet
        The data set.
    selected : DataFrame
        ``class``, ``feature``; pairs may come more than once.

    Returns
    -------
    DataFrame
        ``class``, ``feature``, ``direction``, ``median_inside``, ``median_outside`` (over the
        samples of all other classes) and ``constant``: whether the class has one value only. The
        direction compares the class with every other, see `direction`. ``symbol`` is that of the
        feature's gene, empty where the series has none.
    """
    pairs = selected[["class", "feature"]].drop_duplicates().reset_index(drop=True)
    if pairs.empty:
        return pairs.reindex(columns=_PROFILE)
    rows = pd.Index(series.features).get_indexer(pairs["feature"])
    codes = pd.Index(series.classes).get_indexer(pairs["class"])
    used, at = np.unique(rows, return_inverse=True)
    values = series.values[used]
    members = [series.labels == label for label in series.classes]
    medians = np.array([np.median(values[:, own], axis=1) for own in members])
    means = np.array([values[:, own].mean(axis=1) for own in members])
    outside = np.array([_median(values[:, ~own]) for own in members])
    spans = np.array([np.ptp(values[:, own], axis=1) for own in members])
    return pairs.assign(
        direction=[
            direction(medians[:, i], means[:, i], code) for i, code in zip(at, codes, strict=True)
        ],
        median_inside=medians[codes, at],
        median_outside=outside[codes, at],
        constant=spans[codes, at] == 0,
        symbol=_symbols(series)[rows],
    )


_PROFILE = [
    "class",
    "feature",
    "direction",
    "median_inside",
    "median_outside",
    "constant",
    "symbol",
]


def _symbols(series: DataSet) -> np.ndarray:
    """Return the gene symbol of every feature, empty without."""
    metadata = series.feature_metadata
    if metadata is None or "symbol" not in metadata:
        return np.full(series.n_features, "", dtype=object)
    return metadata["symbol"].to_numpy(dtype=object)


def _median(values: np.ndarray) -> np.ndarray:
    """Return the median of each row; missing where there are no values: a single class."""
    return np.median(values, axis=1) if values.shape[1] else np.full(len(values), np.nan)


def feature_values(series: DataSet, features: Sequence[str]) -> pd.DataFrame:
    """Return the values of some features: ``feature``, ``sample``, ``class``, ``value``."""
    rows = pd.Index(series.features).get_indexer(list(features))
    return pd.DataFrame(
        {
            "feature": np.repeat(series.features[rows], series.n_samples),
            "sample": np.tile(series.samples, len(rows)),
            "class": np.tile(series.labels, len(rows)),
            "value": series.values[rows].reshape(-1),
        }
    )


def class_distances(distances: pd.DataFrame) -> pd.DataFrame:
    """Return the mean distance of a class from another in a feature, over the folds that tell.

    Parameters
    ----------
    distances : DataFrame
        ``class``, ``feature``, ``other_class``, ``distance`` per fold.

    Returns
    -------
    DataFrame
        ``class``, ``feature``, ``other_class``, ``distance``, ``fits`` (how many tell).
    """
    groups = distances.groupby(["class", "feature", "other_class"], sort=False)["distance"]
    return groups.agg(distance="mean", fits="size").reset_index()


def dependent_pairs(series: DataSet, features: Sequence[str], cut: float) -> pd.DataFrame:
    """Return the pairs of features whose correlation within the classes exceeds a cut.

    Parameters
    ----------
    series : DataSet
        The data set.
    features : sequence of str
        Those to look at, some of the series' features.
    cut : float
        Dependent means |r| above this.

    Returns
    -------
    DataFrame
        ``feature``, ``other``, ``r``; strongest first.
    """
    names = np.asarray(features, dtype=str)
    rows = np.flatnonzero(np.isin(series.features, names))
    if len(rows) < 2 or series.n_samples < len(series.classes) + 2:
        return pd.DataFrame(columns=["feature", "other", "r"])
    residuals = normalised_residuals(series.values[rows].T, series.labels)
    r = residuals @ residuals.T
    first, second = np.nonzero(np.triu(np.abs(r) > cut, k=1))
    found = series.features[rows]
    table = pd.DataFrame({"feature": found[first], "other": found[second], "r": r[first, second]})
    return table.sort_values("r", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def dependent_groups(pairs: pd.DataFrame, features: Sequence[str]) -> list[str]:
    """Return a letter per feature, the same for those joined by dependent pairs; '' for the others.

    Examples
    --------
    >>> pairs = pd.DataFrame({"feature": ["g1", "g4"], "other": ["g3", "g5"], "r": [0.9, 0.8]})
    >>> dependent_groups(pairs, ["g1", "g2", "g3", "g4", "g5"])
    ['a', '', 'a', 'b', 'b']
    """
    joined = {name: frozenset([name]) for name in features}
    for first, second in zip(pairs["feature"], pairs["other"], strict=True):
        if first in joined and second in joined:
            together = joined[first] | joined[second]
            joined |= dict.fromkeys(together, together)
    letters: dict[frozenset[str], str] = {}
    return [
        letters.setdefault(group, _letter(len(letters))) if len(group) > 1 else ""
        for group in (joined[name] for name in features)
    ]


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else _letter(number // 26 - 1) + letter


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


def direction(medians: np.ndarray, means: np.ndarray, code: int) -> str:
    """Return where a class is in a feature among all classes.

    Parameters
    ----------
    medians, means : ndarray of shape (n_classes,)
        Of the feature within each class; NaN of a class without a value, which does not count.
    code : int
        The class.

    Returns
    -------
    {"high", "low", "between", "equal"}
        Above or below every other class or between them by the medians; by the means where all
        medians are equal, as in counts that are mostly zero.

    Examples
    --------
    >>> medians = np.array([1.0, 3.0, 2.0])
    >>> [direction(medians, medians, code) for code in range(3)]
    ['low', 'high', 'between']
    >>> direction(np.zeros(2), np.array([0.1, 0.4]), 1), direction(np.ones(2), np.ones(2), 0)
    ('high', 'equal')
    """
    found = _place(medians, code)
    return _place(means, code) if found == "equal" else found


def _place(centres: np.ndarray, code: int) -> str:
    mine, others = centres[code], np.delete(centres, code)
    others = others[~np.isnan(others)]
    if np.isnan(mine) or (mine == others).all():
        return "equal"
    if (mine >= others).all():
        return "high"
    return "low" if (mine <= others).all() else "between"
