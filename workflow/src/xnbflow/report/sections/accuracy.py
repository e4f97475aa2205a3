"""Accuracy: data sets by classifiers, tests between classifiers, and numbers of features."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.nouns import listed
from xnbflow.core.significance import TEST_LEVEL
from xnbflow.report.drawings.calibration import draw_calibration, draw_roc
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import RowPoints, draw_points
from xnbflow.report.numbers import format_number, p_digits, p_equals
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import GROUPS, Column

_TEXTS = texts_of("accuracy")
_COMPARISON = texts_of("comparison")
#: Classifiers from which on there is a diagram; of two the test has it all.
_FEWEST_RANKED = 3
#: Metrics beside accuracy: label, meaning and format.
_METRICS = {
    "balanced_accuracy": Column("number", "mean recall of the classes"),
    "f1_macro": Column("number", "mean over classes", label="macro F1"),
    "mcc": Column("number", label="Matthews’ correlation"),
    "roc_auc": Column("number", "one class against the rest", label="ROC AUC"),
    "log_loss": Column("number", "lower is better; probabilities are at least 2.2e-16"),
    "brier": Column("number", "squared error summed over classes, 0 to 2", label="Brier score"),
    "features_per_class": Column("number", "mean over classes", format=",.1f"),
    "features": Column("number", "distinct ones", label="features in all", format=",.1f"),
}

_SHOWN_OF_RECALL = ("classifier", "class", "samples", "estimate", "lower", "upper", "above",
                    "taken_for", "taken")  # fmt: skip

_SHOWN_OF_PRIORS = ("classifier", "metric", "class", "samples", "estimate", "equal_priors",
                    "priors_decide")  # fmt: skip

#: Labels of columns of ``estimates`` if all rows are recalls.
RECALL_COLUMNS: dict[str, Column | str] = {
    "estimate": Column("number", label="recall", format=".2f"),
    **dict.fromkeys(("lower", "upper"), ".2f"),
    "above": Column("boolean", label="recognised"),
}

_SETS_COLUMNS = ("classifier", "class", "samples", "level", "coverage", "lower", "upper", "single",
                 "single_right", "several")  # fmt: skip

#: Classes up to which a confusion matrix is drawn; the matrix of more is wider than the page.
MOST_DRAWN_CLASSES = 25
#: Most frequent mistakes of a classifier that take the place of the matrix.
MOST_MISTAKES = 20
#: ROC curves of a figure; more have no distinguishable colours.
_MOST_ROC_CURVES = 10
_MISTAKE_COLUMNS = ["classifier", "true", "predicted", "count", "share"]

#: Metrics that are numbers of features.
_SIZES = ("features_per_class", "features")
#: Arguments of the drawing of calibration, and the columns of ``calibration`` that they are.
_CALIBRATION_COLUMNS = {
    "predicted": "mean_predicted",
    "observed": "observed",
    "counts": "count",
    "lower": "observed_lower",
    "upper": "observed_upper",
}


def section(results: StudyResults) -> Section:
    """Return the performance of each classifier on each data set."""
    blocks: list[Block] = [_accuracy_table(results)]
    if results.scores("accuracy", "estimate").notna().any(axis=None):
        blocks.append(_accuracy_figure(results))
    blocks += [*_label_test_blocks(results), *_other_metrics(results)]
    blocks += _comparison_group(results)
    for i, evaluation in enumerate(results.evaluations):
        blocks.append(
            Group(
                results.evaluations[evaluation],
                _prediction_blocks(results, *evaluation),
                opened=i == 0,
            )
        )
    return Section(
        "accuracy",
        "Accuracy",
        "Accuracy of each classifier on samples outside its training samples.",
        blocks,
    )


def _accuracy_table(results: StudyResults) -> Table:
    """Return data sets by classifiers, each cell an accuracy with its spread, the best marked."""
    accuracy = results.scores("accuracy", "estimate")
    spread = results.scores("accuracy", "sd")
    spread_of_repeats = results.scores("accuracy", "sd_repeats")
    frame = pd.DataFrame({"dataset": accuracy.index, "baseline": _baseline(results)})
    for name in accuracy.columns:
        columns = (accuracy[name], spread[name], spread_of_repeats[name])
        frame[name] = list(map(_cell, *columns))
    rounded = accuracy.round(3)  # as shown, so that equal cells are marked alike
    best = np.argwhere(rounded.eq(rounded.max(axis=1), axis=0).to_numpy())
    repeated = spread_of_repeats.notna().any(axis=None)
    brackets = ", in brackets that of the repeats’ means" if repeated else ""
    return results.tables.show(
        ["estimates", "summary"],
        _TEXTS["matrix"].format(brackets=brackets),
        rows=frame,
        declarations={
            "baseline": Column(
                "number", "share of the largest class", label="majority-class baseline"
            )
        },
        best=frozenset((int(row), accuracy.columns[column]) for row, column in best),
    )


def _baseline(results: StudyResults) -> list[float]:
    """Return the share of the largest class at each evaluation; missing where every fold failed."""
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    rows = rows.drop_duplicates(["dataset", "folds"]).set_index(["dataset", "folds"])
    shares: list[float] = rows["reference"].reindex(list(results.evaluations)).tolist()
    return shares


def _cell(accuracy: float, spread: float, spread_of_repeats: float) -> str:
    """Return an accuracy with its standard deviations over folds and over repeats.

    Examples
    --------
    >>> _cell(0.9, 0.05, 0.01), _cell(0.9, 0.05, np.nan), _cell(np.nan, np.nan, np.nan)
    ('0.900 ± 0.050 (0.010)', '0.900 ± 0.050', '')
    """
    if np.isnan(accuracy):
        return ""
    cell = format_number(accuracy, ".3f")
    if not np.isnan(spread):
        cell += f" ± {spread:.3f}"
    if not np.isnan(spread_of_repeats):
        cell += f" ({spread_of_repeats:.3f})"
    return cell


def _other_metrics(results: StudyResults) -> list[Block]:
    """Return the means of all metrics but accuracy, a row per data set and classifier."""
    rows = results.rows("summary", folds_failed=0)
    rows = rows[rows["metric"].isin(list(_METRICS))]
    if rows.empty:
        return []
    wide = rows.set_index(["dataset", "folds", "classifier", "metric"])["mean"].unstack()
    order = [
        (*evaluation, name)
        for evaluation in results.evaluations
        for name in results.study.classifiers
    ]
    wide = wide.reindex([key for key in order if key in wide.index]).reset_index()
    shown = ["dataset", "classifier", *(name for name in _METRICS if name in wide)]
    columns = dict(_METRICS)
    for name in _SIZES:
        if name in wide and (wide[name].dropna() % 1 == 0).all():  # no decimals of whole numbers
            columns[name] = replace(columns[name], format=",.0f")
    table = results.tables.show(
        "summary", _TEXTS["other_metrics"], shown, wide, declarations=columns
    )
    return [Group("Other metrics", [table], "balanced accuracy, F1, ROC AUC, log loss …")]


def points(results: StudyResults, rows: pd.DataFrame, value: str) -> list[RowPoints]:
    """Return a value with its interval for each classifier that has any, a row per evaluation."""
    groups = []
    for style, name in enumerate(results.study.classifiers):
        of_classifier = rows[rows["classifier"] == name].set_index(["dataset", "folds"])
        if len(of_classifier):
            of_classifier = of_classifier.reindex(list(results.evaluations))
            group = RowPoints(
                label=results.labels[name],
                values=of_classifier[value].tolist(),
                lower=of_classifier["lower"].tolist(),
                upper=of_classifier["upper"].tolist(),
                style=style,
            )
            groups.append(group)
    return groups


def _accuracy_figure(results: StudyResults) -> Figure:
    """Return the accuracy of each classifier with its interval, a row per data set."""
    rows = results.rows("estimates", metric="accuracy", folds_failed=0)
    return Figure(
        name="accuracy",
        draw=draw_points,
        arguments={
            "rows": list(results.evaluations.values()),
            "groups": points(results, rows, "estimate"),
            "xlabel": "accuracy",
            "most": 1.0,
            "levels": ("largest class", _baseline(results)),
        },
        caption=_TEXTS["points"],
        alt="Points with intervals: accuracy of each classifier on each data set.",
        sources=results.tables.sources("estimates"),
    )


def _label_test_blocks(results: StudyResults) -> list[Block]:
    """Return the label test of each data set; its classifiers have the same."""
    table = results.tables["label_tests"].drop_duplicates("dataset")
    if table.empty:
        return []
    columns = ["dataset", "p_value", "at_least", "permutations", "statistic"]
    columns += ["observed", "null_mean", "null_95", "means_p", "spread_p", "all_p"]
    if table["adjusted_for"].any():
        columns.append("adjusted_for")
    declared = GROUPS["study"].tables["label_tests"].columns["p_value"]
    digits = max(3, *table["p_value"].map(p_digits))  # a p beside its level is not rounded to it
    shown = {"p_value": replace(declared, format=f".{digits}g")}
    caption = _TEXTS["label_test"]
    return [results.tables.show("label_tests", caption, columns, table, declarations=shown)]


def _prediction_blocks(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return the predictions, and the classifiers without predictions."""
    # Classifiers without any fit have no predictions.
    evaluation = {"dataset": dataset, "folds": folds}
    counts = dict(iter(results.rows("confusion", **evaluation).groupby("classifier")))
    fitted = [name for name in results.study.classifiers if name in counts]
    failed = [results.labels[name] for name in results.study.classifiers if name not in counts]
    blocks: list[Block] = []
    if failed:
        blocks.append(Prose(f"Not fitted in any fold: {', '.join(failed)}.", "warning"))
    if not fitted:
        return blocks

    # Confusion matrices; of many classes the most frequent mistakes in their place.
    classes = results.rows("class_sizes", dataset=dataset)["class"].tolist()
    key = f"{dataset}-{folds}"
    figures = []
    are_few_classes = len(classes) <= MOST_DRAWN_CLASSES
    if are_few_classes:
        figures = [
            confusion_figure(f"confusion-{key}-{name}", results.labels[name], counts[name], classes)
            for name in fitted
        ]
    else:
        rows = pd.concat([frequent_mistakes(counts[name]) for name in fitted])
        caption = _TEXTS["mistakes"].format(most=MOST_MISTAKES)
        blocks.append(results.tables.show("confusion", caption, _MISTAKE_COLUMNS, rows))

    # Calibration and ROC curves.
    bins = _bins_by_label(results, dataset, folds, fitted)
    if bins:
        alt = f"Calibration curves on {dataset}: predicted probability against frequency."
        figures.append(calibration_figure(f"calibration-{key}", bins, alt))
    chosen = results.tables["headline"]["classifier"].iloc[0]
    figures += _roc_figures(results, {**evaluation, "classifier": chosen})
    if figures:
        caption = _TEXTS["predictions" if are_few_classes else "tested_samples"]
        sources = results.tables.sources("confusion", "calibration", "roc", "estimates")
        blocks.append(Gallery(figures, caption, sources))

    return [
        *blocks,
        _recall_group(results, evaluation, classes),
        *_class_pairs(results, evaluation, chosen),
        *_sets(results, dataset, folds),
    ]


def _recall_group(
    results: StudyResults, evaluation: Mapping[str, str], classes: Sequence[str]
) -> Group:
    """Return the recall of each class by each classifier, in the order of both."""
    recall = results.rows("estimates", **evaluation, metric="recall")
    class_numbers = recall["class"].map(list(classes).index)
    classifier_numbers = recall["classifier"].map(list(results.study.classifiers).index)
    recall = recall.iloc[np.lexsort((class_numbers, classifier_numbers))]
    table = results.tables.show(
        "estimates", _TEXTS["recall"], _SHOWN_OF_RECALL, recall, declarations=RECALL_COLUMNS
    )
    content: list[Block] = [table, *_equal_priors(results, evaluation)]
    return Group("Recall of each class", content, "and what it is mistaken for")


def _equal_priors(results: StudyResults, evaluation: Mapping[str, str]) -> list[Block]:
    """Return the recalls with equal priors, if these would recognise a class that is missed."""
    rows = results.rows("estimates", **evaluation)
    if not rows["priors_decide"].any():
        return []
    rows = rows[rows["equal_priors"].notna()]
    return [results.tables.show("estimates", _TEXTS["equal_priors"], _SHOWN_OF_PRIORS, rows)]


def _class_pairs(results: StudyResults, evaluation: Mapping[str, str], chosen: str) -> list[Block]:
    """Return the table of the pairs of classes, and a sentence on those that are not separated."""
    pairs = results.rows("class_pairs", **evaluation)
    if len(pairs[["class", "other"]].drop_duplicates()) < 2:
        return []
    blocks: list[Block] = []
    missed = pairs[(pairs["classifier"] == chosen) & pairs["judged"] & ~pairs["separated"]]
    if len(missed):
        names = [f"“{row['class']}” and “{row['other']}”" for row in missed.to_dict("records")]
        blocks.append(Prose(_TEXTS["unseparated"].format(pairs=listed(names, 5)), "warning"))
    columns = pairs.columns.drop(["dataset", "folds"]).tolist()
    table = results.tables.show("class_pairs", _TEXTS["class_pairs"], columns, pairs)
    blocks.append(Group("Pairs of classes", [table], "which classes are separated from each other"))
    return blocks


def frequent_mistakes(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the most frequent mistakes of one classifier, the most frequent first.

    Examples
    --------
    >>> counts = pd.DataFrame({"true": list("aab"), "predicted": list("aba"), "count": [8, 2, 3]})
    >>> frequent_mistakes(counts).to_numpy().tolist()
    [['b', 'a', 3], ['a', 'b', 2]]
    """
    mistakes = confusion[(confusion["true"] != confusion["predicted"]) & (confusion["count"] > 0)]
    return mistakes.sort_values("count", ascending=False, kind="stable").head(MOST_MISTAKES)


def _bins_by_label(
    results: StudyResults, dataset: str, folds: str, classifiers: Sequence[str]
) -> dict[str, pd.DataFrame]:
    """Return the bins of predicted probabilities with enough samples, by classifiers' labels."""
    bins = results.rows("calibration", dataset=dataset, folds=folds, few=False)
    by_label = {}
    for name in classifiers:
        rows = bins[bins["classifier"] == name]
        if len(rows):
            by_label[results.labels[name]] = rows
    return by_label


def _roc_figures(results: StudyResults, evaluation: dict[str, str]) -> list[Figure]:
    """Return the figure of the ROC curves of a classifier, if it has probabilities.

    Of many classes it has those with the smallest areas.
    """
    areas = results.rows("estimates", **evaluation, metric="roc_auc", folds_failed=0)
    if areas.empty:
        return []
    n_classes = len(areas)
    if n_classes > _MOST_ROC_CURVES:
        areas = areas.sort_values("estimate", kind="stable").head(_MOST_ROC_CURVES)
    rates = dict(iter(results.rows("roc", **evaluation).groupby("class")))
    curves = {}
    for row in areas.to_dict("records"):
        of_class = rates[row["class"]]
        numbers = [format_number(row[name], ".2f") for name in ("estimate", "lower", "upper")]
        auc = f"AUC {numbers[0]} [{numbers[1]}, {numbers[2]}]"
        curves[f"{shorten(row['class'], 20)}: {auc}"] = (
            of_class["false_positive_rate"].to_numpy(),
            of_class["true_positive_rate"].to_numpy(),
        )
    title = results.labels[evaluation["classifier"]]
    caption = _TEXTS["roc"]
    if n_classes > len(areas):
        caption += " " + _TEXTS["smallest_areas"].format(most=_MOST_ROC_CURVES, total=n_classes)
    figure = Figure(
        name=f"roc-{evaluation['dataset']}-{evaluation['folds']}",
        draw=draw_roc,
        arguments={"title": f"ROC, {title}", "curves": curves},
        caption=caption,
        alt=f"ROC curves of {title} on {evaluation['dataset']}: {'; '.join(curves)}.",
    )
    return [figure]


def _sets(results: StudyResults, dataset: str, folds: str) -> list[Block]:
    """Return the coverage of sets of classes, for classifiers with sets."""
    rows = results.rows("sets", dataset=dataset, folds=folds)
    if rows.empty:
        return []
    table = results.tables.show("sets", _TEXTS["sets"], _SETS_COLUMNS, rows)
    return [Group("Sets of classes", [table], "coverage and undecided samples")]


def confusion_figure(name: str, title: str, rows: pd.DataFrame, classes: Sequence[str]) -> Figure:
    """Return a figure of the table ``confusion``: true classes by predicted ones.

    A row is shaded by the shares of the samples of its true class.
    """
    wide = rows.pivot(index="true", columns="predicted", values="count")
    counts = wide.reindex(index=classes, columns=classes).fillna(0).to_numpy()
    shares = counts / counts.sum(axis=1, keepdims=True).clip(min=1)
    right = ", ".join(f"{shares[i, i]:.0%} of {label}" for i, label in enumerate(classes))
    texts = [list(map(_count_text, row)) for row in counts]
    return Figure(
        name=name,
        draw=draw_matrix,
        arguments={
            "values": shares,
            "rows": classes,
            "columns": [shorten(label, 18) for label in classes],
            "title": title,
            "texts": texts,
            "xlabel": "predicted",
            "ylabel": "true",
            "cell": (0.34, 0.24),
        },
        caption="",
        alt=f"Confusion matrix, {title}: right are {right}.",
    )


def _count_text(count: float) -> str:
    return f"{count:.0f}" if count else ""


def calibration_figure(name: str, bins: Mapping[str, pd.DataFrame], alt: str) -> Figure:
    """Return a figure of the bins of ``calibration``, by the label of the classifier."""
    arguments: dict[str, Any] = {"classifiers": list(bins)}
    for argument, column in _CALIBRATION_COLUMNS.items():
        arguments[argument] = [rows[column].to_numpy() for rows in bins.values()]
    return Figure(
        name=name,
        draw=draw_calibration,
        arguments=arguments,
        caption=_TEXTS["calibration"],
        alt=alt,
    )


def _comparison_group(results: StudyResults) -> list[Block]:
    """Return the tests between classifiers, after Demšar (2006); none where there is one."""
    pairs = results.tables["comparison"]
    pairs_within = pairs[pairs["dataset"] != ""]
    if pairs_within.empty:
        return []
    blocks: list[Block] = []
    if len(results.tables["averages"]):
        shown = ["classifier", "accuracy", "balanced_accuracy", "places", "wins"]
        blocks.append(results.tables.show("averages", _COMPARISON["averages"], shown))
    ranks = results.tables["ranks"]
    for folds, ranks_of_scheme in ranks.groupby("folds", sort=False):
        blocks += _blocks_over_data_sets(results, folds, ranks_of_scheme)
    if ranks.empty:
        blocks.append(Prose("Ranks over data sets need at least two data sets."))
    columns = ["dataset", "first", "second", "mean_difference", "lower", "upper", "corrected_t"]
    columns += ["corrected_t_holm", "sorted_runs", "sorted_runs_holm"]
    within = results.tables.show("comparison", _COMPARISON["within"], columns, pairs_within)
    blocks.append(Group("On each data set", [within], opened=ranks.empty))
    note = "whether they differ in accuracy by more than chance"
    return [Group("Comparison of classifiers", blocks, note)]


def _blocks_over_data_sets(
    results: StudyResults, folds: str, ranks: pd.DataFrame
) -> Iterator[Block]:
    """Yield the diagram and the tests of one scheme of folds."""
    n_datasets = int(ranks["datasets"].iloc[0])
    if len(ranks) >= _FEWEST_RANKED:
        yield _rank_diagram(results, folds, ranks)
    p_value = float(ranks["iman_davenport_p"].iloc[0])
    finding = "differ" if p_value < TEST_LEVEL else "do not differ significantly"
    text = (
        f"Over {n_datasets} data sets the classifiers {finding} "
        f"(Iman and Davenport’s test, {p_equals(p_value)})."
    )
    yield Prose(text, sources=results.tables.sources("ranks"))
    rows = results.rows("comparison", folds=folds, dataset="")
    columns = ["first", "second", "mean_difference", "standard_error", "nemenyi", "holm"]
    columns += ["wilcoxon"]
    yield results.tables.show("comparison", _COMPARISON["over"], columns, rows)


def _rank_diagram(results: StudyResults, folds: str, ranks: pd.DataFrame) -> Figure:
    """Return the critical-difference diagram, the best classifier first."""
    ordered = ranks.sort_values("average_rank", kind="stable")
    labels = [results.labels[name] for name in ordered["classifier"]]
    averages = ordered["average_rank"].tolist()
    n_datasets = int(ordered["datasets"].iloc[0])
    described = ", ".join(
        f"{label} {rank:.2f}" for label, rank in zip(labels, averages, strict=True)
    )
    return Figure(
        name=f"ranks-{folds}",
        draw=draw_ranks,
        arguments={
            "classifiers": labels,
            "ranks": averages,
            "bars": _bars(ordered["bars"].tolist()),
            "difference": float(ordered["critical_difference"].iloc[0]),
        },
        caption=_COMPARISON["ranks"].format(n=n_datasets),
        alt=f"Critical-difference diagram, average ranks: {described}.",
        sources=results.tables.sources("ranks"),
    )


def _bars(letters: list[str]) -> list[tuple[int, int]]:
    """Return the first and last position of each bar from the letters of the ranked classifiers.

    Examples
    --------
    >>> _bars(["a", "ab", "b", ""])
    [(0, 1), (1, 2)]
    """
    bars = []
    for letter in sorted(set("".join(letters))):
        positions = [i for i, of_classifier in enumerate(letters) if letter in of_classifier]
        bars.append((positions[0], positions[-1]))
    return bars
