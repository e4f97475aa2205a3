"""Average ranks and tests of the paper's classifiers, and its Tables 3 and 4."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.inference.rank_tests import average_ranks, pairwise_rank_tests
from xnbflow.papers.directional import ADJUSTED, CLASSIFIERS, counterpart
from xnbflow.papers.directional.entries import ANALYSIS
from xnbflow.papers.directional.printed_tables import printed_table
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: Accuracies in per cent are printed with two decimals; smaller differences are ties.
_EQUAL = 5e-5


def compare(about: Mapping[str, Any], study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Compare the paper's five classifiers as it does, for the study's first scheme of folds.

    ``about`` has ``parts``, the study's classifier for each of the paper's, and ``folds``, its
    schemes; ``study`` its ``summary`` and ``pairwise_within``. ``average_ranks`` and ``pair_tests``
    have no rows where a classifier is missing, or fewer than two data sets correspond to the
    paper's.
    """
    ids = {name: part for part, name in about["parts"].items() if part in CLASSIFIERS}
    folds = next(iter(about["folds"]), "")
    scores = _scores(study["summary"], ids, folds)
    within = study["pairwise_within"]
    within = within[within["folds"] == folds]
    within = within.assign(**{k: within[k].map(ids) for k in ("first", "second")})
    beside = {"accuracies": scores, "runs": _runs(within, printed_table(5))}
    accuracy = scores.pivot(index="dataset", columns="classifier", values="accuracy")
    accuracy = accuracy.reindex(index=scores["dataset"].unique(), columns=list(ids.values()))
    accuracy = accuracy.dropna()
    like = accuracy[[counterpart(dataset) is not None for dataset in accuracy.index]]
    if len(ids) < len(CLASSIFIERS) or len(like) < 2:
        empty = ("average_ranks", "pair_tests")
        return beside | {name: pd.DataFrame(columns=TABLES[name].fixed) for name in empty}
    printed = printed_table(3).set_index("classifier")["average_rank"]
    ranks = average_ranks(like.round(10))
    paper = paper_ranks().loc[[counterpart(dataset) for dataset in like.index]].mean()
    n_paper = printed_table(1)["dataset"].nunique()
    averages = [
        pd.DataFrame({"ours": ours, "paper": theirs}, printed.index).assign(
            over=over, datasets=n, datasets_paper=n_theirs
        )
        for over, n, n_theirs, ours, theirs in (
            ("same", len(like), len(like), ranks, paper),
            ("all", len(accuracy), n_paper, average_ranks(accuracy.round(10)), printed),
        )
    ]
    averages = pd.concat(averages).rename_axis("classifier").reset_index()
    pairs = _pair_tests(ranks, len(like), printed, printed_table(4))
    return beside | {
        "average_ranks": averages[TABLES["average_ranks"].fixed],
        "pair_tests": pairs[TABLES["pair_tests"].fixed],
    }


def _scores(
    summary: pd.DataFrame,
    ids: Mapping[str, str],
    folds: str,
) -> pd.DataFrame:
    """Return Table 1 in per cent, ours missing after a failure, and the paper's."""
    rows = summary[(summary["metric"] == "accuracy") & (summary["folds"] == folds)]
    rows = rows[rows["classifier"].isin(list(ids))].reset_index(drop=True)
    complete = rows["folds_failed"] == 0
    name, part = rows["dataset"].map(counterpart), rows["classifier"].map(ids)
    keys = pd.MultiIndex.from_arrays([name, part])
    printed = printed_table(1).set_index(["dataset", "classifier"]).reindex(keys)
    accuracy = 100 * rows["mean"].where(complete)
    ranks = accuracy.round(2).groupby(rows["dataset"])
    return pd.DataFrame(
        {
            "dataset": rows["dataset"],
            "classifier": part,
            "accuracy": accuracy,
            "sd": 100 * rows["sd"].where(complete),
            "rank": ranks.rank(method="min", ascending=False),
            "counterpart": name.fillna("").astype(str),
            "paper": printed["accuracy"].to_numpy(),
            "paper_sd": printed["standard_deviation"].to_numpy(),
            "paper_rank": paper_ranks().stack().reindex(keys).to_numpy(),
        }
    )


def _runs(within: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Return Table 5: our tests on sorted runs, and the paper's where it has them."""
    pair = ["first", "second"]
    tested = pd.MultiIndex.from_frame(paper[pair].drop_duplicates())
    given = within[["dataset", "first", "second", "mean_difference", "sorted_runs"]]
    turned = given.rename(columns={"first": "second", "second": "first"})
    turned = turned.assign(mean_difference=-turned["mean_difference"])
    both = pd.concat([given, turned]).sort_index(kind="stable")
    runs = both[pd.MultiIndex.from_frame(both[pair]).isin(tested)].reset_index(drop=True)
    name = runs["dataset"].map(counterpart)
    keys = pd.MultiIndex.from_arrays([name, runs["first"], runs["second"]])
    theirs = paper.set_index(["dataset", "first", "second"]).reindex(keys)
    difference = runs["mean_difference"]
    equal = difference.abs() < _EQUAL
    return runs[["dataset", *pair]].assign(
        difference=100 * difference,
        direction=np.where(equal, "=", np.where(difference > 0, ">", "<")),
        p=runs["sorted_runs"],
        counterpart=name.fillna("").astype(str),
        paper_direction=theirs["alternative"].replace("!=", "=").fillna("").to_numpy(),
        paper_p=theirs["p"].to_numpy(),
    )


def paper_ranks() -> pd.DataFrame:
    """Return the paper's ranks, data sets by classifiers.

    They follow from the accuracies of Table 1 and, for dNB, from the directions of Table 5.
    """
    printed = printed_table(1)
    accuracy = printed.pivot_table(index="dataset", columns="classifier", values="accuracy")
    runs = printed_table(5).query("second == 'dNB'")
    against = runs.set_index(["dataset", "first"])["alternative"]
    better = against.unstack().reindex(index=accuracy.index, columns=accuracy.columns) == ">"
    ranks = accuracy.rank(axis=1, ascending=False) + ~better
    ranks["dNB"] = 1 + better.sum(axis=1)
    return ranks


def _pair_tests(
    ranks: pd.Series, n_datasets: int, printed: pd.Series, paper: pd.DataFrame
) -> pd.DataFrame:
    """Return every pair's adjusted p-values, in the paper's order, from our and its ranks."""
    ours = pairwise_rank_tests(ranks, n_datasets)
    ours.index = [frozenset(pair) for pair in zip(ours["first"], ours["second"], strict=True)]
    first, second = paper["first"], paper["second"]
    ours = ours.loc[[frozenset(pair) for pair in zip(first, second, strict=True)]]
    adjusted = list(ADJUSTED)
    return pd.DataFrame({"first": first, "second": second}).assign(
        datasets=n_datasets,
        ranks_apart=second.map(ranks) - first.map(ranks),
        ranks_apart_paper=second.map(printed) - first.map(printed),
        **ours[adjusted].set_index(paper.index),
        **paper[adjusted].add_suffix("_paper"),
    )
