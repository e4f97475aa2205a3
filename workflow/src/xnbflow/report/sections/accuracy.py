"""Accuracy: data sets by classifiers, and what accuracy costs in features."""

import pandas as pd
from matplotlib.figure import Figure as Drawing

from xnbflow.report.blocks import Figure, Section, Table
from xnbflow.report.results import StudyResults
from xnbflow.report.style import classifier_colours, new_figure

__all__ = ["section"]


def section(results: StudyResults) -> Section:
    """Return how well each classifier does on each data set."""
    summary = results.tables["summary"]
    wide = summary.pivot_table(
        index=["dataset", "folds", "classifier"], columns="metric", values="mean", sort=False
    ).reset_index()
    wide["classifier"] = wide["classifier"].map(results.labels)
    colours = classifier_colours(list(results.labels.values()))
    trade_off = Figure(
        "trade-off",
        draw_trade_off,
        {
            "points": wide[["dataset", "classifier", "accuracy", "features_per_class"]],
            "colours": colours,
        },
        "Accuracy against features per class, on a logarithmic axis: up and left is better.",
        "Scatter plot of accuracy against features per class, one colour per classifier.",
    )
    formats = dict.fromkeys(wide.columns[3:], ".3f")
    table = Table(wide, "Mean over folds and repeats of every metric.", formats)
    return Section(
        "accuracy",
        "Accuracy",
        "Higher is better, but for log loss and Brier score.",
        [table, trade_off],
    )


def draw_trade_off(points: pd.DataFrame, colours: dict[str, str]) -> Drawing:
    """Draw accuracy against the number of features, a point per data set and classifier."""
    figure = new_figure()
    axes = figure.add_subplot(xscale="log", xlabel="features per class", ylabel="accuracy")
    for classifier, group in points.groupby("classifier", sort=False):
        axes.scatter(
            group["features_per_class"],
            group["accuracy"],
            color=colours[classifier],
            label=classifier,
        )
    axes.legend()
    axes.grid(visible=True)
    return figure
