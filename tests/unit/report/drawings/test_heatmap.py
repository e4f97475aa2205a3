"""Heat maps: values, strips of the class and of other columns, and the legend."""

import numpy as np
import pytest

from xnbflow.report.drawings.heatmap import draw_heatmap
from xnbflow.report.drawings.marks import Cells, Level, Strip
from xnbflow.report.page.style import BLUE, ORANGE


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_a_heat_map_has_values_samples_and_the_colours_of_its_strips():
    z = np.array([[1.234, -0.5], [np.nan, 2.0]])
    chart = draw_heatmap(
        z, ["TP53", "MYC"], ["normal", "tumour"], {"sex": ["", "F"]}, samples=["s1", "s2"]
    )
    (cells,) = of_kind(chart, Cells)
    np.testing.assert_array_equal(cells.values, z)
    assert (cells.rows, cells.columns) == (["TP53", "MYC"], ["s1", "s2"])
    by_class, sex = of_kind(chart, Strip)
    assert by_class.codes == [0, 1]
    assert by_class.colours[0] != by_class.colours[1]
    assert (sex.texts, sex.alphas) == (["unknown", "F"], [0, 1])
    assert chart.panels[0].y.names == ["class", "sex", "TP53", "MYC"]
    assert (by_class.y, sex.y, cells.first) == (0, 1, 2)  # as the names
    assert [key.text for key in chart.keys[:2]] == ["normal", "tumour"]


def test_a_cell_has_the_full_colour_from_two_and_a_half_standard_deviations_on():
    chart = draw_heatmap(np.zeros((1, 2)), ["TP53"], ["a", "b"])
    (cells,) = of_kind(chart, Cells)
    assert (cells.most, cells.colours) == (2.5, (BLUE, ORANGE))
    assert any("2.5 SD" in key.text for key in chart.keys)


def test_classes_are_named_below_their_samples_and_separated():
    chart = draw_heatmap(np.zeros((1, 5)), ["TP53"], list("aaabb"))
    x = chart.panels[0].x
    assert (x.names, list(x.at)) == (["a", "b"], [1.0, 3.5])
    (border,) = of_kind(chart, Level)
    assert (border.at, border.upright) == (2.5, True)


def test_strips_name_numbers_in_their_order_and_categories():
    ages, sexes = ["60 to 71", "7 to 60", "", "100 to 200"], ["M", "F", "F", ""]
    tracks = {"age": ages, "sex": sexes}
    chart = draw_heatmap(np.eye(4), list("abcd"), ["x", "x", "y", "y"], tracks)
    words = [key.text for key in chart.keys]
    # of numbers the ends, in shades of one colour
    assert words[2:6] == ["age: 7 to 60", "age: 100 to 200", "sex: F", "sex: M"]
    _, age, _ = of_kind(chart, Strip)
    shades = dict(zip(age.texts, age.alphas, strict=True))
    assert shades == pytest.approx(
        {"7 to 60": 1 / 3, "60 to 71": 2 / 3, "100 to 200": 1, "unknown": 0}
    )


def test_more_than_six_categories_are_named_by_the_pointer_only():
    sites = [f"site {i}" for i in range(7)]
    chart = draw_heatmap(np.zeros((1, 7)), ["TP53"], ["a"] * 7, {"site": sites})
    assert not any("site" in key.text for key in chart.keys)
    assert of_kind(chart, Strip)[1].texts == sites


def test_no_two_strips_share_a_colour():
    tracks = {"sex": ["F", "M"], "batch": ["1st", "2nd"], "age": ["20 to 34", "34 to 60"]}
    chart = draw_heatmap(np.zeros((1, 2)), ["TP53"], ["a", "b"], tracks)
    _, sex, batch, age = of_kind(chart, Strip)
    colours = [*sex.colours, *batch.colours, age.colours[0]]
    assert len({*colours}) == len(colours)
    assert len({*age.colours}) == 1  # shades: a scale
