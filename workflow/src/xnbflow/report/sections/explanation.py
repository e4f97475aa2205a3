"""Explanation: the features selected for each class, their stability (XNB paper, Fig. 1)."""

import numpy as np
import pandas as pd

from xnbflow.report.drawings.densities import draw_densities
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.rows import draw_points
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults
from xnbflow.report.sections.accuracy import points
from xnbflow.tables.contract import Column

#: Features in a matrix.
MOST_ROWS = 30
#: Rows of the table of selected features.
MOST_SELECTED = 200

_HOW_TO_READ = (
    "A class-specific classifier selects for each class the features that separate it from the "
    "others, anew in every fold. The share of folds that select a feature shows how much the "
    "selection depends on the samples; the distance of two classes in it (Hellinger’s, unless "
    "configured otherwise) goes from 0 (the same density) to 1 (no overlap)."
)


def section(results: StudyResults) -> Section | None:
    """Return the features selected for each class; None if no classifier of the study selects."""
    if results.tables["selection"].empty:
        return None
    blocks: list[Block] = [Prose(_HOW_TO_READ, "help"), _stability(results)]
    if len(results.tables["recovery"]):
        columns = ["dataset", "classifier", "planted", "by_chance", "precision", "strength"]
        blocks.append(results.tables.show("recovery", _RECOVERY, [*columns, "recall"]))
    for dataset in results.study.datasets:
        chosen_in_folds = results.rows("selection", dataset=dataset)
        runs = chosen_in_folds.groupby(["folds", "classifier"], sort=False)
        content: list[Block] = []
        first = results.tables["headline"]["classifier"].iloc[0]
        chosen_here = first if first in {name for (_, name), _ in runs} else ""
        for (folds, classifier), chosen in runs:
            key = {"dataset": dataset, "folds": folds, "classifier": classifier}
            parts = _classifier(results, key, chosen)
            title = results.place(results.labels[classifier], folds)
            opened = classifier == chosen_here or not (chosen_here or content)
            content += parts if len(runs) == 1 else [Group(title, parts, opened=opened)]
        if content:
            blocks.append(Group(dataset, content, opened=len(blocks) < 4))
    return Section(
        "explanation",
        "Explanation",
        "Features with evidence for each class: the most reliable ones are selected in nearly "
        "every fold and separate the classes well.",
        blocks,
    )


_RECOVERY = (
    "Recovery of planted markers in simulated data, as means over folds. A selection that stops "
    "when the classes are separated leaves most markers out, which is no mistake; “weaker than "
    "selected” is near 1 where the strongest are found."
)


def _stability(results: StudyResults) -> Figure:
    table = results.rows("stability", **{"class": ""})
    return Figure(
        "stability",
        draw_points,
        {
            "rows": list(results.places.values()),
            "groups": points(results, table, "stability"),
            "xlabel": "agreement between folds",
        },
        "Agreement between folds on the features selected for any class: Nogueira’s stability "
        "index with its 95% interval, 1 if every fold selects the same and about 0 for random "
        "sets. Folds share training samples: other samples would agree less, see the stability of "
        "disjoint halves.",
        "Points with intervals: stability index per data set and classifier.",
        results.tables.sources("stability"),
    )


def _classifier(results: StudyResults, key: dict[str, str], chosen: pd.DataFrame) -> list[Block]:
    """Return the blocks on one classifier and one data set."""
    label, sources = results.labels[key["classifier"]], results.tables.sources
    tables = [_selected_table(results, key, chosen)]
    pairs = results.rows("dependent_pairs", **key).head(MOST_SELECTED)
    if len(pairs):
        caption = "Selected features that depend on one another given the class, strongest first."
        columns = ["feature", "other", "r"]
        tables.append(results.tables.show("dependent_pairs", caption, columns, pairs))
    best = chosen.sort_values(["frequency", "mean_rank"], ascending=[False, True], kind="stable")
    best = best.drop_duplicates("feature").head(MOST_ROWS)
    classes = results.rows("class_sizes", dataset=key["dataset"])["class"].tolist()
    code = pd.Categorical(best["class"], categories=classes).codes
    order = np.lexsort((best["mean_rank"], -best["frequency"], code))
    features = best["feature"].iloc[order].tolist()
    curves = results.rows("densities", **key)
    estimator = f"as {label} estimates it" if curves["own"].all() else "for the picture only"
    densities = (
        f"The features selected most often, with the density of each class {estimator} "
        f"({', '.join(curves['estimator'].unique())}), from all samples. ● marks the classes that "
        "the feature is selected for, drawn with a strong line (of more than six classes only the "
        "one that it separates best); ticks are samples, and numbers are distances from the class "
        "without a number."
    )
    return [
        _matrix(results, key, chosen, features, classes),
        Gallery(_densities(results, key, chosen), densities, sources("densities", "values")),
        Group("As tables", tables, "selected features, distances, dependent pairs"),
    ]


_SHARES = (
    "Shaded by the share of folds that select the feature for the class (in per cent where it is "
    "not all of them). Features with the same letter depend on one another given the class, so "
    "that naive Bayes counts their evidence more than once; a frame marks the class that a feature "
    "was planted for in a simulation."
)


def _matrix(
    results: StudyResults,
    key: dict[str, str],
    chosen: pd.DataFrame,
    features: list[str],
    classes: list[str],
) -> Figure:
    """Return the class x feature matrix of selection frequencies."""
    profiles = results.rows("profiles", **key).drop_duplicates("feature").set_index("feature")
    wide = chosen.pivot(index="feature", columns="class", values="frequency")
    values = wide.reindex(index=features, columns=classes).to_numpy()
    truth = results.truth(key["dataset"])
    planted = {} if truth is None else truth.dropna(subset="class").set_index("feature")["class"]
    served = {c: np.count_nonzero(values[:, j] > 0) for j, c in enumerate(classes)}
    return Figure(
        f"selected-{'-'.join(key.values())}",
        draw_matrix,
        {
            "values": values,
            "rows": features,
            "columns": [shorten(label, 18) for label in classes],
            "title": f"{results.labels[key['classifier']]}: selected for",
            "key": "share of folds",
            "texts": [[f"{100 * v:.0f}" if v < 1 else "" for v in row] for row in values],
            "marks": profiles["dependence_group"].reindex(features, fill_value="").tolist(),
            "outlined": [
                (i, classes.index(planted[f])) for i, f in enumerate(features) if f in planted
            ],
        },
        _SHARES,
        "Matrix of features by classes; features of each class that are drawn: "
        f"{', '.join(f'{c} {n}' for c, n in served.items())}.",
        results.tables.sources("selection", "profiles"),
    )


def _selected_table(results: StudyResults, key: dict[str, str], chosen: pd.DataFrame) -> Table:
    rows = chosen.sort_values("frequency", ascending=False, kind="stable").head(MOST_SELECTED)
    both = ["class", "feature"]
    wide = results.rows("class_distances", **key).pivot(
        index=both, columns="other_class", values="distance"
    )
    wide = wide.add_prefix("to ")
    profiles = results.rows("profiles", **key).set_index(both)["direction"]
    left_out = len(chosen) - len(rows)
    rest = f" {left_out:,} rarer ones are in selection.tsv." if left_out else ""
    return results.tables.show(
        ["selection", "profiles", "class_distances"],
        "Selected features, the direction of the class in them by the medians, and its distances "
        f"from each other class, as means over the folds that selected them.{rest}",
        [*_SELECTED, *wide.columns],
        rows.join(profiles, on=both).join(wide, on=both),
        own={"class": Column("text", label="for class"), **dict.fromkeys(wide.columns, ".2f")},
    )


_SELECTED = ("feature", "class", "direction", "frequency", "mean_rank", "mean_distance")


def _densities(results: StudyResults, key: dict[str, str], chosen: pd.DataFrame) -> list[Figure]:
    """Return a figure per feature: densities of all classes, samples as rugs, distances."""
    far = results.rows("class_distances", **key).set_index(["class", "feature", "other_class"])
    distances = far["distance"].to_dict()
    values = results.rows("values", **key).groupby(["feature", "class"])["value"]
    rugs = {place: own.to_numpy() for place, own in values}
    rows_of = dict(list(chosen.groupby("feature")))
    figures = []
    by_feature = results.rows("densities", **key).groupby("feature", sort=False)
    for i, (feature, curves) in enumerate(by_feature, start=1):
        wide = curves.pivot(index="x", columns="class", values="density")
        classes = wide.columns.tolist()
        mine = rows_of[feature].sort_values(["frequency", "mean_distance"], ascending=False)
        focus = mine["class"].iloc[0]
        far_off = [distances.get((focus, feature, other)) for other in classes]
        arguments = {
            "feature": feature,
            "grid": wide.index.to_numpy(),
            "densities": wide.T.to_numpy(),
            "samples": [rugs[feature, label] for label in classes],
            "classes": classes,
            "chosen": np.flatnonzero(np.isin(classes, mine["class"])).tolist(),
            "focus": classes.index(focus),
            "notes": ["" if distance is None else f"{distance:.2f}" for distance in far_off],
        }
        served = ", ".join(dict.fromkeys(mine["class"]))
        alt = f"Densities of {feature} in {len(classes)} classes; selected for {served}."
        name = f"density-{'-'.join(key.values())}-{i:02d}"
        figures.append(Figure(name, draw_densities, arguments, "", alt))
    return figures
