"""The layout of static figures: panels, names and labels are within them."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel
from xnbflow.report.static.chart_figure import draw_chart

LINE = marks.Line(x=np.array([1.0, 2.0]), y=np.array([1.0, 2.0]))


def panel(**fields):
    return ChartPanel(marks=[LINE], **fields)


def boxes(figure):
    """Left, bottom, width and height of the axes in inches."""
    width, height = figure.get_size_inches()
    return [axes.get_position().bounds * np.array([width, height] * 2) for axes in figure.axes]


def texts_of(figure):
    texts = [*figure.texts, *(text for axes in figure.axes for text in axes.texts)]
    return [text.get_text() for text in texts if text.get_text()]


def test_a_panel_has_its_height_and_the_figure_its_width():
    figure = draw_chart(Chart(rows=[[panel(height=1.7)]], width=3.3))
    (box,) = boxes(figure)
    assert box[3] == pytest.approx(1.7)
    assert figure.get_size_inches()[0] == pytest.approx(3.3)


def test_in_print_the_width_is_that_of_the_column():
    assert draw_chart(Chart(rows=[[panel()]], width=3.3), 2.2).get_size_inches()[
        0
    ] == pytest.approx(2.2)


def test_panels_below_each_other_have_one_left_and_one_right_end():
    names = Axis(names=["a long name of a row"])
    figure = draw_chart(Chart(rows=[[panel(y=names)], [panel()]]))
    first, second = boxes(figure)
    assert first[0] == pytest.approx(second[0])
    assert first[2] == pytest.approx(second[2])
    assert first[1] > second[1] + second[3]


def test_panels_beside_each_other_share_the_width():
    fixed, free = boxes(draw_chart(Chart(rows=[[panel(width=0.8), panel()]], width=4.0)))
    assert fixed[2] == pytest.approx(0.8)
    assert free[0] > fixed[0] + fixed[2]
    assert free[0] + free[2] < 4.0


@pytest.mark.parametrize(
    ("column", "least", "inner"),
    [
        (None, None, 2.0),  # the width of the content
        (2.0, None, 2.0),  # in a narrow column the figure is wider than it
        (2.0, 0.5, 2.0 - 0.7),  # or the panel shrinks: .5 for numbers, .2 for the last of them
        (4.0, None, 4.0 - 0.7),  # cells fill the column
        (9.0, None, 6.0),  # up to three times
    ],
)
def test_cells_fill_a_column_and_shrink_where_they_may(column, least, inner):
    (box,) = boxes(draw_chart(Chart(rows=[[panel(width=2.0, least=least)]], width=2.5), column))
    assert box[2] == pytest.approx(inner, abs=0.1)


def test_a_square_is_one_and_a_large_one_has_four_inches():
    for width, side in ((3.0, None), (9.0, 4.0)):
        (box,) = boxes(draw_chart(Chart(rows=[[panel(square=True)]], width=width)))
        assert box[3] == pytest.approx(side or box[2])


@pytest.mark.parametrize(
    # 3 inches of axes: an upright line of .13 inches fits 23 times
    ("n_names", "written"),
    [(23, 23), (24, 12), (100, 20)],
)
def test_upright_names_do_not_overlap(n_names, written):
    names = [f"class {number}" for number in range(n_names)]
    axis = Axis(names=names, start=-0.5, end=n_names - 0.5)
    figure = draw_chart(Chart(rows=[[panel(x=axis, width=3.0)]], width=3.0))
    texts = [text for text in figure.axes[0].texts if text.get_text().startswith("class")]
    assert len(texts) == written
    assert all(text.get_text() == f"class {text.get_position()[0]:.0f}" for text in texts)
    assert {text.get_rotation() for text in texts} == {90}


def test_labels_titles_and_notes_are_written():
    described = panel(
        x=Axis(label="across"), y=Axis(label="up"), title="panel", note="note",
        right=Axis(names=["beside"], at=[1.5]),
    )  # fmt: skip
    figure = draw_chart(Chart(rows=[[described]], title="figure"))
    assert set(texts_of(figure)) == {"across", "up", "panel", "note", "beside", "figure"}


def test_hidden_axes_have_no_ticks_and_no_line():
    figure = draw_chart(Chart(rows=[[panel(x=Axis(hidden=True), y=Axis(hidden=True), equal=True)]]))
    (axes,) = figure.axes
    assert not len(axes.get_xticks())
    assert not axes.get_frame_on()
    assert axes.get_aspect() == 1


@pytest.mark.parametrize(
    ("ends", "ticks"),
    [((10, 100), {10, 20, 50, 100}), ((1, 100), {1, 3, 10, 30, 100}), ((1, 1e4), {1, 10, 100})],
)
def test_an_axis_of_logarithms_has_ticks_at_round_numbers(ends, ticks):
    x = Axis(log=True, start=ends[0], end=ends[1])
    (axes,) = draw_chart(Chart(rows=[[panel(x=x)]], width=6.0)).axes
    drawn = {float(f"{tick:.3g}") for tick in axes.get_xticks()}
    assert ticks <= drawn
    assert {tick for tick in drawn if ends[0] <= tick <= ends[1]} - ticks <= {1000, 1e4}


@pytest.mark.parametrize("column", [None, 60 / 25.4, 180 / 25.4])
def test_nothing_is_beyond_the_figure(column):
    rows = ["a name", "another much longer name of a row"]
    names = Axis(names=rows, label="rows", start=1.5, end=-0.5)
    described = panel(x=Axis(label="numbers", start=0.0, end=12345.0), y=names)
    chart = Chart(rows=[[described]], title="A title that is longer than the figure is wide")
    figure = draw_chart(chart, column)
    FigureCanvasAgg(figure).draw()
    bounds = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert min(bounds.x0, bounds.y0) > -0.02
    assert bounds.x1 < width + 0.02
    assert bounds.y1 < height + 0.02
