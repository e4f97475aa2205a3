"""Comparison of classifiers: average ranks and tests, after Demšar (2006)."""

from collections.abc import Iterator

import pandas as pd

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.numbers import p_equals
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("comparison")
#: Classifiers from which on there is a diagram; of two the test has it all.
_FEWEST_RANKED = 3


def section(results: StudyResults) -> Section | None:
    """Return the tests between classifiers; None where there is nothing to compare."""
    ranks = results.tables["ranks"]
    pairs = results.tables["comparison"]
    pairs_within = pairs[pairs["dataset"] != ""]
    if pairs_within.empty:
        return None
    blocks: list[Block] = []
    for folds, ranks_of_scheme in ranks.groupby("folds", sort=False):
        blocks += _blocks_over_data_sets(results, folds, ranks_of_scheme)
    if ranks.empty:
        blocks.append(Prose("Ranks over data sets need at least two data sets."))
    columns = ["dataset", "first", "second", "mean_difference", "lower", "upper", "corrected_t"]
    columns += ["corrected_t_holm", "sorted_runs", "sorted_runs_holm"]
    within = results.tables.show("comparison", _TEXTS["within"], columns, pairs_within)
    blocks.append(Group("On each data set", [within], opened=ranks.empty))
    return Section(
        "comparison",
        "Comparison of classifiers",
        "Whether classifiers differ in accuracy by more than chance.",
        blocks,
    )


def _blocks_over_data_sets(
    results: StudyResults, folds: str, ranks: pd.DataFrame
) -> Iterator[Block]:
    """Yield the diagram and the tests of one scheme of folds."""
    n_datasets = int(ranks["datasets"].iloc[0])
    if len(ranks) >= _FEWEST_RANKED:
        yield _rank_diagram(results, folds, ranks)
    for row in results.rows("omnibus", folds=folds, test="Iman-Davenport").to_dict("records"):
        finding = "differ" if row["p_value"] < TEST_LEVEL else "do not differ significantly"
        text = (
            f"Over {n_datasets} data sets the classifiers {finding} "
            f"(Iman and Davenport’s test, {p_equals(row['p_value'])})."
        )
        yield Prose(text, sources=results.tables.sources("omnibus"))
    rows = results.rows("comparison", folds=folds, dataset="")
    columns = ["first", "second", "mean_difference", "standard_error", "nemenyi", "holm"]
    columns += ["wilcoxon"]
    yield results.tables.show("comparison", _TEXTS["over"], columns, rows)


def _rank_diagram(results: StudyResults, folds: str, ranks: pd.DataFrame) -> Figure:
    """Return the critical-difference diagram, the best classifier first."""
    ordered = ranks.sort_values("average_rank", kind="stable")
    labels = [results.labels[name] for name in ordered["classifier"]]
    averages = ordered["average_rank"].tolist()
    n_datasets = int(ordered["datasets"].iloc[0])
    described = ", ".join(
        f"{label} {rank:.2f}" for label, rank in zip(labels, averages, strict=True)
    )
    return Figure(
        name=f"ranks-{folds}",
        draw=draw_ranks,
        arguments={
            "classifiers": labels,
            "ranks": averages,
            "bars": _bars(ordered["bars"].tolist()),
            "difference": float(ordered["critical_difference"].iloc[0]),
        },
        caption=_TEXTS["ranks"].format(n=n_datasets),
        alt=f"Critical-difference diagram, average ranks: {described}.",
        sources=results.tables.sources("ranks"),
    )


def _bars(letters: list[str]) -> list[tuple[int, int]]:
    """Return the first and last position of each bar from the letters of the ranked classifiers.

    Examples
    --------
    >>> _bars(["a", "ab", "b", ""])
    [(0, 1), (1, 2)]
    """
    bars = []
    for letter in sorted(set("".join(letters))):
        positions = [i for i, of_classifier in enumerate(letters) if letter in of_classifier]
        bars.append((positions[0], positions[-1]))
    return bars
