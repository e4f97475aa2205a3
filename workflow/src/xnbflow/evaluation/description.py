"""What a page tells of one classifier on one data set beyond its figures: tables of a folder."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from xnbflow.data.contract import DESCRIPTION_TABLES, DIAGNOSTIC_TABLES, TRAINING_TABLES
from xnbflow.data.dataset import DataSet
from xnbflow.data.tables import read_parquet
from xnbflow.evaluation.densities import class_densities, telling_features
from xnbflow.evaluation.dependence_groups import dependent_groups, dependent_pairs
from xnbflow.evaluation.evidence import relative_evidence
from xnbflow.evaluation.incomplete import filled
from xnbflow.evaluation.profiles import class_distances, feature_profiles, feature_values

__all__ = ["describe", "description_tables"]

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
