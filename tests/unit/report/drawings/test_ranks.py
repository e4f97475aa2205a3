"""The critical-difference diagram: ranks, bars, and the yardstick."""

from xnbflow.report.drawings.marks import Line, Texts
from xnbflow.report.drawings.ranks import draw_ranks
from xnbflow.report.page.style import INK, ORANGE


def test_a_diagram_has_ranks_names_bars_and_the_critical_difference():
    chart = draw_ranks(["a", "b", "c"], [1.2, 1.9, 2.9], [(0, 1)], 1.05)
    (panel,) = chart.panels
    lines = [mark for mark in panel.marks if isinstance(mark, Line)]
    (bar,) = [line for line in lines if line.colour == ORANGE]
    assert bar.x.tolist() == [1.17, 1.93]  # a little beyond the ranks 1.2 and 1.9
    elbows = [line for line in lines if line.colour == INK and len(line.x) == 3]
    assert [line.x[0] for line in elbows] == [1.2, 1.9, 2.9]
    # from the axis to the height of the name, the best two on the left
    assert [(line.y[0], line.y[2]) for line in elbows[:2]] == [(0, y) for y in panel.y.at]
    assert panel.y.names == ["a  1.20", "b  1.90"]
    assert panel.right.names == ["2.90  c"]
    assert panel.right.at == [elbows[2].y[2]]
    (yardstick,) = [line for line in lines if line.colour == INK and len(line.x) == 2]
    assert yardstick.x.tolist() == [1, 2.05]
    (text,) = [mark for mark in panel.marks if isinstance(mark, Texts)]
    assert text.texts == ["critical difference 1.05"]
    assert panel.x.names == ["1", "2", "3"]
    assert panel.x.opposite


def test_the_axis_reaches_to_the_end_of_the_yardstick():
    (panel,) = draw_ranks(["a", "b"], [1.4, 1.6], [], 2.5).panels
    assert panel.x.start < 1
    assert panel.x.end > 3.5
