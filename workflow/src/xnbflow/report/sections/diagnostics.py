"""Diagnostics: are features normal, and independent given the class (XNB paper, Table 1)."""

import numpy as np
import pandas as pd

from xnbflow.report.drawings.histograms import (
    draw_class_sizes,
    draw_correlations,
    draw_p_values,
)
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Section, Table
from xnbflow.report.results import StudyResults

__all__ = ["section"]

#: The ratios of the paper's Table 1: their labels, and the paper's names.
_RATIOS = {
    "non_normal_ratio": ("not normal (SW)", "SW"),
    "dependent_ratio": ("dependent (P)", "P"),
}
_BEYOND = ("non_normal_ratio_fdr", "non_normal_within_ratio", "non_normal_within_ratio_fdr",
           "dependent_pairs", "max_abs_r", "cut", "dof")  # fmt: skip


def section(results: StudyResults) -> Section | None:
    """Return Table 1 of the XNB paper for the study's data sets; None without any."""
    if not results.study.datasets:
        return None
    blocks: list[Block] = [_table(results)]
    if len(results.study.datasets) > 1:
        blocks.append(_ratios(results))
    for i, dataset in enumerate(results.study.datasets):
        blocks.append(Group(dataset, [_distributions(results, dataset)], opened=i == 0))
    return Section(
        "diagnostics",
        "Diagnostics",
        "Naive Bayes takes features as independent given the class, and its Gaussian form takes "
        "them as normal; the larger a ratio here, the less the data keep to that.",
        blocks,
    )


def _table(results: StudyResults) -> Table:
    rows, columns, source = results.tables["diagnostics"], ["dataset"], ""
    own: dict[str, str] = {}
    for quantity, (_, name) in _RATIOS.items():
        columns.append(quantity)
        printed = _printed(results, quantity)
        if printed.notna().any():
            source = "Table 1 of the XNB paper beside ours. "
            own[f"{name} in the paper"] = ".2f"
            rows = rows.assign(**{f"{name} in the paper": printed.to_numpy()})
            columns.append(f"{name} in the paper")
    caption = (
        f"{source}SW: share of features that the Shapiro-Wilk test finds not normal over all "
        "samples. P: share of features that depend on at least one other given the class. Beyond "
        "them: both within classes and after Benjamini and Hochberg’s adjustment for many tests "
        "(FDR)."
    )
    return results.tables.show("diagnostics", caption, [*columns, *_BEYOND], rows, own=own)


def _printed(results: StudyResults, quantity: str) -> pd.Series:
    """Return the paper's value of a ratio for each data set of the diagnostics; else missing."""
    printed = results.rows("paper", quantity=quantity).set_index("dataset")["paper"]
    return printed.reindex(results.tables["diagnostics"]["dataset"]).astype(float)


def _ratios(results: StudyResults) -> Figure:
    frame = results.tables["diagnostics"]
    ours, papers = [], []
    for i, (quantity, (label, _)) in enumerate(_RATIOS.items()):
        values, printed = frame[quantity].tolist(), _printed(results, quantity).tolist()
        ours.append(Points(label, values, values, values, i))
        if not np.isnan(printed).all():
            papers.append(Points(f"{label}, paper", printed, printed, printed, i, beside=i))
    return Figure(
        "ratios",
        draw_points,
        {"rows": frame["dataset"].tolist(), "groups": ours + papers, "xlabel": "share of features"},
        "The same two ratios side by side; to the left is what naive Bayes assumes.",
        "Points per data set: share of features that are not normal and that are dependent.",
        results.tables.sources("diagnostics"),
    )


def _distributions(results: StudyResults, dataset: str) -> Gallery:
    shares = results.rows("p_values", dataset=dataset)["share"].to_numpy()
    test = results.rows("diagnostics", dataset=dataset).iloc[0]
    bins = results.of_dataset(dataset, "correlations")
    alpha = results.configuration.get("diagnostics", {}).get("normality_alpha", 0.05)
    sizes = results.rows("class_sizes", dataset=dataset)
    named = ", ".join(f"{c} {n}" for c, n in zip(sizes["class"], sizes["samples"], strict=True))
    figures = [
        Figure(
            f"p-values-{dataset}",
            draw_p_values,
            {"shares": shares, "alpha": alpha},
            "",
            f"Histogram of Shapiro-Wilk p-values: {test['non_normal_ratio']:.0%} are below "
            f"{alpha:g}.",
        ),
        Figure(
            f"correlations-{dataset}",
            draw_correlations,
            {
                "edges": np.append(bins["lower"], bins["upper"].iloc[-1]),
                "pairs": bins["pairs"].to_numpy(),
                "cut": float(test["cut"]),
            },
            "",
            "Histogram of the absolute correlation of pairs of features given the class.",
        ),
        Figure(
            f"class-sizes-{dataset}",
            draw_class_sizes,
            {"classes": sizes["class"].tolist(), "sizes": sizes["samples"].tolist()},
            "",
            f"Bars of samples per class: {named}.",
        ),
    ]
    caption = (
        "Left: p-values pile up near 0 where features are not normal. Middle: pairs beyond the cut "
        "(orange) depend on each other; the axis is logarithmic. Right: few samples in a class "
        "make its densities uncertain."
    )
    return Gallery(figures, caption, results.tables.sources("p_values", "class_sizes"))
