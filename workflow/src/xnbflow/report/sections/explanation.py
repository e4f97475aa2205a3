"""Explanation: which feature speaks for which class, and how far to trust it (XNB paper, Fig. 1).

Selection over folds, distances per class pair, densities, stability, conditional dependence.
"""

import itertools

import numpy as np
import pandas as pd

from xnbflow.data.contract import Column
from xnbflow.data.counts import counted
from xnbflow.report.drawings.densities import draw_densities
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Block, Facts, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import COLOURS, shorten
from xnbflow.report.results import StudyResults

__all__ = ["section"]

#: In the table of stability: the union of all classes' features.
_ANY_CLASS = {"class": ""}
#: Features in a matrix.
MOST_ROWS = 30
#: Rows of the table of selected features.
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
        note = _note(results.rows("stability", dataset=dataset))
        blocks.append(Group(dataset, _dataset(results, dataset, group), note, i == 0))
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


def _note(stability: pd.DataFrame) -> str:
    per_class = stability.loc[stability["class"] != "", "mean_size"]
    low, high = f"{per_class.min():.1f}", f"{per_class.max():.1f}"
    return f"{low} features per class" if low == high else f"{low} to {high} features per class"


class _Run:
    """What one classifier selected on one data set, from the study's tables."""

    def __init__(self, results: StudyResults, key: dict[str, str], chosen: pd.DataFrame) -> None:
        self.results, self.key, self.chosen = results, key, chosen
        self.label = results.labels[key["classifier"]]
        self.name = "-".join(key.values())
        self.classes = results.rows("class_sizes", dataset=key["dataset"])["class"].to_numpy()
        self.distances = results.rows("class_distances", **key)
        far = self.distances.set_index(["class", "feature", "other_class"])["distance"]
        #: Mean distances by class, feature and other class.
        self.far: dict[tuple[str, str, str], float] = far.to_dict()
        self.pairs = results.rows("dependent_pairs", **key)
        self.truth = results.truth(key["dataset"])


def _dataset(results: StudyResults, dataset: str, selection: pd.DataFrame) -> list[Block]:
    """Return what is shown of one data set."""
    blocks: list[Block] = []
    runs = selection.groupby(["folds", "classifier"], sort=False)
    for (folds, classifier), chosen in runs:
        key = {"dataset": dataset, "folds": folds, "classifier": classifier}
        content = _classifier(_Run(results, key, chosen))
        title = results.labels[classifier]
        title = title if len(results.study.folds) == 1 else f"{title} ({folds})"
        blocks += content if len(runs) == 1 else [Group(title, content, opened=not blocks)]
    return blocks


def _classifier(run: _Run) -> list[Block]:
    """Return what is shown of one classifier on one data set."""
    sources = run.results.tables.sources
    tables = [_selected_table(run)]
    if len(run.pairs):
        tables.append(_pairs_table(run))
    return [
        Facts(_facts(run), sources("summary", "selection", "stability", "dependent_pairs")),
        _recognition(run),
        _matrices(run),
        Gallery(_densities(run), _density_caption(run), sources("densities", "values")),
        Group("As tables", tables, "selected features, distances, dependent pairs"),
    ]


def _recognition(run: _Run) -> Table:
    """Return how well each class is recognised, beside how much is selected for it."""
    recall = run.results.rows("recall", **run.key).set_index("class")
    stability = run.results.rows("stability", **run.key).set_index("class")
    stability = stability[["mean_size", "stability"]].reindex(recall.index)
    rows = recall.join(stability).reset_index()
    rows["recognised"] = np.select(
        [rows["recall"] == 0, rows["recognised"].astype(bool)],
        ["never", "yes"],
        "not more often than by chance",
    )
    accuracy = run.results.rows("summary", **run.key, metric="accuracy")
    baseline = accuracy["baseline"].iloc[0] if len(accuracy) else np.nan
    caption = (
        "How many samples of each class were recognised, with the 95 % interval, and how many "
        "features were selected for it: those of a class that is not recognised are unproven."
    )
    if pd.notna(baseline):
        caption += f" Always naming the largest class would be right in {baseline:.1%} of samples."
    columns = ["class", "samples", "recall", "lower", "upper", "mean_size", "stability"]
    columns += ["recognised", "taken_for", "taken"]
    return run.results.tables.show(
        ["recall", "stability"], caption, columns, rows, own={"stability": ".2f"}
    )


_MATRIX_CAPTION = (
    "Left: features by classes, shaded by the share of folds that select the feature for the class "
    "(in per cent where it is not all of them). Features with the same letter depend on one "
    "another given the class: naive Bayes counts what they say more than once. Right: "
    "distance of the two classes of a pair, known where the feature was selected for one of them."
)
_PLANTED = " A frame marks the class that the feature was planted for in this simulation."


def _density_caption(run: _Run) -> str:
    densities = run.results.rows("densities", **run.key)
    estimator, own = (densities[column].iloc[0] for column in ("estimator", "own"))
    whose = (
        f"as {run.label} estimates it ({estimator})"
        if own
        else f"by {estimator}, for the picture only: {run.label} estimates none of single features"
    )
    text = (
        f"The features selected most often, with the density of each class {whose}, from all "
        "samples. The strong curves, marked ● below, belong to the classes that the feature was "
        "selected for (of more than six classes, only that of the class that it separates best "
        "is drawn strong); the ticks are the samples"
    )
    numbers = "; the numbers on the right are distances from the class without a number."
    return text + (numbers if len(run.distances) else ".")


def _rows(chosen: pd.DataFrame, classes: np.ndarray) -> list[str]:
    """Return the features of the matrix: the most frequent ones, class after class."""
    best = chosen.sort_values(["frequency", "mean_rank"], ascending=[False, True], kind="stable")
    best = best.drop_duplicates("feature").head(MOST_ROWS)
    code = pd.Categorical(best["class"], categories=classes).codes
    order = np.lexsort((best["mean_rank"], -best["frequency"], code))
    return best["feature"].iloc[order].tolist()


def _facts(run: _Run) -> dict[str, str]:
    results, chosen = run.results, run.chosen
    always = chosen.loc[chosen["frequency"] >= 1, "feature"].unique()
    stability = results.rows("stability", **run.key, **_ANY_CLASS)
    summary = results.rows("summary", **run.key).set_index("metric")
    means = summary["mean"]
    facts = {
        "Classifier": run.label,
        "Right": f"{means.get('accuracy', np.nan):.1%}",
        "Always the largest class": f"{summary['baseline'].get('accuracy', np.nan):.1%}",
        "Features per class": f"{means.get('features_per_class', np.nan):.1f}",
        "Features in all, per fold": f"{means.get('features', np.nan):.1f}",
        "Distinct over all folds": f"{len(chosen['feature'].unique()):,}",
        "In every fold": f"{len(always):,}",
    }
    if len(stability) and pd.notna(stability["stability"].iloc[0]):
        row = stability.iloc[0]
        facts["Stability"] = f"{row['stability']:.2f} [{row['lower']:.2f}, {row['upper']:.2f}]"
    diagnosed = results.rows("diagnostics", dataset=run.key["dataset"])
    if len(diagnosed):
        cut = diagnosed["cut"].iloc[0]
        facts["Dependent pairs among them"] = f"{len(run.pairs):,} (|r| > {cut:.2f})"
    return facts


def _matrices(run: _Run) -> Gallery:
    """Return which features serve which class, beside how far apart they keep the classes."""
    features = _rows(run.chosen, run.classes)
    figures = [_matrix(run, features)]
    if len(run.distances):
        figures.append(_distance_matrix(run, features))
    caption = _MATRIX_CAPTION + ("" if run.truth is None else _PLANTED)
    sources = run.results.tables.sources("selection", "class_distances")
    return Gallery(figures, caption, sources)


def _matrix(run: _Run, features: list[str]) -> Figure:
    """Return the class x feature matrix of selection frequencies."""
    classes, truth = run.classes, run.truth
    profiles = run.results.rows("profiles", **run.key)
    marks = dict(zip(profiles["feature"], profiles["dependence_group"], strict=True))
    wide = run.chosen.set_index(["feature", "class"])["frequency"].unstack()
    values = wide.reindex(index=features, columns=classes).to_numpy()
    texts = [["" if np.isnan(v) or v >= 1 else f"{100 * v:.0f}" for v in row] for row in values]
    planted = {} if truth is None else truth.dropna(subset="class").set_index("feature")["class"]
    places = {label: j for j, label in enumerate(classes)}
    outlined = [(i, places[planted[f]]) for i, f in enumerate(features) if f in planted]
    served = {c: np.count_nonzero(values[:, j] > 0) for j, c in enumerate(classes)}
    return Figure(
        f"selected-{run.name}",
        draw_matrix,
        {
            "values": values,
            "rows": features,
            "columns": [shorten(label, 18) for label in classes],
            "title": f"{run.label}: selected for",
            "texts": texts,
            "marks": [marks.get(feature, "") for feature in features],
            "outlined": outlined,
        },
        "",
        "Matrix of features by classes; features per class: "
        + ", ".join(f"{c} {n}" for c, n in served.items()),
    )


def _distance_matrix(run: _Run, features: list[str]) -> Figure:
    """Return the matrix of features by class pairs."""
    pairs = list(itertools.combinations(run.classes, 2))
    either = {(b, f, a): distance for (a, f, b), distance in run.far.items()} | run.far
    values = np.array([[either.get((a, f, b), np.nan) for a, b in pairs] for f in features])
    if len(pairs) > MOST_PAIRS:
        nearest = np.argsort(np.nan_to_num(values).max(axis=0), kind="stable")[:MOST_PAIRS]
        values, pairs = values[:, nearest], [pairs[i] for i in nearest]
    texts = [["" if np.isnan(v) else f"{v:.2f}".removeprefix("0") for v in row] for row in values]
    return Figure(
        f"distances-{run.name}",
        draw_matrix,
        {
            "values": values,
            "rows": features,
            "columns": [f"{shorten(first, 11)} – {shorten(second, 11)}" for first, second in pairs],
            "title": f"{run.label}: distance of classes",
            "texts": texts if len(pairs) <= MOST_WRITTEN else None,
            "colour": COLOURS[2],
            "cell": (max(0.16, min(0.34, 4.5 / len(pairs))), 0.2),
        },
        "",
        f"Matrix of features by {counted(len(pairs), 'pair')} of classes, shaded by distance.",
    )


def _selected_table(run: _Run) -> Table:
    rows = run.chosen.sort_values("frequency", ascending=False, kind="stable").head(MOST_SELECTED)
    keys = list(zip(rows["class"], rows["feature"], strict=True))
    profiles = run.results.rows("profiles", **run.key).set_index(["class", "feature"])
    rows = rows.assign(direction=profiles["direction"].reindex(keys).to_numpy())
    distances = {f"to {other}": [run.far.get((*key, other), np.nan) for key in keys]
                 for other in run.classes}  # fmt: skip
    left_out = len(run.chosen) - len(rows)
    rest = f" {left_out:,} rarer ones are in selection.tsv." if left_out else ""
    caption = (
        f"Features selected by {run.label}, whether the class is high or low in them against all "
        "others (by the medians), and their distances from each other class, as means over the "
        f"folds that selected them.{rest}"
    )
    columns = ["feature", "class", "direction", "frequency", "mean_rank", "mean_distance"]
    return run.results.tables.show(
        ["selection", "profiles", "class_distances"],
        caption,
        [*columns, *distances],
        rows.assign(**distances),
        own={"class": Column("text", label="for class"), **dict.fromkeys(distances, ".2f")},
    )


def _pairs_table(run: _Run) -> Table:
    caption = (
        "Selected features that depend on one another given the class: r over all samples, class "
        "means subtracted, strongest first."
    )
    columns = ["feature", "other", "r"]
    rows = run.pairs.head(MOST_SELECTED)
    return run.results.tables.show("dependent_pairs", caption, columns, rows)


def _stability_figure(results: StudyResults) -> Figure:
    table = results.rows("stability", **_ANY_CLASS).set_index(["dataset", "folds"])
    rows = [place for place in results.places if place in table.index]
    groups = []
    for style, name in enumerate(results.study.classifiers):
        mine = table[table["classifier"] == name]
        if len(mine):
            mine = mine[["stability", "lower", "upper"]].reindex(rows)
            median, lower, upper = mine.T.to_numpy().tolist()
            groups.append(Points(results.labels[name], median, lower, upper, style))
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
        results.tables.sources("stability"),
    )


def _stability_table(results: StudyResults) -> Table:
    table = results.tables["stability"]
    caption = (
        "Stability index with its 95 % interval, and the mean number of features, per class. "
        "Missing where it is not defined: a class for which nothing, or everything, was selected."
    )
    columns = ["dataset", "classifier", "class", "stability", "lower", "upper", "mean_size"]
    rows = table.assign(**{"class": table["class"].replace("", "any")})
    return results.tables.show("stability", caption, columns, rows)


def _recovery(results: StudyResults) -> list[Block]:
    if results.tables["recovery"].empty:
        return []
    caption = (
        "Recovery of planted markers in simulated data, as means over folds. Most markers are weak "
        "and easily met by chance, which has the share among all. Weaker than selected: of each "
        "selected feature the share of markers with a smaller effect; near 1 the strongest are "
        "found. A selection that stops when the classes are told apart leaves most out, which is "
        "no mistake."
    )
    columns = ["dataset", "classifier", "planted", "by_chance", "precision", "strength", "recall"]
    return [results.tables.show("recovery", caption, columns)]


def _densities(run: _Run) -> list[Figure]:
    """Return a figure per feature: densities of all classes, samples as rugs, distances."""
    densities = run.results.rows("densities", **run.key)
    values = run.results.rows("values", **run.key)
    figures = []
    for i, name in enumerate(densities["feature"].unique(), start=1):
        curves = densities[densities["feature"] == name]
        classes = curves["class"].unique()
        by_class = [curves[curves["class"] == label] for label in classes]
        rug = values[values["feature"] == name]
        chosen = run.chosen[run.chosen["feature"] == name]
        chosen = chosen.sort_values(["frequency", "mean_distance"], ascending=False)
        focus = chosen["class"].iloc[0]
        far = [run.far.get((focus, name, other)) for other in classes]
        arguments = {
            "feature": name,
            "grid": by_class[0]["x"].to_numpy(),
            "densities": np.array([curve["density"] for curve in by_class]),
            "samples": [rug.loc[rug["class"] == label, "value"].to_numpy() for label in classes],
            "classes": classes.tolist(),
            "chosen": np.flatnonzero(np.isin(classes, chosen["class"])).tolist(),
            "focus": classes.tolist().index(focus),
            "notes": ["" if distance is None else f"{distance:.2f}" for distance in far],
        }
        served = ", ".join(dict.fromkeys(chosen["class"]))
        alt = f"Densities of {name} in {len(classes)} classes; selected for {served}."
        figures.append(Figure(f"density-{run.name}-{i:02d}", draw_densities, arguments, "", alt))
    return figures
