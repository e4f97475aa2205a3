"""Rows of points: intervals, places within a row, and levels."""

import numpy as np
import pytest

from xnbflow.report.drawings.marks import Points, Segments
from xnbflow.report.drawings.rows import RowPoints, draw_points

ROWS = ["wine", "digits"]
FIRST = RowPoints("NB", [0.8, 0.9], lower=[0.7, np.nan], upper=[0.9, np.nan], style=0)
SECOND = RowPoints("XNB", [0.6, np.nan], lower=[0.5, np.nan], upper=[0.7, np.nan], style=1)


def of_kind(chart, kind):
    return [mark for mark in chart.panels[0].marks if isinstance(mark, kind)]


def test_rows_of_points_have_intervals_where_these_are_known():
    chart = draw_points(ROWS, [FIRST, SECOND], "accuracy", levels=("largest class", [0.4, 0.1]))
    first, second = of_kind(chart, Points)
    assert first.x.tolist() == [0.8, 0.9]
    assert second.x.tolist() == [0.6]
    assert first.y[0] < 0 < second.y[0]  # in one row, below each other
    assert first.tips == {"NB": ROWS, "accuracy": "x", "interval": ["0.7 to 0.9", ""]}
    bars = of_kind(chart, Segments)
    assert (bars[0].x0.tolist(), bars[0].x1.tolist()) == ([0.7], [0.9])
    assert bars[-1].x0.tolist() == [0.4, 0.1]
    assert bars[-1].label == "largest class"
    panel = chart.panels[0]
    assert (panel.y.start, panel.y.end) == (1.5, -0.5)  # the first row is at the top


@pytest.mark.parametrize(("groups", "labels"), [([FIRST], [""]), ([FIRST, SECOND], ["NB", "XNB"])])
def test_a_single_group_has_no_legend(groups, labels):
    chart = draw_points(ROWS, groups, "accuracy")
    assert [points.label for points in of_kind(chart, Points)] == labels


def test_a_group_beside_another_shares_its_line_and_is_hollow():
    paper = RowPoints("paper", [0.7, 0.8], [np.nan] * 2, [np.nan] * 2, style=0, beside=0)
    chart = draw_points(ROWS, [FIRST, paper], "accuracy", most=1.0)
    ours, theirs = of_kind(chart, Points)
    assert ours.y.tolist() == theirs.y.tolist() == [0, 1]
    assert (ours.hollow, theirs.hollow) == (False, True)
    assert chart.panels[0].x.end == 1.0
