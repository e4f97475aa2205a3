"""Comparison of classifiers: average ranks and tests, after Demšar (2006)."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults


def section(results: StudyResults) -> Section | None:
    """Return the tests between classifiers; None where there is nothing to compare."""
    ranks = results.tables["ranks"]
    if results.tables["pairwise_within"].empty:
        return None
    groups = ranks.groupby("folds", sort=False)
    blocks = [block for folds, group in groups for block in _over_data_sets(results, folds, group)]
    if ranks.empty:
        blocks.append(Prose("Ranks over data sets need at least two data sets."))
    columns = ["dataset", "first", "second", "mean_difference", "lower", "upper", "corrected_t"]
    columns += ["corrected_t_holm", "sorted_runs", "sorted_runs_holm"]
    within = results.tables.show("pairwise_within", _WITHIN, columns)
    blocks.append(Group("On each data set", [within], opened=ranks.empty))
    return Section(
        "comparison",
        "Comparison of classifiers",
        "Whether classifiers differ in accuracy by more than chance.",
        blocks,
    )


_WITHIN = (
    "Every pair on each data set. The interval and p of the corrected t-test (Nadeau and Bengio) "
    "allow for folds that share training samples; the exact test of sorted runs does not. It is "
    "one-sided in the direction of the observed difference: compare it with 0.025. Adjusted "
    "p-values (Holm’s) allow for all pairs and data sets of this table."
)
_OVER = (
    "Every pair over data sets: the mean difference in accuracy with its standard error over data "
    "sets (a difference below two standard errors is not significant), p-values of the average "
    "ranks, adjusted for many pairs in two ways (either may be quoted, Holm’s is the more "
    "powerful), and Wilcoxon’s signed-rank test."
)


def _over_data_sets(results: StudyResults, folds: str, ranks: pd.DataFrame) -> Iterator[Block]:
    """Yield the diagram and the tests of one scheme of folds."""
    ordered = ranks.sort_values("average_rank", kind="stable")
    labels = [results.labels[name] for name in ordered["classifier"]]
    average = ordered["average_rank"].tolist()
    n_datasets = int(ordered["datasets"].iloc[0])
    if len(ordered) >= 3:
        best = ", ".join(f"{name} {rank:.2f}" for name, rank in zip(labels, average, strict=True))
        yield Figure(
            f"ranks-{folds}",
            draw_ranks,
            {
                "classifiers": labels,
                "ranks": average,
                "bars": _bars(ordered["bars"].tolist()),
                "difference": float(ordered["critical_difference"].iloc[0]),
            },
            f"Average ranks of accuracy over {n_datasets} data sets; 1 is best. A bar joins "
            "classifiers whose ranks differ by less than the critical difference (Nemenyi’s test "
            "at 5%).",
            f"Critical-difference diagram, average ranks: {best}.",
            results.tables.sources("ranks"),
        )
    for row in results.rows("omnibus", folds=folds, test="Iman-Davenport").itertuples():
        finds = "differ" if row.p_value < 0.05 else "do not differ significantly"
        text = (
            f"Over {n_datasets} data sets the classifiers {finds} "
            f"(Iman and Davenport’s test, p = {row.p_value:.2g})."
        )
        yield Prose(text, sources=results.tables.sources("omnibus"))
    rows = results.rows("pairwise", folds=folds)
    columns = ["first", "second", "mean_difference", "standard_error", "nemenyi", "holm"]
    columns += ["wilcoxon"]
    yield results.tables.show("pairwise", _OVER, columns, rows)


def _bars(letters: list[str]) -> list[tuple[int, int]]:
    """Return the first and last position of each bar from the letters of the ranked classifiers.

    Examples
    --------
    >>> _bars(["a", "ab", "b", ""])
    [(0, 1), (1, 2)]
    """
    members = (
        [i for i, mine in enumerate(letters) if letter in mine]
        for letter in sorted(set("".join(letters)))
    )
    return [(places[0], places[-1]) for places in members]
