"""Drawings of angles: what their lines and areas are."""

import numpy as np
import pytest
from matplotlib.colors import to_hex

from xnbflow.papers.directional.drawings import (
    Ring,
    draw_angle,
    draw_directions,
    draw_rings,
    draw_surface,
)
from xnbflow.report.page.style import COLOURS, INK


def test_a_rose_has_areas_like_the_shares_and_the_gaussian_is_dashed():
    """Two sectors with 1 and 4 samples have the radii 1/2 and 1: their areas are as 1 to 4."""
    grid = np.linspace(0, 2 * np.pi, 5)
    von_mises = np.full((1, 5), 0.3)
    gaussian = np.full((1, 5), 0.1)
    figure = draw_angle(
        title="wind",
        classes=["a"],
        notes=["+0.10"],
        edges=np.array([0.0, np.pi, 2 * np.pi]),
        counts=np.array([[1, 4]]),
        grid=grid,
        densities=np.array([von_mises, gaussian]),
    )
    rose, beside = figure.axes
    radii = rose.patches[0].get_xy()[:, 1]
    assert sorted(set(radii.round(9))) == [0.5, 1.0]
    dashed = [line for line in beside.lines if line.get_linestyle() == "--"]
    assert [line.get_ydata().tolist() for line in dashed] == [[0.1] * 5]
    solid = [line for line in beside.lines if line.get_linestyle() == "-"]
    assert [line.get_ydata().tolist() for line in solid] == [[0.3] * 5]
    # densities and shares have one unit: 1/5 and 4/5 over pi radians
    heights = beside.patches[0].get_data().values
    np.testing.assert_allclose(heights, [1 / 5 / np.pi, 4 / 5 / np.pi])


def test_the_histogram_begins_where_the_turn_begins():
    """Sectors from -pi on, the turn from 0 on: the second sector comes first."""
    figure = draw_angle(
        title="wind",
        classes=["a"],
        notes=[""],
        edges=np.array([-np.pi, 0.0, np.pi]),
        counts=np.array([[1, 3]]),
        grid=np.linspace(0, 2 * np.pi, 5),
        densities=np.full((2, 1, 5), 0.1),
    )
    heights = figure.axes[1].patches[0].get_data().values
    np.testing.assert_allclose(heights, [3 / 4 / np.pi, 1 / 4 / np.pi])


@pytest.mark.parametrize(("step", "n_gaps"), [(0.2, 0), (0.3, 1)])
def test_a_boundary_is_interrupted_where_neighbours_are_far_apart(step, n_gaps):
    curve = np.array([[0.0, 0.0], [0.1, 0.0], [0.1 + step, 0.0], [0.2 + step, 0.0]])
    figure = draw_surface(
        title="Figure 6",
        classes=["1", "2"],
        grid=(np.array([-1.0, 0.0, 1.0]), np.array([-1.0, 1.0])),
        predicted=np.array([[0, 0, 1], [0, 1, 1]]),
        samples=[np.zeros((2, 2)), np.ones((2, 2))],
        boundary=[curve],
        labels=("x", "y"),
        torus=False,
    )
    (line,) = figure.axes[0].lines
    x = line.get_xdata()
    assert np.isnan(x).sum() == n_gaps
    # angles are in degrees
    np.testing.assert_allclose(x[np.isfinite(x)], np.degrees(curve[:, 0]))


def test_a_region_has_the_colour_of_the_predicted_class():
    """The left half of the square is of the first class, the right half of the second."""
    figure = draw_surface(
        title="x",
        classes=["1", "2"],
        grid=(np.array([-1.0, -0.5, 0.5, 1.0]), np.array([-1.0, 1.0])),
        predicted=np.array([[0, 0, 1, 1], [0, 0, 1, 1]]),
        samples=[],
        boundary=[],
        labels=("x", "y"),
        torus=False,
    )
    regions = figure.axes[0].collections
    for code, x in enumerate((-0.9, 0.9)):
        (region,) = [
            region
            for region in regions
            if to_hex(region.get_facecolor()[0]) == to_hex(COLOURS[code])
        ]
        place = (np.degrees(x), 0.0)
        opposite = (np.degrees(-x), 0.0)
        assert any(path.contains_point(place) for path in region.get_paths())
        assert not any(path.contains_point(opposite) for path in region.get_paths())


def test_a_torus_has_degrees_on_both_axes_and_other_spaces_on_one():
    arguments = {
        "title": "x",
        "classes": ["1", "2"],
        "grid": (np.array([-1.0, 1.0]), np.array([-1.0, 1.0])),
        "predicted": np.array([[0, 1], [0, 1]]),
        "samples": [np.zeros((1, 2))],
        "boundary": [],
        "labels": ("x", "y"),
    }
    torus = draw_surface(**arguments, torus=True).axes[0]
    cylinder = draw_surface(**arguments, torus=False).axes[0]
    assert torus.get_ylim() == pytest.approx((-180 / np.pi, 180 / np.pi))
    assert cylinder.get_ylim() == (-1.0, 1.0)
    assert cylinder.get_xlim() == pytest.approx((-180 / np.pi, 180 / np.pi))


def test_a_ring_has_the_colour_of_the_predicted_class():
    angles = np.array([0.0, 1.0, 2.0, 3.0])
    ring = Ring(
        title="",
        angles=angles,
        predicted=np.array([0, 0, 1, 1]),
        samples=[np.array([0.5]), np.array([2.5])],
        boundary=np.array([1.5, -1.5]),
    )
    axes = draw_rings("Figure 3", ["1", "2"], [ring]).axes[0]
    for code in (0, 1):
        (region,) = [
            line for line in axes.lines if to_hex(line.get_color()) == to_hex(COLOURS[code])
        ]
        covered = np.isfinite(region.get_ydata().astype(float))
        np.testing.assert_array_equal(covered, ring.predicted == code)
    (chord,) = [line for line in axes.lines if to_hex(line.get_color()) == to_hex(INK)]
    assert chord.get_xdata().tolist() == [1.5, -1.5]
    assert {text.get_text() for text in axes.texts} >= {"1.50", "-1.50"}


def test_the_mean_is_a_line_from_the_centre():
    points = np.array([[0.0, 1.0], [0.6, 0.8]])
    axes = draw_directions("Figure 1", points, np.array([0.3, 0.9])).axes[0]
    line = axes.lines[-1]
    assert line.get_xydata().tolist() == [[0.0, 0.0], [0.3, 0.9]]
    # a dot is a short line, which begins at its point
    np.testing.assert_allclose(axes.patches[0].get_path().vertices[::2], points)
