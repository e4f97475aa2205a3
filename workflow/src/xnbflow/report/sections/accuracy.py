"""Accuracy: data sets by classifiers, the paper's values, and what accuracy costs in features."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import Column
from xnbflow.evaluation.metrics import CLASS_METRICS
from xnbflow.report.drawings.calibration import draw_calibration
from xnbflow.report.drawings.lines import draw_trade_off
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults

__all__ = ["calibration_figure", "confusion_figure", "section"]

#: Metrics beside accuracy: name, decimals, whether less is better.
_METRICS = {
    "balanced_accuracy": ("balanced accuracy", 3, False),
    "f1_macro": ("macro F1", 3, False),
    "mcc": ("Matthews’ correlation", 3, False),
    "roc_auc": ("ROC AUC, one against the rest", 3, False),
    "log_loss": ("log loss", 3, True),
    "brier": ("Brier score", 3, True),
    "features_per_class": ("features per class", 1, True),
    "features": ("features in all", 1, True),
}

_PICTURES = (
    "Accuracy with its 95 % interval; a bar across is the share of the largest class, which always "
    "naming it reaches. Intervals that overlap are no proof of equality, see the "
    "comparison of classifiers. Beside it what accuracy costs in features, up and left is better: "
    "a line joins the classifiers of a data set, and a level one means that features can go at no "
    "loss. Points are moved apart a little where they would hide one another."
)

_PRINTED = {
    "nb_accuracy": "accuracy of naive Bayes",
    "xnb_accuracy": "accuracy of XNB",
    "xnb_features_per_class": "features per class of XNB",
}


def section(results: StudyResults) -> Section:
    """Return how well each classifier does on each data set."""
    blocks: list[Block] = [_metric_table(results, "accuracy", "accuracy", 3, lower=False)]
    if results.scores("accuracy").notna().any(axis=None):
        figures = [_scores(results), _trade_off(results)]
        blocks.append(Gallery(figures, _PICTURES, results.tables.sources("summary")))
    blocks += [*_permutations(results), *_paper(results)]
    others = [
        Group(name, [_metric_table(results, metric, name, decimals, lower=lower)])
        for metric, (name, decimals, lower) in _METRICS.items()
    ]
    blocks.append(Group("Other metrics", others, "balanced accuracy, F1, ROC AUC, log loss …"))
    for i, place in enumerate(results.places):
        blocks.append(Group(results.places[place], _predictions(results, *place), opened=i == 0))
    return Section(
        "accuracy",
        "Accuracy",
        "How often each classifier is right on samples that it has not seen; the further right and "
        "the less spread, the better.",
        blocks,
    )


def _metric_table(
    results: StudyResults, metric: str, name: str, decimals: int, *, lower: bool
) -> Table:
    """Return data sets by classifiers, each cell a mean with its spread, the best marked."""
    means, sds = results.scores(metric), results.scores(metric, "sd")
    of_repeats = results.scores(metric, "sd_repeats")
    if metric in CLASS_METRICS:
        of_repeats[:] = np.nan  # the same as their sd
    rounded = means.round(decimals)
    extreme = rounded.min(axis=1) if lower else rounded.max(axis=1)
    best = rounded.eq(extreme, axis=0).to_numpy()
    cells = {
        column: [
            _cell(*values, decimals)
            for values in zip(means[column], sds[column], of_repeats[column], strict=True)
        ]
        for column in means.columns
    }
    frame = pd.DataFrame({"dataset": means.index, **cells})
    baseline = results.scores(metric, "baseline").bfill(axis=1).iloc[:, 0]
    if baseline.notna().any():
        frame.insert(1, "baseline", baseline.to_numpy())
    marked = frozenset(
        (int(i), column)
        for j, column in enumerate(means.columns)
        for i in np.flatnonzero(best[:, j])
    )
    over = "/".join(results.rows("summary", metric=metric)["over"].dropna().unique())
    repeated = over == "folds" and of_repeats.notna().any(axis=None)
    caption = (
        f"{name[0].upper()}{name[1:]}: mean ± standard deviation over {over}"
        f"{', in brackets the standard deviation of the repeats’ means' if repeated else ''}"
        f"{'' if over == 'folds' else ', each from the predictions of all its folds together'}. "
        f"The {'least' if lower else 'greatest'} of a row is marked; a cell is empty where a fold "
        "could not be fitted or the number is not to be had."
    )
    if baseline.notna().any():
        caption += f" {_BASELINE}"
    label = "majority-class baseline" if metric == "accuracy" else ""
    own = {"baseline": Column("number", _BASELINE, label, f".{decimals}f")}
    return results.tables.show("summary", caption, rows=frame, own=own, best=marked)


_BASELINE = "Baseline: what the shares of the classes alone give."


def _cell(mean: float, sd: float, of_repeats: float, decimals: int) -> str:
    if np.isnan(mean):
        return ""
    spread = "" if np.isnan(sd) else f" ± {sd:.{decimals}f}"
    repeats = "" if np.isnan(of_repeats) else f" ({of_repeats:.{decimals}f})"
    return f"{mean:,.{decimals}f}{spread}{repeats}"


def _scores(results: StudyResults) -> Figure:
    means = results.scores("accuracy", "pooled")
    lower, upper = results.scores("accuracy", "lower"), results.scores("accuracy", "upper")
    baseline = results.scores("accuracy", "baseline").bfill(axis=1).iloc[:, 0]
    groups = [
        Points(label, means[label].tolist(), lower[label].tolist(), upper[label].tolist(), style)
        for style, label in enumerate(means.columns)
    ]
    for part, name in results.study.paper.items():
        printed = results.rows("paper", quantity=f"{part}_accuracy")
        if len(printed):
            i = results.study.classifiers.index(name)
            values = printed.set_index(["dataset", "folds"])["paper"].astype(float)
            values = values.reindex(list(results.places)).tolist()
            label = f"{results.labels[name]}, paper"
            groups.append(Points(label, values, values, values, i, beside=i))
    return Figure(
        "accuracy",
        draw_points,
        {
            "rows": means.index.tolist(),
            "groups": groups,
            "xlabel": "accuracy",
            "levels": ("largest class", baseline.tolist()),
        },
        "",
        "Points with intervals: accuracy of each classifier on each data set.",
    )


def _permutations(results: StudyResults) -> list[Block]:
    """Return whether permuted labels would be predicted as well."""
    table = results.tables["permutation_tests"]
    if table.empty:
        return []
    caption = (
        "Permutation test: the whole cross-validation of five folds, selection of features "
        "included, on the true labels and on permuted labels. “As good”: how many permutations "
        "reach the value of the true labels. With few permutations p cannot be small: it is at "
        "least 1 / (permutations + 1)."
    )
    columns = ["dataset", "classifier", "metric", "observed", "null_mean", "null_95"]
    columns += ["permutations", "at_least", "p_value"]
    rows = table.assign(metric=table["metric"].str.replace("_", " "))
    return [results.tables.show("permutation_tests", caption, columns, rows)]


def _paper(results: StudyResults) -> list[Block]:
    """Return Table 2 of the paper beside ours, where its data sets are in the study."""
    paper = results.tables["paper"]
    paper = paper[paper["quantity"].isin(_PRINTED)]
    if paper.empty:
        return []
    rows = paper.assign(
        quantity=paper["quantity"].map(_PRINTED),
        percentile=paper["percentile"].where(paper["n_repeats"] > 1),
    )
    caption = (
        "Table 2 of the XNB paper beside ours. The paper gives one run with an unnamed seed; the "
        "percentile says which share of our repeats, rounded like the paper’s number, lies below "
        "it, ties counted half (50 is the middle, 0 or 100 outside of ours; missing with a single "
        "repeat)."
    )
    columns = ["dataset", "quantity", "paper", "ours", "sd", "percentile", "n_repeats"]
    return [results.tables.show("paper", caption, columns, rows)]


def _trade_off(results: StudyResults) -> Figure:
    accuracy = results.scores("accuracy")
    return Figure(
        "trade-off",
        draw_trade_off,
        {
            "rows": accuracy.index.tolist(),
            "classifiers": accuracy.columns.tolist(),
            "features": results.scores("features_per_class").to_numpy(),
            "accuracy": accuracy.to_numpy(),
        },
        "",
        "Scatter plot of accuracy against features per class, one mark per classifier.",
    )


def _predictions(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return what was predicted, and which classifiers predicted nothing."""
    table = results.rows("confusion", dataset=dataset, folds=folds)
    fitted = [name for name in results.study.classifiers if (table["classifier"] == name).any()]
    failed = [results.labels[name] for name in results.study.classifiers if name not in fitted]
    said: list[Block] = []
    if failed:
        said.append(Prose(f"Not fitted in any fold: {', '.join(failed)}.", "warning"))
    if not fitted:
        return said
    figures = [_confusion(results, dataset, folds, name) for name in fitted]
    calibration = _calibration(results, dataset, folds)
    caption = (
        "Confusion: a row is a true class, shaded by the share of its samples that each class was "
        "predicted for, with counts over all folds and repeats; all on the diagonal is perfect. "
        "Calibration: points on the dashed line mean that probabilities can be taken at their "
        "word; below it they promise too much. Larger points stand for more predictions; those of "
        "fewer than ten samples are left out; lines up and down are 95 % intervals."
    )
    sources = results.tables.sources("confusion", "calibration")
    gallery = Gallery([*figures, *calibration], caption, sources)
    return [*said, *_confidence(results, dataset, folds), gallery]


#: A prediction with a greater probability than this is sure.
_SURE = 0.99


def _confidence(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return in words how sure classifiers are, and how often they are right then."""
    table = results.rows("confidence", dataset=dataset, folds=folds)
    table = table[np.isclose(table["above"], _SURE) & (table["predictions"] > 0)]
    rows = {row.classifier: row for row in table.itertuples(index=False)}
    parts = []
    for name in results.study.classifiers:
        if name not in rows:
            continue
        row = rows[name]
        said = f"{results.labels[name]}: {row.share:.0%}"
        if row.count:
            interval = f"[{row.accuracy_lower:.0%}, {row.accuracy_upper:.0%}]"
            said += f", of which {row.accuracy:.0%} {interval} are right"
            if row.overconfident:
                said += f", below their mean predicted probability of {row.promised:.1%}"
        parts.append(said)
    if not parts:
        return []
    text = f"Predictions with a probability above {_SURE:g}. {'; '.join(parts)}."
    return [Prose(text, sources=results.tables.sources("confidence"))]


def _confusion(results: StudyResults, dataset: str, folds: str, classifier: str) -> Figure:
    table = results.rows("confusion", dataset=dataset, folds=folds, classifier=classifier)
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    cells = table.set_index(["true", "predicted"])
    counts, shares = (
        cells[column].unstack().reindex(index=classes, columns=classes).fillna(0).to_numpy()
        for column in ("count", "share")
    )
    label = results.labels[classifier]
    right = ", ".join(f"{shares[i, i]:.0%} of {name}" for i, name in enumerate(classes))
    alt = f"Confusion matrix of {label} on {dataset}: right are {right}."
    name = f"confusion-{dataset}-{folds}-{classifier}"
    return confusion_figure(name, label, classes, counts, shares, alt)


def confusion_figure(
    name: str, title: str, classes: list[str], counts: np.ndarray, shares: np.ndarray, alt: str
) -> Figure:
    """Return a figure of what each class was taken for.

    Parameters
    ----------
    name, title, alt : str
        Of the figure.
    classes : list of str
    counts, shares : ndarray of shape (n_classes, n_classes)
        Predictions of each true class (rows), and their shares of its row.
    """
    arguments = {
        "values": shares,
        "rows": classes,
        "columns": [shorten(label, 18) for label in classes],
        "title": title,
        "texts": [[f"{n:.0f}" if n else "" for n in row] for row in counts],
        "xlabel": "predicted",
        "ylabel": "true",
        "cell": (0.34, 0.24),
    }
    return Figure(name, draw_matrix, arguments, "", alt)


def _calibration(results: StudyResults, dataset: str, folds: str) -> list[Figure]:
    table = results.rows("calibration", dataset=dataset, folds=folds)
    groups = dict(iter(table[~table["few"]].groupby("classifier", sort=False)))
    known = {results.labels[c]: groups[c] for c in results.study.classifiers if c in groups}
    alt = f"Calibration curves on {dataset}: predicted probability against frequency."
    return [calibration_figure(f"calibration-{dataset}-{folds}", known, alt)] if known else []


def calibration_figure(name: str, bins: Mapping[str, pd.DataFrame], alt: str) -> Figure:
    """Return a figure of how often predicted probabilities came true.

    Parameters
    ----------
    name, alt : str
        Of the figure.
    bins : mapping of str to DataFrame
        By the label of a classifier ``mean_predicted``, ``observed``, ``count``,
        ``observed_lower`` and ``observed_upper``.
    """
    columns = {
        "predicted": "mean_predicted",
        "observed": "observed",
        "counts": "count",
        "lower": "observed_lower",
        "upper": "observed_upper",
    }
    arguments: dict[str, Any] = {"classifiers": list(bins)}
    for argument, column in columns.items():
        arguments[argument] = [rows[column].to_numpy() for rows in bins.values()]
    return Figure(name, draw_calibration, arguments, "", alt)
