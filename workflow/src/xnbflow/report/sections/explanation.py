"""Explanation: which feature speaks for which class, and how far to trust it (XNB paper, Fig. 1).

Selection over folds, distances per class pair, densities, stability, conditional dependence.
"""

import itertools

import numpy as np
import pandas as pd

from xnbflow.report.densities import density_figures, telling_features
from xnbflow.report.dependence import dependent_groups, dependent_pairs
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Facts, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import COLOURS, shorten
from xnbflow.report.results import StudyResults

__all__ = ["section"]

#: Features in a matrix, and densities of a data set: per class, and in all.
MOST_ROWS = 30
DENSITIES_PER_CLASS = 4
MOST_DENSITIES = 12
#: Rows of the table of selected features, and features looked at for dependence.
MOST_SELECTED = 200
#: Columns of the matrix of distances: all pairs of up to nine classes; and of one with numbers.
MOST_PAIRS = 36
MOST_WRITTEN = 6


def section(results: StudyResults) -> Section | None:
    """Return what was selected for each class; None where no classifier of the study selects."""
    selection = results.tables["selection"]
    if selection.empty:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ), _stability_figure(results)]
    blocks += _recovery(results)
    stability = _stability_table(results)
    blocks.append(Group("Stability of each class’s features", [stability]))
    chosen = [d for d in results.study.datasets if (selection["dataset"] == d).any()]
    for i, dataset in enumerate(chosen):
        group = selection[selection["dataset"] == dataset]
        blocks.append(Group(dataset, _dataset(results, dataset, group), _note(group), i == 0))
    return Section(
        "explanation",
        "Explanation",
        "Which features speak for which class: trust those that nearly every fold selects, and "
        "that are far apart from the other classes.",
        blocks,
    )


_HOW_TO_READ = (
    "A class-specific classifier chooses for each class the features that set it apart, anew in "
    "every fold. The share of folds that choose a feature says how much the choice depends on the "
    "samples at hand; the distance (Hellinger’s, unless configured otherwise) says how far two "
    "classes are apart in it, from 0 (the same density) to 1 (no overlap)."
)


def _note(selection: pd.DataFrame) -> str:
    per_class = selection.groupby(["folds", "classifier", "class"], sort=False)["frequency"].sum()
    low, high = f"{per_class.min():.1f}", f"{per_class.max():.1f}"
    return f"{low} features per class" if low == high else f"{low} to {high} features per class"


def _dataset(results: StudyResults, dataset: str, selection: pd.DataFrame) -> list[Block]:
    """Return what is shown of one data set."""
    series, truth = results.series(dataset), results.truth(dataset)
    cut = _cut(results, dataset)
    distances: dict[tuple[str, str, str], float] = {}
    blocks: list[Block] = []
    runs = selection.groupby(["folds", "classifier"], sort=False)
    for (folds, classifier), chosen in runs:
        mine = _distances(results, dataset, folds, classifier)
        distances = mine | distances
        told = chosen["feature"].drop_duplicates().head(MOST_SELECTED).tolist()
        pairs = _NO_PAIRS if cut is None else dependent_pairs(series, told, cut)
        content = [
            Facts(_facts(results, chosen, len(pairs), cut)),
            _matrices(results, chosen, series.classes, mine, pairs, truth),
            _tables(results, chosen, series.classes, mine, pairs),
        ]
        title = results.labels[classifier]
        title = title if len(results.study.folds) == 1 else f"{title} ({folds})"
        blocks += content if len(runs) == 1 else [Group(title, content, opened=not blocks)]
    shown = telling_features(selection, DENSITIES_PER_CLASS, MOST_DENSITIES)
    params = results.params(selection["classifier"].iloc[0])
    figures = density_figures(series, shown, selection, distances, params)
    return [*blocks, Gallery(figures, _DENSITY_CAPTION)]


_NO_PAIRS = pd.DataFrame(columns=["feature", "other", "r"])
_MATRIX_CAPTION = (
    "Left: features by classes, shaded by the share of folds that select the feature for the class "
    "(in per cent where it is not all of them). Features with the same letter depend on one "
    "another given the class: naive Bayes counts what they say more than once. Right: "
    "distance of the two classes of a pair, known where the feature was selected for one of them."
)
_PLANTED = " A frame marks the class that the feature was planted for in this simulation."
_DENSITY_CAPTION = (
    "The features selected most often, with the density of each class as XNB estimates it. The "
    "strong curves, marked ● below, belong to the classes that the feature was selected for (of "
    "more than six classes, only that of the class that it tells most about is drawn strong); the "
    "ticks are the samples; the numbers on the right are distances from the class "
    "without a number."
)


def _cut(results: StudyResults, dataset: str) -> float | None:
    """Return the |r| above which features of a data set are dependent; None without diagnostics."""
    table = results.rows("diagnostics", dataset=dataset)
    return float(table["cut"].iloc[0]) if len(table) else None


def _distances(
    results: StudyResults, dataset: str, folds: str, classifier: str
) -> dict[tuple[str, str, str], float]:
    """Return mean distances over folds by class, feature and other class."""
    table = results.training(dataset, folds, classifier, "distances")
    means = table.groupby(["class", "feature", "other_class"], sort=False)["distance"].mean()
    return means.to_dict()


def _rows(chosen: pd.DataFrame, classes: np.ndarray) -> list[str]:
    """Return the features of the matrix: the most frequent ones, class after class."""
    best = chosen.sort_values(["frequency", "mean_rank"], ascending=[False, True], kind="stable")
    best = best.drop_duplicates("feature").head(MOST_ROWS)
    code = pd.Categorical(best["class"], categories=classes).codes
    order = np.lexsort((best["mean_rank"], -best["frequency"], code))
    return best["feature"].iloc[order].tolist()


#: In the table of stability: the union of all classes' features.
_ANY_CLASS = {"class": ""}


def _facts(
    results: StudyResults, chosen: pd.DataFrame, n_pairs: int, cut: float | None
) -> dict[str, str]:
    key = chosen.iloc[0]
    where = {"dataset": key.dataset, "folds": key.folds, "classifier": key.classifier}
    stability = results.rows("stability", **where, **_ANY_CLASS)
    means = results.rows("summary", **where).set_index("metric")["mean"]
    always = chosen.groupby("feature")["frequency"].max() >= 1
    facts = {
        "Classifier": results.labels[key.classifier],
        "Features per class": f"{means.get('features_per_class', np.nan):.1f}",
        "Features in all, per fold": f"{means.get('features', np.nan):.1f}",
        "Distinct over all folds": f"{len(always):,}",
        "In every fold": f"{int(always.sum()):,}",
    }
    if len(stability) and pd.notna(stability["stability"].iloc[0]):
        row = stability.iloc[0]
        facts["Stability"] = f"{row['stability']:.2f} [{row['lower']:.2f}, {row['upper']:.2f}]"
    if cut is not None:
        facts["Dependent pairs among them"] = f"{n_pairs:,} (|r| > {cut:.2f})"
    return facts


def _matrices(
    results: StudyResults,
    chosen: pd.DataFrame,
    classes: np.ndarray,
    distances: dict[tuple[str, str, str], float],
    pairs: pd.DataFrame,
    truth: pd.DataFrame | None,
) -> Gallery:
    """Return which features serve which class, beside how far apart they keep the classes."""
    key = chosen.iloc[0]
    name = f"{key.dataset}-{key.folds}-{key.classifier}"
    label, features = results.labels[key.classifier], _rows(chosen, classes)
    figures = [_matrix(name, label, chosen, features, classes, pairs, truth)]
    if distances:
        figures.append(_distance_matrix(name, label, features, classes, distances))
    return Gallery(figures, _MATRIX_CAPTION + ("" if truth is None else _PLANTED))


def _tables(
    results: StudyResults,
    chosen: pd.DataFrame,
    classes: np.ndarray,
    distances: dict[tuple[str, str, str], float],
    pairs: pd.DataFrame,
) -> Group:
    label = results.labels[chosen["classifier"].iloc[0]]
    tables = [_selected_table(label, chosen, distances, classes)]
    if len(pairs):
        tables.append(_pairs_table(pairs))
    return Group("As tables", tables, "selected features, distances, dependent pairs")


def _matrix(
    name: str,
    label: str,
    chosen: pd.DataFrame,
    features: list[str],
    classes: np.ndarray,
    pairs: pd.DataFrame,
    truth: pd.DataFrame | None,
) -> Figure:
    """Return the class x feature matrix of selection frequencies."""
    wide = chosen.pivot_table(index="feature", columns="class", values="frequency")
    values = wide.reindex(index=features, columns=classes).to_numpy()
    texts = [["" if np.isnan(v) or v >= 1 else f"{100 * v:.0f}" for v in row] for row in values]
    planted = {} if truth is None else truth.dropna(subset="class").set_index("feature")["class"]
    places = {label: j for j, label in enumerate(classes)}
    outlined = [(i, places[planted[f]]) for i, f in enumerate(features) if f in planted]
    served = {c: int(np.nansum(values[:, j] > 0)) for j, c in enumerate(classes)}
    return Figure(
        f"selected-{name}",
        draw_matrix,
        {
            "values": values,
            "rows": features,
            "columns": [shorten(label, 18) for label in classes],
            "title": f"{label}: selected for",
            "texts": texts,
            "marks": dependent_groups(pairs, features),
            "outlined": outlined,
        },
        "",
        "Matrix of features by classes; features per class: "
        + ", ".join(f"{c} {n}" for c, n in served.items()),
    )


def _distance_matrix(
    name: str,
    label: str,
    features: list[str],
    classes: np.ndarray,
    distances: dict[tuple[str, str, str], float],
) -> Figure:
    """Return the matrix of features by class pairs."""
    pairs = list(itertools.combinations(classes, 2))
    values = np.array([[_of_pair(distances, f, *pair) for pair in pairs] for f in features])
    if len(pairs) > MOST_PAIRS:
        nearest = np.argsort(np.nan_to_num(values).max(axis=0), kind="stable")[:MOST_PAIRS]
        values, pairs = values[:, nearest], [pairs[i] for i in nearest]
    return Figure(
        f"distances-{name}",
        draw_matrix,
        {
            "values": values,
            "rows": features,
            "columns": [f"{shorten(first, 11)} – {shorten(second, 11)}" for first, second in pairs],
            "title": f"{label}: distance of classes",
            "texts": _cells(values) if len(pairs) <= MOST_WRITTEN else None,
            "colour": COLOURS[2],
            "cell": (max(0.16, min(0.34, 4.5 / len(pairs))), 0.2),
        },
        "",
        f"Matrix of features by {len(pairs)} pairs of classes, shaded by distance.",
    )


def _cells(values: np.ndarray) -> list[list[str]]:
    return [["" if np.isnan(v) else f"{v:.2f}".removeprefix("0") for v in row] for row in values]


def _of_pair(
    distances: dict[tuple[str, str, str], float], feature: str, first: str, second: str
) -> float:
    for key in ((first, feature, second), (second, feature, first)):
        if key in distances:
            return distances[key]
    return np.nan


def _selected_table(
    label: str,
    chosen: pd.DataFrame,
    distances: dict[tuple[str, str, str], float],
    classes: np.ndarray,
) -> Table:
    rows = chosen.sort_values("frequency", ascending=False, kind="stable").head(MOST_SELECTED)
    frame = rows[["feature", "class", "frequency", "mean_rank", "mean_distance"]]
    columns = ["feature", "for class", "share of folds", "mean rank", "greatest distance"]
    frame = frame.set_axis(columns, axis=1).reset_index(drop=True)
    keys = list(zip(frame["feature"], frame["for class"], strict=True))
    for other in classes:
        frame[f"to {other}"] = [distances.get((c, f, other), np.nan) for f, c in keys]
    formats = dict.fromkeys(frame.columns[2:], ".2f") | {"mean rank": ".1f"}
    left_out = len(chosen) - len(frame)
    rest = f" {left_out:,} rarer ones are in selection.tsv." if left_out else ""
    caption = (
        f"Features selected by {label}, with their distances from each other class, as means over "
        f"the folds that selected them.{rest}"
    )
    return Table(frame, caption, formats)


def _pairs_table(pairs: pd.DataFrame) -> Table:
    frame = pairs.head(MOST_SELECTED).rename(columns={"other": "depends on"})
    caption = (
        "Selected features that depend on one another given the class: r over all samples, class "
        "means subtracted, strongest first."
    )
    return Table(frame, caption, {"r": ".3f"})


def _stability_figure(results: StudyResults) -> Figure:
    table = results.rows("stability", **_ANY_CLASS).set_index(["dataset", "folds"])
    rows = [place for place in results.places if place in table.index]
    groups = []
    for style, name in enumerate(results.study.classifiers):
        mine = table[table["classifier"] == name]
        if len(mine):
            mine = mine[["stability", "lower", "upper"]].reindex(rows)
            groups.append(Points(results.labels[name], *mine.T.to_numpy().tolist(), style))
    return Figure(
        "stability",
        draw_points,
        {
            "rows": [results.places[row] for row in rows],
            "groups": groups,
            "xlabel": "stability of the selected features",
        },
        "Nogueira’s stability index of the features selected for any class, with its 95 % "
        "interval: 1 if every fold selects the same, about 0 if they are as alike as random sets. "
        "Below 0.4 is poor, above 0.75 excellent. Folds share training samples, so the intervals "
        "are too narrow rather than too wide.",
        "Points with intervals: stability index per data set and classifier.",
    )


def _stability_table(results: StudyResults) -> Table:
    table = results.tables["stability"]
    frame = pd.DataFrame(
        {
            "data set": [
                results.place(*key) for key in zip(table["dataset"], table["folds"], strict=True)
            ],
            "classifier": table["classifier"].map(results.labels),
            "class": table["class"].replace("", "any"),
            "stability": table["stability"],
            "lower": table["lower"],
            "upper": table["upper"],
            "features": table["mean_size"],
        }
    )
    formats = dict.fromkeys(["stability", "lower", "upper"], ".3f") | {"features": ".1f"}
    caption = (
        "Stability index with its 95 % interval, and the mean number of features, per class. "
        "Missing where it is not defined: a class for which nothing, or everything, was selected."
    )
    return Table(frame, caption, formats)


def _recovery(results: StudyResults) -> list[Block]:
    table = results.tables["recovery"]
    if table.empty:
        return []
    frame = pd.DataFrame(
        {
            "data set": [
                results.place(*key) for key in zip(table["dataset"], table["folds"], strict=True)
            ],
            "classifier": table["classifier"].map(results.labels),
            "planted markers": table["planted"],
            "selected that are planted": table["precision"],
            "planted that are selected": table["recall"],
        }
    )
    formats = dict.fromkeys(frame.columns[3:], ".3f")
    caption = (
        "Recovery of planted markers in simulated data, as means over folds. A selection that "
        "stops when the classes are told apart leaves most markers out: a small second share is no "
        "mistake, a small first one is."
    )
    return [Table(frame, caption, formats)]
