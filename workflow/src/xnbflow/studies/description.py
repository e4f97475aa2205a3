"""Tables of the features that a classifier selects: levels, densities, dependence and evidence.

`description_tables` makes them for every classifier on every data set of a study; each table has a
function of its own. `xnbflow.studies.study_tables` adds them to the tables of the study, whose
columns the contract declares.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import logsumexp

from xnbflow.core.study import Study
from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.correlation import normalised_residuals
from xnbflow.evaluation.fitting import filled
from xnbflow.evaluation.keyed_tables import KEY, Key, key_fields
from xnbflow.evaluation.selected import DISTANCE_TO
from xnbflow.studies.densities import (
    class_densities,
    density_estimator,
    log_densities,
    most_selected_features,
)
from xnbflow.studies.study_reader import StudyReader
from xnbflow.tables.contract import GROUPS

#: Features of each class whose densities are drawn.
_DRAWN_PER_CLASS = 3
#: Features of all classes whose densities are drawn.
_MOST_DRAWN = 6
#: Number of features for the test of dependence: those selected most often.
_MOST_DEPENDENT = 200

#: The key of a row of the table ``selection``, and the columns of it that this module makes.
SELECTION_KEY = [*KEY, "class", "feature"]
PROFILE = [
    "direction",
    "median_inside",
    "median_outside",
    "constant",
    "dependence_group",
    "symbol",
]
#: The tables that this module makes, besides ``profiles`` of the selected features.
DESCRIPTIONS = (
    "dependent_pairs",
    "densities",
    "values",
    "evidence",
    "scores",
)
#: The training tables that are described.
_TRAINED = ("predictions", "selected", "explanations", "fits")


def description_tables(
    inputs: StudyReader, entries: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, pd.DataFrame]:
    """Make the tables `DESCRIPTIONS` of a study, and ``profiles``.

    The latter has further columns of the table ``selection``, by the same keys. ``entries`` have
    per data set the classifiers' configuration by id.
    """
    study = inputs.study
    cuts = _cuts_of_dependence(inputs)

    # The tables of each classifier on each data set.
    parts: dict[Key, dict[str, pd.DataFrame]] = {}
    for dataset in study.datasets:
        series = DataSet.read(inputs.series_paths[dataset])  # one at a time: they may be large
        for trained_on, folds, job in study.training_jobs:
            if trained_on != dataset:
                continue
            tables_of_job = {
                name: inputs.job_tables(dataset, folds, job, name) for name in _TRAINED
            }
            for classifier in study.classifiers_of(job):
                trained = {name: tables[classifier] for name, tables in tables_of_job.items()}
                parts[dataset, folds, classifier] = _describe(
                    series, entries[dataset][classifier], trained, cuts.get(dataset)
                )

    # Each table of all classifiers, with their key.
    tables = {}
    for name in DESCRIPTIONS:
        columns = GROUPS["study"].tables[name].fixed
        tables[name] = _stack_classifiers(study, parts, name, columns)
    profile_columns = [*SELECTION_KEY, *PROFILE]
    tables["profiles"] = _stack_classifiers(study, parts, "profiles", profile_columns)
    return tables


def _cuts_of_dependence(inputs: StudyReader) -> dict[str, float]:
    """Return the |r| above which features count as dependent, of each diagnosed data set."""
    cuts = {}
    for dataset, table in inputs.diagnostic_tables("dependence_test").items():
        if len(table):
            cuts[dataset] = float(table["cut"].iloc[-1])
    return cuts


def _stack_classifiers(
    study: Study, parts: Mapping[Key, Mapping[str, pd.DataFrame]], name: str, columns: list[str]
) -> pd.DataFrame:
    """Return a table of all classifiers, with their key."""
    keys = [key for key in study.training_keys if len(parts[key][name])]
    rows = [parts[key][name].assign(**key_fields(key)) for key in keys]
    if not rows:
        return pd.DataFrame(columns=columns)
    return pd.concat(rows, ignore_index=True)[columns]


def _describe(
    series: DataSet,
    entry: Mapping[str, Any],
    trained: Mapping[str, pd.DataFrame],
    cut: float | None,
) -> dict[str, pd.DataFrame]:
    """Return the tables of `description_tables`, without their key.

    They are empty for a classifier that does not select.
    The features' medians over all samples replace missing values, except in the evidence, which is
    then missing unless the classifier reports it itself. ``trained`` are the tables of
    `xnbflow.evaluation.training.train`, ``cut`` is the |r| above which features count as dependent
    given the class; None if not diagnosed.
    """
    complete = filled(series)
    ranked = _rank_selected(trained["selected"])
    drawn = most_selected_features(ranked, _DRAWN_PER_CLASS, _MOST_DRAWN)
    examined = ranked["feature"].drop_duplicates().head(_MOST_DEPENDENT).tolist()
    pairs = dependent_pairs(complete, examined, cut)
    evidence = _relative_evidence(series, trained["predictions"], trained["explanations"], entry)
    return {
        "profiles": _profiles_with_groups(complete, ranked, pairs, examined),
        "dependent_pairs": pairs,
        "densities": class_densities(complete, drawn, entry).merge(
            distances_from_focus(trained["selected"], drawn), on=["class", "feature"], how="left"
        ),
        "values": _values_of_samples(complete, drawn),
        "evidence": evidence,
        "scores": _scores(trained["predictions"], evidence, trained["fits"], series.classes),
    }


def _rank_selected(selected: pd.DataFrame) -> pd.DataFrame:
    """Return the selected features of each class by the number of folds that select them.

    The columns are ``class``, ``feature``, ``frequency`` and ``mean_rank``; the most frequent is
    first, of equals that with the lower mean rank.

    Examples
    --------
    >>> folds = {"class": "b", "feature": ["g1", "g2", "g2"], "rank": [1, 2, 1]}
    >>> _rank_selected(pd.DataFrame(folds))[["feature", "frequency", "mean_rank"]].values.tolist()
    [['g2', 2, 1.5], ['g1', 1, 1.0]]
    """
    by_feature = selected.groupby(["class", "feature"], sort=True)
    counts = by_feature.agg(frequency=("rank", "size"), mean_rank=("rank", "mean")).reset_index()
    return counts.sort_values(
        ["frequency", "mean_rank", "class", "feature"],
        ascending=[False, True, True, True],
        ignore_index=True,
    )


def _profiles_with_groups(
    series: DataSet, selected: pd.DataFrame, pairs: pd.DataFrame, examined: Sequence[str]
) -> pd.DataFrame:
    """Return the table ``profiles``: levels of the selected features, and groups of dependent ones.

    ``pairs`` are those of dependent features among the ``examined`` ones.
    """
    letters = dict(zip(examined, _dependent_groups(pairs, examined), strict=True))
    profiles = _feature_profiles(series, selected)
    dependence_group = profiles["feature"].map(letters).fillna("").astype(str)
    return profiles.assign(dependence_group=dependence_group)


def _values_of_samples(series: DataSet, features: Sequence[str]) -> pd.DataFrame:
    """Return the table ``values``: a row for each of the ``features`` and each sample."""
    rows = pd.Index(series.features).get_indexer(list(features))
    return pd.DataFrame(
        {
            "feature": np.repeat(series.features[rows], series.n_samples),
            "sample": np.tile(series.samples, len(rows)),
            "class": np.tile(series.labels, len(rows)),
            "value": series.values[rows].reshape(-1),
        }
    )


def _scores(
    predictions: pd.DataFrame, evidence: pd.DataFrame, fits: pd.DataFrame, classes: Iterable[str]
) -> pd.DataFrame:
    """Return the table ``scores``: what adds up to the log posterior of a class, by tested sample.

    Where nothing was selected for a class in a fold, its evidence and reference are 0. The table is
    empty where no evidence is known.
    """
    key = ["repeat", "fold", "sample", "class"]
    present = evidence.dropna(subset=["evidence"])
    if present.empty:
        return pd.DataFrame(columns=[*key, "log_offset", "evidence", "log_reference"])
    sums = present.groupby(key, sort=False)[["evidence", "log_reference"]].sum().reset_index()
    tested = predictions.loc[predictions["repeat"] == 0, ["repeat", "fold", "sample"]]
    scores = tested.merge(pd.DataFrame({"class": [*classes]}), how="cross")
    scores = scores.merge(sums, on=key, how="left").fillna(0.0)
    return scores.merge(_log_offsets(fits, classes), on=["fold", "class"], how="left")


def _log_offsets(fits: pd.DataFrame, classes: Iterable[str]) -> pd.DataFrame:
    """Return log prior and intercept together, for each fold of the first repeat and class."""
    first = fits[fits["repeat"] == 0]
    parts = []
    for label in classes:
        log_offset = first[f"log_prior.{label}"] + first[f"intercept.{label}"]
        parts.append(
            pd.DataFrame({"fold": first["fold"], "class": label, "log_offset": log_offset})
        )
    return pd.concat(parts, ignore_index=True)


def _feature_profiles(series: DataSet, selected: pd.DataFrame) -> pd.DataFrame:
    """Return the levels of each selected feature in its class and in the other classes.

    ``selected`` has the columns ``class`` and ``feature``; pairs may come more than once. The
    columns are `PROFILE`, without the dependence.
    """
    pairs = selected[["class", "feature"]].drop_duplicates().reset_index(drop=True)
    rows = pd.Index(series.features).get_indexer(pairs["feature"])
    codes = pd.Index(series.classes).get_indexer(pairs["class"])

    # Statistics of each distinct feature in each class, (n_classes, n_distinct).
    distinct_rows, columns = np.unique(rows, return_inverse=True)
    values = series.values[distinct_rows]
    members = [values[:, series.labels == label] for label in series.classes]
    medians = np.array([np.median(inside, axis=1) for inside in members])
    means = np.array([inside.mean(axis=1) for inside in members])
    outside = _medians_of_others(values, np.searchsorted(series.classes, series.labels))
    spans = np.array([np.ptp(inside, axis=1) for inside in members])

    # Those of the pairs: `columns` are the positions of their features among the distinct ones.
    symbols = np.full(series.n_features, "", dtype=object)
    if series.feature_metadata is not None and "symbol" in series.feature_metadata:
        symbols = series.feature_metadata["symbol"].to_numpy(dtype=object)
    directions = [
        direction(medians[:, column], means[:, column], code)
        for column, code in zip(columns, codes, strict=True)
    ]
    return pairs.assign(
        direction=directions,
        median_inside=medians[codes, columns],
        median_outside=outside[codes, columns],
        constant=spans[codes, columns] == 0,
        symbol=symbols[rows],
    )


def _medians_of_others(values: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Return the median of the samples outside each class, shape (n_classes, n_features).

    ``values`` (n_features, n_samples) are of the classes ``codes`` (n_samples,). All samples are
    sorted once: the k-th of the others has the rank k plus the number of members of the class below
    it. A median of each of 100 classes takes ten times as long. It is missing if a class has all.

    Examples
    --------
    >>> _medians_of_others(np.array([[1.0, 5.0, 2.0, 9.0, 4.0]]), np.array([0, 0, 1, 1, 1]))
    array([[4.],
           [3.]])
    """
    n_features, n_samples = values.shape
    order = np.argsort(values, axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.arange(n_samples)[None], axis=1)
    medians = np.full((codes.max() + 1, n_features), np.nan)
    for code in range(len(medians)):
        member_ranks = np.sort(ranks[:, codes == code], axis=1)
        n_others = n_samples - member_ranks.shape[1]
        if not n_others:
            continue
        # The two middle values, which are one for an odd number.
        lower = _kth_of_others(values, order, member_ranks, (n_others - 1) // 2)
        upper = _kth_of_others(values, order, member_ranks, n_others // 2)
        medians[code] = np.mean([lower, upper], axis=0)
    return medians


def _kth_of_others(
    values: np.ndarray, order: np.ndarray, member_ranks: np.ndarray, k: int
) -> np.ndarray:
    """Return the k-th value, from 0, of the samples outside a class, (n_features,).

    ``order`` (n_features, n_samples) sorts the values, ``member_ranks`` (n_features, n_members) are
    the ranks of the members of the class, ascending.
    """
    rows = np.arange(len(values))
    rank = np.full(len(values), k)
    for ranks_of_member in member_ranks.T:
        rank += ranks_of_member <= rank
    return np.asarray(values[rows, order[rows, rank]])


def distances_from_focus(selected: pd.DataFrame, features: Sequence[str]) -> pd.DataFrame:
    """Return how far each other class is from the class in focus, in some features.

    The class in focus is the one for which a feature is selected most often; of several that one in
    which it is farthest from the others. A distance is the mean over the folds that select the
    feature for this class. ``selected`` is the table of a classifier's training; the result has the
    columns ``class``, ``feature`` and ``distance``.

    Examples
    --------
    >>> folds = {"class": ["a", "a"], "feature": "g1", "distance": 0.6, "distance_to.b": [0.5, 0.7]}
    >>> distances_from_focus(pd.DataFrame(folds), ["g1"]).values.tolist()
    [['b', 'g1', 0.6]]
    """
    rows = []
    for feature in features:
        of_feature = selected[selected["feature"] == feature]
        classes = of_feature.groupby("class")["distance"].agg(times="size", distance="mean")
        focus = classes.sort_values(["times", "distance"], ascending=False).index[0]
        in_focus = of_feature[of_feature["class"] == focus].filter(
            regex=f"^{re.escape(DISTANCE_TO)}"
        )
        for column, distance in in_focus.mean().items():
            label = str(column).removeprefix(DISTANCE_TO)
            rows.append({"class": label, "feature": feature, "distance": distance})
    return pd.DataFrame(rows, columns=["class", "feature", "distance"])


def dependent_pairs(series: DataSet, features: Sequence[str], cut: float | None) -> pd.DataFrame:
    """Return the pairs of features with |r| above a cut within the classes, strongest first.

    The columns are ``feature``, ``other`` and ``r``. There are no pairs without a cut (None).
    """
    rows = np.flatnonzero(np.isin(series.features, np.asarray(features, dtype=str)))
    if cut is None or len(rows) < 2 or series.n_samples < len(series.classes) + 2:
        return pd.DataFrame(columns=["feature", "other", "r"])
    residuals = normalised_residuals(series.values[rows].T, series.labels)
    r = residuals @ residuals.T
    first, second = np.nonzero(np.triu(np.abs(r) > cut, k=1))
    names = series.features[rows]
    table = pd.DataFrame({"feature": names[first], "other": names[second], "r": r[first, second]})
    return table.sort_values("r", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def _dependent_groups(pairs: pd.DataFrame, features: Sequence[str]) -> list[str]:
    """Return a letter per feature, the same for those joined by dependent pairs; '' for the others.

    Examples
    --------
    >>> pairs = pd.DataFrame({"feature": ["g1", "g4"], "other": ["g3", "g5"], "r": [0.9, 0.8]})
    >>> _dependent_groups(pairs, ["g1", "g2", "g3", "g4", "g5"])
    ['a', '', 'a', 'b', 'b']
    """
    index = pd.Index(features)
    n = len(features)
    ends = np.array([index.get_indexer(pairs[name]) for name in ("feature", "other")])
    ends = ends[:, (ends >= 0).all(axis=0)]
    graph = coo_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n))
    component = connected_components(graph, directed=False)[1]
    is_joined = np.bincount(component)[component] > 1
    joined = dict.fromkeys(component[is_joined].tolist())  # in the order of the features
    letters = {number: _letter(i) for i, number in enumerate(joined)}
    return [letters.get(number, "") for number in component.tolist()]


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else _letter(number // 26 - 1) + letter


def _relative_evidence(
    series: DataSet, predictions: pd.DataFrame, explanations: pd.DataFrame, entry: Mapping[str, Any]
) -> pd.DataFrame:
    """Return the evidence of values: log densities of the classes relative to their mixture.

    The evidence of feature v for class c is ``log p(x | c) - log p(x)`` with the reference ``p(x) =
    sum_k pi_k p(x | k)``: 0 is neutral, above 0 is for the class, below against it, independent of
    units. The reference is that of the fold's training samples. Evidence that a classifier reports
    relative to its own reference is not changed. The result is the table ``evidence``, of the first
    repeat; reference and evidence are missing where the classifier has no densities of single
    features, or not in their units.
    """
    rows = explanations[explanations["repeat"] == 0]
    columns = [*explanations.columns.drop("scale"), "log_reference", "evidence"]
    tested = predictions[predictions["repeat"] == 0]
    index = pd.Index(series.features)  # many names: hashed once, not in every fold
    parts = []
    for fold, group in rows.groupby("fold", sort=True):
        scale = group["scale"].iloc[0]  # all rows are of one fit, thus on one scale
        of_class = group["log_likelihood"].to_numpy()
        if scale == "evidence":
            parts.append(group.assign(log_reference=0.0, evidence=of_class))
            continue
        reference = np.full(len(group), np.nan)
        if scale == "density":
            test_samples = tested.loc[tested["fold"] == fold, "sample"].to_numpy(dtype=str)
            training = ~np.isin(series.samples, test_samples)
            reference = _log_mixture(series, index, group, training=training, entry=entry)
        with np.errstate(invalid="ignore"):
            evidence = np.where(np.isneginf(reference), 0.0, of_class - reference)
        parts.append(group.assign(log_reference=reference, evidence=evidence))
    return pd.concat(parts, ignore_index=True)[columns] if parts else rows.reindex(columns=columns)


def _log_mixture(
    series: DataSet,
    index: pd.Index,
    group: pd.DataFrame,
    *,
    training: np.ndarray,
    entry: Mapping[str, Any],
) -> np.ndarray:
    """Return the log density of all classes together in each row; missing if there is none.

    ``group`` are the rows of the table ``explanations`` of one fold, whose ``training`` samples are
    a mask; ``index`` are the features of the series.
    """
    positions = index.get_indexer(group["feature"].unique())
    features = np.sort(positions[positions >= 0])
    values = series.values[features]
    unknown = np.full(len(group), np.nan)
    if np.isnan(values).any():
        return unknown
    estimator = density_estimator(entry, series, features)
    if estimator is None:
        return unknown
    samples = np.flatnonzero(np.isin(series.samples, group["sample"].unique()))
    labels = series.labels[training]
    logs = log_densities(estimator, values[:, training], labels, values[:, samples])
    if logs is None:
        return unknown
    shares = np.unique(labels, return_counts=True)[1] / len(labels)
    reference = logsumexp(logs, axis=0, b=shares[:, None, None])
    feature_rows = pd.Index(series.features[features]).get_indexer(group["feature"])
    sample_columns = pd.Index(series.samples[samples]).get_indexer(group["sample"])
    return reference[feature_rows, sample_columns]


def direction(medians: np.ndarray, means: np.ndarray, code: int) -> str:
    """Return the direction of a class in a feature relative to all classes.

    It is "high", "low", "between" or "equal" by the medians within the classes (NaN for a class to
    ignore), or by the means if all medians are equal, as in counts that are mostly zero.

    Examples
    --------
    >>> medians = np.array([1.0, 3.0, 2.0])
    >>> [direction(medians, medians, code) for code in range(3)]
    ['low', 'high', 'between']
    >>> direction(np.zeros(2), np.array([0.1, 0.4]), 1), direction(np.ones(2), np.ones(2), 0)
    ('high', 'equal')
    """
    for centres in (medians, means):
        inside = centres[code]
        others = np.delete(centres, code)
        others = others[~np.isnan(others)]
        if np.isnan(inside) or (inside == others).all():
            continue
        if (inside >= others).all():
            return "high"
        return "low" if (inside <= others).all() else "between"
    return "equal"
