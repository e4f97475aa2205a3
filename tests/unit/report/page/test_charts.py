"""Charts have the numbers of their static figures, and every name as text."""

import json

import numpy as np
import pandas as pd
import pytest

from xnbflow.report.drawings.calibration import draw_calibration, draw_roc
from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.probabilities import draw_probabilities, spread_of_samples
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Figure
from xnbflow.report.page.charts import chart_of


def chart(draw, arguments, **extra):
    """The chart of a figure, as a browser reads it."""
    content = chart_of(Figure("name", draw, arguments=arguments, caption="", alt="", extra=extra))
    return json.loads(json.dumps(content, allow_nan=False))


def layers(content, mark):
    return [layer for layer in content["layers"] if layer["mark"] == mark]


def test_lines_have_points_bands_levels_and_missing_values_as_none():
    x, y = np.array([10.0, 20.0, 40.0]), np.array([0.5, np.nan, 0.8])
    arguments = {
        "lines": [Line("measured", x, y)],
        "bands": [(x, y - 0.1, y + 0.1)],
        "levels": [("chance", 0.5)],
        "ring": ("chosen", 20.0, 0.7),
        "xlabel": "samples",
        "ylabel": "accuracy",
    }
    actual = chart(draw_lines, arguments)
    line, ring = layers(actual, "points")
    assert (line["x"], line["y"]) == ([10, 20, 40], [0.5, None, 0.8])
    assert line["joined"]
    assert line["tips"]["95% interval"][0] == "0.4 to 0.6"
    assert (ring["x"], ring["y"], ring["hollow"]) == ([20], [0.7], True)
    assert layers(actual, "band")[0]["lower"] == [0.4, None, 0.7]
    assert layers(actual, "level")[0]["y"] == 0.5
    assert actual["x"]["log"]
    assert not actual["y"]["log"]


def test_calibration_has_intervals_and_areas_by_the_number_of_predictions():
    one = [np.array([0.2, 0.9])]
    arguments = {
        "classifiers": ["NB"],
        "predicted": one,
        "observed": [np.array([0.3, 0.7])],
        "counts": [np.array([25, 100])],
        "lower": [np.array([0.1, 0.6])],
        "upper": [np.array([0.5, 0.8])],
    }
    actual = chart(draw_calibration, arguments)
    (points,) = layers(actual, "points")
    (bars,) = layers(actual, "bars")
    assert points["size"] == [11, 16]  # 6 and ten times the root of a quarter, and of one
    assert (bars["y0"], bars["y1"]) == ([0.1, 0.6], [0.5, 0.8])
    assert points["tips"]["95% interval"] == ["0.1 to 0.5", "0.6 to 0.8"]
    assert points["tips"]["predictions"] == ["25", "100"]


def test_roc_curves_have_their_rates_under_the_pointer():
    rates = np.array([0.0, 0.25, 1.0]), np.array([0.0, 0.75, 1.0])
    actual = chart(draw_roc, {"title": "ROC", "curves": {"tumour": rates}})
    (points,) = layers(actual, "points")
    assert points["label"] == "tumour"
    assert points["tips"]["true positive rate"] == ["0", "0.75", "1"]


def test_a_confusion_matrix_has_shares_of_true_classes_and_counts():
    arguments = {
        "values": np.array([[0.8, 0.2], [0.0, 1.0]]),
        "rows": ["a", "b"],
        "columns": ["a", "b"],
        "texts": [["8", "2"], ["", "5"]],
        "title": "NB",
        "xlabel": "predicted",
        "ylabel": "true",
    }
    actual = chart(draw_matrix, arguments)
    (cells,) = layers(actual, "cells")
    rows = zip(cells["y"], cells["x"], cells["alpha"], cells["tips"]["count"], strict=True)
    assert list(rows) == [("a", "a", 0.8, "8"), ("a", "b", 0.2, "2"), ("b", "a", 0.0, "0"),
                          ("b", "b", 1.0, "5")]  # fmt: skip
    assert cells["tips"]["true"] == ["a", "a", "b", "b"]
    assert actual["y"]["names"] == ["b", "a"]  # the first row is at the top
    assert chart(draw_matrix, arguments | {"rows": ["a", "a"]}) is None  # not to be told apart


def test_a_heat_map_has_values_samples_and_the_colours_of_its_strips():
    arguments = {
        "z": np.array([[1.234, -0.5], [np.nan, 2.0]]),
        "rows": ["TP53", "MYC"],
        "classes": ["normal", "tumour"],
        "tracks": {"sex": ["", "F"]},
    }
    actual = chart(draw_heatmap, arguments, samples=["s1", "s2"])
    assert actual["z"] == [[123, -50], [None, 200]]
    assert actual["samples"] == ["s1", "s2"]
    by_class, sex = actual["strips"]
    assert by_class["cells"] == [0, 1]
    assert by_class["colours"][0] != by_class["colours"][1]
    assert (sex["texts"], sex["alphas"]) == (["unknown", "F"], [0, 1])
    assert [key[0] for key in actual["keys"][:2]] == ["normal", "tumour"]
    large = {"z": np.zeros((201, 100)), "rows": list(map(str, range(201))), "classes": ["a"] * 100}
    assert chart(draw_heatmap, large) is None  # 20,100 cells


def test_rows_of_points_have_intervals_where_these_are_known():
    groups = [Points("NB", [0.8, 0.9], lower=[0.7, np.nan], upper=[0.9, np.nan], style=0)]
    groups.append(Points("XNB", [0.6, np.nan], lower=[0.5, np.nan], upper=[0.7, np.nan], style=1))
    arguments = {"rows": ["wine", "digits"], "groups": groups, "xlabel": "accuracy"}
    arguments["levels"] = ("largest class", [0.4, 0.1])
    actual = chart(draw_points, arguments)
    first, second = layers(actual, "points")
    assert first["x"] == [0.8, 0.9]
    assert second["x"] == [0.6]
    assert first["y"][0] < second["y"][0]  # in one row, below each other
    assert first["tips"]["interval"] == ["0.7 to 0.9", ""]
    bars = layers(actual, "bars")
    assert (bars[0]["x0"], bars[0]["x1"]) == ([0.7], [0.9])
    assert bars[-1]["x0"] == [0.4, 0.1]
    assert actual["y"]["range"] == [1.5, -0.5]


def test_samples_have_every_column_and_the_model_that_explains_them():
    arguments = {
        "scores": np.array([[1.0, 2.0], [3.0, 4.0]]),
        "groups": ["a", "b"],
        "names": ["", "s2"],
        "axes_labels": ("component 1", "component 2"),
    }
    columns = {"class": ["a", "b"], "sex": ["F", ""]}
    actual = chart(
        draw_components, arguments, samples=["s1", "s2"], columns=columns, place="toy: NB"
    )
    assert actual["points"] == {"x": [1, 3], "y": [2, 4]}
    assert actual["columns"] == columns
    assert actual["place"] == "toy: NB"
    assert chart(draw_components, arguments)["columns"] == {"group": ["a", "b"]}


def test_probabilities_are_over_the_true_class_and_coloured_by_the_predicted_one():
    arguments = {
        "classes": ["a", "b"],
        "true": ["a", "b", "b"],
        "predicted": ["a", "a", "b"],
        "probability": np.array([0.9, 0.2, 0.7]),
    }
    actual = chart(draw_probabilities, arguments, samples=["s1", "s2", "s3"], place="toy: NB")
    x = np.array(actual["points"]["x"]) - spread_of_samples(3)
    assert x == pytest.approx([0, 1, 1])
    assert actual["points"]["y"] == [0.9, 0.2, 0.7]
    assert actual["columns"]["predicted"] == ["a", "a", "b"]
    figure = draw_probabilities(**arguments)
    (level, *marks) = figure.axes[0].get_lines()
    assert list(level.get_ydata()) == [0.5, 0.5]
    drawn = {m.get_label(): m.get_ydata().tolist() for m in marks}
    assert drawn == {"a": [0.9, 0.2], "b": [0.7]}


def test_a_gene_has_numbers_of_classes_batches_and_patients_with_several_samples():
    arguments = {
        "title": "TP53",
        "values": np.array([1.0, np.nan, 3.0]),
        "classes": ["b", "a", "a"],
        "groups": ["1", "1", "2"],
        "batches": ["", "x", "y"],
        "ylabel": "log value",
    }
    actual = chart(draw_gene, arguments, samples=["s1", "s2", "s3"])
    assert actual["values"] == [1, None, 3]
    assert (actual["classes"], actual["class"]) == (["a", "b"], [1, 0, 0])
    assert (actual["batches"], actual["batch"]) == (["x", "y"], [-1, 0, 1])
    assert actual["group"] == [0, 0, -1]


def test_a_drawing_without_a_chart_keeps_its_static_figure():
    arguments = {"classifiers": ["a"], "ranks": [1.0], "bars": [], "difference": 1.0}
    assert chart(draw_ranks, arguments) is None


def test_numbers_of_a_table_are_those_of_the_chart():
    frame = pd.DataFrame({"x": [1.0, 1e6], "y": [0.123456, 12345.6]})
    line = Line("l", frame["x"].to_numpy(), frame["y"].to_numpy())
    actual = chart(draw_lines, {"lines": [line], "xlabel": "x", "ylabel": "y"})
    (points,) = layers(actual, "points")
    assert points["y"] == [0.12346, 12346]  # five digits
    assert points["tips"] == {"y": ["0.123", "12,346"], "x": ["1", "1,000,000"]}
