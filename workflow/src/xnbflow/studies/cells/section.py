"""Single cells: by whose markers a common classifier tells the types, and with how many."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted
from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults
from xnbflow.studies.cells import ALL_GENES, ANALYSIS, CSNB

__all__ = ["section"]

#: Characters of the name of a type beside a figure; many are long.
_LONGEST_NAME = 20


def section(results: StudyResults) -> Section | None:
    """Return accuracy, recall and markers of every data set; None where the analysis had none.

    Parameters
    ----------
    results : StudyResults
        Has the tables of the analysis `xnbflow.studies.cells.compute`.
    """
    tables = results.analysis(ANALYSIS)
    methods, recalls = tables["methods"], tables["recalls"]
    if methods.empty:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ)]
    for dataset, rows in methods.groupby("dataset", sort=False):
        ran = rows[rows["status"] == "ok"]
        blocks += [Prose(_accuracies(dataset, ran), "headline"), _of_donors(dataset, rows)]
        blocks += [Prose(words, "warning") for words in _not_run(dataset, rows)]
        mine = recalls[recalls["dataset"] == dataset]
        figures = [_trade(dataset, ran), _by_type(dataset, mine)]
        blocks.append(Gallery(figures, _CAPTION, tables.sources("methods")))
    folds, repeats = int(methods["folds"].max()), int(methods["repeats"].max())
    caption = (
        f"Over {repeats} times {folds} folds. Genes are those of all types together that the "
        f"common classifier sees. {CSNB} and XNB classify by themselves, too (own accuracy)."
    )
    wide = recalls.pivot(index=["dataset", "type", "cells"], columns="method", values="recall")
    wide = wide[list(recalls["method"].unique())]
    formats = dict.fromkeys(wide, ".2f")
    by_type = "The share of each type's cells that the common classifier recognises, by method."
    recall = tables.show("recalls", by_type, rows=wide.reset_index(), own=formats)
    chosen = "The markers of each type, and in how many folds they are chosen."
    blocks += [
        tables.show("methods", caption, _METHODS),
        Group("Recall by type", [recall]),
        Group("Markers", [tables.show("markers", chosen)], "and how often chosen"),
    ]
    return Section(
        "cells",
        "Markers of types of cells",
        "Each method chooses markers from the training cells of every fold; one common classifier, "
        "a logistic regression, then tells the types of the other cells by them.",
        blocks,
    )


_HOW_TO_READ = (
    "ClassSpecificNB here takes the one best gene of each pair of types, so that a type has few "
    "genes where few tell it from all others; XNB is the published method. Wilcoxon ranks genes by "
    "the rank-sum test of a type against all other cells, corrected for ties, as scanpy's "
    "rank_genes_groups does. “Own accuracy” is that of the method's own naive Bayes classifier. "
    "Seconds are those of finding the markers of a fold; all were measured in one run."
)
_METHODS = ("dataset", "method", "accuracy", "balanced_accuracy", "own_accuracy", "genes",
            "genes_per_type", "types_without", "seconds", "status", "version")  # fmt: skip
_CAPTION = (
    "Left: accuracy of the common classifier against the number of genes that it sees, all types "
    "together. Right: the share of each type's cells that is recognised."
)


def _accuracies(dataset: str, ran: pd.DataFrame) -> str:
    """Return in words how accurate the classifier is by the markers of each method."""
    finders = ran[ran["method"] != ALL_GENES]
    parts = [
        f"{row.method} {row.accuracy:.3f} with {counted(round(row.genes), 'gene')}"
        for row in finders.itertuples(index=False)
    ]
    every = ran[ran["method"] == ALL_GENES]
    rest = "".join(
        f"; all {row.genes:,.0f} genes give {row.accuracy:.3f}"
        for row in every.itertuples(index=False)
    )
    return f"{dataset}, accuracy by the markers of each method: {', '.join(parts)}{rest}."


def _of_donors(dataset: str, rows: pd.DataFrame) -> Prose:
    donors, cells = int(rows["donors"].iloc[0]), int(rows["cells"].iloc[0])
    if donors:
        words = (
            f"{dataset}: its {cells:,} cells come from {donors} donors, and no donor is on both "
            "sides of a fold: the figures are those of cells of new donors."
        )
        return Prose(words)
    words = (
        f"{dataset} names no donor of its {cells:,} cells. Cells of one donor are no independent "
        "samples: they share what the donor, the batch and the handling did to them. Folds had to "
        "be drawn over cells, so that every figure here is for further cells of the same donors, "
        "and too good for new ones. Name the column of obs that holds donors as the option group."
    )
    return Prose(words, "warning")


def _not_run(dataset: str, rows: pd.DataFrame) -> Iterator[str]:
    for row in rows[rows["status"] != "ok"].itertuples(index=False):
        yield f"{dataset}: {row.method} was {row.status}: {row.reason}."


def _trade(dataset: str, ran: pd.DataFrame) -> Figure:
    marks = [
        Line(row.method, np.array([row.genes]), np.array([row.accuracy]))
        for row in ran.itertuples(index=False)
        if row.genes > 0
    ]
    found = "; ".join(f"{each.label} {each.y[0]:.2f} with {each.x[0]:.0f}" for each in marks)
    return Figure(
        f"cells-trade-{dataset}",
        draw_lines,
        {"lines": marks, "xlabel": "genes", "ylabel": "accuracy"},
        "",
        f"Accuracy against number of genes: {found}.",
    )


def _by_type(dataset: str, recalls: pd.DataFrame) -> Figure:
    wide = recalls.pivot(index="type", columns="method", values="recall")
    wide = wide.loc[recalls["type"].unique(), recalls["method"].unique()]
    none = [np.nan] * len(wide)
    groups = [
        Points(name, wide[name].tolist(), none, none, style)
        for style, name in enumerate(wide.columns)
    ]
    types = [shorten(name, _LONGEST_NAME) for name in wide.index]
    least = {name: f"{wide[name].idxmin()} {wide[name].min():.2f}" for name in wide.columns}
    told = "; ".join(f"{name}: {worst}" for name, worst in least.items())
    return Figure(
        f"cells-recall-{dataset}",
        draw_points,
        {
            "rows": types,
            "groups": groups,
            "xlabel": "recall",
        },
        "",
        f"Recall by type. The type least recognised by each method: {told}.",
    )
