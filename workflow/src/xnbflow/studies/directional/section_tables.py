"""Tables 1 to 6 of the paper on directional naive Bayes, beside ours."""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.study import Study
from xnbflow.report.page.blocks import Block, Group, Prose, Table
from xnbflow.report.results import StudyResults
from xnbflow.studies.directional import ANALYSIS
from xnbflow.studies.directional.names import (
    CLASSIFIERS,
    COUNTERPARTS,
    counterpart,
    counterpart_key,
)

__all__ = ["accuracy_blocks", "complexity_table", "counterpart_table"]

_ADJUSTED = {
    "nemenyi": "Nemenyi",
    "holm": "Holm",
    "shaffer": "Shaffer",
    "bergmann_hommel": "Bergmann-Hommel",
}
_SIGNIFICANT = 0.05
_RUNS = ["directional/runs.tsv"]
#: What must not be torn apart at the end of a line.
_SPACE = "\N{NO-BREAK SPACE}"


def counterpart_table(results: StudyResults) -> Table:
    """Return which of the paper's data sets ours stand for, with their sizes (Table 6)."""
    paper = results.published["directional_table6"].set_index("dataset")
    sizes_2 = results.published["directional_table2"].set_index("dataset")
    paper["features"] = sizes_2.loc[sizes_2["classifier"] == "vMNB", "features"]
    paper = paper.rename(columns={"instances": "samples"})
    ours = results.tables["datasets"].set_index("dataset")
    sizes = ["samples", "features", "classes"]
    rows = []
    for dataset in results.study.datasets:
        key = counterpart_key(dataset)
        name, relation = COUNTERPARTS[key] if key else ("", "not in the paper")
        theirs = paper.loc[name, sizes] if key else [None] * len(sizes)
        pairs = zip(ours.loc[dataset, sizes], theirs, strict=True)
        rows.append((dataset, name, relation, *itertools.chain.from_iterable(pairs)))
    columns = [f"{what}{where}" for what in sizes for where in ("", ", paper")]
    frame = pd.DataFrame(rows, columns=["data set", "paper’s data set", "relation", *columns])
    frame[columns] = frame[columns].astype(float)
    missing = [name for name in paper.index if name not in set(frame["paper’s data set"])]
    caption = (
        "Our data sets, and which ones of the paper (its Tables 2 and 6) they are compared with. "
        "Numbers can only be expected to agree where the data set is the same."
        + (f" Of the paper’s, {_listed(missing)} not here." if missing else "")
    )
    return Table(frame, caption, dict.fromkeys(columns, ",.0f"), sources=["datasets.tsv"])


def _listed(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    return f"{' and '.join(filter(None, [', '.join(names[:-1]), names[-1]]))} {verb}"


def accuracy_blocks(results: StudyResults) -> list[Block]:
    """Return Tables 1, 3, 4 and 5 of the paper beside ours, for the study's first scheme of folds.

    Only the paper's five classifiers are compared: those that the study's ``paper`` names.
    """
    parts = {name: part for part, name in results.study.paper.items() if part in CLASSIFIERS}
    names = [parts[name] for name in results.study.classifiers if name in parts]
    if not names or not results.study.folds:
        return []
    tables = results.analysis(ANALYSIS)
    accuracies, runs = tables["accuracies"], tables["runs"]
    blocks: list[Block] = [_accuracy_table(accuracies, names, results.study)]
    ranks, pairs = tables["average_ranks"], tables["pair_tests"]
    if len(ranks):
        missing = set(accuracies.loc[accuracies["accuracy"].isna(), "dataset"])
        whole = [name for name in accuracies["dataset"].unique() if name not in missing]
        like = [name for name in map(counterpart, whole) if name is not None]
        blocks += [_rank_table(ranks, like), _pair_table(pairs)]
    if len(runs):
        blocks += [Prose(_agreement(runs), sources=_RUNS), _runs_group(runs)]
    return blocks


def _accuracy_table(accuracies: pd.DataFrame, names: Sequence[str], study: Study) -> Table:
    """Return Table 1: for each data set a row of ours, and below it the paper's."""
    rows: list[tuple[Any, ...]] = []
    best: set[tuple[int, str]] = set()
    for dataset in study.datasets:
        own = accuracies[accuracies["dataset"] == dataset].set_index("classifier").reindex(names)
        lines = [(dataset, own[["accuracy", "sd", "rank"]])]
        if name := counterpart(dataset):
            lines.append((f"{name}, paper", own[["paper", "paper_sd", "paper_rank"]]))
        for label, values in lines:
            ranks = values.iloc[:, 2]
            best |= {(len(rows), name) for name in ranks.index[ranks == ranks.min()]}
            rows.append((label, *(_cell(*line) for line in values.to_numpy())))
    frame = pd.DataFrame(rows, columns=["data set", *names])
    caption = (
        f"Table 1: accuracy in per cent ± standard deviation over folds ({study.folds[0]}), and in "
        "the row below what the paper prints for the data set that ours stands for. The best of a "
        "row is marked; the paper’s row of dNB could not be read, but its Table 5 tells the rank."
    )
    sources = ["directional/accuracies.tsv"]
    return Table(frame, caption, best=frozenset(best), sources=sources)


def _cell(mean: float, sd: float, rank: float) -> str:
    if np.isnan(mean):
        return "" if np.isnan(rank) else f"rank{_SPACE}{rank:g}"
    return f"{mean:.2f}" + ("" if np.isnan(sd) else f"{_SPACE}±{_SPACE}{sd:.2f}")


def _rank_table(ranks: pd.DataFrame, datasets: Sequence[str]) -> Table:
    wide = ranks.set_index(["classifier", "over"])[["ours", "paper"]].unstack(sort=False)
    counts = ranks.drop_duplicates("over").set_index("over")
    same = f"{counts.loc['same', 'datasets']} data sets"
    frame = pd.DataFrame(
        {
            f"ours, {same}": wide["ours", "same"],
            f"paper, {same}": wide["paper", "same"],
            f"ours, all {counts.loc['all', 'datasets']}": wide["ours", "all"],
            f"paper, all {counts.loc['all', 'datasets_paper']}": wide["paper", "all"],
        }
    )
    frame.insert(0, "classifier", frame.index)
    caption = (
        "Table 3: average ranks of accuracy, 1 is best; in the paper’s order. The first two "
        f"columns are over the same {same} ({', '.join(datasets)}), the paper’s computed from its "
        "Tables 1 and 5; the others are over all data sets of each."
    )
    formats = dict.fromkeys(frame.columns[1:], ".3f")
    sources = ["directional/average_ranks.tsv"]
    return Table(frame.reset_index(drop=True), caption, formats, sources=sources)


def _pair_table(pairs: pd.DataFrame) -> Table:
    """Return Table 4: every pair's adjusted p-values."""
    columns: dict[str, Sequence[Any]] = {
        "pair": pairs["first"] + " – " + pairs["second"],
        "ranks apart": pairs["ranks_apart"],
        "ranks apart, paper": pairs["ranks_apart_paper"],
    }
    for column, name in _ADJUSTED.items():
        columns[name] = pairs[column]
        columns[f"{name}, paper"] = pairs[f"{column}_paper"]
    frame = pd.DataFrame(columns)
    formats = dict.fromkeys(frame.columns[3:], ".4f") | dict.fromkeys(frame.columns[1:3], "+.2f")
    caption = (
        "Table 4: p-values of the average ranks, adjusted for ten pairs in four ways. Ranks apart "
        "are those of the second less those of the first: above 0 the first is better. Ours are "
        f"over the {pairs['datasets'].iloc[0]} data sets that stand for ones of the paper, the "
        "paper’s over its eight; below 0.05 the two classifiers differ."
    )
    return Table(frame, caption, formats, sources=["directional/pair_tests.tsv"])


def _agreement(runs: pd.DataFrame) -> str:
    """Return in a sentence how many of the paper's comparisons come out as printed."""
    both = runs[runs["paper_direction"] != ""]
    if both.empty:
        return "The paper has tests on sorted runs for none of these data sets."
    same = both["direction"] == both["paper_direction"]
    sure = both["paper_p"] < _SIGNIFICANT
    ours = sure & same & (both["p"] < _SIGNIFICANT)
    return (
        f"Of {len(both)} comparisons that the paper makes on these data sets or their like, "
        f"{len(both[same])} go the same way here; of the {len(both[sure])} that are significant "
        f"there, {len(both[ours])} are significant here in the same direction."
    )


def _runs_group(runs: pd.DataFrame) -> Group:
    frame = pd.DataFrame(
        {
            "data set": runs["dataset"],
            "pair": runs["first"] + " – " + runs["second"],
            "difference": runs["difference"],
            "is": runs["direction"],
            "p": runs["p"],
            "paper’s data set": runs["counterpart"],
            "is, paper": runs["paper_direction"],
            "p, paper": runs["paper_p"],
        }
    )
    caption = (
        "Table 5: Wilcoxon’s signed-rank test on sorted runs, one-sided in the direction that the "
        "sign tells: “>” means that the first of the pair is more accurate. The direction is that "
        "of the same accuracies, so that in the paper as here a p below 0.05 comes up in nearly "
        "twice as many pairs of equals. The difference is in per cent. The paper tests these six "
        "pairs."
    )
    formats = {"difference": "+.2f", "p": ".4f", "p, paper": ".4f"}
    table = Table(frame, caption, formats, sources=_RUNS)
    return Group("Each data set by itself", [table], "the paper’s Table 5")


_SIZES = ("parameters", "features", "angular_percent", "seconds")


def complexity_table(complexity: pd.DataFrame, paper: pd.DataFrame) -> Table:
    """Return Table 2: how large the classifiers are and how long it takes to fit them.

    Parameters
    ----------
    complexity : DataFrame
        As made by `xnbflow.studies.directional.compute.analyse`.
    paper : DataFrame
        The paper's Table 2 as printed.
    """
    names = complexity["dataset"].map(counterpart)
    keys = pd.MultiIndex.from_arrays([names, complexity["classifier"]])
    printed = paper.set_index(["dataset", "classifier"]).reindex(keys)
    columns: dict[str, Sequence[Any]] = {
        "data set": complexity["dataset"],
        "classifier": complexity["classifier"],
    }
    for size in _SIZES:
        name = size.replace("_percent", ", per cent")
        columns[name] = complexity[size].astype(float)
        columns[f"{name}, paper"] = printed[size].to_numpy()
    frame = pd.DataFrame(columns)
    specs = {"parameters": ",.1f", "features": ".1f", "angular": ".0f", "seconds": ".4f"}
    formats = {name: specs[name.split(",")[0]] for name in frame.columns[2:]}
    caption = (
        "Table 2: free parameters and features of each classifier fitted to the whole data set, "
        "the share of angles among the features, and the seconds it took, averaged over runs that "
        "differ in the folds by which features are selected. The paper prints for dNB the "
        "parameters of vMNB; ours are those of the cells that it cuts features into."
    )
    return Table(frame, caption, formats, sources=["directional/complexity.tsv"])
