"""Average ranks and tests of the paper's classifiers, beside its Tables 3 and 4."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.printed import PublishedTables
from xnbflow.evaluation.rank_tests import average_ranks, pairwise_rank_tests
from xnbflow.studies.directional.contract import CLASSIFIERS, TABLES, counterpart

__all__ = ["compare", "paper_ranks"]

_ADJUSTED = ("nemenyi", "holm", "shaffer", "bergmann_hommel")
_RANKS = ["classifier", "over", "datasets", "datasets_paper", "ours", "paper"]
_PAIRS = [
    *("first", "second", "datasets", "ranks_apart", "ranks_apart_paper"),
    *(name for column in _ADJUSTED for name in (column, f"{column}_paper")),
]


def compare(
    about: Mapping[str, Any], study: Mapping[str, pd.DataFrame], published: Mapping[str, Any]
) -> dict[str, pd.DataFrame]:
    """Compare the paper's five classifiers as it does, for the study's first scheme of folds.

    Parameters
    ----------
    about : mapping
        ``parts``: the study's classifier for each of the paper's; ``folds``: its schemes.
    study : mapping of str to DataFrame
        The study's ``summary`` and ``pairwise_within``.
    published : mapping of str to DataFrame
        The tables that the paper prints.

    Returns
    -------
    dict of str to DataFrame
        ``accuracies`` and ``runs``, of the classifiers there are; ``average_ranks`` and
        ``pair_tests``, without rows where a classifier is missing, or fewer than two data sets
        stand for ones of the paper.
    """
    ids = {name: part for part, name in about["parts"].items() if part in CLASSIFIERS}
    folds = next(iter(about["folds"]), "")
    scores = _scores(study["summary"], ids, folds)
    within = study["pairwise_within"]
    within = within[within["folds"] == folds]
    beside = {
        "accuracies": _accuracies(scores, published),
        "runs": _runs(
            within.assign(**{k: within[k].map(ids) for k in ("first", "second")}),
            published["directional_table5"],
        ),
    }
    accuracy = scores.pivot(index="dataset", columns="classifier", values="accuracy")
    accuracy = accuracy.reindex(scores["dataset"].unique()).reindex(columns=list(ids.values()))
    accuracy = accuracy.dropna()
    like = accuracy[[counterpart(dataset) is not None for dataset in accuracy.index]]
    if len(ids) < len(CLASSIFIERS) or len(like) < 2:
        empty = {"average_ranks": _RANKS, "pair_tests": _PAIRS}
        return beside | {name: pd.DataFrame(columns=columns) for name, columns in empty.items()}
    return beside | {
        "average_ranks": _average_ranks(accuracy, like, published),
        "pair_tests": _pair_tests(like, published),
    }


def _scores(summary: pd.DataFrame, ids: Mapping[str, str], folds: str) -> pd.DataFrame:
    """Return accuracies in per cent by data set and the paper's names; missing after a failure."""
    rows = summary[(summary["metric"] == "accuracy") & (summary["folds"] == folds)]
    rows = rows[rows["classifier"].isin(list(ids))]
    complete = rows["folds_failed"] == 0
    return pd.DataFrame(
        {
            "dataset": rows["dataset"],
            "classifier": rows["classifier"].map(ids),
            "accuracy": 100 * rows["mean"].where(complete),
            "sd": 100 * rows["sd"].where(complete),
        }
    ).reset_index(drop=True)


def _accuracies(scores: pd.DataFrame, published: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return Table 1: ours, and what the paper prints for the data set that ours stands for."""
    name = scores["dataset"].map(counterpart)
    keys = pd.MultiIndex.from_arrays([name, scores["classifier"]])
    printed = published["directional_table1"].set_index(["dataset", "classifier"]).reindex(keys)
    ranks = scores["accuracy"].round(2).groupby(scores["dataset"])
    return scores.assign(
        rank=ranks.rank(method="min", ascending=False),
        counterpart=name.fillna("").astype(str),
        paper=printed["accuracy"].to_numpy(),
        paper_sd=printed["standard_deviation"].to_numpy(),
        paper_rank=paper_ranks(published).stack().reindex(keys).to_numpy(),
    )


def _runs(within: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Return Table 5: our tests on sorted runs, and the paper's where it has them."""
    tested = list(dict.fromkeys(zip(paper["first"], paper["second"], strict=True)))
    printed = paper.set_index(["dataset", "first", "second"])
    rows = []
    for row in within.itertuples():
        name = counterpart(row.dataset)
        for first, second in tested:
            if {row.first, row.second} != {first, second}:
                continue
            difference = row.mean_difference * (1 if row.first == first else -1)
            key = (name, first, second)
            theirs = printed.loc[key] if key in printed.index else None
            rows.append(
                (
                    row.dataset,
                    first,
                    second,
                    100 * difference,
                    _direction(difference),
                    row.sorted_runs,
                    name or "",
                    "" if theirs is None else theirs["alternative"].replace("!=", "="),
                    np.nan if theirs is None else theirs["p"],
                )
            )
    return pd.DataFrame(rows, columns=TABLES["runs"].fixed)


#: Accuracies in per cent are printed with two decimals; what is nearer than this is equal.
_EQUAL = 5e-5


def _direction(difference: float) -> str:
    return "=" if abs(difference) < _EQUAL else ">" if difference > 0 else "<"


def paper_ranks(published: PublishedTables | Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the paper's ranks, data sets by classifiers.

    They follow from the accuracies of Table 1 and, for dNB, from the directions of Table 5.
    """
    printed = published["directional_table1"]
    accuracy = printed.pivot_table(index="dataset", columns="classifier", values="accuracy")
    runs = published["directional_table5"].query("second == 'dNB'")
    against = runs.set_index(["dataset", "first"])["alternative"]
    better = against.unstack().reindex(index=accuracy.index, columns=accuracy.columns) == ">"
    ranks = accuracy.rank(axis=1, ascending=False) + ~better
    ranks["dNB"] = 1 + better.sum(axis=1)
    return ranks


def _average_ranks(
    accuracy: pd.DataFrame, like: pd.DataFrame, published: Mapping[str, pd.DataFrame]
) -> pd.DataFrame:
    """Return average ranks over the data sets that both have, and over all of each."""
    printed = published["directional_table3"].set_index("classifier")["average_rank"]
    theirs = [counterpart(dataset) for dataset in like.index]
    n_printed = published["directional_table1"]["dataset"].nunique()
    ranked = paper_ranks(published).loc[theirs].mean()
    parts = [
        ("same", len(like), len(like), average_ranks(like.round(10)), ranked),
        ("all", len(accuracy), n_printed, average_ranks(accuracy.round(10)), printed),
    ]
    tables = [
        pd.DataFrame(
            {
                "classifier": printed.index,
                "over": over,
                "datasets": n,
                "datasets_paper": n_paper,
                "ours": ours.reindex(printed.index).to_numpy(),
                "paper": paper.reindex(printed.index).to_numpy(),
            }
        )
        for over, n, n_paper, ours, paper in parts
    ]
    return pd.concat(tables, ignore_index=True)


def _pair_tests(like: pd.DataFrame, published: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return every pair's adjusted p-values, in the paper's order."""
    ranks = average_ranks(like.round(10))
    ours = pairwise_rank_tests(ranks, len(like))
    ours.index = [frozenset(pair) for pair in zip(ours["first"], ours["second"], strict=True)]
    paper = published["directional_table4"]
    printed = published["directional_table3"].set_index("classifier")["average_rank"]
    mine = ours.loc[[frozenset(p) for p in zip(paper["first"], paper["second"], strict=True)]]
    first, second = paper["first"], paper["second"]
    columns: dict[str, Any] = {
        "first": first,
        "second": second,
        "datasets": len(like),
        "ranks_apart": (second.map(ranks) - first.map(ranks)).to_numpy(),
        "ranks_apart_paper": (second.map(printed) - first.map(printed)).to_numpy(),
    }
    for column in _ADJUSTED:
        columns[column] = mine[column].to_numpy()
        columns[f"{column}_paper"] = paper[column].to_numpy()
    return pd.DataFrame(columns)[_PAIRS]
