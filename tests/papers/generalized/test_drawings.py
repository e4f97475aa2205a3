"""Effects of single features as data: gaps, single values, and the observations."""

import numpy as np
import pytest

from xnbflow.papers.generalized.drawings import draw_effect
from xnbflow.report.drawings.marks import Line, Points, Rectangles, Segments, Texts

VALUES = np.array([0.0, 1.0, 2.0, 3.0])
EFFECTS = np.array([[0.0, 1.0, 2.0, 3.0], [0.0, -0.5, -1.0, -1.5], [0.0, 0.5, 1.0, 1.5]])


def of_kind(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def effect(separate=((1.0, 0.25),), *, large=False):
    counts = np.array([4, 9, 0, 1])
    return draw_effect("capital", VALUES, EFFECTS, counts, separate, "2 beyond", large=large)


def test_a_separate_value_is_a_point_in_a_gap_of_each_curve():
    above, _ = effect().panels
    naive, adjustment, total = of_kind(above, Line)
    np.testing.assert_array_equal(naive.y, [0, np.nan, 2, 3])
    assert len({line.dash for line in (naive, adjustment, total)}) == 3
    points = of_kind(above, Points)
    assert [(point.x.tolist(), point.y.tolist()) for point in points] == [
        ([1], [1]),
        ([1], [-0.5]),
        ([1], [0.5]),
    ]
    assert above.note == "2 beyond"


def test_the_strip_has_a_histogram_by_square_root_and_the_shares_of_separate_values():
    above, below = effect().panels
    (bars,) = of_kind(below, Rectangles)
    assert len(bars.y1) == 50
    assert (bars.x0[0], bars.x1[-1]) == (0, 3)
    assert bars.y1[[0, -1]] == pytest.approx([1, 0.5])  # roots of 4/4 and 1/4
    assert not bars.y1[1:-1].any()  # no bar has the 9 observations of the separate value
    (lines,) = of_kind(below, Segments)
    assert lines.x0.tolist() == [1]
    assert of_kind(below, Texts)[0].texts == [" 25%"]
    assert (above.x.start, above.x.end) == (below.x.start, below.x.end)


@pytest.mark.parametrize(("large", "labels"), [(True, 3), (False, 0)])
def test_a_large_figure_has_a_legend(large, labels):
    above, _ = effect(large=large).panels
    assert sum(bool(line.label) for line in of_kind(above, Line)) == labels


def test_many_values_are_thinned_to_the_steps_of_the_axis():
    values = np.linspace(0, 3, 1000)
    effects = np.tile(values, (3, 1))
    chart = draw_effect("x", values, effects, np.ones(1000), [(values[500], 0.1)], "")
    line = of_kind(chart.panels[0], Line)[0]
    assert 120 <= len(line.x) <= 123  # 120 steps, the last value and the separate one
