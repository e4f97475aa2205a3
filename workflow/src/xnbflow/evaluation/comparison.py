"""Comparison of classifiers by accuracy: tables of tests over data sets and over folds.

The directional paper's section 4.2 (Tables 3-5) after Demšar (2006), García and Herrera (2008),
Bouckaert (2004) and Nadeau and Bengio (2003), with a Bayesian test after Benavoli et al. (2017).
"""

import itertools
from collections.abc import Iterator
from typing import Literal

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.data.errors import InputError
from xnbflow.evaluation.paired_tests import (
    BayesianComparison,
    CorrectedTTest,
    SignedRankTest,
    bayesian_signed_rank_test,
    corrected_resampled_t_test,
    sorted_runs_test,
    wilcoxon_signed_rank_test,
)
from xnbflow.evaluation.rank_tests import (
    OmnibusTest,
    RankDiagram,
    adjust_pairwise,
    average_ranks,
    critical_difference,
    critical_difference_diagram,
    friedman_test,
    iman_davenport_test,
    pairwise_rank_tests,
)

__all__ = [
    "BayesianComparison",
    "CorrectedTTest",
    "OmnibusTest",
    "RankDiagram",
    "SignedRankTest",
    "adjust_pairwise",
    "average_ranks",
    "bayesian_signed_rank_test",
    "compare_over_data_sets",
    "compare_over_folds",
    "corrected_resampled_t_test",
    "critical_difference",
    "critical_difference_diagram",
    "friedman_test",
    "iman_davenport_test",
    "pairwise_rank_tests",
    "sorted_runs_test",
    "wilcoxon_signed_rank_test",
]


def compare_over_data_sets(
    scores: pd.DataFrame, *, rope: float = 0.01, seed: int = 0
) -> pd.DataFrame:
    """Compare every pair of classifiers by their scores over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        One row per data set, one column per classifier; higher is better.
    rope : float
        Differences up to this much are practically none (Bayesian test).
    seed : int
        Seed of the Bayesian test.

    Returns
    -------
    DataFrame
        One row per pair, in the order of columns, with columns ``first``, ``second``,
        ``mean_difference`` (first minus second), ``p`` (Wilcoxon's signed-rank test, two-sided,
        exact), its adjustments ``nemenyi``, ``holm``, ``shaffer`` and ``bergmann_hommel``, and the
        posterior probabilities ``first_better``, ``equivalent`` and ``second_better``.

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
        rows.append(
            {
                "first": first,
                "second": second,
                "mean_difference": (a - b).mean(),
                "p": wilcoxon_signed_rank_test(a, b).p_value,
                **bayesian_signed_rank_test(a, b, rope, seed=seed)._asdict(),
            }
        )
    table = pd.DataFrame(rows)
    adjusted = adjust_pairwise(table["p"], scores.shape[1])
    return pd.concat([table.loc[:, :"p"], adjusted, table.loc[:, "first_better":]], axis=1)


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
        One row per pair, in the order of columns, with columns ``first``, ``second``,
        ``mean_difference`` (first minus second), ``alternative`` (``greater`` or ``less``: the
        direction of the mean difference, as in the paper's Table 5), ``sorted_runs`` (one-sided
        exact p-value of `sorted_runs_test` in that direction) and ``corrected_t``, ``lower`` and
        ``upper`` (two-sided p-value and 95 % confidence limits of `corrected_resampled_t_test`).

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
    by_run = {name: scores[name].unstack("fold") for name in scores.columns}
    rows = []
    for first, second in itertools.combinations(scores.columns, 2):
        a, b = by_run[first].to_numpy(), by_run[second].to_numpy()
        t_test = corrected_resampled_t_test(a, b, test_train_ratio)
        alternative: Literal["less", "greater"] = "less" if t_test.mean < 0 else "greater"
        rows.append(
            {
                "first": first,
                "second": second,
                "mean_difference": t_test.mean,
                "alternative": alternative,
                "sorted_runs": sorted_runs_test(a, b, alternative).p_value,
                "corrected_t": t_test.p_value,
                "lower": t_test.lower,
                "upper": t_test.upper,
            }
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


_ADJUSTED = ["nemenyi", "holm", "shaffer", "bergmann_hommel"]
#: The Bayesian signed-rank test is told from so many data sets on.
FEWEST_DATASETS = 5
#: Means that only floating point tells apart are ties.
_DECIMALS = 12


def ranks(repeats: pd.DataFrame) -> pd.DataFrame:
    """Return the average rank of each classifier over data sets, best first.

    Parameters
    ----------
    repeats : DataFrame
        As made by `xnbflow.evaluation.summaries.repeats`.

    Returns
    -------
    DataFrame
        ``folds``, ``classifier``, ``average_rank``, ``datasets``, ``critical_difference``
        (Nemenyi, 5 %) and ``bars``: letters of the bars that the classifier is part of in the
        diagram; two classifiers without a letter in common differ. Empty with one data set or
        classifier.
    """
    rows = []
    for folds, scores in _over_data_sets(repeats):
        average = average_ranks(scores)
        diagram = critical_difference_diagram(average, len(scores))
        for name, rank in average.items():
            bars = "".join(
                chr(ord("a") + i) for i, clique in enumerate(diagram.cliques) if name in clique
            )
            rows.append((folds, name, rank, len(scores), diagram.critical_difference, bars))
    columns = ["folds", "classifier", "average_rank", "datasets", "critical_difference", "bars"]
    return pd.DataFrame(rows, columns=columns)


def omnibus(repeats: pd.DataFrame) -> pd.DataFrame:
    """Return the tests whether any classifier differs: Friedman's, and Iman and Davenport's.

    Columns ``folds``, ``test``, ``statistic``, ``p_value``, ``datasets``.
    """
    rows = [
        (folds, name, *test(scores)[:2], len(scores))
        for folds, scores in _over_data_sets(repeats)
        for name, test in (("Friedman", friedman_test), ("Iman-Davenport", iman_davenport_test))
    ]
    return pd.DataFrame(rows, columns=["folds", "test", "statistic", "p_value", "datasets"])


def pairwise(repeats: pd.DataFrame) -> pd.DataFrame:
    """Return every pair of classifiers compared over data sets.

    Columns ``folds``, ``first``, ``second``, ``mean_difference``; of the average ranks ``z``,
    ``rank_p`` and its adjustments ``nemenyi``, ``holm``, ``shaffer``, ``bergmann_hommel``;
    ``wilcoxon`` (p-value of the signed-rank test, not adjusted); ``first_better``, ``equivalent``
    and ``second_better`` (Bayesian signed-rank test, differences up to 0.01 are none), missing
    below `FEWEST_DATASETS`, as ``not_told`` says then; it is empty otherwise.
    """
    tables = []
    for folds, scores in _over_data_sets(repeats):
        by_rank = pairwise_rank_tests(average_ranks(scores), len(scores))
        by_rank = by_rank.rename(columns={"p": "rank_p"})
        pair = [frozenset(names) for names in by_rank[["first", "second"]].to_numpy()]
        by_rank = by_rank.assign(pair=pair)[["pair", "z", "rank_p", *_ADJUSTED]]
        signed = compare_over_data_sets(scores).rename(columns={"p": "wilcoxon"})
        pair = [frozenset(names) for names in signed[["first", "second"]].to_numpy()]
        signed = signed.drop(columns=_ADJUSTED).assign(pair=pair)
        table = signed.merge(by_rank, on="pair", validate="one_to_one").drop(columns="pair")
        table = _without_few_data_sets(table, len(scores))
        table.insert(0, "folds", folds)
        tables.append(table)
    if not tables:
        return pd.DataFrame(columns=_PAIRWISE)
    return pd.concat(tables, ignore_index=True)[_PAIRWISE]


_PAIRWISE = [
    *("folds", "first", "second", "mean_difference", "z", "rank_p"),
    *(*_ADJUSTED, "wilcoxon", "first_better", "equivalent", "second_better", "not_told"),
]


def _without_few_data_sets(table: pd.DataFrame, n_datasets: int) -> pd.DataFrame:
    """Take away the posterior of the Bayesian test where its prior would speak louder than data."""
    if n_datasets >= FEWEST_DATASETS:
        return table.assign(not_told="")
    reason = (
        f"{counted(n_datasets, 'data set')}; with fewer than {FEWEST_DATASETS} the prior decides"
    )
    names = ("first_better", "equivalent", "second_better")
    return table.assign(**dict.fromkeys(names, np.nan), not_told=reason)


def pairwise_within(metrics: pd.DataFrame) -> pd.DataFrame:
    """Return every pair of classifiers compared over the folds of each data set.

    Parameters
    ----------
    metrics : DataFrame
        As made by `xnbflow.evaluation.summaries.metrics`.

    Returns
    -------
    DataFrame
        ``dataset``, ``folds`` and the columns of
        `xnbflow.evaluation.comparison.compare_over_folds`. Classifiers with failed folds, and data
        sets with a single fold, are left out.
    """
    tables = []
    for (dataset, folds), group in metrics.groupby(["dataset", "folds"], sort=False):
        scores = _by_classifier(group, ["repeat", "fold"], "accuracy").dropna(axis="columns")
        if scores.shape[1] < 2 or len(scores) < 2:
            continue
        sizes = group.drop_duplicates(["repeat", "fold"])["test_samples"]
        tested = sizes.mean()
        in_all = sizes.sum() / group["repeat"].nunique()
        if tested >= in_all:
            continue
        table = compare_over_folds(scores, tested / (in_all - tested))
        table.insert(0, "dataset", dataset)
        table.insert(1, "folds", folds)
        tables.append(table)
    if not tables:
        return pd.DataFrame(columns=_WITHIN)
    return pd.concat(tables, ignore_index=True)[_WITHIN]


_WITHIN = [
    *("dataset", "folds", "first", "second", "mean_difference", "alternative"),
    *("sorted_runs", "corrected_t", "lower", "upper"),
]


def _over_data_sets(repeats: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield per scheme of folds the accuracies that can be compared, data sets by classifiers."""
    accuracy = repeats[repeats["metric"] == "accuracy"]
    for folds, group in accuracy.groupby("folds", sort=False):
        scores = _by_classifier(group, ["dataset"], "value").round(_DECIMALS)
        scores = scores.dropna(axis="columns", how="all").dropna(axis="index")
        if min(scores.shape) >= 2:
            yield folds, scores


def _by_classifier(table: pd.DataFrame, index: list[str], values: str) -> pd.DataFrame:
    """Return means in a column per classifier, in the order of the table; missing if any is."""
    wide = table.pivot_table(
        index=index, columns="classifier", values=values, aggfunc=_mean, dropna=False, sort=False
    )
    return wide.astype(np.float64)


def _mean(values: pd.Series) -> float:
    return values.mean(skipna=False)
