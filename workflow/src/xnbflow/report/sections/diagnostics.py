"""Diagnostics: are features normal, and independent given the class (XNB paper, Table 1)."""

import numpy as np

from xnbflow.report.drawings.histograms import draw_correlations, draw_p_values
from xnbflow.report.numbers import format_count
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of

_TEXTS = texts_of("diagnostics")
_COLUMNS = [
    "dataset",
    "non_normal_ratio",
    "dependent_ratio",
    "tested",
    "non_normal_ratio_fdr",
    "non_normal_within_ratio",
    "non_normal_within_ratio_fdr",
    "dependent_pairs",
    "max_abs_r",
    "cut",
    "dof",
]
#: Classes that the heading of a data set names, with their sizes.
_MOST_NAMED = 12
#: Columns that differ from the others only where a sample of the features is compared.
_SAMPLE_COLUMNS = ["compared", "dependent_error", "pair_share", "pair_share_error"]


def section(results: StudyResults) -> Section | None:
    """Return the ratios of the study's data sets; None where none was tested."""
    rows = results.tables["diagnostics"]
    if rows.empty:
        return None
    sampled = rows[rows["compared"] < rows["tested"]]
    columns = _COLUMNS if sampled.empty else _COLUMNS + _SAMPLE_COLUMNS
    blocks: list[Block] = [results.tables.show("diagnostics", _TEXTS["table"], columns, rows)]
    sources = results.tables.sources("diagnostics")
    samples = sampled.to_dict("records")
    blocks += [
        Prose(
            _TEXTS["sample"].format(
                dataset=row["dataset"],
                compared=format_count(row["compared"]),
                tested=format_count(row["tested"]),
                ratio=f"{row['dependent_ratio']:.4f}",
                ratio_error=f"{row['dependent_error']:.4f}",
                pair_share=f"{row['pair_share']:.2g}",
                pair_share_error=f"{row['pair_share_error']:.1g}",
            ),
            sources=sources,
        )
        for row in samples
    ]
    for i, dataset in enumerate(rows["dataset"]):
        sizes = results.rows("class_sizes", dataset=dataset).to_dict("records")
        classes = [f"{row['class']} {row['samples']}" for row in sizes]
        note = ", ".join(classes[:_MOST_NAMED])
        if len(classes) > _MOST_NAMED:
            note += f" and {len(classes) - _MOST_NAMED} more classes"
        blocks.append(
            Group(dataset, [_distribution_gallery(results, dataset)], note, opened=i == 0)
        )
    return Section("diagnostics", "Diagnostics", _TEXTS["lead"], blocks)


def _distribution_gallery(results: StudyResults, dataset: str) -> Gallery:
    """Return the histograms of p-values of normality, and of correlations given the class."""
    shares = results.rows("p_values", dataset=dataset)["share"].to_numpy()
    test = results.rows("diagnostics", dataset=dataset).iloc[0]
    bins = results.tables_of("diagnostic", dataset=dataset)["correlations"]
    alpha = results.configuration.get("diagnostics", {}).get("normality_alpha", 0.05)
    normality = Figure(
        name=f"p-values-{dataset}",
        draw=draw_p_values,
        arguments={
            "shares": shares,
            "alpha": alpha,
            "share_below": float(test["non_normal_ratio"]),
        },
        caption=_TEXTS["p_values"],
        alt=(
            f"Histogram of Shapiro-Wilk p-values: {test['non_normal_ratio']:.0%} are below "
            f"{alpha:g}."
        ),
    )
    dependence = Figure(
        name=f"correlations-{dataset}",
        draw=draw_correlations,
        arguments={
            "edges": np.append(bins["lower"], bins["upper"].iloc[-1]),
            "n_pairs": bins["pairs"].to_numpy(),
            "cut": float(test["cut"]),
        },
        caption=_TEXTS["correlations"],
        alt="Histogram of the absolute correlation of pairs of features given the class.",
    )
    sources = results.tables.sources("p_values", "diagnostics")
    return Gallery([normality, dependence], _TEXTS["histograms"], sources)
