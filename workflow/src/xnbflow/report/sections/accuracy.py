"""Accuracy: data sets by classifiers, and numbers of features."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.report.drawings.calibration import draw_calibration, draw_roc
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults
from xnbflow.tables.contract import Column

_POINTS = (
    "Accuracy with its 95% interval, corrected if the classifier was chosen by the results; the "
    "bar across marks the majority-class rate."
)

#: Metrics beside accuracy: label, meaning and format.
_METRICS = {
    "balanced_accuracy": Column("number", "mean recall of the classes"),
    "f1_macro": Column("number", "mean over classes", "macro F1"),
    "mcc": Column("number", "", "Matthews’ correlation"),
    "roc_auc": Column("number", "one class against the rest", "ROC AUC"),
    "log_loss": Column("number", "lower is better"),
    "brier": Column("number", "squared error summed over classes, 0 to 2", "Brier score"),
    "features_per_class": Column("number", "mean over classes", "", ".1f"),
    "features": Column("number", "distinct ones", "features in all", ".1f"),
}


_RECALL = (
    "Recall of each class with its 95% interval, and the class that its samples are most often "
    "mistaken for. Recognised: recall above one half and, by the interval of the difference, above "
    "the share of the other samples that are mistaken for it."
)
_SHOWN_OF_RECALL = ("classifier", "class", "samples", "estimate", "lower", "upper", "above",
                    "taken_for", "taken")  # fmt: skip

#: Labels of columns of ``estimates`` if all rows are recalls.
RECALL_COLUMNS: dict[str, Column | str] = {
    "estimate": Column("number", label="recall", format=".2f"),
    **dict.fromkeys(("lower", "upper"), ".2f"),
    "above": Column("boolean", label="recognised"),
}

_SETS = (
    "Conformal sets of tested samples: a class is left out if fewer than a tenth of its own "
    "samples have so low a probability of it. Coverage is how often a sample's set has its class, "
    "measured on the test samples; it should not be below the level. A set of several classes "
    "means an undecided sample. Every set has the predicted class and all classes of fewer than "
    "nine training samples, and the two most probable ones if all probabilities are too low."
)
_SETS_COLUMNS = ("classifier", "class", "samples", "level", "coverage", "lower", "upper", "single",
                 "single_right", "several")  # fmt: skip

_PREDICTIONS = (
    "Samples outside the training samples. In a confusion matrix a row is a true class, shaded by "
    "the share of its samples that each class was predicted for, with counts over all folds and "
    "repeats."
)
_ROC = (
    "Each class against the others, of two classes the second; samples outside the training "
    "samples, compared with those of the same fold. AUC with its 95% interval; on the diagonal "
    "probabilities carry no information about the class."
)
_CALIBRATION = (
    "Below the dashed line probabilities are overconfident; larger points are more predictions, "
    "bins of fewer than ten samples are left out, and vertical lines are 95% intervals."
)


def section(results: StudyResults) -> Section:
    """Return the performance of each classifier on each data set."""
    blocks: list[Block] = [_accuracies(results)]
    if results.scores("accuracy", "estimate").notna().any(axis=None):
        blocks.append(_scores(results))
    blocks += [*_permutations(results), *_other_metrics(results)]
    for i, place in enumerate(results.places):
        blocks.append(Group(results.places[place], _predictions(results, *place), opened=i == 0))
    return Section(
        "accuracy",
        "Accuracy",
        "Accuracy of each classifier on samples outside its training samples.",
        blocks,
    )


def _accuracies(results: StudyResults) -> Table:
    """Return data sets by classifiers, each cell an accuracy with its spread, the best marked."""
    parts = [results.scores("accuracy", value) for value in ("estimate", "sd", "sd_repeats")]
    means, _, repeats = parts
    cells = {
        column: [_cell(*values) for values in zip(*(part[column] for part in parts), strict=True)]
        for column in means.columns
    }
    frame = pd.DataFrame({"dataset": means.index, "baseline": _baseline(results), **cells})
    rounded = means.round(3)
    best = np.argwhere(rounded.eq(rounded.max(axis=1), axis=0).to_numpy())
    brackets = ", in brackets that of the repeats’ means" * bool(repeats.notna().any(axis=None))
    return results.tables.show(
        ["estimates", "summary"],
        f"Accuracy of all samples together ± standard deviation over folds{brackets}. The greatest "
        "of a row is marked; a cell is empty where a fold could not be fitted.",
        rows=frame,
        own={"baseline": Column("number", "share of the largest class", "majority-class baseline")},
        best=frozenset((int(i), means.columns[j]) for i, j in best),
    )


def _baseline(results: StudyResults) -> list[float]:
    """Return the share of the largest class at each place; missing where every fold failed."""
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    shares = rows.drop_duplicates(["dataset", "folds"]).set_index(["dataset", "folds"])["reference"]
    found: list[float] = shares.reindex(list(results.places)).tolist()
    return found


def _cell(mean: float, sd: float, of_repeats: float) -> str:
    if np.isnan(mean):
        return ""
    spread = "" if np.isnan(sd) else f" ± {sd:.3f}"
    return f"{mean:.3f}{spread}" + ("" if np.isnan(of_repeats) else f" ({of_repeats:.3f})")


def _other_metrics(results: StudyResults) -> list[Block]:
    """Return the means of all metrics but accuracy, a row per data set and classifier."""
    rows = results.rows("summary", folds_failed=0)
    rows = rows[rows["metric"].isin(list(_METRICS))]
    if rows.empty:
        return []
    wide = rows.set_index(["dataset", "folds", "classifier", "metric"])["mean"].unstack()
    order = [(*place, name) for place in results.places for name in results.study.classifiers]
    wide = wide.reindex([key for key in order if key in wide.index]).reset_index()
    caption = (
        "Means over folds; of balanced accuracy, F1 and Matthews’ correlation over repeats, each "
        "from the predictions of all its folds together. ROC AUC, too, is a mean over repeats, but "
        "compares samples of the same fold only; it is empty where such pairs are too few."
    )
    shown = ["dataset", "classifier", *(name for name in _METRICS if name in wide)]
    table = results.tables.show("summary", caption, shown, wide, own=_METRICS)
    return [Group("Other metrics", [table], "balanced accuracy, F1, ROC AUC, log loss …")]


def points(results: StudyResults, rows: pd.DataFrame, value: str) -> list[Points]:
    """Return a value with its interval for each classifier that has any, a row per place."""
    found = []
    for style, name in enumerate(results.study.classifiers):
        own = rows[rows["classifier"] == name].set_index(["dataset", "folds"])
        if len(own):
            own = own[[value, "lower", "upper"]].reindex(list(results.places))
            middle, lower, upper = own.T.to_numpy().tolist()
            found.append(Points(results.labels[name], middle, lower, upper, style))
    return found


def _scores(results: StudyResults) -> Figure:
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    groups = points(results, rows, "estimate")
    arguments = {"rows": list(results.places.values()), "groups": groups, "xlabel": "accuracy"}
    arguments["most"] = 1.0
    arguments["levels"] = ("largest class", _baseline(results))
    alt = "Points with intervals: accuracy of each classifier on each data set."
    sources = results.tables.sources("estimates")
    return Figure("accuracy", draw_points, arguments, _POINTS, alt, sources)


def _permutations(results: StudyResults) -> list[Block]:
    """Return the permutation tests."""
    table = results.tables["permutation_tests"]
    if table.empty:
        return []
    caption = (
        "Permutation test: a whole cross-validation, selection of features included, on the true "
        "labels and on permuted labels. It stops once p <= .025 is decided (with a risk of .001), "
        "after 99 to 999 permutations. The label test, the default, fits the classifier named "
        "in the last column instead, once for each data set; its score is the mean probability of "
        "the true class."
    )
    columns = ["dataset", "classifier", "metric", "observed", "null_mean", "null_95"]
    columns += ["permutations", "at_least", "p_value"]
    columns += ["permuted"] if table["permuted"].any() else []
    rows = table.assign(metric=table["metric"].str.replace("_", " "))
    return [results.tables.show("permutation_tests", caption, columns, rows)]


def _predictions(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return the predictions, and the classifiers without predictions."""
    table = results.rows("confusion", dataset=dataset, folds=folds)
    fitted = dict(iter(table.groupby("classifier")))
    named = [name for name in results.study.classifiers if name in fitted]
    failed = [results.labels[name] for name in results.study.classifiers if name not in fitted]
    blocks: list[Block] = []
    if failed:
        blocks.append(Prose(f"Not fitted in any fold: {', '.join(failed)}.", "warning"))
    if not named:
        return blocks
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    key = f"{dataset}-{folds}"
    figures = [
        confusion_figure(f"confusion-{key}-{name}", results.labels[name], fitted[name], classes)
        for name in named
    ]
    bins = results.rows("calibration", dataset=dataset, folds=folds, few=False)
    known = {name: bins[bins["classifier"] == name] for name in named}
    known = {results.labels[name]: rows for name, rows in known.items() if len(rows)}
    if known:
        alt = f"Calibration curves on {dataset}: predicted probability against frequency."
        figures.append(calibration_figure(f"calibration-{key}", known, alt))
    chosen = results.tables["headline"]["classifier"].iloc[0]
    figures += _roc(results, {"dataset": dataset, "folds": folds, "classifier": chosen})
    sources = results.tables.sources("confusion", "calibration", "roc", "estimates")
    recall = results.rows("estimates", dataset=dataset, folds=folds, metric="recall")
    table = results.tables.show("estimates", _RECALL, _SHOWN_OF_RECALL, recall, own=RECALL_COLUMNS)
    blocks += [Gallery(figures, _PREDICTIONS, sources)]
    blocks.append(Group("Recall of each class", [table], "and what it is mistaken for"))
    return [*blocks, *_sets(results, dataset, folds)]


def _roc(results: StudyResults, place: dict[str, str]) -> list[Figure]:
    """Return the figure of the ROC curves of a classifier, if it has probabilities."""
    areas = results.rows("estimates", **place, metric="roc_auc", folds_failed=0)
    points = dict(iter(results.rows("roc", **place).groupby("class")))
    curves, title = {}, results.labels.get(place["classifier"], "")
    for row in areas.to_dict("records"):
        auc = f"AUC {row['estimate']:.2f} [{row['lower']:.2f}, {row['upper']:.2f}]"
        own = points[row["class"]]
        rates = own["false_positive_rate"].to_numpy(), own["true_positive_rate"].to_numpy()
        curves[f"{shorten(row['class'], 20)}: {auc}"] = rates
    if not curves:
        return []
    arguments = {"title": f"ROC, {title}", "curves": curves}
    alt = f"ROC curves of {title} on {place['dataset']}: {'; '.join(curves)}."
    name = f"roc-{place['dataset']}-{place['folds']}"
    return [Figure(name, draw_roc, arguments, _ROC, alt)]


def _sets(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return the coverage of sets of classes, for classifiers with sets."""
    table = results.rows("sets", dataset=dataset, folds=folds)
    if table.empty:
        return []
    return [Group("Sets of classes", [results.tables.show("sets", _SETS, _SETS_COLUMNS, table)],
                  "coverage and undecided samples")]  # fmt: skip


def confusion_figure(name: str, title: str, rows: pd.DataFrame, classes: Sequence[str]) -> Figure:
    """Return a figure of the table ``confusion``: true classes by predicted ones."""
    wide = rows.pivot(index="true", columns="predicted", values="count")
    counts = wide.reindex(index=classes, columns=classes).fillna(0).to_numpy()
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    right = ", ".join(f"{shares[i, i]:.0%} of {label}" for i, label in enumerate(classes))
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
    return Figure(
        name, draw_matrix, arguments, "", f"Confusion matrix, {title}: right are {right}."
    )


def calibration_figure(name: str, bins: Mapping[str, pd.DataFrame], alt: str) -> Figure:
    """Return a figure of the bins of ``calibration``, by the label of the classifier."""
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
    return Figure(name, draw_calibration, arguments, _CALIBRATION, alt)
