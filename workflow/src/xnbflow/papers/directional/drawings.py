"""Angles and decision regions on circle, torus, sphere and cylinder (directional paper)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MultipleLocator

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    INK,
    column_width,
    label_width,
    new_axes,
    shorten,
    write_heading,
)

#: Width of a drawing on the page, in inches.
_WIDTH = 2.9
#: Inches above a drawing for its title and its legend.
_HEAD = 0.5
#: Inches of a class in the drawing of an angle: its height, its rose diagram, and below the last.
_ROW = 1.05
_DISC = 0.95
_FOOT = 0.3
#: Largest distance of neighbours on a boundary that are joined.
_GAP = 0.25
_DEGREES = FuncFormatter(lambda value, _: f"{value:.0f}°")


class Ring(NamedTuple):
    """A circle of one angle; all angles are in radians.

    Attributes
    ----------
    title : str
    angles : ndarray of shape (n_points,)
        A grid over the circle.
    predicted : ndarray of shape (n_points,)
        The number of the class that is predicted at each of them.
    samples : sequence of ndarray
        The angles of the samples of each class.
    boundary : ndarray
        The angles at which the prediction changes.
    """

    title: str
    angles: np.ndarray
    predicted: np.ndarray
    samples: Sequence[np.ndarray]
    boundary: np.ndarray


def draw_rings(title: str, classes: Sequence[str], rings: Sequence[Ring]) -> Figure:
    """Draw circles whose colour is the predicted class, with samples around and the boundary."""
    side = column_width(2.4 if len(rings) == 1 else 3.8) / len(rings)
    figure = Figure(figsize=(side * len(rings), side + _HEAD))
    _write_legend(figure, title, classes)
    for i, ring in enumerate(rings):
        axes = _polar(figure, (i * side, 0, side, side), 1.62)
        for code, angles in enumerate(ring.samples):
            colour = COLOURS[code % len(COLOURS)]
            region = np.where(ring.predicted == code, 1.0, np.nan)
            axes.plot(ring.angles, region, color=colour, lw=6, alpha=0.45, solid_capstyle="butt")
            _dots(axes, angles, np.full(len(angles), 1.13 + 0.1 * code), colour)
        axes.plot(ring.boundary, np.ones(len(ring.boundary)), color=INK, linewidth=1)
        for angle in ring.boundary:
            axes.text(angle, 1.45, f"{angle:.2f}", size=8, ha="center", va="center")
        axes.text(0, 0, ring.title, size=8, ha="center", va="center")
    return figure


def draw_surface(
    title: str,
    classes: Sequence[str],
    grid: tuple[np.ndarray, np.ndarray],
    predicted: np.ndarray,
    samples: Sequence[np.ndarray],
    boundary: Sequence[np.ndarray],
    labels: tuple[str, str],
    *,
    torus: bool,
) -> Figure:
    """Draw the regions of a torus, cylinder or sphere, cut open and laid flat.

    Parameters
    ----------
    title : str
    classes : sequence of str
    grid : pair of ndarray, shapes (n_first,) and (n_second,)
        Angles in radians, and angles, if a ``torus``, or other numbers.
    predicted : ndarray of shape (n_second, n_first)
        The number of the class at each point of the grid.
    samples : sequence of ndarray of shape (n_points, 2)
        Samples of each class.
    boundary : sequence of ndarray of shape (n_points, 2)
        Curves.
    labels : pair of str
        Names of the axes.
    torus : bool
    """
    unit = np.array([180 / np.pi, 180 / np.pi if torus else 1.0])  # degrees
    height = (2.3 if torus else 2.0) + _HEAD
    figure, axes = new_axes(column_width(_WIDTH), height, left=0.7, right=0.2, top=_HEAD)
    axes.set(xlabel=labels[0], ylabel=labels[1])
    _write_legend(figure, title, classes)
    x = grid[0] * unit[0]
    y = grid[1] * unit[1]
    for code in np.unique(predicted):
        inside = (predicted == code).astype(float)
        colour = COLOURS[code % len(COLOURS)]
        axes.contourf(x, y, inside, levels=[0.5, 1.5], colors=[colour], alpha=0.25)
    for code, points in enumerate(samples):
        across, up = (points * unit).T
        _dots(axes, across, up, COLOURS[code % len(COLOURS)])
    for curve in boundary:
        # A missing point between neighbours that are far apart interrupts the line there.
        steps = np.abs(np.diff(curve, axis=0)).max(axis=1)
        breaks = np.flatnonzero(steps > _GAP) + 1
        interrupted = np.insert(curve.astype(float), breaks, np.nan, axis=0)
        axes.plot(*(interrupted * unit).T, color=INK, linewidth=1)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    angular_axes = [axes.xaxis, axes.yaxis] if torus else [axes.xaxis]
    for axis in angular_axes:
        axis.set_major_locator(MultipleLocator(90))
        axis.set_major_formatter(_DEGREES)
    return figure


def draw_directions(title: str, points: np.ndarray, mean: np.ndarray) -> Figure:
    """Draw unit vectors on their circle, and the mean of all as a line from the centre.

    A sphere is seen from the side. ``points`` have the shape (n_points, 2): x and y, or x and z;
    the ``mean`` (2,) is that of the vectors, and its length the mean resultant length.
    """
    side = column_width(2.4)
    figure = Figure(figsize=(side, side + _HEAD))
    write_heading(figure, title)
    axes = figure.add_axes((0, 0, 1, side / (side + _HEAD)), frame_on=False)
    axes.set(xlim=(-1.1, 1.1), ylim=(-1.1, 1.1), xticks=[], yticks=[], aspect="equal")
    turn = np.linspace(0, 2 * np.pi, 181)
    axes.plot(np.cos(turn), np.sin(turn), color=GREY, linewidth=0.8)
    _dots(axes, points[:, 0], points[:, 1], COLOURS[0])
    axes.plot([0.0, mean[0]], [0.0, mean[1]], color=INK, linewidth=1.6)
    return figure


def draw_angle(
    title: str,
    classes: Sequence[str],
    notes: Sequence[str],
    edges: np.ndarray,
    counts: np.ndarray,
    grid: np.ndarray,
    densities: np.ndarray,
) -> Figure:
    """Draw for each class a rose diagram and beside it the fitted densities.

    Parameters
    ----------
    title : str
    classes, notes : sequence of str
        Names of the classes, and what is written beside them.
    edges : ndarray of shape (n_sectors + 1,)
        In radians.
    counts : ndarray of shape (n_classes, n_sectors)
        Samples in each sector.
    grid : ndarray of shape (n_points,)
        One turn, in radians.
    densities : ndarray of shape (2, n_classes, n_points)
        Von Mises and Gaussian density along the turn.
    """
    width = column_width(_WIDTH)
    height = _ROW * len(classes) + _FOOT + 0.3
    figure = Figure(figsize=(width, height))
    write_heading(figure, title)
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) / np.diff(edges)
    # The histogram begins where the turn of the densities begins.
    middles = (edges[:-1] + edges[1:]) / 2
    order = np.argsort((middles - grid[0]) % (2 * np.pi), kind="stable")
    turn = np.degrees(np.linspace(grid[0], grid[0] + 2 * np.pi, len(order) + 1))
    for code, label in enumerate(classes):
        colour = COLOURS[code % len(COLOURS)]
        base = _FOOT + _ROW * (len(classes) - 1 - code)
        rose = _polar(figure, (0.02, base, _DISC, _DISC), 1.12)
        _fill_rose(rose, edges, shares[code], colour)
        left = 1.08 / width
        axes = figure.add_axes(
            (left, (base + 0.06) / height, (width - 1.28) / width, (_ROW - 0.33) / height)
        )
        axes.stairs(shares[code][order], turn, fill=True, color=GREY, alpha=0.3)
        axes.plot(np.degrees(grid), densities[1, code], "--", color=INK, linewidth=1.1)
        axes.plot(np.degrees(grid), densities[0, code], color=colour, linewidth=1.6)
        highest = max(shares[code].max(), densities[:, code].max())
        axes.set(xlim=(turn[0], turn[-1]), ylim=(0, 1.05 * highest), yticks=[])
        axes.xaxis.set_major_locator(MultipleLocator(90))
        axes.xaxis.set_major_formatter(_DEGREES)
        axes.tick_params("x", labelbottom=code == len(classes) - 1)
        axes.spines["left"].set_visible(False)
        top = (base + _ROW - 0.05) / height
        right = left + (width - 1.28) / width
        figure.text(left, top, shorten(label, 18), va="top", size=8)
        figure.text(right, top, notes[code], va="top", ha="right", size=8)
    return figure


def _fill_rose(axes: Axes, edges: np.ndarray, shares: np.ndarray, colour: str) -> None:
    """Draw sectors whose areas are shares, the circle around them, and a mark at 0 degrees."""
    radius = np.sqrt(shares / max(shares.max(), 1e-12))
    axes.fill(np.repeat(edges, 2)[1:-1], np.repeat(radius, 2), color=colour, alpha=0.75, lw=0)
    axes.plot(np.linspace(0, 2 * np.pi, 73), np.ones(73), color=GREY, linewidth=0.6)
    axes.plot([0, 0], [1, 1.1], color=INK, linewidth=0.8)


def _write_legend(figure: Figure, title: str, classes: Sequence[str]) -> None:
    """Write the title, and below it the classes with their colours."""
    width, height = figure.get_size_inches()
    write_heading(figure, title)
    x = 0.05
    y = 1 - 0.27 / height
    for code, label in enumerate(classes):
        figure.text(x / width, y, "●", va="top", size=8, color=COLOURS[code % len(COLOURS)])
        figure.text((x + 0.13) / width, y, shorten(label, 14), va="top", size=8)
        x += 0.25 + label_width([shorten(label, 14)], 8)


def _polar(figure: Figure, box: tuple[float, ...], limit: float) -> Axes:
    """Return polar axes of a radius, without a frame; the box is in inches."""
    place = np.divide(box, np.tile(figure.get_size_inches(), 2)).tolist()
    axes = figure.add_axes(place, projection="polar", frame_on=False)
    axes.set(xticks=[], yticks=[], ylim=(0, limit))
    return axes


def _dots(axes: Axes, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """Draw a dot per point.

    All are one path of round-ended lines that are hardly longer than thick, which makes a smaller
    file than a marker per point.
    """
    points = np.repeat(np.column_stack([x, y]), 2, axis=0)
    # A line without length is not drawn.
    points[1::2, 0] += 5e-4 * np.ptp(axes.get_xlim())
    codes = np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), len(x))
    path = Path(points, codes)
    look = {"ec": colour, "lw": 2.2, "capstyle": "round", "alpha": 0.75}
    # Dots that are snapped to pixels vanish.
    axes.add_patch(PathPatch(path, fill=False, snap=False, **look))
