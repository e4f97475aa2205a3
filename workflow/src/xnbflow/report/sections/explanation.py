"""Explanation: the features selected for each class, their stability (XNB paper, Fig. 1)."""

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from xnbflow.core.nouns import either, listed
from xnbflow.report.drawings.densities import draw_densities
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.page.blocks import Block, Figure, Gallery, Group, Prose, Section, Table
from xnbflow.report.page.style import shorten
from xnbflow.report.results import StudyResults
from xnbflow.report.texts import texts_of
from xnbflow.tables.contract import Column

#: Features in a matrix.
_MOST_MATRIX_FEATURES = 30
#: Rows of the table of selected features.
_MOST_SELECTED = 200
#: Classes of a matrix, and of a figure of densities; of more, those that the features are for.
_MOST_MATRIX_CLASSES = 25
_MOST_DENSITY_CLASSES = 12

_TEXTS = texts_of("explanation")
#: Blocks of a section before which groups of data sets are open.
_FEW_BLOCKS = 4
_RECOVERY_COLUMNS = [
    "dataset",
    "classifier",
    "planted",
    "by_chance",
    "precision",
    "strength",
    "recall",
]
_SELECTED_COLUMNS = ["feature", "class", "direction", "frequency", "mean_rank"]


def section(results: StudyResults) -> Section | None:
    """Return the features selected for each class; None if no classifier of the study selects."""
    if results.tables["selection"].empty and results.tables["random_genes"].empty:
        return None
    blocks: list[Block] = []
    if len(results.tables["selection"]):
        blocks.append(Prose(_TEXTS["how_to_read"], "help"))
    stability = results.tables["stability"]
    recovery = stability[stability["planted"].notna()]
    if len(recovery):
        table = results.tables.show("stability", _TEXTS["recovery"], _RECOVERY_COLUMNS, recovery)
        blocks.append(table)
    has_selection = set(results.tables["selection"]["dataset"])
    for dataset in filter(has_selection.__contains__, results.study.datasets):
        if content := _explanation_of_dataset(results, dataset):
            blocks.append(Group(dataset, content, opened=len(blocks) < _FEW_BLOCKS))
    blocks += _random_features(results)
    return Section("explanation", "Explanation", _TEXTS["lead"], blocks)


def _random_features(results: StudyResults) -> list[Block]:
    """Return the comparison of the selected features with random ones; none if it was not made."""
    if results.tables["random_genes"].empty:
        return []
    columns = ["dataset", "classifier", "signature_size", "selected_score", "random_mean"]
    columns += ["random_95", "as_good_random", "signatures", "random_p"]
    caption = results.with_noun(_TEXTS["random"])
    table = results.tables.show("random_genes", caption, columns)
    return [Group(results.with_noun("Random {noun}s"), [table], "their accuracy")]


def _explanation_of_dataset(results: StudyResults, dataset: str) -> list[Block]:
    """Return the blocks of each classifier; of several the headline's, or the first, is open."""
    selection = results.rows("selection", dataset=dataset)
    fits = dict(iter(selection.groupby(["folds", "classifier"], sort=False)))
    headline = results.tables["headline"]["classifier"].iloc[0]
    has_headline = any(classifier == headline for _, classifier in fits)
    content: list[Block] = []
    for (folds, classifier), selected in fits.items():
        evaluation = {"dataset": dataset, "folds": folds, "classifier": classifier}
        blocks = _explanation_of_classifier(results, evaluation, selected)
        if len(fits) == 1:
            return blocks
        opened = classifier == headline if has_headline else not content
        title = results.with_folds(results.labels[classifier], folds)
        content.append(Group(title, blocks, opened=opened))
    return content


def _explanation_of_classifier(
    results: StudyResults, evaluation: dict[str, str], selected: pd.DataFrame
) -> list[Block]:
    """Return the blocks on one classifier and one data set."""
    tables = [_selected_table(results, selected)]
    pairs = results.rows("dependent_pairs", **evaluation).head(_MOST_SELECTED)
    if len(pairs):
        caption = "Selected features that depend on one another given the class, strongest first."
        columns = ["feature", "other", "r"]
        tables.append(results.tables.show("dependent_pairs", caption, columns, pairs))
    curves = results.rows("densities", **evaluation)
    estimator = "for the picture only"
    if curves["own"].all():
        estimator = f"as {results.labels[evaluation['classifier']]} estimates it"
    estimator += f" ({', '.join(curves['estimator'].unique())})"
    caption = _TEXTS["densities"].format(estimator=estimator)
    if curves["class"].nunique() > _MOST_DENSITY_CLASSES:
        caption += " " + _TEXTS["nearest_classes"].format(most=_MOST_DENSITY_CLASSES)
    sources = results.tables.sources("densities", "values")
    return [
        _feature_matrix(results, evaluation, selected),
        Gallery(_explained_densities(results, evaluation, selected), caption, sources),
        Group("As tables", tables, "selected features, dependent pairs"),
    ]


def _feature_matrix(
    results: StudyResults, evaluation: dict[str, str], selected: pd.DataFrame
) -> Figure | Prose:
    """Return the class x feature matrix of selection frequencies; a sentence if all are equal."""
    classes = results.rows("class_sizes", dataset=evaluation["dataset"])["class"].tolist()
    features = _features_by_class(selected, classes)
    n_classes = len(classes)
    if n_classes > _MOST_MATRIX_CLASSES:
        drawn = selected[selected["feature"].isin(features)]
        classes = _classes_of_most_features(drawn, classes)
    wide = selected.pivot(index="feature", columns="class", values="frequency")
    shares = wide.reindex(index=features, columns=classes).to_numpy()
    planted = _planted_cells(results, evaluation["dataset"], features, classes)
    if (shares == 1).all() and not planted:  # a matrix of one colour shows nothing
        label = results.labels[evaluation["classifier"]]
        text = f"{label} selects these in every fold for every class"
        sources = results.tables.sources("selection")
        return Prose(f"{text}: {listed(features, _MOST_MATRIX_FEATURES)}.", sources=sources)
    profiles = (
        results.rows("selection", **evaluation).drop_duplicates("feature").set_index("feature")
    )
    n_drawn = [
        f"{label} {np.count_nonzero(shares[:, column] > 0)}" for column, label in enumerate(classes)
    ]
    texts = [list(map(_per_cent_of_folds, row)) for row in shares]
    caption = _TEXTS["shares"]
    if len(classes) < n_classes:
        caption += " " + _TEXTS["first_classes"].format(shown=len(classes), total=n_classes)
    return Figure(
        name=f"selected-{'-'.join(evaluation.values())}",
        draw=draw_matrix,
        arguments={
            "values": shares,
            "rows": features,
            "columns": [shorten(label, 18) for label in classes],
            "title": f"{results.labels[evaluation['classifier']]}: selected for",
            "key": "share of folds",
            "texts": texts,
            "marks": profiles["dependence_group"].reindex(features, fill_value="").tolist(),
            "outlined": planted,
        },
        caption=caption,
        alt=(
            "Matrix of features by classes; features of each class that are drawn: "
            f"{', '.join(n_drawn)}."
        ),
        sources=results.tables.sources("selection"),
    )


def _classes_of_most_features(drawn: pd.DataFrame, classes: list[str]) -> list[str]:
    """Return the classes for which most of the drawn features are selected, in their order.

    ``drawn`` are rows of the table ``selection``; the sum of frequencies of a class decides.
    """
    frequencies = drawn.groupby("class")["frequency"].sum().reindex(classes, fill_value=0.0)
    frequent = frequencies.sort_values(ascending=False, kind="stable").head(_MOST_MATRIX_CLASSES)
    chosen = set(frequent.index[frequent > 0])
    return [label for label in classes if label in chosen]


def _features_by_class(selected: pd.DataFrame, classes: list[str]) -> list[str]:
    """Return the features selected most often, each once, in the order of their first class."""
    best = selected.sort_values(["frequency", "mean_rank"], ascending=[False, True], kind="stable")
    best = best.drop_duplicates("feature").head(_MOST_MATRIX_FEATURES)
    class_codes = pd.Categorical(best["class"], categories=classes).codes
    order = np.lexsort((best["mean_rank"], -best["frequency"], class_codes))
    features: list[str] = best["feature"].iloc[order].tolist()
    return features


def _per_cent_of_folds(share: float) -> str:
    """Return a share of the folds in per cent; empty if it is one, or missing."""
    return f"{100 * share:.0f}" if share < 1 else ""


def _planted_cells(
    results: StudyResults, dataset: str, features: list[str], classes: list[str]
) -> list[tuple[int, int]]:
    """Return the cells of features and the classes that they were planted for in a simulation."""
    truth = results.truth(dataset)
    if truth is None:
        return []
    planted = truth.dropna(subset="class").set_index("feature")["class"]
    return [
        (row, classes.index(planted[feature]))
        for row, feature in enumerate(features)
        if feature in planted and planted[feature] in classes
    ]


def _selected_table(results: StudyResults, selected: pd.DataFrame) -> Table:
    """Return the features selected most often, with the direction of the class."""
    rows = selected.sort_values("frequency", ascending=False, kind="stable").head(_MOST_SELECTED)
    n_rarer = len(selected) - len(rows)
    rest = ""
    if n_rarer:
        rest = f" {n_rarer:,} rarer {either(n_rarer, 'one is', 'ones are')} in selection.parquet."
    declared: dict[str, Column | str] = {"class": Column("text", label="for class")}
    caption = f"{_TEXTS['selected']}{rest}"
    return results.tables.show("selection", caption, _SELECTED_COLUMNS, rows, declarations=declared)


def _explained_densities(
    results: StudyResults, evaluation: dict[str, str], selected: pd.DataFrame
) -> list[Figure]:
    """Return a figure per feature: densities of all classes, samples as rugs, distances."""
    values = results.rows("values", **evaluation).groupby(["feature", "class"])["value"]
    samples = {feature_and_class: column.to_numpy() for feature_and_class, column in values}
    curves_of_features = results.rows("densities", **evaluation)
    drawn_features = curves_of_features["feature"].unique()  # six of thousands
    drawn = selected["feature"].isin(drawn_features)
    selections = dict(iter(selected[drawn].groupby("feature")))
    figures = []
    for number, (feature, curves) in enumerate(
        curves_of_features.groupby("feature", sort=False), start=1
    ):
        densities = curves.pivot(index="x", columns="class", values="density")
        selection = selections[feature].sort_values(["frequency", "mean_distance"], ascending=False)
        focus = selection["class"].iloc[0]
        distances = curves.drop_duplicates("class").set_index("class")["distance"]
        from_focus = {
            label: None if np.isnan(distances[label]) else distances[label]
            for label in densities.columns.tolist()
        }
        classes = _classes_of_densities(from_focus, selection["class"].tolist())
        densities = densities[classes]
        notes = [_distance_text(from_focus[label]) for label in classes]
        selected_for = ", ".join(selection["class"].drop_duplicates())
        figure = Figure(
            name=f"density-{'-'.join(evaluation.values())}-{number:02d}",
            draw=draw_densities,
            arguments={
                "feature": feature,
                "grid": densities.index.to_numpy(),
                "densities": densities.T.to_numpy(),
                "samples": [samples[feature, label] for label in classes],
                "classes": classes,
                "chosen": np.flatnonzero(np.isin(classes, selection["class"])).tolist(),
                "focus": classes.index(focus),
                "notes": notes,
            },
            caption="",
            alt=(
                f"Densities of {feature} in {_in_classes(classes, from_focus)}; "
                f"selected for {selected_for}."
            ),
        )
        figures.append(figure)
    return figures


def _classes_of_densities(
    distances: Mapping[str, float | None], selected: Sequence[str]
) -> list[str]:
    """Return the classes whose densities are drawn: all, or of many those that matter most.

    ``distances`` are those from the class in focus, None for itself. First come the classes that
    the feature is ``selected`` for, the most frequent first, then the nearest other ones.
    """
    if len(distances) <= _MOST_DENSITY_CLASSES:
        return list(distances)
    others = {
        label: math.inf if distance is None else distance
        for label, distance in distances.items()
        if label not in selected
    }
    nearest = sorted(others, key=others.__getitem__)
    drawn = set([*selected, *nearest][:_MOST_DENSITY_CLASSES])
    return [label for label in distances if label in drawn]


def _in_classes(drawn: Sequence[str], all_classes: Collection[str]) -> str:
    """Return in how many classes, and of how many.

    Examples
    --------
    >>> _in_classes("ab", "ab"), _in_classes("ab", "abcd")
    ('2 classes', '2 of 4 classes')
    """
    if len(drawn) == len(all_classes):
        return f"{len(drawn)} classes"
    return f"{len(drawn)} of {len(all_classes)} classes"


def _distance_text(distance: float | None) -> str:
    """Return a distance from another class; empty for the class itself."""
    return "" if distance is None else f"{distance:.2f}"
