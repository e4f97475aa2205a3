"""Comparison of classifiers by accuracy: tables of tests over data sets and over folds.

The directional paper's section 4.2 (Tables 3-5) after Demšar (2006), García and Herrera (2008),
Bouckaert (2004) and Nadeau and Bengio (2003).
"""

import itertools
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.diagnostics.false_discovery import holm
from xnbflow.inference.paired_tests import (
    corrected_resampled_t_test,
    sorted_runs_test,
    wilcoxon_signed_rank_test,
)
from xnbflow.inference.rank_tests import (
    average_ranks,
    critical_difference_diagram,
    friedman_test,
    iman_davenport_test,
    pairwise_rank_tests,
)
from xnbflow.tables.contract import GROUPS

#: Means that are equal at this many decimals are ties.
_DECIMALS = 12


def compare_over_data_sets(scores: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of classifiers by their scores over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        One row per data set, one column per classifier; higher is better.

    Returns
    -------
    DataFrame
        One row per pair, in the order of columns: ``first``, ``second``, ``mean_difference`` (first
        minus second), its ``standard_error`` over data sets (missing of a single one), and ``p``
        (`wilcoxon_signed_rank_test`), not adjusted.

    Raises
    ------
    InputError
        If a score is missing, there are fewer than two classifiers, or a name repeats.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [0.8, 0.7, 0.9], "xnb": [0.9, 0.8, 0.9]})
    >>> compare_over_data_sets(scores)[["first", "second", "mean_difference", "p"]].round(3)
      first second  mean_difference    p
    0    nb    xnb           -0.067  0.5
    """
    _need_a_pair(scores)
    rows = []
    for first, second in itertools.combinations(scores.columns, 2):
        a, b = scores[first].to_numpy(), scores[second].to_numpy()
        row = {"first": first, "second": second, "mean_difference": (a - b).mean()}
        row["standard_error"] = pd.Series(a - b).sem()
        rows.append(row | {"p": wilcoxon_signed_rank_test(a, b).p_value})
    return pd.DataFrame(rows)


def compare_over_folds(scores: pd.DataFrame, test_train_ratio: float) -> pd.DataFrame:
    """Compare every pair of classifiers on one data set by (repeated) cross-validation.

    Parameters
    ----------
    scores : DataFrame of shape (n_runs * n_folds, n_classifiers)
        Scores of each fold, higher is better. The rows' index has the levels ``repeat`` and
        ``fold``; all repeats have the same folds.
    test_train_ratio : float
        Test samples of a fold per training sample: 1/9 for ten-fold cross-validation.

    Returns
    -------
    DataFrame
        One row per pair, in the order of columns: ``first``, ``second``, ``mean_difference`` (first
        minus second), ``alternative`` (its direction, as in the paper's Table 5), ``sorted_runs``
        (one-sided p of `sorted_runs_test` in that direction) and ``corrected_t``, ``lower`` and
        ``upper`` (two-sided p and 95% limits of `corrected_resampled_t_test`).

    Raises
    ------
    InputError
        If a score is missing, repeats differ in their folds, there are fewer than two folds or
        classifiers, or a classifier's name repeats.

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([range(2), range(3)], names=["repeat", "fold"])
    >>> scores = pd.DataFrame({"nb": [8, 7, 9, 8, 8, 8], "xnb": [9, 9, 9, 9, 8, 9]}, index)
    >>> table = compare_over_folds(scores / 10, test_train_ratio=1 / 2)
    >>> table[["first", "second", "alternative", "sorted_runs"]]
      first second alternative  sorted_runs
    0    nb    xnb        less         0.25
    """
    _need_a_pair(scores)
    by_run = {name: scores[name].unstack("fold").to_numpy() for name in scores.columns}
    rows = []
    for first, second in itertools.combinations(scores.columns, 2):
        a, b = by_run[first], by_run[second]
        t_test = corrected_resampled_t_test(a, b, test_train_ratio)
        alternative: Literal["less", "greater"] = "less" if t_test.mean < 0 else "greater"
        p_value = sorted_runs_test(a, b, alternative).p_value
        rows.append(
            {"first": first, "second": second, "mean_difference": t_test.mean}
            | {"alternative": alternative, "sorted_runs": p_value, "corrected_t": t_test.p_value}
            | {"lower": t_test.lower, "upper": t_test.upper}
        )
    return pd.DataFrame(rows)


def _need_a_pair(scores: pd.DataFrame) -> None:
    if scores.shape[1] < 2:
        msg = f"comparing needs two classifiers, got {scores.columns.tolist()}"
        raise InputError(msg)
    repeated = scores.columns[scores.columns.duplicated()]
    if len(repeated):
        msg = f"classifier {repeated.tolist()[0]!r} has several columns; give each one its own name"
        raise InputError(msg)


def ranks(repeats: pd.DataFrame) -> pd.DataFrame:
    """Return the average rank of each classifier over data sets, best first.

    Every row also has the tests whether any of the classifiers differ. ``repeats`` is the table of
    `xnbflow.studies.fold_scores.repeats`, here and below. Without two data sets and two classifiers
    the table is empty.
    """
    rows = []
    for folds, scores in _over_data_sets(repeats):
        diagram = critical_difference_diagram(average_ranks(scores), len(scores))
        friedman = friedman_test(scores)
        iman_davenport = iman_davenport_test(scores)
        for name, rank in diagram.ranks.items():
            joined = [i for i, clique in enumerate(diagram.cliques) if name in clique]
            rows.append(
                {
                    "folds": folds,
                    "classifier": name,
                    "average_rank": rank,
                    "bars": "".join(chr(ord("a") + i) for i in joined),
                    "critical_difference": diagram.critical_difference,
                    "datasets": len(scores),
                    "friedman": friedman.statistic,
                    "friedman_p": friedman.p_value,
                    "iman_davenport": iman_davenport.statistic,
                    "iman_davenport_p": iman_davenport.p_value,
                }
            )
    return pd.DataFrame(rows, columns=GROUPS["study"].tables["ranks"].fixed)


def comparison(metrics: pd.DataFrame, repeats: pd.DataFrame) -> pd.DataFrame:
    """Compare every pair of classifiers over the folds of each data set, and over data sets.

    ``metrics`` is the table of `xnbflow.studies.fold_scores.metrics`. Rows over data sets have an
    empty ``dataset``.
    """
    columns = GROUPS["study"].tables["comparison"].fixed
    tables = [table for table in (within_data_sets(metrics), *_over(repeats)) if len(table)]
    if not tables:
        return pd.DataFrame(columns=columns)
    table = pd.concat(tables, ignore_index=True).reindex(columns=columns)
    return table.fillna({"dataset": "", "alternative": ""})


def _over(repeats: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Yield the comparison over data sets of each scheme of folds, by ranks and by differences."""
    for folds, scores in _over_data_sets(repeats):
        signed = compare_over_data_sets(scores).rename(columns={"p": "wilcoxon"})
        by_rank = pairwise_rank_tests(average_ranks(scores), len(scores))
        by_rank = by_rank.rename(columns={"p": "rank_p"}).set_index(_pairs(by_rank))
        added = ["z", "rank_p", "nemenyi", "holm"]
        by_rank = by_rank.loc[_pairs(signed), added].reset_index(drop=True)
        yield signed.join(by_rank).assign(folds=folds)


def _pairs(table: pd.DataFrame) -> pd.Index:
    pairs = zip(table["first"], table["second"], strict=True)
    return pd.Index([frozenset(pair) for pair in pairs], dtype=object)


def within_data_sets(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return every pair of classifiers compared over the folds of each data set.

    ``metrics`` is the table of `xnbflow.studies.fold_scores.metrics`. Classifiers with failed
    folds, and data sets with a single fold, are left out. Adjusted p-values are Holm's, over all
    rows; those of sorted runs are doubled first, as their direction is that of the difference.
    """
    tables = []
    for (dataset, folds), group in metrics.groupby(["dataset", "folds"], sort=False):
        scores = _means_by_classifier(group, ["repeat", "fold"], "accuracy").dropna(axis="columns")
        sizes = group.drop_duplicates(["repeat", "fold"])["test_samples"]
        tested = sizes.mean()
        in_all = sizes.sum() / group["repeat"].nunique()
        if min(scores.shape) >= 2 and tested < in_all:
            table = compare_over_folds(scores, tested / (in_all - tested))
            tables.append(table.assign(dataset=dataset, folds=folds))
    if not tables:
        return pd.DataFrame(columns=["dataset", "folds", "first", "second"])
    whole = pd.concat(tables, ignore_index=True)
    whole["corrected_t_holm"] = holm(whole["corrected_t"].to_numpy())
    whole["sorted_runs_holm"] = holm(np.minimum(1.0, 2 * whole["sorted_runs"].to_numpy()))
    return whole


def _over_data_sets(repeats: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield per scheme of folds the accuracies that can be compared, data sets by classifiers."""
    accuracy = repeats[repeats["metric"] == "accuracy"]
    for folds, group in accuracy.groupby("folds", sort=False):
        scores = _means_by_classifier(group, ["dataset"], "value").round(_DECIMALS)
        scores = scores.dropna(axis="columns", how="all").dropna(axis="index")
        if min(scores.shape) >= 2:
            yield folds, scores


def _means_by_classifier(table: pd.DataFrame, index: list[str], values: str) -> pd.DataFrame:
    """Return means in a column per classifier, in the order of the table; missing if any is."""
    wide = table.pivot_table(
        index=index,
        columns="classifier",
        values=values,
        aggfunc=lambda scores: scores.mean(skipna=False),
        dropna=False,
        sort=False,
    )
    return wide.astype(np.float64)
