"""Tables 1 and 2 of the XNB paper, and ours."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Figure, Prose, Section
from xnbflow.report.results import StudyResults

_QUANTITIES = {
    "non_normal_ratio": "Table 1: features that are not normal, share (SW)",
    "dependent_ratio": "Table 1: dependent features, share (P)",
    "nb_accuracy": "Table 2: accuracy of naive Bayes",
    "xnb_accuracy": "Table 2: accuracy of XNB",
    "xnb_features_per_class": "Table 2: features per class of XNB",
}
_ACCURACIES = {"nb_accuracy": "naive Bayes", "xnb_accuracy": "XNB"}

_READ = (
    "The paper has one run of ten folds with an unnamed seed. A percentile of 50 is the middle of "
    "our repeats; at 0 or 100 the printed value is outside of them."
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
    return Section(
        "xnb_paper",
        "Tables 1 and 2 of the XNB paper",
        "The numbers that Aguilar-Ruiz, Romero and Cicconardi (2024) print, beside those of this "
        "study.",
        [Prose(_READ), _figure(numbers, tables.sources("numbers")), table],
    )


def _figure(numbers: pd.DataFrame, sources: Sequence[str]) -> Figure:
    rows = numbers[numbers["quantity"].isin(list(_ACCURACIES))]
    places = rows[["dataset", "folds"]].drop_duplicates()
    groups, printed = [], []
    for i, (quantity, label) in enumerate(_ACCURACIES.items()):
        own = rows[rows["quantity"] == quantity].set_index(["dataset", "folds"])
        own = own.reindex(pd.MultiIndex.from_frame(places))
        ours, sd, paper = own["ours"], own["sd"].fillna(0.0), own["paper"].tolist()
        lower, upper = (ours - sd).tolist(), (ours + sd).tolist()
        groups.append(Points(label, ours.tolist(), lower, upper, i))
        printed.append(Points(f"{label}, paper", paper, paper, paper, i, beside=i))
    arguments = {"rows": places["dataset"].tolist(), "groups": groups + printed}
    arguments |= {"xlabel": "accuracy", "most": 1.0}
    alt = "Points: accuracy of naive Bayes and XNB on each data set, printed and computed."
    return Figure("xnb-paper", draw_points, arguments, _FIGURE, alt, sources)
