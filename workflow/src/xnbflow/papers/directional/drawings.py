"""Angles and decision regions on circle, torus, sphere and cylinder (directional paper)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, LegendKey
from xnbflow.report.page.style import COLOURS, GREY, INK, shorten

#: Width of a drawing on the page, in inches.
_WIDTH = 2.9
#: Inches of a class in the drawing of an angle: its rose diagram, and the curves beside it.
_DISC = 0.8
_CURVES = 0.72
#: Largest distance of neighbours on a boundary that are joined.
_GAP = 0.25
#: Size of a dot in points.
_DOT = 2.2
#: Greatest distance from the centre of what is drawn around a circle of radius 1.
_AROUND_RING = 1.62
_AROUND_ROSE = 1.12
#: Points of a whole circle, and of an arc of a sector.
_CIRCLE = 181
_ARC = 8


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


def draw_rings(title: str, classes: Sequence[str], rings: Sequence[Ring]) -> Chart:
    """Return circles in the colour of the predicted class, with samples around and the boundary."""
    panels = [_ring_panel(ring) for ring in rings]
    width = 2.4 if len(rings) == 1 else 3.8
    return Chart(rows=[panels], width=width, title=title, keys=_keys(classes))


def _ring_panel(ring: Ring) -> ChartPanel:
    """Return the panel of a circle; the angle 0 is right of its centre."""
    drawn: list[marks.Mark] = []
    for code, angles in enumerate(ring.samples):
        radius = np.where(ring.predicted == code, 1.0, np.nan)
        x, y = _cartesian(ring.angles, radius)
        drawn.append(marks.Line(x=x, y=y, colour=_colour(code), width=6.0, alpha=0.45))
        x, y = _cartesian(angles, np.full(len(angles), 1.13 + 0.1 * code))
        drawn.append(_dots(x, y, code))
    ones = np.ones(len(ring.boundary))
    x, y = _cartesian(ring.boundary, ones)
    drawn.append(marks.Line(x=x, y=y, colour=INK, width=1.0))
    x, y = _cartesian(ring.boundary, 1.45 * ones)
    texts = [f"{angle:.2f}" for angle in ring.boundary]
    drawn.append(marks.Texts(x=x, y=y, texts=texts))
    drawn.append(marks.Texts(x=np.zeros(1), y=np.zeros(1), texts=[ring.title]))
    return _round_panel(drawn, _AROUND_RING)


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
) -> Chart:
    """Return the regions of a torus, cylinder or sphere, cut open and laid flat.

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
    x = grid[0] * unit[0]
    y = grid[1] * unit[1]
    drawn: list[marks.Mark] = [marks.Regions(x=x, y=y, codes=predicted)]
    for code, points in enumerate(samples):
        across, up = (points * unit).T
        drawn.append(_dots(across, up, code))
    for curve in boundary:
        # A missing point between neighbours that are far apart interrupts the line there.
        steps = np.abs(np.diff(curve, axis=0)).max(axis=1)
        breaks = np.flatnonzero(steps > _GAP) + 1
        interrupted = np.insert(curve.astype(float), breaks, np.nan, axis=0)
        across, up = (interrupted * unit).T
        drawn.append(marks.Line(x=across, y=up, colour=INK, width=1.0))
    panel = ChartPanel(
        marks=drawn,
        x=_degrees(labels[0], x[0], x[-1]),
        y=_degrees(labels[1], y[0], y[-1])
        if torus
        else Axis(label=labels[1], start=float(y[0]), end=float(y[-1])),
        height=1.9 if torus else 1.6,
    )
    return Chart(rows=[[panel]], width=_WIDTH, title=title, keys=_keys(classes))


def draw_directions(title: str, points: np.ndarray, mean: np.ndarray) -> Chart:
    """Return unit vectors on their circle, and the mean of all as a line from the centre.

    A sphere is seen from the side. ``points`` have the shape (n_points, 2): x and y, or x and z;
    the ``mean`` (2,) is that of the vectors, and its length the mean resultant length.
    """
    x, y = _cartesian(np.linspace(0, 2 * np.pi, _CIRCLE), np.ones(_CIRCLE))
    drawn: list[marks.Mark] = [
        marks.Line(x=x, y=y, colour=GREY, width=0.8),
        _dots(points[:, 0], points[:, 1], 0),
        marks.Line(x=np.array([0.0, mean[0]]), y=np.array([0.0, mean[1]]), colour=INK, width=1.6),
    ]
    return Chart(rows=[[_round_panel(drawn, 1.1)]], width=2.4, title=title)


def draw_angle(
    title: str,
    classes: Sequence[str],
    notes: Sequence[str],
    edges: np.ndarray,
    counts: np.ndarray,
    grid: np.ndarray,
    densities: np.ndarray,
) -> Chart:
    """Return for each class a rose diagram and beside it the fitted densities.

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
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) / np.diff(edges)
    # The histogram begins where the turn of the densities begins.
    middles = (edges[:-1] + edges[1:]) / 2
    order = np.argsort((middles - grid[0]) % (2 * np.pi), kind="stable")
    turn = np.degrees(np.linspace(grid[0], grid[0] + 2 * np.pi, len(order) + 1))
    degrees = np.degrees(grid)
    rows = []
    for code, label in enumerate(classes):
        is_last = code == len(classes) - 1
        heights = shares[code][order]
        highest = max(shares[code].max(), densities[:, code].max())
        bars = marks.Rectangles(
            x0=turn[:-1],
            x1=turn[1:],
            y0=np.zeros(len(heights)),
            y1=heights,
            colours=[GREY] * len(heights),
            alpha=0.3,
        )
        gaussian = marks.Line(x=degrees, y=densities[1, code], colour=INK, dash=1, width=1.1)
        fitted = marks.Line(x=degrees, y=densities[0, code], colour=_colour(code), width=1.6)
        x = _degrees("", turn[0], turn[-1])
        if not is_last:
            x = Axis(start=x.start, end=x.end, hidden=True)
        curves = ChartPanel(
            marks=[bars, gaussian, fitted],
            x=x,
            y=Axis(start=0.0, end=1.05 * float(highest), hidden=True),
            height=_CURVES,
            title=shorten(label, 18),
            note=notes[code],
        )
        rows.append([_rose(edges, shares[code], code), curves])
    return Chart(rows=rows, width=_WIDTH, title=title)


def _rose(edges: np.ndarray, shares: np.ndarray, code: int) -> ChartPanel:
    """Return sectors whose areas are shares, the circle around them, and a mark at 0 degrees."""
    radii = np.sqrt(shares / max(shares.max(), 1e-12))
    x: list[float] = []
    y: list[float] = []
    for start, end, radius in zip(edges[:-1], edges[1:], radii, strict=True):
        across, up = _cartesian(np.linspace(start, end, _ARC), np.full(_ARC, radius))
        x += across.tolist()
        y += up.tolist()
    circle_x, circle_y = _cartesian(np.linspace(0, 2 * np.pi, _CIRCLE), np.ones(_CIRCLE))
    drawn: list[marks.Mark] = [
        marks.Area(x=np.array(x), y=np.array(y), colour=_colour(code)),
        marks.Line(x=circle_x, y=circle_y, colour=GREY, width=0.6),
        marks.Line(x=np.array([1.0, 1.1]), y=np.zeros(2), colour=INK, width=0.8),
    ]
    return _round_panel(drawn, _AROUND_ROSE, width=_DISC)


def _round_panel(
    drawn: Sequence[marks.Mark], reach: float, *, width: float | None = None
) -> ChartPanel:
    """Return a panel around the centre, without axes, with one length of a unit."""
    axis = Axis(start=-reach, end=reach, hidden=True)
    return ChartPanel(
        marks=drawn, x=axis, y=axis, equal=True, width=width, height=width or 2 * reach
    )


def _degrees(label: str, start: float, end: float) -> Axis:
    """Return an axis of degrees with a name at each right angle."""
    turns = [90.0 * i for i in range(int(np.ceil(start / 90)), int(np.floor(end / 90)) + 1)]
    names = [f"{turn:.0f}°" for turn in turns]
    return Axis(label=label, names=names, at=turns, start=float(start), end=float(end))


def _cartesian(angles: np.ndarray, radius: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return x and y of polar coordinates."""
    return radius * np.cos(angles), radius * np.sin(angles)


def _colour(code: int) -> str:
    return COLOURS[code % len(COLOURS)]


def _dots(x: np.ndarray, y: np.ndarray, code: int) -> marks.Points:
    """Return a dot per point, without symbols: there are many of them."""
    return marks.Points(x=x, y=y, colour=_colour(code), size=_DOT, alpha=0.75)


def _keys(classes: Sequence[str]) -> list[LegendKey]:
    """Return the legend of the classes."""
    return [
        LegendKey(text=shorten(label, 14), colour=_colour(i)) for i, label in enumerate(classes)
    ]
