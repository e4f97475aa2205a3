"""Charts as JSON: every field that is not empty, few bytes, every kind of mark in the program."""

import json
import re
from importlib.resources import files

import numpy as np
import pytest
from marks_table import EXAMPLES, example_chart

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, LegendKey
from xnbflow.report.page.charts import chart_json


def as_read(chart):
    """The content of a chart, as a browser reads it."""
    return json.loads(json.dumps(chart_json(chart), allow_nan=False))


def mark_of(mark, **panel):
    """The only mark of a chart, as a browser reads it."""
    ((content,),) = as_read(Chart(rows=[[ChartPanel(marks=[mark], **panel)]]))["rows"]
    (found,) = content["marks"]
    return found


def test_there_is_an_example_of_every_kind_of_mark():
    assert list(EXAMPLES) == list(marks.MARKS)


def test_the_program_of_the_page_draws_exactly_the_kinds_of_marks():
    program = files("xnbflow.report.page").joinpath("templates/charts.js").read_text("utf-8")
    (table,) = re.findall(r"^const MARKS = \{\n(.*?)^\};", program, re.MULTILINE | re.DOTALL)
    drawn = re.findall(r"^  (\w+): \{$", table, re.MULTILINE)
    assert drawn == [kind.__name__.lower() for kind in marks.MARKS]


@pytest.mark.parametrize("kind", marks.MARKS)
def test_every_kind_of_mark_is_json_with_all_fields_that_are_not_empty(kind):
    panel = as_read(example_chart(kind))["rows"][0][0]
    content = panel["marks"][0]
    assert content.pop("mark") == kind.__name__.lower()
    empty = {name for name, value in vars(EXAMPLES[kind]).items() if is_empty(value)}
    assert set(content) == set(vars(EXAMPLES[kind])) - empty


def is_empty(value):
    if isinstance(value, np.ndarray | float) or type(value) is int:
        return False
    return not value


def test_numbers_have_five_digits_and_missing_ones_are_none():
    line = mark_of(marks.Line(x=np.array([1.0, 1e6, 3.0]), y=np.array([0.1234567, np.nan, np.inf])))
    assert line["x"] == [1, 1_000_000, 3]
    assert line["y"] == [0.12346, None, None]


def test_values_of_cells_are_whole_hundredths():
    values = np.array([[1.234, -0.5], [np.nan, 2.0]])
    cells = marks.Cells(
        values=values, rows=["a", "b"], columns=["c", "d"], colours=("#000000", "#ffffff")
    )
    assert mark_of(cells)["values"] == [[123, -50], [None, 200]]


def test_values_of_cells_with_a_least_value_are_hundredths_of_the_way_to_the_greatest():
    cells = marks.Cells(
        values=np.array([[0.9, 0.95, 1.0]]),
        rows=["a"],
        columns=["b", "c", "d"],
        colours=("#000000", "#ffffff"),
        least=0.9,
    )
    assert mark_of(cells)["values"] == [[0, 50, 100]]


def test_regions_have_a_character_for_each_place():
    regions = marks.Regions(
        x=np.arange(3.0), y=np.arange(2.0), codes=np.array([[0, 1, 1], [2, 10, 0]])
    )
    assert mark_of(regions)["codes"] == ["011", "2:0"]  # ":" follows "9"


def test_a_tip_that_is_a_coordinate_is_not_written_twice():
    points = marks.Points(x=np.arange(2.0), y=np.arange(2.0), tips={"n": "x", "name": ["a", "b"]})
    assert mark_of(points)["tips"] == {"n": "x", "name": ["a", "b"]}


def test_many_points_without_tips_are_thinned_to_those_that_can_be_distinguished():
    """As those of a volcano plot of 54,675 features: few bytes, and none far from another."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=54_675)
    y = x**2 + rng.exponential(size=len(x))
    content = mark_of(marks.Points(x=x, y=y))
    assert len(json.dumps(content)) < 200_000
    assert {*content["x"]} <= {float(f"{value:.5g}") for value in x}
    extents = np.array([np.ptp(x), np.ptp(y)])
    kept = np.column_stack([content["x"], content["y"]]) / extents
    for point in np.column_stack([x, y])[::500] / extents:
        assert (np.abs(kept - point) < [1 / 249, 1 / 149]).all(axis=1).any()
    # ends are kept
    assert min(content["x"]) == pytest.approx(x.min(), abs=extents[0] / 249)
    assert max(content["y"]) == pytest.approx(y.max(), abs=extents[1] / 149)


@pytest.mark.parametrize("tips", [{}, {"name": ["a"] * 2001}])
def test_few_points_and_points_with_tips_are_all_kept(tips):
    n = 2001 if tips else 2000
    assert len(mark_of(marks.Points(x=np.zeros(n), y=np.zeros(n), tips=tips))["x"]) == n
    assert len(mark_of(marks.Points(x=np.zeros(2001), y=np.zeros(2001)))["x"]) == 1


def test_axes_have_their_ends_names_and_kinds():
    panel = ChartPanel(
        marks=[],
        x=Axis(label="n", log=True, start=0.0),
        y=Axis(names=["a", "b"], start=1.5, end=-0.5),
        right=Axis(names=["", "x"]),
    )
    ((content,),) = as_read(Chart(rows=[[panel]]))["rows"]
    assert content["x"] == {"label": "n", "log": True, "start": 0, "longest": 26}
    assert content["y"] == {"names": ["a", "b"], "start": 1.5, "end": -0.5, "longest": 26}
    assert content["right"]["names"] == ["", "x"]


def test_a_chart_has_its_title_and_its_keys():
    chart = Chart(rows=[], title="t", keys=[LegendKey(text="a", colour="ink", alpha=0.5)])
    assert as_read(chart) == {"rows": [], "title": "t", "keys": [["a", "ink", 0.5]]}
    assert as_read(Chart(rows=[])) == {"rows": []}
