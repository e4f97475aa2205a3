"""Static figures: every kind of mark is drawn, at its place and in its colour."""

import io
import re

import numpy as np
import pytest
from marks_table import EXAMPLES, example_chart
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel
from xnbflow.report.page.style import BLUE, COLOURS, GREY, ORANGE
from xnbflow.report.static import artists, chart_figure
from xnbflow.report.static.artists import INK_COLOUR, _box_of, draw_mark


def drawn(mark, *, printed=False):
    """The axes on which a mark is drawn."""
    axes = Figure().add_subplot()
    draw_mark(axes, mark, printed=printed)
    return axes


def test_there_is_a_function_for_every_kind_of_mark():
    assert {*artists._DRAWN, marks.Cells} == set(marks.MARKS)


@pytest.mark.parametrize("kind", marks.MARKS)
def test_every_kind_of_mark_leaves_something_on_the_axes(kind):
    axes = drawn(EXAMPLES[kind])
    artists_of_marks = [*axes.lines, *axes.patches, *axes.collections, *axes.images]
    artists_of_marks += [*axes.texts, *axes.artists]
    assert artists_of_marks


@pytest.mark.parametrize("kind", marks.MARKS)
def test_the_chart_of_every_kind_of_mark_is_a_figure_on_a_page_and_in_print(kind):
    for column in (None, 85 / 25.4):
        figure = chart_figure.draw_chart(example_chart(kind), column)
        assert figure.axes
        assert min(figure.get_size_inches()) > 1


def test_points_are_at_their_places_with_the_symbol_of_their_number():
    axes = drawn(marks.Points(x=np.array([1.0, 2.0]), y=np.array([3.0, np.nan]), colour=9))
    (points,) = axes.collections
    np.testing.assert_array_equal(points.get_offsets().filled(np.nan), [[1, 3], [np.nan, np.nan]])
    assert to_hex(points.get_facecolor()[0], keep_alpha=False) == COLOURS[1].lower()


@pytest.mark.parametrize(("n_points", "is_picture"), [(400, False), (401, True)])
def test_many_points_are_a_picture_within_the_drawing(n_points, is_picture):
    places = np.arange(float(n_points))
    (points,) = drawn(marks.Points(x=places, y=places)).collections
    assert bool(points.get_rasterized()) == is_picture


def drawn_dashes(dash):
    """The lengths of strokes and gaps in the SVG file of a line, empty if it has no gap."""
    x = np.array([0.0, 1.0])
    axes = drawn(marks.Line(x=x, y=x, dash=dash, width=2.5))
    axes.set_axis_off()
    assert axes.lines[0].get_linewidth() == 2.5
    file = io.StringIO()
    axes.figure.savefig(file, format="svg")
    return re.findall(r"stroke-dasharray: ([\d., ]+)", file.getvalue())


def test_lines_have_their_dashes():
    assert drawn_dashes(0) == []
    assert len({str(drawn_dashes(dash)) for dash in range(6)}) == 6


def test_segments_and_rugs_are_interrupted_lines():
    ends = {"x0": np.array([0.0, 1.0]), "x1": np.array([2.0, 3.0])}
    ends |= {"y0": np.array([4.0, 5.0]), "y1": np.array([6.0, 7.0])}
    (line,) = drawn(marks.Segments(**ends)).lines
    np.testing.assert_array_equal(line.get_xdata(), [0, 2, np.nan, 1, 3, np.nan])
    np.testing.assert_array_equal(line.get_ydata(), [4, 6, np.nan, 5, 7, np.nan])
    (rug,) = drawn(marks.Rug(x=np.array([1.0, 2.0]), low=-1.0, high=0.0)).lines
    np.testing.assert_array_equal(rug.get_xdata(), [1, 1, 1, 2, 2, 2])
    np.testing.assert_array_equal(rug.get_ydata(), [-1, 0, np.nan] * 2)


def test_bars_have_their_ends_and_colours():
    mark = marks.Rectangles(
        x0=np.array([0.0, 1.0]),
        x1=np.array([0.5, 2.0]),
        y0=np.array([0.0, 1.0]),
        y1=np.array([3.0, 5.0]),
        colours=[0, "grey"],
    )
    first, second = drawn(mark).patches
    assert first.get_bbox().extents.tolist() == [0, 0, 0.5, 3]
    assert second.get_bbox().extents.tolist() == [1, 1, 2, 5]
    assert to_hex(second.get_facecolor()) == GREY


def test_a_region_has_the_colour_of_its_class():
    """The left half of the square is of the first class, the right half of the second."""
    codes = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
    x = np.array([-1.0, -0.5, 0.5, 1.0])
    axes = drawn(marks.Regions(x=x, y=np.array([-1.0, 1.0]), codes=codes))
    for code, place in enumerate((-0.9, 0.9)):
        (region,) = [
            region
            for region in axes.collections
            if to_hex(region.get_facecolor()[0]) == COLOURS[code].lower()
        ]
        assert any(path.contains_point((place, 0)) for path in region.get_paths())
        assert not any(path.contains_point((-place, 0)) for path in region.get_paths())


def test_cells_of_a_heat_map_are_a_picture_with_the_shares_of_the_full_colour():
    z = np.array([[0.0, 1.25, 2.5, 4.0, -1.25, np.nan]])
    cells = marks.Cells(
        values=z, rows=["g"], columns=list("abcdef"), colours=(BLUE, ORANGE), most=2.5, framed=False
    )
    (image,) = drawn(cells).images
    pixels = np.asarray(image.get_array())[0]
    np.testing.assert_allclose(pixels[:, 3], [0, 0.5, 1, 1, 0.5, 0])  # opacity
    np.testing.assert_allclose(pixels[1, :3], to_rgba(ORANGE)[:3])
    np.testing.assert_allclose(pixels[4, :3], to_rgba(BLUE)[:3])


def test_in_print_cells_below_the_mean_have_half_the_height():
    cells = marks.Cells(
        values=np.array([[1.0, -1.0]]), rows=["g"], columns=["a", "b"], colours=(BLUE, ORANGE),
        framed=False,
    )  # fmt: skip
    above, below = drawn(cells, printed=True).patches
    assert np.ptp(above.get_path().vertices[:, 1]) == 1
    assert np.ptp(below.get_path().vertices[:, 1]) == 0.5


def test_texts_of_dark_cells_are_white_and_outlined_cells_have_a_frame():
    cells = marks.Cells(
        values=np.array([[0.9, 0.1]]),
        rows=["a"],
        columns=["b", "c"],
        colours=(BLUE, BLUE),
        texts=[["9", "1"]],
        outlined=[(0, 1)],
    )
    axes = drawn(cells)
    inks = {text.get_text(): text.get_color() for text in axes.texts}
    assert inks == {"9": "white", "1": INK_COLOUR}
    frames = [patch for patch in axes.patches if to_hex(patch.get_edgecolor()) == ORANGE.lower()]
    assert [frame.get_xy() for frame in frames] == [(0.54, -0.46)]


def test_a_strip_joins_equal_neighbours_and_leaves_unknown_ones_out():
    strip = marks.Strip(
        y=2.0, name="sex", codes=[0, 0, 1, 2], texts=["F", "unknown", "M"],
        colours=[BLUE, BLUE, ORANGE], alphas=[1.0, 0.0, 1.0],
    )  # fmt: skip
    first, last = drawn(strip).patches
    assert (first.get_x(), first.get_width()) == (-0.5, 2)
    assert (last.get_x(), last.get_width()) == (2.5, 1)


def test_boxes_are_hazens_quartiles_of_each_class_and_leave_missing_values_out():
    """Hazen's quantile of 1..5 at .25 is the value at the position .25 * 5 - .5 = .75: 1.75."""
    values = np.array([1.0, 2, 3, 4, 5, np.nan, 10, 20, 30])
    axes = drawn(marks.Boxes(values=values, codes=np.array([0] * 6 + [1] * 3)))
    boxes = [line.get_ydata()[:5] for line in axes.lines if len(line.get_xdata()) > 2]
    assert [(min(box), max(box)) for box in boxes] == [(1.75, 4.25), (12.5, 27.5)]
    medians = [line.get_ydata()[0] for line in axes.lines if len(line.get_xdata()) == 2]
    assert medians == [3, 20]


@pytest.mark.parametrize(
    ("values", "ends"),
    [
        # quartiles 1.75 and 4.25, so that whiskers reach at most 3.75 further: to -2 and to 8
        ([1, 2, 3, 4, 5], (1, 5)),
        ([1, 2, 3, 4, 9.6], (1, 9.6)),  # quartiles 1.75 and 5.4: up to 10.875
        ([1, 2, 3, 4, 40], (1, 4)),
    ],
)
def test_a_whisker_ends_at_the_last_value_within_one_and_a_half_boxes(values, ends):
    first, *_, last = _box_of(np.array(values, dtype=float))
    assert (first, last) == ends


def test_a_class_with_one_value_has_no_box():
    axes = drawn(marks.Boxes(values=np.array([1.0, np.nan]), codes=np.array([0, 0])))
    assert not axes.lines


def test_samples_have_the_colours_of_their_groups_and_names():
    axes = drawn(EXAMPLES[marks.Samples])
    first, second = axes.collections
    assert (len(first.get_offsets()), len(second.get_offsets())) == (2, 1)
    assert [text.get_text() for text in axes.texts] == ["s3"]


def test_a_legend_has_labels_groups_and_keys():
    labelled = [EXAMPLES[kind] for kind in (marks.Points, marks.Line, marks.Samples)]
    keys = [marks.LegendKey(text="key", colour=BLUE)]
    entries = artists.legend_entries([ChartPanel(marks=labelled)], keys)
    assert [text for _, text in entries] == ["points", "line", "a", "b", "key"]
    chart = Chart(rows=[[ChartPanel(marks=labelled, x=Axis(), y=Axis())]], keys=keys)
    texts = {text.get_text() for text in chart_figure.draw_chart(chart).texts}
    assert texts >= {"points", "line", "a", "b", "key"}
