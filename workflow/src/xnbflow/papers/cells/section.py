"""Single cells: recognition of types by a common classifier with each method's markers."""

import numpy as np
import pandas as pd

from xnbflow.papers.cells.entries import ANALYSIS
from xnbflow.papers.common.classifier_titles import CSNB
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults


def section(results: StudyResults) -> Section | None:
    """Return accuracy, recall and markers of every data set; None where the analysis had none."""
    tables = results.analysis(ANALYSIS)
    methods = tables["methods"]
    recalls = tables["recalls"]
    if methods.empty:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ)]
    for dataset, rows in methods.groupby("dataset", sort=False):
        blocks += [
            _draw_accuracy(dataset, rows, tables.sources("methods")),
            _describe_donors(dataset, rows),
        ]
        for row in rows[rows["status"] != "ok"].itertuples(index=False):
            text = f"{dataset}: {row.method} was {row.status}: {row.reason}."
            blocks.append(Prose(text, "warning"))
    folds = int(methods["folds"].max())
    repeats = int(methods["repeats"].max())
    caption = (
        f"Over {repeats} times {folds} folds. Genes are the common classifier's input: the "
        f"markers of all types together. {CSNB} and XNB classify by themselves, too (own "
        "accuracy)."
    )
    # A column for each method, in the order of the comparison.
    wide = recalls.pivot(index=["dataset", "type", "cells"], columns="method", values="recall")
    wide = wide[list(recalls["method"].unique())]
    formats = dict.fromkeys(wide, ".2f")
    by_type = "The share of each type's cells that the common classifier recognises, by method."
    recall = tables.show("recalls", by_type, rows=wide.reset_index(), declarations=formats)
    chosen = "The markers of each type, and the number of folds that choose them."
    blocks += [
        tables.show("methods", caption, _METHODS),
        Group("Recall by type", [recall], opened=True),
        Group("Markers", [tables.show("markers", chosen)], "and how often chosen"),
    ]
    return Section(
        "cells",
        "Markers of types of cells",
        "Each method chooses markers from the training cells of every fold; one common classifier, "
        "a logistic regression, then predicts the types of the other cells from them.",
        blocks,
    )


_HOW_TO_READ = (
    "ClassSpecificNB here takes the one best gene of each pair of types; XNB is the published "
    "method. Wilcoxon ranks genes by the rank-sum test of a type against all other cells, with "
    "ties corrected, as scanpy's rank_genes_groups does. Seconds are those of finding the markers "
    "of a fold, all measured in one run."
)
_METHODS = ("dataset", "method", "accuracy", "balanced_accuracy", "own_accuracy", "genes",
            "genes_per_type", "types_without", "seconds", "status", "version")  # fmt: skip


def _describe_donors(dataset: str, rows: pd.DataFrame) -> Prose:
    """Return whether the folds keep donors together, and what follows for the results."""
    donors = int(rows["donors"].iloc[0])
    cells = int(rows["cells"].iloc[0])
    if donors:
        return Prose(
            f"{dataset}: its {cells:,} cells come from {donors} donors, and no donor is on both "
            "sides of a fold: the results are those of cells of new donors."
        )
    return Prose(
        f"{dataset} names no donor of its {cells:,} cells. Cells of one donor are not "
        "independent. Folds were drawn over cells, so the results are for further cells of the "
        "same donors and optimistic for new donors. Name the column of obs with the donors as "
        "the option group.",
        "warning",
    )


def _draw_accuracy(dataset: str, rows: pd.DataFrame, sources: list[str]) -> Figure:
    """Return the accuracy of the common classifier against the number of genes."""
    ran = rows[(rows["status"] == "ok") & (rows["genes"] > 0)]
    marks = []
    for row in ran.itertuples(index=False):
        point = NamedLine(row.method, np.array([row.genes]), np.array([row.accuracy]))
        marks.append(point)
    texts = [f"{mark.label} {mark.y[0]:.3f} with {mark.x[0]:,.0f}" for mark in marks]
    return Figure(
        f"cells-trade-{dataset}",
        draw_lines,
        arguments={"lines": marks, "xlabel": "genes", "ylabel": "accuracy", "title": dataset},
        caption="Accuracy of the common classifier against its number of genes.",
        alt=f"{dataset}, accuracy of the common classifier by number of genes: {'; '.join(texts)}.",
        sources=sources,
    )
