"""Which distance, bandwidth and kernel: the alternatives to the XNB paper's choice."""

import pandas as pd

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.papers.xnb_paper.compute_distances import AT_THRESHOLD
from xnbflow.papers.xnb_paper.entries import DISTANCES_ANALYSIS
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import StudyResults

_PARTS = {"distance": "Distances", "bandwidth": "Bandwidths", "kernel": "Kernels"}

_HOW_TO_READ = (
    "The paper's choice is Hellinger's distance, Silverman's bandwidth and the Gaussian kernel; "
    "every alternative changes one of them. Differences are those of the accuracy in the same "
    "folds, averaged over series, with Student's 95% interval over series. The p values are those "
    "of a test that exchanges signs over series, corrected for all alternatives and numbers of "
    "features together."
)
_EQUAL = (
    "With equal numbers of features per pair of classes only the order of the features differs. "
    "With as many features as reach the threshold their number differs as well: a distance with "
    "smaller values takes more features."
)
_DEVELOPMENT = (
    "docs/methods/xnb.md has the same comparison on 17 real series of logarithms of expression, on "
    "which Wasserstein’s distance is more accurate than Hellinger’s at every number of features, "
    "without significance."
)
_KULLBACK_LEIBLER = (
    "Jeffreys' divergence is twice the symmetrised Kullback-Leibler divergence. The two rank the "
    "features of a pair of classes alike, except for features whose scaled Kullback-Leibler "
    "divergence is 1 in floating point (a divergence above 37 nats): their order is that of their "
    "positions."
)


def section(results: StudyResults) -> Section | None:
    """Return the differences from the paper's choice; None without a series."""
    tables = results.analysis(DISTANCES_ANALYSIS)
    differences = tables["differences"]
    if differences.empty:
        return None
    sources = tables.sources("differences")
    answer = Prose(_conclusion(differences), sources=sources)
    blocks: list[Block] = [answer, Prose(_DEVELOPMENT), Prose(_HOW_TO_READ), Prose(_EQUAL)]
    if {"jeffreys", "kullback_leibler"} <= set(differences["alternative"]):
        blocks.append(Prose(_KULLBACK_LEIBLER))
    for part, title in _PARTS.items():
        rows = differences[differences["part"] == part]
        if rows.empty:
            continue
        figure = _difference_figure(part, rows, sources)
        table = tables.show("differences", f"{title} against the paper's choice.", rows=rows)
        blocks += [figure, Group(f"{title}: numbers", [table])]
    accuracies = tables.show("accuracies", "The accuracy of each alternative on each series.")
    blocks.append(Group("All series", [accuracies]))
    return Section(
        "distances",
        "Distances, bandwidths and kernels",
        "The XNB paper leaves open which distance is the most informative, and whether adaptive "
        "bandwidths fit better. This section compares alternatives.",
        blocks,
    )


def _conclusion(differences: pd.DataFrame) -> str:
    """Return the sentence that answers the question, from the table ``differences``."""
    n_series = int(differences["datasets"].max())
    if n_series < 2:
        return "One series shows no difference between methods; add series to compare them."
    significant = differences[differences["p"] < TEST_LEVEL]
    if significant.empty:
        return (
            f"Over {n_series} series no alternative differs significantly from the paper's choice "
            f"at the level {TEST_LEVEL:g}, corrected for {len(differences)} comparisons."
        )
    equal = significant[significant["n_features"] != AT_THRESHOLD]
    counted = (
        f"Over {n_series} series {len(significant)} of {len(differences)} comparisons with the "
        f"paper's choice are significant at the level {TEST_LEVEL:g}, corrected for their number."
    )
    sentences = [counted]
    for words, rows in (("more", equal["difference"] > 0), ("less", equal["difference"] < 0)):
        names = list(dict.fromkeys(equal.loc[rows, "alternative"]))
        if names:
            sentences.append(f"At equal numbers of features, {words} accurate: {', '.join(names)}.")
    if equal.empty:
        sentences.append("None of them is at equal numbers of features.")
    return " ".join(sentences)


def _difference_figure(part: str, rows: pd.DataFrame, sources: list[str]) -> Figure:
    """Return the differences of the alternatives to one part, a row per alternative."""
    names = list(dict.fromkeys(rows["alternative"]))
    groups = []
    for style, (size, group) in enumerate(rows.groupby("n_features", sort=False)):
        ordered = group.set_index("alternative").reindex(names)
        label = "at the threshold" if size == AT_THRESHOLD else f"{size} per pair"
        differences = ordered["difference"]
        lower = ordered["lower"].fillna(differences).tolist()
        upper = ordered["upper"].fillna(differences).tolist()
        groups.append(
            RowPoints(label, values=differences.tolist(), lower=lower, upper=upper, style=style)
        )
    caption = (
        f"{_PARTS[part]}: mean difference over series with its 95% interval, by the number of "
        "features."
    )
    return Figure(
        f"distances-{part}",
        draw_points,
        arguments={
            "rows": names,
            "groups": groups,
            "xlabel": "accuracy minus that of the paper's choice",
            "levels": ("the paper's choice", [0.0] * len(names)),
        },
        caption=caption,
        alt=f"Points: accuracy of each {part} minus that of the paper's choice, with intervals.",
        sources=sources,
    )
