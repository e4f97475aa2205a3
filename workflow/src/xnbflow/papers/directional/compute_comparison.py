"""The paper's Tables 1, 3, 4 and 5, computed for the study and with the printed numbers."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.inference.rank_tests import average_ranks, pairwise_rank_tests
from xnbflow.papers.directional import ADJUSTMENTS, CLASSIFIERS, counterpart_name
from xnbflow.papers.directional.entries import ANALYSIS
from xnbflow.papers.directional.pairwise_adjustments import bergmann_hommel, shaffer
from xnbflow.papers.directional.printed_tables import printed_table
from xnbflow.tables.contract import analysis_tables

TABLES = analysis_tables(ANALYSIS)

#: Accuracies in per cent are printed with two decimals; smaller differences of shares are ties.
_EQUAL_SHARES = 5e-5


def compare(about: Mapping[str, Any], study: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Compare the paper's five classifiers as it does, for the study's first scheme of folds.

    Parameters
    ----------
    about : mapping
        ``parts`` has the study's classifier for each of the paper's, ``folds`` the schemes.
    study : mapping of str to DataFrame
        The study's tables ``summary`` and ``comparison``.

    Returns
    -------
    dict of str to DataFrame
        ``accuracies`` (Table 1), ``average_ranks`` (Table 3), ``pair_tests`` (Table 4) and ``runs``
        (Table 5). Tables 3 and 4 are empty where a classifier is missing, or fewer than two data
        sets correspond to the paper's.
    """
    paper_names = {
        classifier: name for name, classifier in about["parts"].items() if name in CLASSIFIERS
    }
    folds = next(iter(about["folds"]), "")
    accuracies = _accuracies(study["summary"], paper_names, folds)
    pairs = study["comparison"]
    within = pairs[(pairs["folds"] == folds) & (pairs["dataset"] != "")]
    within = within.assign(
        first=within["first"].map(paper_names), second=within["second"].map(paper_names)
    )
    tables = {"accuracies": accuracies, "runs": _runs(within)}

    wide = accuracies.pivot(index="dataset", columns="classifier", values="accuracy")
    wide = wide.reindex(
        index=accuracies["dataset"].unique(), columns=list(paper_names.values())
    ).dropna()
    has_counterpart = [counterpart_name(dataset) is not None for dataset in wide.index]
    if len(paper_names) < len(CLASSIFIERS) or sum(has_counterpart) < 2:
        tables["average_ranks"] = pd.DataFrame(columns=TABLES["average_ranks"].fixed)
        tables["pair_tests"] = pd.DataFrame(columns=TABLES["pair_tests"].fixed)
        return tables

    # Table 3: over the data sets that correspond to the paper's, and over all of each.
    corresponding = wide[has_counterpart]
    printed = printed_table(3).set_index("classifier")["average_rank"]
    names = [counterpart_name(dataset) for dataset in corresponding.index]
    same = pd.DataFrame(
        {
            "ours": average_ranks(corresponding.round(10)),
            "paper": _paper_ranks().loc[names].mean(),
            "over": "same",
            "datasets": len(corresponding),
            "datasets_paper": len(corresponding),
        },
        index=printed.index,
    )
    every = pd.DataFrame(
        {
            "ours": average_ranks(wide.round(10)),
            "paper": printed,
            "over": "all",
            "datasets": len(wide),
            "datasets_paper": printed_table(1)["dataset"].nunique(),
        },
        index=printed.index,
    )
    table = pd.concat([same, every]).rename_axis("classifier").reset_index()
    tables["average_ranks"] = table[TABLES["average_ranks"].fixed]

    tables["pair_tests"] = _pair_tests(wide[has_counterpart])
    return tables


def _accuracies(summary: pd.DataFrame, paper_names: Mapping[str, str], folds: str) -> pd.DataFrame:
    """Return Table 1 in per cent: ours, missing after a failure, and the paper's."""
    rows = summary[(summary["metric"] == "accuracy") & (summary["folds"] == folds)]
    rows = rows[rows["classifier"].isin(list(paper_names))].reset_index(drop=True)
    is_complete = rows["folds_failed"] == 0
    accuracy = 100 * rows["mean"].where(is_complete)
    ranks = accuracy.round(2).groupby(rows["dataset"]).rank(method="min", ascending=False)
    dataset = rows["dataset"].map(counterpart_name)
    classifier = rows["classifier"].map(paper_names)
    keys = pd.MultiIndex.from_arrays([dataset, classifier])
    printed = printed_table(1).set_index(["dataset", "classifier"]).reindex(keys)
    return pd.DataFrame(
        {
            "dataset": rows["dataset"],
            "classifier": classifier,
            "accuracy": accuracy,
            "sd": 100 * rows["sd"].where(is_complete),
            "rank": ranks,
            "counterpart": dataset.fillna("").astype(str),
            "paper": printed["accuracy"].to_numpy(),
            "paper_sd": printed["standard_deviation"].to_numpy(),
            "paper_rank": _paper_ranks().stack().reindex(keys).to_numpy(),
        }
    )


def _pair_tests(accuracy: pd.DataFrame) -> pd.DataFrame:
    """Return Table 4: adjusted p-values of all pairs, in the paper's order, and the printed ones.

    The accuracies are those of the data sets that correspond to the paper's.
    """
    ranks = average_ranks(accuracy.round(10))
    printed_ranks = printed_table(3).set_index("classifier")["average_rank"]
    printed = printed_table(4)
    first, second = printed["first"], printed["second"]

    tests = _adjusted_rank_tests(ranks, len(accuracy))
    tests.index = [frozenset(pair) for pair in zip(tests["first"], tests["second"], strict=True)]
    tests = tests.loc[[frozenset(pair) for pair in zip(first, second, strict=True)]]

    columns = list(ADJUSTMENTS)
    table = pd.DataFrame(
        {
            "first": first,
            "second": second,
            "datasets": len(accuracy),
            "ranks_apart": second.map(ranks) - first.map(ranks),
            "ranks_apart_paper": second.map(printed_ranks) - first.map(printed_ranks),
        }
    )
    table = table.join(tests[columns].set_index(printed.index))
    return table.join(printed[columns].add_suffix("_paper"))[TABLES["pair_tests"].fixed]


def _adjusted_rank_tests(ranks: Mapping[str, float], n_datasets: int) -> pd.DataFrame:
    """Compare every pair of classifiers by average ranks, with all adjustments of Table 4.

    Examples
    --------
    >>> tests = _adjusted_rank_tests({"nb": 2.9, "fnb": 1.9, "xnb": 1.2}, n_datasets=10)
    >>> tests[["first", "second", "holm", "shaffer", "bergmann_hommel"]].round(4)
      first second    holm  shaffer  bergmann_hommel
    0   xnb     nb  0.0004   0.0004           0.0004
    1   fnb     nb  0.0507   0.0253           0.0253
    2   xnb    fnb  0.1175   0.1175           0.1175
    """
    tests = pairwise_rank_tests(ranks, n_datasets)
    p_values = tests["p"].to_numpy()
    tests["shaffer"] = shaffer(p_values, len(ranks))
    tests["bergmann_hommel"] = bergmann_hommel(p_values, tests["first"], tests["second"])
    return tests


def _runs(within: pd.DataFrame) -> pd.DataFrame:
    """Return Table 5: our tests on sorted runs, and the paper's where it has them.

    A pair is named in the paper's order, whichever order it has in ``within``.
    """
    pair = ["first", "second"]
    printed = printed_table(5)
    printed_pairs = pd.MultiIndex.from_frame(printed[pair].drop_duplicates())
    tests = within[["dataset", "first", "second", "mean_difference", "sorted_runs"]]
    swapped = tests.rename(columns={"first": "second", "second": "first"})
    swapped = swapped.assign(mean_difference=-swapped["mean_difference"])
    both_orders = pd.concat([tests, swapped]).sort_index(kind="stable")
    is_printed = pd.MultiIndex.from_frame(both_orders[pair]).isin(printed_pairs)
    runs = both_orders[is_printed].reset_index(drop=True)

    dataset = runs["dataset"].map(counterpart_name)
    keys = pd.MultiIndex.from_arrays([dataset, runs["first"], runs["second"]])
    printed = printed.set_index(["dataset", "first", "second"]).reindex(keys)
    difference = runs["mean_difference"]
    direction = np.where(difference > 0, ">", "<")
    direction = np.where(difference.abs() < _EQUAL_SHARES, "=", direction)
    return pd.DataFrame(
        {
            "dataset": runs["dataset"],
            "first": runs["first"],
            "second": runs["second"],
            "difference": 100 * difference,
            "direction": direction,
            "p": runs["sorted_runs"],
            "counterpart": dataset.fillna("").astype(str),
            "paper_direction": printed["alternative"].replace("!=", "=").fillna("").to_numpy(),
            "paper_p": printed["p"].to_numpy(),
        }
    )


def _paper_ranks() -> pd.DataFrame:
    """Return the paper's ranks, data sets by classifiers.

    They follow from the accuracies of Table 1 and, for dNB, from the directions of Table 5: its
    accuracies could not be read.
    """
    accuracy = printed_table(1).pivot_table(
        index="dataset", columns="classifier", values="accuracy"
    )
    against_dnb = printed_table(5).query("second == 'dNB'")
    direction = against_dnb.set_index(["dataset", "first"])["alternative"].unstack()
    beats_dnb = direction.reindex_like(accuracy) == ">"
    ranks = accuracy.rank(axis=1, ascending=False) + ~beats_dnb
    ranks["dNB"] = 1 + beats_dnb.sum(axis=1)
    return ranks
