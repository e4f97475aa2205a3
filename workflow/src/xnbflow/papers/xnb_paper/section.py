"""Tables 1 and 2 and Figure 1 of the XNB paper and the numbers of its script, and ours."""

from collections.abc import Sequence

import pandas as pd

from xnbflow.papers.xnb_paper.entries import ANALYSIS
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.page.blocks import Block, Figure, Group, Prose, Section
from xnbflow.report.results import PageTables, StudyResults
from xnbflow.tables.contract import Column

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
_SCRIPT_QUANTITIES = {
    "nb_accuracy": "accuracy of naive Bayes (NB)",
    "xnb_accuracy": "accuracy of XNB",
    "fs_nb_accuracy": "accuracy of naive Bayes on the features of XNB (FS+NB)",
    "xnb_features_per_class": "features per class of XNB (#VAR)",
}
_ACCURACIES = {"nb_accuracy": "naive Bayes", "xnb_accuracy": "XNB"}

_TABLE_2 = (
    "Table 2 of the paper as printed, and ours beside each number with the printed precision. The "
    "folds are those of the authors’ script: StratifiedKFold of scikit-learn with ten splits, "
    "shuffle=True and random_state=0, on the rows of CuMiDa’s file in their order."
)
_TABLE_1 = (
    "Table 1 of the paper as printed, and ours beside it. The definitions are those of the "
    "authors’ scripts of normality and independence: Shapiro and Wilk’s test of each feature over "
    "all samples, and Pearson’s correlation of residuals with n − 2 degrees of freedom "
    "(diagnostics: dof: paper)."
)
_SERIES_COLUMNS = ["type", "series"]
_TABLE_1_COLUMNS = ["features", "non_normal_ratio", "non_normal_ratio_ours", "dependent_ratio",
                    "dependent_ratio_ours"]  # fmt: skip
_TABLE_2_COLUMNS = ["nb_accuracy", "nb_accuracy_ours", "xnb_accuracy", "xnb_accuracy_ours",
                    "fs_nb_accuracy", "xnb_features_per_class", "xnb_features_per_class_ours",
                    "reduction", "reduction_ours"]  # fmt: skip
#: Among the means is the reduction, which has four digits.
_MEAN_FORMATS: dict[str, Column | str] = {
    "paper": ".4g",
    "ours": ".4g",
    "sd": Column("number", label="sd of repeats", format=".2g"),
}
_NUMBER_COLUMNS = ["dataset", "folds", "quantity", "paper", "ours", "sd", "percentile",
                   "n_repeats"]  # fmt: skip
_READ = (
    "Other folds give other numbers. In this table a percentile of 50 is the middle of our "
    "repeats; at 0 or 100 the printed value is outside of them."
)
_MEANS = (
    "The rows Mean of both tables. Where this study lacks series of the paper, compare with the "
    "mean of the printed numbers of its series."
)
_FIGURE_1 = (
    "Figure 1 of the paper beside the ninth fold of the authors’ script, the only one in which "
    "naive Bayes has .846 and XNB 1.000; and the mean, least and greatest over the folds of other "
    "seeds."
)
_FEATURES = "The features of each class in the ninth fold, by their greatest distance."
_MATRIX = (
    "Figure 1: the features that each class uses in the ninth fold. Framed are probes that the "
    "paper lists for medulloblastoma."
)
_SCRIPT = (
    "The repository that the paper names has the script of mid-2024. It compares naive Bayes, XNB "
    "and FS+NB, Gaussian naive Bayes on the union of the features that XNB selects from the "
    "training samples. Its XNB has Scott’s bandwidth, and a density that underflows at every point "
    "is uniform; that of the paper has Silverman’s, and zero. Both are computed in the same folds."
)
_DRY_BEAN = (
    "The numbers of naive Bayes on Dry Bean agree in every printed digit, so folds and data are "
    "those of the authors. Those of XNB do not: they are probably of an earlier version. The rule "
    "in the same archive has .779001 and .811903 in the first two folds, with 10.14 and 10.0 "
    "features per class, as has the version “script” here."
)
_FIGURE = "Our mean over repeats with its standard deviation, and the printed value (hollow)."


def section(results: StudyResults) -> Section | None:
    """Return the printed numbers beside ours; None without a data set of paper or script."""
    tables = results.analysis(ANALYSIS)
    blocks: list[Block] = []
    if len(tables["numbers"]):
        blocks += _tables(tables)
    if len(tables["figure1"]):
        figure1 = tables["figure1"]
        figure1 = figure1.assign(quantity=figure1["quantity"].replace(_FIGURE_QUANTITIES))
        blocks.append(tables.show("figure1", _FIGURE_1, rows=figure1))
        blocks.append(_figure_1(tables["figure1_features"], tables.sources("figure1_features")))
        features = tables.show("figure1_features", _FEATURES)
        blocks.append(Group("Figure 1: the features of each class", [features]))
    if len(tables["script"]):
        # The printed numbers of the authors' script and ours, with its folds.
        script = tables["script"]
        script = script.assign(quantity=script["quantity"].map(_SCRIPT_QUANTITIES))
        means = script[script["fold"] == 0].drop(columns="fold")
        script_blocks: list[Block] = [
            Prose(_SCRIPT),
            tables.show("script", "The authors’ script and ours, means over folds.", rows=means),
        ]
        if "dry-bean" in set(tables["script"]["dataset"]):
            script_blocks.append(Prose(_DRY_BEAN))
        of_folds = script[script["fold"] > 0]
        declarations = dict.fromkeys(("paper", "ours"), ".6f")
        folds = tables.show(
            "script", "The same, fold by fold.", rows=of_folds, declarations=declarations
        )
        blocks += [*script_blocks, Group("The folds of the script", [folds])]

    if not blocks:
        return None
    return Section(
        "xnb_paper",
        "Tables 1 and 2 of the XNB paper",
        "The numbers that Aguilar-Ruiz, Romero and Cicconardi (2024) print, beside those of this "
        "study.",
        blocks,
    )


def _tables(tables: PageTables) -> list[Block]:
    """Return Tables 1 and 2 as printed with ours, and our distribution over other folds."""
    numbers = tables["numbers"]
    shown = numbers.assign(
        quantity=numbers["quantity"].map(_QUANTITIES),
        percentile=numbers["percentile"].where(numbers["n_repeats"] > 1),
    )
    means = shown[shown["dataset"] == ""]
    rows = shown[shown["dataset"] != ""]
    numbers = numbers[numbers["dataset"] != ""]
    # Of several schemes the one with repeats has a standard deviation to draw.
    several = numbers[numbers["n_repeats"] > 1]
    drawn = several if len(several) else numbers
    return [
        tables.show("printed", _TABLE_2, _SERIES_COLUMNS + _TABLE_2_COLUMNS),
        _figure(drawn, tables.sources("numbers")),
        tables.show("printed", _TABLE_1, _SERIES_COLUMNS + _TABLE_1_COLUMNS),
        tables.show("numbers", _MEANS, rows=means, declarations=_MEAN_FORMATS),
        Group(
            "Each number over our repeats",
            [Prose(_READ), tables.show("numbers", "", _NUMBER_COLUMNS, rows)],
        ),
    ]


def _figure_1(features: pd.DataFrame, sources: Sequence[str]) -> Figure:
    """Return which feature serves which class in the fold of Figure 1, as a matrix."""
    wide = features.assign(used=1.0).pivot_table(
        index="class", columns="feature", values="used", sort=False
    )
    listed = set(features.loc[features["printed"], "feature"])
    medulloblastoma = [row for row, label in enumerate(wide.index) if label == "medulloblastoma"]
    outlined = []
    for column, feature in enumerate(wide.columns):
        if feature in listed:
            outlined += [(row, column) for row in medulloblastoma]
    return Figure(
        "xnb-paper-figure-1",
        draw_matrix,
        arguments={
            "values": wide.to_numpy(dtype=float),
            "rows": wide.index.tolist(),
            "columns": wide.columns.tolist(),
            "title": "Features of each class, ninth fold",
            "outlined": outlined,
        },
        caption=_MATRIX,
        alt="Matrix: classes in rows, selected features in columns, filled where a class uses one.",
        sources=sources,
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
        groups.append(RowPoints(label, values=ours.tolist(), lower=lower, upper=upper, style=style))
        printed.append(
            RowPoints(
                f"{label}, paper", values=paper, lower=paper, upper=paper, style=style, beside=style
            )
        )
    arguments = {"rows": places["dataset"].tolist(), "groups": groups + printed}
    arguments |= {"xlabel": "accuracy", "most": 1.0}
    alt = "Points: accuracy of naive Bayes and XNB on each data set, printed and computed."
    return Figure(
        "xnb-paper", draw_points, arguments=arguments, caption=_FIGURE, alt=alt, sources=sources
    )
