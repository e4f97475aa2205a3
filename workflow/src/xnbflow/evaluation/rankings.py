"""Tables of the comparison of classifiers by accuracy (directional paper, Tables 3 to 5)."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.evaluation.comparison import (
    average_ranks,
    compare_over_data_sets,
    compare_over_folds,
    critical_difference_diagram,
    friedman_test,
    iman_davenport_test,
    pairwise_rank_tests,
)

__all__ = ["FEWEST_DATASETS", "omnibus", "pairwise", "pairwise_within", "ranks"]

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
