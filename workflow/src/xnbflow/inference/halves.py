"""Stability of a selection from disjoint halves of the samples.

Training sets of cross-validation share most of their samples; two halves share none, and their
lists agree as those of independent studies of half the size. The halves are the folds of a repeated
two-fold cross-validation: complementary pairs (Shah and Samworth 2013).
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.evaluation.folds import MOST_REPEATED, draw_folds
from xnbflow.evaluation.training import train
from xnbflow.inference.intervals import Estimate
from xnbflow.inference.replication import class_differences, replication
from xnbflow.inference.stability import correlated_stability, stability_index
from xnbflow.tables.contract import GROUPS

SelectionPair = tuple[Collection[str], Collection[str]]

#: Features of each class in the short list, in the order of their ranks: those that are measured
#: and reported first.
_SHORT_LIST = 10
#: Least absolute correlation within the classes from which on two features replace each other.
_SIMILAR = 0.7
#: Features from which the mean similarity of all features is estimated.
_SAMPLED_FEATURES = 2000


def halves_table(series: DataSet, entry: Mapping[str, Any], n_pairs: int) -> pd.DataFrame:
    """Return the features that a classifier selects in disjoint halves of the samples.

    The samples are divided ``n_pairs`` times, groups kept whole. The result is the table ``halves``
    of the group ``check``; empty where the samples cannot be divided so that each half has every
    class, or there are more than `MOST_REPEATED`.
    """
    columns = GROUPS["check"].tables["halves"].fixed
    if series.n_samples > MOST_REPEATED:
        return pd.DataFrame(columns=columns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folds = _draw_halves(series, n_pairs)
    except InputError:
        return pd.DataFrame(columns=columns)
    outcome = train(series, folds, entry, explain=False)
    whole = outcome["fits"].groupby("repeat")["status"].agg(lambda s: (s == "ok").all())
    fitted = whole.index[whole]
    selected = outcome["selected"]
    selected = selected[selected["repeat"].isin(fitted)]
    return selected.assign(halves=2 * len(fitted))[columns].reset_index(drop=True)


def _draw_halves(series: DataSet, n_pairs: int) -> pd.DataFrame:
    """Return the disjoint halves of the samples, in each of ``n_pairs`` divisions."""
    return draw_folds(series, 2, n_pairs)


def pairs_of(table: pd.DataFrame) -> list[SelectionPair]:
    """Return the features that any class has in either half, for each division of a table."""
    sets = table.groupby(["repeat", "fold"])["feature"].agg(set).to_dict()
    return [
        (sets.get((repeat, 0), set()), sets.get((repeat, 1), set()))
        for repeat in table["repeat"].unique()
    ]


def half_stability(
    pairs: Sequence[SelectionPair], n_features: int, confidence: float = 0.95
) -> Estimate:
    """Return the agreement of the lists of two independent studies of half the size.

    ``pairs`` are the features, out of ``n_features``, selected in either half for each division of
    the samples. The agreement is 1 for equal lists, 0 for random ones; missing with fewer than two
    pairs with a selected feature.

    The agreement of a pair is Nogueira's index; its mean over pairs is unbiased for studies of half
    the size. The standard error is the spread over pairs (the delete-half jackknife), which does
    not shrink with their number: the samples are the same. One pair that shares one feature more
    than the mean is added, because pairs without common features have no variance.

    R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at stability
    selection", Journal of the Royal Statistical Society B 75 (2013), 55-80; J. Shao and C. F. J.
    Wu, "A general theory for jackknife variance estimation", Annals of Statistics 17 (1989),
    1176-1197; S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection
    algorithms", Journal of Machine Learning Research 18 (2018), no. 174.
    """
    if not pairs:
        msg = "no pair of halves; at least one must have been fitted"
        raise InputError(msg)
    values = np.array([stability_index(pair, n_features).value for pair in pairs])
    sizes = [len(set(half)) for pair in pairs for half in pair]
    return agreement_interval(values, float(np.mean(sizes)), confidence)


def agreement_interval(values: np.ndarray, size: float, confidence: float = 0.95) -> Estimate:
    """Return the mean agreement of pairs of halves with its interval, as `half_stability` does.

    ``values`` (n_pairs,) are the agreements, missing where a pair has none; ``size`` is the mean
    number of features of a half.

    Examples
    --------
    >>> agreement_interval(np.array([0.5, 0.7, 0.6, 0.6]), 10.0).value
    0.6
    """
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return Estimate(np.nan, np.nan, np.nan)
    value = values.mean()
    spread = np.append(values, value + 1 / size).std(ddof=1)
    margin = ndtri((1 + confidence) / 2) * spread
    return Estimate(*map(float, np.clip([value, value - margin, value + margin], 0.0, 1.0)))


def agreement_table(
    series: DataSet, halves: pd.DataFrame, folds: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Return the agreement of the short lists of each pair of halves: the table ``agreement``.

    A short list has the first `_SHORT_LIST` features of a class by rank (fewer if fewer are
    selected), that of all classes the union. Features that correlate within the classes by
    `_SIMILAR` or more replace each other (`correlated_stability`).

    A feature of a short list is *replicated* if it differs between the class and the others in the
    other half, too (`xnbflow.inference.replication.replication`). The number of all classes is the
    mean over the classes.

    Parameters
    ----------
    series : DataSet
    halves : DataFrame
        The table of `halves_table`.
    folds : DataFrame, optional
        The halves that its lists were made from; by default those that `halves_table` draws.
    """
    columns = GROUPS["check"].tables["agreement"].fixed
    short = halves[halves["rank"] <= _SHORT_LIST]
    if short.empty:
        return pd.DataFrame(columns=columns)
    names = short["feature"].unique()
    positions = pd.Index(series.features.astype(str)).get_indexer(names)
    similarity = _feature_similarity(series, positions)
    n_sampled = min(_SAMPLED_FEATURES, series.n_features)
    sampled = np.unique(np.linspace(0, series.n_features - 1, n_sampled).astype(int))
    others = _feature_similarity(series, sampled)
    n_pairs = max(1, len(sampled) * (len(sampled) - 1))
    mean_similarity = (others.sum() - len(sampled)) / n_pairs
    position = pd.Series(np.arange(len(names)), index=names)
    if folds is None:
        folds = _draw_halves(series, int(halves["repeat"].max()) + 1)
    replicated = _replications(series, short, folds)
    rows = []
    for label in ["", *series.classes.astype(str)]:
        of_class = short if not label else short[short["class"] == label]
        lists = of_class.groupby(["repeat", "fold"])["feature"].agg(set).to_dict()
        for repeat in halves["repeat"].unique().tolist():
            selected = np.zeros((2, len(names)), dtype=bool)
            for half in (0, 1):
                selected[half, position[sorted(lists.get((repeat, half), set()))]] = True
            agreement = correlated_stability(
                selected, similarity, series.n_features, mean_similarity
            )
            row = {"repeat": repeat, "class": label, "agreement": agreement}
            row["replicated"] = replicated.get((repeat, label), np.nan)
            rows.append(row | {"mean_size": float(selected.sum(axis=1).mean())})
    return pd.DataFrame(rows, columns=columns)


def _replications(
    series: DataSet, short: pd.DataFrame, folds: pd.DataFrame
) -> dict[tuple[int, str], float]:
    """Return the replication of the short lists by division and class, "" for the mean of all.

    The lists of a fold are made from the other half of the samples.
    """
    values = with_log_counts(series).values
    codes = np.searchsorted(series.classes, series.labels)
    n_classes = len(series.classes)
    places = pd.Index(series.features.astype(str)).get_indexer(short["feature"].astype(str))
    short = short.assign(place=places)
    replicated: dict[tuple[int, str], float] = {}
    for repeat, lists in short.groupby("repeat"):
        of_repeat = folds[folds["repeat"] == repeat].set_index("sample")["fold"]
        fold_of_sample = of_repeat.reindex(series.samples.astype(str)).to_numpy()
        differences = []
        for fold in (0, 1):
            members = fold_of_sample == fold
            differences.append(class_differences(values[:, members], codes[members], n_classes))
        indices: dict[str, list[float]] = {}
        for (label, fold), rows in lists.groupby(["class", "fold"]):
            code = int(np.searchsorted(series.classes.astype(str), str(label)))
            tested = differences[fold]
            first = differences[1 - fold][0][code]
            index = replication(rows["place"].to_numpy(), first, (tested[0][code], tested[1][code]))
            if not np.isnan(index):
                indices.setdefault(str(label), []).append(index)
        of_classes = {label: float(np.mean(of_class)) for label, of_class in indices.items()}
        replicated |= {(int(repeat), label): index for label, index in of_classes.items()}
        if of_classes:
            replicated[int(repeat), ""] = float(np.mean(list(of_classes.values())))
    return replicated


def _feature_similarity(series: DataSet, rows: np.ndarray) -> np.ndarray:
    """Return the absolute correlations of features within the classes; below `_SIMILAR` 0.

    A missing value is replaced by the mean of its class.
    """
    residuals = series.values[rows].astype(float)
    for label in series.classes:
        members = series.labels == label
        of_class = residuals[:, members]
        present = ~np.isnan(of_class)
        sums = np.where(present, of_class, 0.0).sum(axis=1, keepdims=True)
        means = sums / np.maximum(present.sum(axis=1, keepdims=True), 1)
        residuals[:, members] = np.where(present, of_class - means, 0.0)
    lengths = np.sqrt((residuals**2).sum(axis=1, keepdims=True))
    standard = np.divide(residuals, lengths, out=np.zeros_like(residuals), where=lengths > 0)
    similarity = np.abs(standard @ standard.T)
    similarity[similarity < _SIMILAR] = 0.0
    np.fill_diagonal(similarity, 1.0)
    return similarity


def short_list_shares(table: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the share of the halves of a table in which a feature is in the short list of a class.

    These are the first `_SHORT_LIST` features of the class by rank. Classifiers that select
    hundreds of features select most of them in every half, so that the share of halves which select
    a feature hardly varies.

    Examples
    --------
    >>> table = pd.DataFrame({"class": "a", "feature": ["g1", "g1", "g2"], "halves": 4})
    >>> short_list_shares(table.assign(rank=[1, 2, 1]))
    {('a', 'g1'): 0.5, ('a', 'g2'): 0.25}
    >>> short_list_shares(table.assign(rank=[1, 12, 30]))
    {('a', 'g1'): 0.25}
    """
    table = table[table["rank"] <= _SHORT_LIST]
    counts = table.groupby(["class", "feature"])["halves"].agg(["size", "first"])
    shares = counts["size"] / counts["first"]
    return {(str(label), str(feature)): float(share) for (label, feature), share in shares.items()}
