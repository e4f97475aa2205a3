"""The section on selected features: frequencies, distances, dependence."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from report_blocks import drawn, table_with
from report_study import SCRIPT, study_of_tables, write_study

from xnbflow.data.dataset import DataSet
from xnbflow.report.sections import (
    explanation,
)
from xnbflow.studies.description import dependent_pairs
from xnbflow.tables.contract import SERIES


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_study(tmp_path_factory.mktemp("study"))


def test_selected_features_have_frequency_planted_class_and_dependence(results):
    section = explanation.section(results)
    matrix = drawn(section, "selected-alpha-3-fold-xnb")
    rows, columns = matrix["rows"], matrix["columns"]
    assert matrix["values"][rows.index(SCRIPT), columns.index("healthy")] == 1
    assert (rows.index("probe_03"), columns.index("tumour <A>")) in matrix["outlined"]
    marks = dict(zip(rows, matrix["marks"], strict=True))
    assert (marks[SCRIPT], marks["probe_01"], marks["probe_03"]) == ("a", "a", "")
    frame = table_with(section, "frequency").frame.set_index(["feature", "class"])
    assert frame.loc[(SCRIPT, "healthy"), "frequency"] == 1


def test_dependent_pairs_are_correlations_of_residuals(results):
    series = DataSet.read(results.root / SERIES.of(dataset="alpha"))
    pairs = dependent_pairs(series, list(series.features), cut=0.5)
    assert pairs[["feature", "other"]].iloc[0].tolist() == [SCRIPT, "probe_01"]
    residuals = series.values.copy()
    for label in series.classes:
        in_class = series.labels == label
        residuals[:, in_class] -= residuals[:, in_class].mean(axis=1, keepdims=True)
    assert pairs["r"].iloc[0] == pytest.approx(np.corrcoef(residuals[0], residuals[1])[0, 1])
    others = np.abs(np.corrcoef(residuals)[np.triu_indices(len(residuals), 1)])
    assert len(pairs) == (others > 0.5).sum()


PLACE = {"dataset": "d", "folds": "f", "classifier": "xnb"}


def selected(feature, label, frequency, rank, distance=0.5):
    row = {"feature": feature, "class": label, "frequency": frequency, "mean_rank": rank}
    return PLACE | row | {"mean_distance": distance}


SELECTION = [
    selected("rare", "a", 0.2, 9.0),
    selected("always", "b", 1.0, 2.0, 0.9),
    selected("always", "a", 1.0, 3.0, 0.6),
    selected("often", "a", 0.8, 1.0),
]


def test_the_matrix_has_the_most_frequent_features_by_class(tmp_path):
    sizes = [{"dataset": "d", "class": label, "samples": 5} for label in "ab"]
    study = study_of_tables(tmp_path, {"class_sizes": sizes})
    figure = explanation._feature_matrix(study, PLACE, pd.DataFrame(SELECTION))
    assert figure.arguments["rows"] == ["often", "rare", "always"]  # of a first, then of b
    np.testing.assert_array_equal(
        figure.arguments["values"], [[0.8, np.nan], [0.2, np.nan], [1.0, 1.0]]
    )
    assert figure.arguments["texts"] == [["80", ""], ["20", ""], ["", ""]]
    assert figure.alt.endswith("that are drawn: a 3, b 1.")


def test_a_matrix_of_many_features_leaves_the_rarest_out(monkeypatch):
    monkeypatch.setattr(explanation, "_MOST_MATRIX_FEATURES", 2)
    features = explanation._features_by_class(pd.DataFrame(SELECTION), ["a", "b"])
    assert features == ["often", "always"]


def test_the_table_begins_with_the_most_frequent_and_counts_the_rest(tmp_path, monkeypatch):
    monkeypatch.setattr(explanation, "_MOST_SELECTED", 3)
    study = study_of_tables(tmp_path, {})
    rows = pd.DataFrame(SELECTION).assign(direction="")
    rows.loc[rows["feature"] == "often", "direction"] = "high"
    table = explanation._selected_table(study, rows)
    assert table.frame["feature"].tolist() == ["always", "always", "often"]
    assert table.frame["direction"].tolist()[2] == "high"
    assert table.caption.endswith(" 1 rarer one is in selection.parquet.")


def test_a_density_is_focused_on_the_class_that_the_feature_separates_best(tmp_path):
    curve = [PLACE | {"feature": "always", "class": c, "x": 0.0, "density": 1.0} for c in "abc"]
    curve[2]["distance"] = 0.75
    values = [PLACE | {"feature": "always", "class": c, "value": 2.0, "sample": c} for c in "abc"]
    tables = {"densities": curve, "values": values}
    study = study_of_tables(tmp_path, tables)
    (figure,) = explanation._explained_densities(study, PLACE, pd.DataFrame(SELECTION))
    assert (figure.arguments["focus"], figure.arguments["chosen"]) == (1, [0, 1])
    assert figure.arguments["notes"] == ["", "", "0.75"]
    assert figure.alt == "Densities of always in 3 classes; selected for b, a."


@pytest.mark.parametrize("share", [1.0, 0.9])
def test_a_matrix_of_one_colour_is_a_sentence(tmp_path, share):
    sizes = [{"dataset": "d", "class": label, "samples": 5} for label in "ab"]
    study = study_of_tables(tmp_path, {"class_sizes": sizes})
    rows = [selected("g1", "a", 1.0, 1.0), selected("g1", "b", 1.0, 1.0)]
    rows += [selected("g2", "a", 1.0, 2.0), selected("g2", "b", share, 2.0)]
    block = explanation._feature_matrix(study, PLACE, pd.DataFrame(rows))
    if share == 1:
        assert block.text == "XNB selects these in every fold for every class: g1, g2."
    else:
        assert block.arguments["values"].tolist() == [[1.0, 1.0], [1.0, 0.9]]


@pytest.mark.parametrize(
    ("headline", "opened"), [("nb", [False, True]), ("xnb", [True, False]), ("", [True, False])]
)
def test_each_classifier_has_a_group_and_that_of_the_headline_is_open(
    tmp_path, monkeypatch, headline, opened
):
    """Without a headline the first group is open; blocks of one classifier have no group."""
    monkeypatch.setattr(explanation, "_explanation_of_classifier", lambda *_: ["blocks"])
    rows = [selected("g1", "a", 1.0, 1.0)]
    both = [*rows, *({**row, "classifier": "nb"} for row in rows)]
    tables = {"selection": both, "headline": [{"classifier": headline}]}
    study = study_of_tables(tmp_path / "two", tables)
    groups = explanation._explanation_of_dataset(study, "d")
    assert [group.title for group in groups] == [study.labels["xnb"], study.labels["nb"]]
    assert [group.blocks for group in groups] == [["blocks"], ["blocks"]]
    assert [group.opened for group in groups] == opened
    single = study_of_tables(tmp_path / "one", {**tables, "selection": rows})
    assert explanation._explanation_of_dataset(single, "d") == ["blocks"]


def test_of_many_classes_a_matrix_has_those_of_most_features(tmp_path, monkeypatch):
    monkeypatch.setattr(explanation, "_MOST_MATRIX_CLASSES", 2)
    rows = [
        selected("g1", "a", 0.5, 1),
        selected("g1", "b", 0.2, 1),
        selected("g2", "c", 0.4, 1),
        selected("g3", "c", 0.3, 1),
    ]
    sizes = [{"dataset": "d", "class": label, "samples": 10} for label in "abcd"]
    study = study_of_tables(tmp_path, {"class_sizes": sizes})
    figure = explanation._feature_matrix(study, PLACE, pd.DataFrame(rows))
    assert figure.arguments["columns"] == ["a", "c"]
    assert np.array_equal(
        figure.arguments["values"], [[0.5, np.nan], [np.nan, 0.4], [np.nan, 0.3]], equal_nan=True
    )
    assert figure.caption.endswith("Of 4 classes the 2 with most of these features are drawn.")


def test_of_many_classes_the_densities_of_the_selected_and_the_nearest_are_drawn(monkeypatch):
    distances = {"a": 0.9, "b": None, "c": 0.1, "d": 0.5, "e": None, "f": 0.2}
    assert explanation._classes_of_densities(distances, ["b", "a"]) == list("abcdef")
    monkeypatch.setattr(explanation, "_MOST_DENSITY_CLASSES", 4)
    # b is the class in focus, a has the feature, too; e has no distance
    assert explanation._classes_of_densities(distances, ["b", "a"]) == ["a", "b", "c", "f"]
    assert explanation._classes_of_densities(distances, list("fedcb")) == ["c", "d", "e", "f"]


def test_of_many_classes_those_without_a_drawn_feature_are_left_out(monkeypatch):
    monkeypatch.setattr(explanation, "_MOST_MATRIX_CLASSES", 4)
    drawn = pd.DataFrame([selected("g1", "d", 0.5, 1), selected("g2", "b", 0.1, 1)])
    assert explanation._classes_of_most_features(drawn, list("abcde")) == ["b", "d"]


def test_a_feature_planted_for_a_class_that_is_not_drawn_has_no_frame():
    truth = pd.DataFrame({"feature": ["g1", "g2"], "class": ["z", "b"]})
    results = SimpleNamespace(truth=lambda dataset: truth)
    cells = explanation._planted_cells(results, "d", ["g1", "g2"], ["a", "b"])
    assert cells == [(1, 1)]


def test_of_many_classes_a_density_belongs_to_its_class(tmp_path, monkeypatch):
    monkeypatch.setattr(explanation, "_MOST_DENSITY_CLASSES", 2)
    rows = [PLACE | {"feature": "g1", "class": label} for label in "abc"]
    heights = {"a": 1.0, "b": 2.0, "c": 3.0}
    distances = {"a": 0.9, "b": 0.1, "c": np.nan}
    curves = [
        row
        | {"x": 0.0, "density": heights[row["class"]], "distance": distances[row["class"]]}
        | {"estimator": "e", "own": True}
        for row in rows
    ]
    values = [row | {"sample": "s", "value": heights[row["class"]]} for row in rows]
    tables = {"densities": curves, "values": values}
    study = study_of_tables(tmp_path, tables)
    (figure,) = explanation._explained_densities(
        study, PLACE, pd.DataFrame([selected("g1", "c", 1.0, 1)])
    )
    assert figure.arguments["classes"] == ["b", "c"]
    assert figure.arguments["densities"].tolist() == [[2.0], [3.0]]
    assert [column.tolist() for column in figure.arguments["samples"]] == [[2.0], [3.0]]
    assert figure.alt == "Densities of g1 in 2 of 3 classes; selected for c."
