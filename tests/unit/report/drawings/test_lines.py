"""Lines: points, bands, levels, and the ends of their axes."""

import numpy as np
import pytest

from xnbflow.report.drawings.lines import NamedLine, draw_lines
from xnbflow.report.drawings.marks import Band, Level, Points

X = np.array([10.0, 20.0, 40.0])
Y = np.array([0.5, np.nan, 0.8])


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_lines_have_points_bands_and_levels():
    chart = draw_lines(
        [NamedLine("measured", X, Y)],
        bands=[(X, Y - 0.1, Y + 0.1)],
        levels=[("chance", 0.5)],
        xlabel="samples",
        ylabel="accuracy",
    )
    (line,) = of_kind(chart, Points)
    np.testing.assert_array_equal(line.y, Y)
    assert line.joined
    assert line.tips["95% interval"] == ["0.4 to 0.6", "", "0.7 to 0.9"]
    assert (line.tips["samples"], line.tips["accuracy"]) == ("x", "y")
    (band,) = of_kind(chart, Band)
    np.testing.assert_allclose(band.lower, [0.4, np.nan, 0.7])
    (level,) = of_kind(chart, Level)
    assert (level.at, level.label) == (0.5, "chance")


@pytest.mark.parametrize(
    ("logarithmic", "log", "start"),
    [("x", (True, False), None), ("y", (False, True), None), ("", (False, False), 0.0)],
)
def test_one_axis_is_logarithmic_or_the_heights_begin_at_zero(logarithmic, log, start):
    chart = draw_lines([NamedLine("a", X, Y)], "x", "y", logarithmic=logarithmic)
    panel = chart.panels[0]
    assert (panel.x.log, panel.y.log) == log
    assert panel.y.start == start


def test_a_single_point_is_larger_than_those_of_a_line():
    chart = draw_lines([NamedLine("one", X[:1], Y[:1]), NamedLine("more", X, Y)], "x", "y")
    one, more = of_kind(chart, Points)
    assert one.size > more.size


def test_levels_differ_by_their_dashes():
    levels = [(str(i), i / 10) for i in range(6)]
    chart = draw_lines([], "x", "y", levels=levels)
    assert [level.dash for level in of_kind(chart, Level)] == [1, 2, 3, 4, 5, 1]
