"""Signatures: accuracy of each classifier by number of features, and the chosen numbers."""

import pandas as pd

from xnbflow.papers.common.classifier_titles import CSNB, XNB_PUBLISHED
from xnbflow.papers.signatures import LASSO, PAM
from xnbflow.papers.signatures.entries import ANALYSIS
from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section
from xnbflow.report.results import StudyResults

#: The methods with a curve, in the order of the legend.
_METHODS = (CSNB, XNB_PUBLISHED, PAM, LASSO)
#: The columns of a curve with a figure, and their names.
_MEASURES = {
    "accuracy": "Accuracy",
    "balanced_accuracy": "Balanced accuracy",
    "log_loss": "Log loss",
}
#: The method that chooses the number of features by cross-validation: the ring in a figure.
_CROSS_VALIDATED = "csnb_cv"
#: The methods of the study that use all features: horizontal lines in a figure.
_ALL_FEATURES = ("gaussian_nb", "sklearn.svm.LinearSVC", "sklearn.ensemble.RandomForestClassifier")
#: Columns of the table ``curves`` that a page shows.
_POINT_COLUMNS = (
    "dataset",
    "method",
    "parameter",
    "value",
    "features_per_class",
    "accuracy",
    "balanced_accuracy",
    "log_loss",
)
#: The captions of the tables of best points and of chosen numbers, and of the figures.
_BEST_CAPTION = (
    "The most accurate point of each curve, with the fewest features among equals. It is chosen "
    "by the test samples and optimistic, more so with more points."
)
_CHOSEN_CAPTION = (
    "ClassSpecificNBCV in the folds: features per pair of classes of its core set (least, median, "
    "most), the median temperature at that size, and the mean number of features per class of its "
    "average over sizes, which predicts."
)
_HOW_TO_READ = (
    "Each point of a curve is one classifier with one value of the parameter for the number of "
    "features, fitted in every fold; no choice uses the test samples. ClassSpecificNB's evidence "
    "is calibrated as ClassSpecificNBCV does it. The best point of a curve is chosen by the test "
    "samples and is optimistic. The ring, ClassSpecificNBCV, is the performance with a choice "
    "from the training samples alone."
)
_CAPTIONS = {
    "accuracy": (
        "Share of right predictions. Points without any feature are left out, since the axis is "
        "logarithmic. Grey lines: classifiers of this study that use all features."
    ),
    "balanced_accuracy": "Mean recall over classes, from the predictions of all folds together.",
    "log_loss": "Mean negative log probability of the true class; lower is better.",
}


def section(results: StudyResults) -> Section | None:
    """Return the curves of every data set; None where the analysis had none."""
    tables = results.analysis(ANALYSIS)
    curves = tables["curves"]
    if curves.empty:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ)]
    for measure, name in _MEASURES.items():
        figures = [
            _figure(results, measure, dataset, rows)
            for dataset, rows in curves.groupby("dataset", sort=False)
        ]
        sources = [*tables.sources("curves"), *results.tables.sources("summary")]
        gallery = Gallery(figures, _CAPTIONS[measure], sources)
        blocks.append(Group(name, [gallery], "against features per class", measure == "accuracy"))
    blocks += [
        tables.show("curves", _BEST_CAPTION, _POINT_COLUMNS, best_points(curves)),
        tables.show("chosen", _CHOSEN_CAPTION),
        Group("All points", [tables.show("curves", "Every point of every curve.", _POINT_COLUMNS)]),
    ]
    repeats = int(curves["repeats"].max())
    folds = int(curves["folds"].max())
    return Section(
        "signatures",
        "Accuracy against the number of features",
        f"Performance of each classifier by number of features per class, over {repeats} times "
        f"{folds} folds, and the number chosen by cross-validation within the training samples.",
        blocks,
    )


def _figure(results: StudyResults, measure: str, dataset: str, rows: pd.DataFrame) -> Figure:
    """Return the figure of one measure in one data set.

    It has a curve for each method, a ring at the number of features that cross-validation chooses,
    and a horizontal line for each classifier that uses all features.
    """
    # The axis of features is logarithmic, so that a point without features has no place on it.
    drawn = rows[(rows["features_per_class"] > 0) & rows[measure].notna()]
    curves = dict(iter(drawn.sort_values("features_per_class").groupby("method")))
    lines = []
    for name in _METHODS:
        if name in curves:
            curve = curves[name]
            features = curve["features_per_class"].to_numpy()
            lines.append(NamedLine(name, features, curve[measure].to_numpy()))
    ends = "; ".join(f"{line.label} {line.y.min():.2f} to {line.y.max():.2f}" for line in lines)
    name = _MEASURES[measure]
    return Figure(
        f"signature-{measure.replace('_', '-')}-{dataset}",
        draw_lines,
        arguments={
            "lines": lines,
            "xlabel": "features per class",
            "ylabel": name.lower(),
            "title": f"{dataset}: {int(rows['samples'].iloc[0])} samples, "
            f"{int(rows['classes'].iloc[0])} classes",
            "ring": chosen_point(results, dataset, measure),
            "levels": levels_of_all_features(results, dataset, measure),
        },
        caption="",
        alt=f"{name} against features per class: {ends}.",
    )


def _method(results: StudyResults, classifier: str) -> str:
    """Return the method of a classifier of the study, or of the last step of a pipeline."""
    entry = results.configuration.get("classifiers", {}).get(classifier, {})
    while "steps" in entry:
        entry = entry["steps"][-1]
    return entry.get("method", "")


def mean_metric(results: StudyResults, dataset: str, classifier: str, metric: str) -> float | None:
    """Return a metric of a classifier on the study's first scheme of folds, if it was fitted."""
    first_scheme = results.study.folds[0] if results.study.folds else ""
    rows = results.rows(
        "summary",
        dataset=dataset,
        classifier=classifier,
        metric=metric,
        folds=first_scheme,
        folds_failed=0,
    )
    rows = rows.dropna(subset=["mean"])
    return float(rows["mean"].iloc[0]) if len(rows) else None


def chosen_point(
    results: StudyResults, dataset: str, measure: str
) -> tuple[str, float, float] | None:
    """Return the ring: label, features per class and measure of the cross-validated classifier."""
    for classifier in results.study.classifiers:
        if _method(results, classifier) == _CROSS_VALIDATED:
            features = mean_metric(results, dataset, classifier, "features_per_class")
            value = mean_metric(results, dataset, classifier, measure)
            if features and value is not None:
                return results.labels[classifier], features, value
    return None


def levels_of_all_features(
    results: StudyResults, dataset: str, measure: str
) -> list[tuple[str, float]]:
    """Return the horizontal lines: label and measure of each classifier that uses all features."""
    # The log loss of naive Bayes on thousands of features is out of scale.
    if measure == "log_loss":
        return []
    levels = []
    for classifier in results.study.classifiers:
        if _method(results, classifier) in _ALL_FEATURES:
            value = mean_metric(results, dataset, classifier, measure)
            if value is not None:
                levels.append((results.labels[classifier], value))
    return levels


def best_points(curves: pd.DataFrame) -> pd.DataFrame:
    """Return the most accurate point of each curve, with the fewest features among equals."""
    ranked = curves.sort_values(
        ["accuracy", "features_per_class"], ascending=[False, True], kind="stable"
    )
    best = ranked.drop_duplicates(["dataset", "method"])
    # Data sets in the order of the table, methods in that of the legend.
    order = {
        "dataset": {name: i for i, name in enumerate(curves["dataset"].unique())},
        "method": {name: i for i, name in enumerate(_METHODS)},
    }
    return best.sort_values(
        ["dataset", "method"], key=lambda column: column.map(order[column.name])
    )
