"""Diagnostics: are features normal, and independent given the class (XNB paper, Table 1)."""

import numpy as np

from xnbflow.report.drawings.histograms import draw_correlations, draw_p_values
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Section
from xnbflow.report.results import StudyResults

_RATIOS = ("non_normal_ratio", "dependent_ratio", "tested", "non_normal_ratio_fdr",
           "non_normal_within_ratio", "non_normal_within_ratio_fdr", "dependent_pairs",
           "max_abs_r", "cut", "dof")  # fmt: skip
_TABLE = (
    "SW: Shapiro-Wilk test over all samples, and within classes; P: Pearson correlation given the "
    "class; FDR: after Benjamini and Hochberg’s adjustment."
)
_HISTOGRAMS = "Whether the assumptions of naive Bayes hold for this data set."
_P_VALUES = "P-values pile up near 0 where features are not normal."
_CORRELATIONS = (
    "Pairs beyond the cut (orange) depend on each other given the class; the axis is logarithmic."
)


def section(results: StudyResults) -> Section | None:
    """Return the ratios of the study's data sets; None where none was tested."""
    rows = results.tables["diagnostics"]
    if rows.empty:
        return None
    columns = ["dataset", *_RATIOS]
    blocks: list[Block] = [results.tables.show("diagnostics", _TABLE, columns, rows)]
    for i, dataset in enumerate(rows["dataset"]):
        sizes = results.rows("class_sizes", dataset=dataset)
        named = ", ".join(f"{c} {n}" for c, n in zip(sizes["class"], sizes["samples"], strict=True))
        blocks.append(Group(dataset, [_distributions(results, dataset)], named, opened=i == 0))
    return Section(
        "diagnostics",
        "Diagnostics",
        "Naive Bayes assumes that features are independent given the class, and its Gaussian form "
        "that they are normal; large ratios here contradict these assumptions.",
        blocks,
    )


def _distributions(results: StudyResults, dataset: str) -> Gallery:
    shares = results.rows("p_values", dataset=dataset)["share"].to_numpy()
    test = results.rows("diagnostics", dataset=dataset).iloc[0]
    bins = results.diagnosed(dataset)["correlations"]
    alpha = results.configuration.get("diagnostics", {}).get("normality_alpha", 0.05)
    edges = np.append(bins["lower"], bins["upper"].iloc[-1])
    below = f"{test['non_normal_ratio']:.0%} are below {alpha:g}"
    normality = Figure(
        f"p-values-{dataset}",
        draw_p_values,
        {"shares": shares, "alpha": alpha},
        _P_VALUES,
        f"Histogram of Shapiro-Wilk p-values: {below}.",
    )
    dependence = Figure(
        f"correlations-{dataset}",
        draw_correlations,
        {"edges": edges, "pairs": bins["pairs"].to_numpy(), "cut": float(test["cut"])},
        _CORRELATIONS,
        "Histogram of the absolute correlation of pairs of features given the class.",
    )
    sources = results.tables.sources("p_values", "diagnostics")
    return Gallery([normality, dependence], _HISTOGRAMS, sources)
