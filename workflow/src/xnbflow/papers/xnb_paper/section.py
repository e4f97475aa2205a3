"""Tables 1 and 2 of the XNB paper, and ours."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Prose, Section
from xnbflow.report.results import StudyResults

_TABLE_1 = {
    "non_normal_ratio": "not normal, share of features (SW)",
    "dependent_ratio": "dependent, share of features (P)",
}
_TABLE_2 = {
    "nb_accuracy": "accuracy of naive Bayes",
    "xnb_accuracy": "accuracy of XNB",
    "xnb_features_per_class": "features per class of XNB",
}
_ACCURACIES = ("nb_accuracy", "xnb_accuracy")

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
    blocks: list[Block] = [
        Prose(_READ),
        _figure(numbers, tables.sources("numbers")),
        tables.show("numbers", "Table 1 of the paper beside ours.",
                    ["dataset", "quantity", "paper", "ours"], _named(numbers, _TABLE_1),
                    own={"paper": ".2f", "ours": ".2f"}),
        tables.show("numbers", "Table 2 of the paper beside ours.",
                    list(numbers), _named(numbers, _TABLE_2)),
    ]  # fmt: skip
    return Section(
        "xnb-paper",
        "Tables 1 and 2 of the XNB paper",
        "The numbers that Aguilar-Ruiz, Romero and Cicconardi (2024) print, beside those of this "
        "study.",
        blocks,
    )


def _named(numbers: pd.DataFrame, names: dict[str, str]) -> pd.DataFrame:
    rows = numbers[numbers["quantity"].isin(list(names))]
    several = rows["percentile"].where(rows["n_repeats"] > 1)
    return rows.assign(quantity=rows["quantity"].map(names), percentile=several)


def _figure(numbers: pd.DataFrame, sources: Sequence[str]) -> Figure:
    rows = numbers[numbers["quantity"].isin(_ACCURACIES)]
    places = rows[["dataset", "folds"]].drop_duplicates()
    groups, printed = [], []
    for i, quantity in enumerate(_ACCURACIES):
        own = rows[rows["quantity"] == quantity].set_index(["dataset", "folds"])
        own = own.reindex(pd.MultiIndex.from_frame(places))
        label = _TABLE_2[quantity].removeprefix("accuracy of ")
        ours, sd, paper = own["ours"], own["sd"].fillna(0.0), own["paper"].tolist()
        lower, upper = (ours - sd).tolist(), (ours + sd).tolist()
        groups.append(Points(label, ours.tolist(), lower, upper, i))
        printed.append(Points(f"{label}, paper", paper, paper, paper, i, beside=i))
    arguments = {"rows": places["dataset"].tolist(), "groups": groups + printed}
    alt = "Points: accuracy of naive Bayes and XNB on each data set, printed and computed."
    return Figure(
        "xnb-paper",
        draw_points,
        arguments | {"xlabel": "accuracy", "most": 1.0},
        _FIGURE,
        alt,
        sources,
    )
