"""Comparison of classifiers: average ranks and tests (directional paper, section 4.2)."""

import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]


def section(results: StudyResults) -> Section | None:
    """Return the tests between classifiers; None where there is nothing to compare."""
    within = results.tables["pairwise_within"]
    if within.empty:
        return None
    blocks: list[Block] = []
    ranks = results.tables["ranks"]
    for folds, group in ranks.groupby("folds", sort=False):
        blocks += _over_data_sets(results, folds, group)
    if ranks.empty:
        blocks.append(Prose("Ranks over data sets need at least two data sets."))
    blocks.append(Group("On each data set", [_within(results, within)], opened=ranks.empty))
    return Section(
        "comparison",
        "Comparison of classifiers",
        "Whether the differences in accuracy are more than chance: classifiers that a bar joins "
        "are not told apart by these data sets.",
        blocks,
    )


def _over_data_sets(results: StudyResults, folds: str, ranks: pd.DataFrame) -> list[Block]:
    """Return the diagram and the tests of one scheme of folds."""
    blocks: list[Block] = []
    ordered = ranks.sort_values("average_rank", kind="stable")
    n_datasets = int(ordered["datasets"].iloc[0])
    if len(ordered) >= 3:
        blocks.append(_diagram(results, folds, ordered, n_datasets))
    for row in results.rows("omnibus", folds=folds, test="Iman-Davenport").itertuples():
        finds = "differ" if row.p_value < 0.05 else "are not told apart"
        text = (
            f"Over {counted(n_datasets, 'data set')} the classifiers {finds} "
            f"(Iman and Davenport’s test, p = {row.p_value:.2g})."
        )
        blocks.append(Prose(text, sources=results.tables.sources("omnibus")))
    return [*blocks, _pairs(results, results.rows("pairwise", folds=folds))]


def _diagram(results: StudyResults, folds: str, ordered: pd.DataFrame, n_datasets: int) -> Figure:
    ids = ordered["classifier"].tolist()
    labels = [results.labels[name] for name in ids]
    best = ", ".join(
        f"{label} {rank:.2f}" for label, rank in zip(labels, ordered["average_rank"], strict=True)
    )
    return Figure(
        f"ranks-{folds}",
        draw_ranks,
        {
            "classifiers": labels,
            "ranks": ordered["average_rank"].tolist(),
            "bars": _bars(ordered["bars"].tolist()),
            "difference": float(ordered["critical_difference"].iloc[0]),
        },
        f"Average ranks of accuracy over {counted(n_datasets, 'data set')}; 1 is best. A bar joins "
        "classifiers whose ranks differ by less than the critical difference (Nemenyi’s test at "
        "5 %).",
        f"Critical-difference diagram, average ranks: {best}.",
        results.tables.sources("ranks"),
    )


def _bars(letters: list[str]) -> list[tuple[int, int]]:
    """Return the first and last position of each bar from the letters of the ranked classifiers.

    Examples
    --------
    >>> _bars(["a", "ab", "b", ""])
    [(0, 1), (1, 2)]
    """
    members = {
        letter: [i for i, mine in enumerate(letters) if letter in mine]
        for letter in sorted(set("".join(letters)))
    }
    return [(places[0], places[-1]) for places in members.values()]


def _pairs(results: StudyResults, pairs: pd.DataFrame) -> Table:
    complete = (pairs["not_told"] == "").all()
    caption = (
        "Every pair over data sets: mean difference of accuracy (first minus second); p-values of "
        "the average ranks, adjusted for many pairs in four ways (any may be quoted, the last is "
        "the most powerful); Wilcoxon’s signed-rank test, not adjusted; and, after a Bayesian "
        "signed-rank test, how probable it is that one is better by more than 0.01"
        f"{'' if complete else ' (empty below five data sets, where its prior decides)'}."
    )
    columns = ["pair", "mean_difference", "nemenyi", "holm", "shaffer", "bergmann_hommel"]
    columns += ["wilcoxon", "first_better", "equivalent", "second_better"]
    rows = pairs.assign(pair=_pair_names(results, pairs))
    return results.tables.show("pairwise", caption, columns, rows)


def _within(results: StudyResults, within: pd.DataFrame) -> Table:
    caption = (
        "Every pair on each data set: mean difference of accuracy over folds with its 95 % "
        "interval after Nadeau and Bengio’s corrected t-test, which allows for folds that share "
        "training samples; and the exact test of sorted runs, which does not. As in the paper it "
        "is one-sided in the direction of the observed difference: having looked before, compare "
        "it with 0.025 where you would compare a two-sided p with 0.05."
    )
    columns = ["dataset", "pair", "mean_difference", "lower", "upper", "corrected_t"]
    columns += ["sorted_runs"]
    rows = within.assign(pair=_pair_names(results, within))
    return results.tables.show("pairwise_within", caption, columns, rows)


def _pair_names(results: StudyResults, pairs: pd.DataFrame) -> list[str]:
    return [
        f"{results.labels[first]} – {results.labels[second]}"
        for first, second in zip(pairs["first"], pairs["second"], strict=True)
    ]
