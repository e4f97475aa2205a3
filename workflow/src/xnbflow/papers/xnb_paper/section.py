"""Tables 1 and 2 and Figure 1 of the XNB paper, and ours."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Prose, Section
from xnbflow.report.results import StudyResults

_QUANTITIES = {
    "non_normal_ratio": "Table 1: features that are not normal, share (SW)",
    "dependent_ratio": "Table 1: dependent features, share (P)",
    "nb_accuracy": "Table 2: accuracy of naive Bayes",
    "xnb_accuracy": "Table 2: accuracy of XNB",
    "xnb_features_per_class": "Table 2: features per class of XNB",
    "reduction": "Section 6: reduction of the number of features, share",
}
_FIGURE_QUANTITIES = {
    "union": "features of all classes together",
    "features_per_class": "features per class",
    "medulloblastoma_probes": "of the seven printed probes of medulloblastoma, selected",
    "nb_accuracy": "accuracy of naive Bayes with all features",
    "xnb_accuracy": "accuracy of XNB",
    "union_accuracy": "accuracy of XNB with the features of all classes for every class",
}
_ACCURACIES = {"nb_accuracy": "naive Bayes", "xnb_accuracy": "XNB"}

_READ = (
    "The paper has one run of ten folds with an unnamed seed. A percentile of 50 is the middle of "
    "our repeats; at 0 or 100 the printed value is outside of them."
)
_MEANS = (
    "The rows Mean of both tables. Where this study lacks series of the paper, compare with the "
    "mean of the printed numbers of its series."
)
_FIGURE_1 = (
    "Figure 1 of the paper shows one fold without its number; ours are the mean, least and "
    "greatest over all folds."
)
_FIGURE = "Our mean over repeats with its standard deviation, and the printed value (hollow)."


def section(results: StudyResults) -> Section | None:
    """Return the printed numbers beside ours; None without a data set of the paper."""
    tables = results.analysis(ANALYSIS)
    numbers = tables["numbers"]
    if numbers.empty:
        return None
    rows = numbers.assign(
        quantity=numbers["quantity"].map(_QUANTITIES),
        percentile=numbers["percentile"].where(numbers["n_repeats"] > 1),
    )
    table = tables.show("numbers", "Tables 1 and 2 of the paper beside ours.", rows=rows)
    means = tables["means"].assign(quantity=tables["means"]["quantity"].map(_QUANTITIES))
    blocks: list[Block] = [
        Prose(_READ),
        _figure(numbers, tables.sources("numbers")),
        tables.show("means", _MEANS, rows=means),
        table,
    ]
    figure1 = tables["figure1"]
    if len(figure1):
        figure1 = figure1.assign(quantity=figure1["quantity"].replace(_FIGURE_QUANTITIES))
        blocks.append(tables.show("figure1", _FIGURE_1, rows=figure1))
    return Section(
        "xnb_paper",
        "Tables 1 and 2 of the XNB paper",
        "The numbers that Aguilar-Ruiz, Romero and Cicconardi (2024) print, beside those of this "
        "study.",
        blocks,
    )


def _figure(numbers: pd.DataFrame, sources: Sequence[str]) -> Figure:
    """Return the accuracies of both classifiers on each data set, ours and the printed ones."""
    rows = numbers[numbers["quantity"].isin(list(_ACCURACIES))]
    places = rows[["dataset", "folds"]].drop_duplicates()
    groups = []
    printed = []
    for style, (quantity, label) in enumerate(_ACCURACIES.items()):
        of_quantity = rows[rows["quantity"] == quantity].set_index(["dataset", "folds"])
        of_quantity = of_quantity.reindex(pd.MultiIndex.from_frame(places))
        ours = of_quantity["ours"]
        sd = of_quantity["sd"].fillna(0.0)
        paper = of_quantity["paper"].tolist()
        lower, upper = (ours - sd).tolist(), (ours + sd).tolist()
        groups.append(Points(label, values=ours.tolist(), lower=lower, upper=upper, style=style))
        printed.append(
            Points(
                f"{label}, paper", values=paper, lower=paper, upper=paper, style=style, beside=style
            )
        )
    arguments = {"rows": places["dataset"].tolist(), "groups": groups + printed}
    arguments |= {"xlabel": "accuracy", "most": 1.0}
    alt = "Points: accuracy of naive Bayes and XNB on each data set, printed and computed."
    return Figure(
        "xnb-paper", draw_points, arguments=arguments, caption=_FIGURE, alt=alt, sources=sources
    )
