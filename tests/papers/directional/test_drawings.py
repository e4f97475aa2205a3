"""Drawings of angles: what their lines and areas are."""

import numpy as np
import pytest

from xnbflow.papers.directional.drawings import (
    Ring,
    draw_angle,
    draw_directions,
    draw_rings,
    draw_surface,
)
from xnbflow.report.drawings.marks import Area, Line, Points, Rectangles, Regions, Texts
from xnbflow.report.page.style import COLOURS, INK


def of_kind(panel, kind):
    return [mark for mark in panel.marks if isinstance(mark, kind)]


def angle_chart(edges, counts):
    return draw_angle(
        title="wind",
        classes=["a"],
        notes=["+0.10"],
        edges=np.array(edges),
        counts=np.array([counts]),
        grid=np.linspace(0, 2 * np.pi, 5),
        densities=np.array([np.full((1, 5), 0.3), np.full((1, 5), 0.1)]),
    )


def test_a_rose_has_areas_like_the_shares_and_the_gaussian_is_dashed():
    """Two sectors with 1 and 4 samples have the radii 1/2 and 1: their areas are as 1 to 4."""
    ((rose, beside),) = angle_chart([0.0, np.pi, 2 * np.pi], [1, 4]).rows
    (sectors,) = of_kind(rose, Area)
    assert sorted(set(np.hypot(sectors.x, sectors.y).round(9))) == [0.5, 1.0]
    upper = sectors.y > 1e-9  # the first sector is the upper half
    np.testing.assert_allclose(np.hypot(sectors.x, sectors.y)[upper], 0.5)
    lines = {line.dash: line for line in of_kind(beside, Line)}
    assert lines[1].y.tolist() == [0.1] * 5
    assert lines[0].y.tolist() == [0.3] * 5
    # densities and shares have one unit: 1/5 and 4/5 over pi radians
    (bars,) = of_kind(beside, Rectangles)
    np.testing.assert_allclose(bars.y1, [1 / 5 / np.pi, 4 / 5 / np.pi])
    assert (beside.title, beside.note) == ("a", "+0.10")


def test_the_histogram_begins_where_the_turn_begins():
    """Sectors from -pi on, the turn from 0 on: the second sector comes first."""
    ((_, beside),) = angle_chart([-np.pi, 0.0, np.pi], [1, 3]).rows
    (bars,) = of_kind(beside, Rectangles)
    np.testing.assert_allclose(bars.y1, [3 / 4 / np.pi, 1 / 4 / np.pi])
    assert bars.x0 == pytest.approx([0, 180])


@pytest.mark.parametrize(("step", "n_gaps"), [(0.2, 0), (0.3, 1)])
def test_a_boundary_is_interrupted_where_neighbours_are_far_apart(step, n_gaps):
    curve = np.array([[0.0, 0.0], [0.1, 0.0], [0.1 + step, 0.0], [0.2 + step, 0.0]])
    chart = draw_surface(
        title="Figure 6",
        classes=["1", "2"],
        grid=(np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 1.0])),
        predicted=np.array([[0, 0, 1], [0, 1, 1]]),
        samples=[np.zeros((2, 2)), np.ones((2, 2))],
        boundary=[curve],
        labels=("x", "y"),
        torus=False,
    )
    (line,) = of_kind(chart.panels[0], Line)
    assert np.isnan(line.x).sum() == n_gaps
    # angles are in degrees
    np.testing.assert_allclose(line.x[np.isfinite(line.x)], np.degrees(curve[:, 0]))


def test_regions_are_the_predicted_classes_and_dots_have_their_colours():
    predicted = np.array([[0, 0, 1, 1], [0, 0, 1, 1]])
    chart = draw_surface(
        title="x",
        classes=["1", "2"],
        grid=(np.array([-1.0, -0.5, 0.5, 1.0]), np.array([-1.0, 1.0])),
        predicted=predicted,
        samples=[np.zeros((1, 2)), np.ones((1, 2))],
        boundary=[],
        labels=("x", "y"),
        torus=False,
    )
    (regions,) = of_kind(chart.panels[0], Regions)
    np.testing.assert_array_equal(regions.codes, predicted)
    assert [dots.colour for dots in of_kind(chart.panels[0], Points)] == list(COLOURS[:2])
    assert [(key.text, key.colour) for key in chart.keys] == [("1", COLOURS[0]), ("2", COLOURS[1])]


def test_a_torus_has_degrees_on_both_axes_and_other_spaces_on_one():
    arguments = {
        "title": "x",
        "classes": ["1", "2"],
        "grid": (np.array([-2.0, 2.0]), np.array([-2.0, 2.0])),
        "predicted": np.array([[0, 1], [0, 1]]),
        "samples": [np.zeros((1, 2))],
        "boundary": [],
        "labels": ("x", "y"),
    }
    torus = draw_surface(**arguments, torus=True).panels[0]
    cylinder = draw_surface(**arguments, torus=False).panels[0]
    assert (torus.y.start, torus.y.end) == pytest.approx((-360 / np.pi, 360 / np.pi))
    assert torus.y.names == ["-90°", "0°", "90°"]
    assert list(torus.y.at) == [-90, 0, 90]
    assert (cylinder.y.start, cylinder.y.end) == (-2, 2)
    assert not cylinder.y.names
    assert cylinder.x.names == torus.x.names == ["-90°", "0°", "90°"]


def test_a_ring_has_the_colour_of_the_predicted_class():
    angles = np.array([0.0, 1.0, 2.0, 3.0])
    ring = Ring(
        title="",
        angles=angles,
        predicted=np.array([0, 0, 1, 1]),
        samples=[np.array([0.5]), np.array([2.5])],
        boundary=np.array([1.5, -1.5]),
    )
    (panel,) = draw_rings("Figure 3", ["1", "2"], [ring]).panels
    lines = {line.colour: line for line in of_kind(panel, Line)}
    for code in (0, 1):
        covered = np.isfinite(lines[COLOURS[code]].x)
        np.testing.assert_array_equal(covered, ring.predicted == code)
    np.testing.assert_allclose(lines[COLOURS[0]].x[:2], np.cos(angles[:2]))
    np.testing.assert_allclose(lines[COLOURS[0]].y[:2], np.sin(angles[:2]))
    chord = lines[INK]
    np.testing.assert_allclose(chord.y, [np.sin(1.5), -np.sin(1.5)])
    texts = {text for texts in of_kind(panel, Texts) for text in texts.texts}
    assert texts >= {"1.50", "-1.50"}
    assert panel.equal


def test_the_mean_is_a_line_from_the_centre():
    points = np.array([[0.0, 1.0], [0.6, 0.8]])
    (panel,) = draw_directions("Figure 1", points, np.array([0.3, 0.9])).panels
    *_, mean = of_kind(panel, Line)
    assert (mean.x.tolist(), mean.y.tolist()) == ([0.0, 0.3], [0.0, 0.9])
    (dots,) = of_kind(panel, Points)
    np.testing.assert_array_equal(np.column_stack([dots.x, dots.y]), points)
