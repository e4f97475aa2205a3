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
from xnbflow.evaluation.folds import MOST_REPEATED, draw_folds
from xnbflow.evaluation.training import train
from xnbflow.inference.intervals import Estimate
from xnbflow.inference.stability import correlated_stability, replication, stability_index
from xnbflow.tables.contract import CHECK_TABLES

SelectionPair = tuple[Collection[str], Collection[str]]

#: Features of each class in the short list, in the order of their ranks: those that are measured
#: and reported first.
SHORT_LIST = 10
#: Features of each class among which those of the short list of other samples are looked for: a
#: hundred, and at most a tenth of all.
LONG_LIST = 100
_LONG_SHARE = 0.1
#: Least absolute correlation within the classes from which on two features replace each other.
SIMILAR = 0.7
#: Features from which the mean similarity of all features is estimated.
_SAMPLED_FEATURES = 2000


def halves_table(series: DataSet, entry: Mapping[str, Any], n_pairs: int) -> pd.DataFrame:
    """Return the features that a classifier selects in disjoint halves of the samples.

    The samples are divided ``n_pairs`` times, groups kept whole. The result is the table ``halves``
    of `CHECK_TABLES`; empty where the samples cannot be divided so that each half has every class,
    or there are more than `MOST_REPEATED`.
    """
    columns = CHECK_TABLES["halves"].fixed
    if series.n_samples > MOST_REPEATED:
        return pd.DataFrame(columns=columns)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            folds = draw_folds(series, 2, n_pairs)
    except InputError:
        return pd.DataFrame(columns=columns)
    outcome = train(series, folds, entry, explain=False)
    whole = outcome["fits"].groupby("repeat")["status"].agg(lambda s: (s == "ok").all())
    fitted = whole.index[whole]
    selected = outcome["selected"]
    selected = selected[selected["repeat"].isin(fitted)]
    return selected.assign(halves=2 * len(fitted))[columns].reset_index(drop=True)


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


def agreement_table(series: DataSet, halves: pd.DataFrame) -> pd.DataFrame:
    """Return the agreement of the short lists of each pair of halves: the table ``agreement``.

    A short list has the first `SHORT_LIST` features of a class by rank (fewer if fewer are
    selected), that of all classes the union. Features that correlate within the classes by
    `SIMILAR` or more replace each other (`correlated_stability`).

    A feature of a short list is *replicated* if the other half has it among the first `LONG_LIST`
    features of the class, at most a tenth of all features (`replication`). That of all classes is
    the mean over the classes.

    Parameters
    ----------
    series : DataSet
    halves : DataFrame
        The table of `halves_table`.
    """
    columns = CHECK_TABLES["agreement"].fixed
    short = halves[halves["rank"] <= SHORT_LIST]
    if short.empty:
        return pd.DataFrame(columns=columns)
    names = short["feature"].unique()
    positions = pd.Index(series.features.astype(str)).get_indexer(names)
    similarity = feature_similarity(series, positions)
    n_sampled = min(_SAMPLED_FEATURES, series.n_features)
    sampled = np.unique(np.linspace(0, series.n_features - 1, n_sampled).astype(int))
    others = feature_similarity(series, sampled)
    n_pairs = max(1, len(sampled) * (len(sampled) - 1))
    mean_similarity = (others.sum() - len(sampled)) / n_pairs
    position = pd.Series(np.arange(len(names)), index=names)
    replicated = _replications(halves, series.n_features)
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


def _replications(halves: pd.DataFrame, n_features: int) -> dict[tuple[int, str], float]:
    """Return the replication of the short lists by division and class, "" for the mean of all."""
    n_found = max(SHORT_LIST, min(LONG_LIST, int(_LONG_SHARE * n_features)))
    ranked = halves.sort_values("rank", kind="stable")
    lists = ranked.groupby(["repeat", "class", "fold"])["feature"].agg(list).to_dict()
    replicated: dict[tuple[int, str], float] = {}
    for repeat, of_repeat in ranked.groupby("repeat"):
        of_classes = []
        for label in of_repeat["class"].unique():
            of_halves = [lists.get((repeat, label, half), []) for half in (0, 1)]
            index = replication(
                (of_halves[0], of_halves[1]), n_features, n_first=SHORT_LIST, n_found=n_found
            )
            replicated[repeat, str(label)] = index
            of_classes.append(index)
        defined = [index for index in of_classes if not np.isnan(index)]
        replicated[repeat, ""] = float(np.mean(defined)) if defined else np.nan
    return replicated


def feature_similarity(series: DataSet, rows: np.ndarray) -> np.ndarray:
    """Return the absolute correlations of features within the classes; below `SIMILAR` 0.

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
    similarity[similarity < SIMILAR] = 0.0
    np.fill_diagonal(similarity, 1.0)
    return similarity


def selection_shares(table: pd.DataFrame) -> dict[tuple[str, str], float]:
    """Return the share of the halves of a table in which a feature is selected for a class.

    Examples
    --------
    >>> table = pd.DataFrame({"class": "a", "feature": ["g1", "g1", "g2"], "halves": 4})
    >>> selection_shares(table)
    {('a', 'g1'): 0.5, ('a', 'g2'): 0.25}
    """
    counts = table.groupby(["class", "feature"])["halves"].agg(["size", "first"])
    shares = counts["size"] / counts["first"]
    return {(str(label), str(feature)): float(share) for (label, feature), share in shares.items()}
