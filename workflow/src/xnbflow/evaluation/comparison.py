"""Comparison of classifiers: the interface to all tests, and the tables that apply them to pairs.

The directional paper's section 4.2 (Tables 3-5) after Demšar (2006), García and Herrera (2008),
Bouckaert (2004) and Nadeau and Bengio (2003), with a Bayesian test after Benavoli et al. (2017).
"""

import itertools
from typing import Literal

import pandas as pd

from xnbflow.data.errors import InputError
from xnbflow.evaluation.critical_difference import (
    RankDiagram,
    critical_difference,
    critical_difference_diagram,
)
from xnbflow.evaluation.multiple_testing import adjust_pairwise
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
    average_ranks,
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
