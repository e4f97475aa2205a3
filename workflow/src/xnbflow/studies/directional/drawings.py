"""Angles and decision regions on circle, torus, sphere and cylinder (directional paper)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Circle, PathPatch
from matplotlib.path import Path
from matplotlib.ticker import FuncFormatter, MultipleLocator

from xnbflow.report.page.style import COLOURS, GREY, INK, label_width, new_axes, shorten

__all__ = ["Ring", "draw_angle", "draw_rings", "draw_sphere", "draw_unrolled"]

_WIDTH = 2.9
#: Inches above a drawing for its title and its legend.
_HEAD = 0.5
_REGION = 0.25
#: Neighbours on a boundary are nearer than this; what is farther apart is not joined.
_GAP = 0.25


class Ring(NamedTuple):
    """What is known around a circle.

    Attributes
    ----------
    title : str
        What stands in its middle; may be empty.
    angles, predicted : ndarray of shape (n_angles,)
        A grid of angles in radians, and the number of the class that each is assigned to.
    samples : sequence of ndarray
        Angles of the samples of each class.
    boundary : ndarray
        Angles where the class changes.
    """

    title: str
    angles: np.ndarray
    predicted: np.ndarray
    samples: Sequence[np.ndarray]
    boundary: np.ndarray


def draw_rings(title: str, classes: Sequence[str], rings: Sequence[Ring]) -> Figure:
    """Draw circles whose colour is the predicted class, with samples around and the boundary.

    Parameters
    ----------
    title : str
        Heading.
    classes : sequence of str
        Class labels.
    rings : sequence of Ring
        One or two circles.
    """
    side = 2.4 if len(rings) == 1 else 1.9
    figure = Figure(figsize=(side * len(rings), side + _HEAD))
    _head(figure, title, classes)
    for i, ring in enumerate(rings):
        axes = _square(figure, i * side, 0, side, 1.62)
        for code, angles in enumerate(ring.samples):
            colour = COLOURS[code % len(COLOURS)]
            own = ring.predicted == code
            axes.plot(
                np.where(own, np.cos(ring.angles), np.nan),
                np.where(own, np.sin(ring.angles), np.nan),
                color=colour,
                linewidth=6,
                alpha=0.45,
                solid_capstyle="butt",
            )
            radius = 1.13 + 0.1 * code
            _dots(axes, radius * np.cos(angles), radius * np.sin(angles), colour)
        x, y = np.cos(ring.boundary), np.sin(ring.boundary)
        axes.plot(x, y, color=INK, linewidth=1)
        for angle in ring.boundary:
            place = 1.45 * np.cos(angle), 1.45 * np.sin(angle)
            axes.text(*place, f"{angle:.2f}", size=8, ha="center", va="center")
        axes.text(0, 0, ring.title, size=8, ha="center", va="center")
    return figure


def draw_unrolled(
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
    """Draw the regions of a torus or a cylinder, cut open and laid flat.

    Parameters
    ----------
    title : str
        Heading.
    classes : sequence of str
        Class labels.
    grid : (ndarray of shape (n_first,), ndarray of shape (n_second,))
        Angles in radians; angles or real numbers.
    predicted : ndarray of int, shape (n_second, n_first)
        Number of the class that each point is assigned to.
    samples : sequence of ndarray of shape (n_samples, 2)
        Of each class; may be empty.
    boundary : sequence of ndarray of shape (n_points, 2)
        Curves.
    labels : (str, str)
        Names of the axes.
    torus : bool
        Whether the second coordinate is an angle, too.
    """
    height = (2.3 if torus else 2.0) + _HEAD
    figure, axes = new_axes(
        _WIDTH, height, left=0.7, right=0.2, top=_HEAD, xlabel=labels[0], ylabel=labels[1]
    )
    _head(figure, title, classes)
    unit = np.array([180 / np.pi, 180 / np.pi if torus else 1.0])
    x, y = grid[0] * unit[0], grid[1] * unit[1]
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))
    for code in range(len(classes)):
        _shade(axes, x, y, (predicted == code).astype(float), code)
    for code, points in enumerate(samples):
        across, up = (points * unit).T
        _dots(axes, across, up, COLOURS[code % len(COLOURS)])
    for curve in boundary:
        axes.plot(*(_broken(curve) * unit).T, color=INK, linewidth=1)
    for axis in (axes.xaxis, axes.yaxis) if torus else (axes.xaxis,):
        axis.set_major_locator(MultipleLocator(90))
        axis.set_major_formatter(_DEGREES)
    return figure


def draw_sphere(
    title: str,
    classes: Sequence[str],
    grid: tuple[np.ndarray, np.ndarray],
    predicted: np.ndarray,
    samples: Sequence[np.ndarray],
    boundary: np.ndarray,
) -> Figure:
    """Draw a sphere as seen from the classes' side, and from behind.

    Longitudes and latitudes are the coordinates, and the boundary is one curve; other parameters
    are those of `draw_unrolled`.
    """
    side = _WIDTH / 2
    figure = Figure(figsize=(_WIDTH, side + _HEAD + 0.18))
    _head(figure, title, classes)
    unit = [_unit(points) for points in samples]
    middle = np.sum([points.mean(axis=0) for points in unit], axis=0)
    front = middle / np.linalg.norm(middle)
    for i, (view, name) in enumerate(((front, "front"), (-front, "back"))):
        axes = _square(figure, i * side, 0.18, side, 1.12)
        right, up = _directions(view, front)
        _shade_ball(axes, grid, predicted, np.stack([right, up, view]), len(classes))
        for code, points in enumerate(unit):
            seen = points[points @ view > 0]
            _dots(axes, seen @ right, seen @ up, COLOURS[code % len(COLOURS)])
        curve = _unit(boundary)
        curve = np.where((curve @ view >= 0)[:, None], curve, np.nan)
        axes.plot(curve @ right, curve @ up, color=INK, linewidth=1)
        _name_axes(axes, right, up, view)
        axes.text(0, -1.08, name, size=8, ha="center", va="top")
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
        Heading.
    classes : sequence of str
        Class labels.
    notes : sequence of str
        What stands beside each class's name.
    edges : ndarray of shape (n_sectors + 1,)
        Edges of the sectors in radians.
    counts : ndarray of shape (n_classes, n_sectors)
        Samples in each sector.
    grid : ndarray of shape (n_points,)
        Angles in radians, one turn.
    densities : ndarray of shape (2, n_classes, n_points)
        Von Mises and Gaussian density along the turn.
    """
    row, disc, foot = 1.05, 0.95, 0.3
    height = row * len(classes) + foot + 0.3
    figure = Figure(figsize=(_WIDTH, height))
    figure.text(0.03, 1 - 0.05 / height, shorten(title, 40), va="top", weight="bold", size=10)
    histogram = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1) / np.diff(edges)
    for code, label in enumerate(classes):
        colour = COLOURS[code % len(COLOURS)]
        base = foot + row * (len(classes) - 1 - code)
        _rose(_square(figure, 0.02, base, disc, 1.12), edges, histogram[code], colour)
        box = (1.08 / _WIDTH, (base + 0.06) / height, 1.62 / _WIDTH, (row - 0.33) / height)
        axes = figure.add_axes(box)
        figure.text(box[0], (base + row - 0.05) / height, shorten(label, 18), va="top", size=8)
        figure.text(
            box[0] + box[2], (base + row - 0.05) / height, notes[code], va="top", ha="right", size=8
        )
        _densities(axes, edges, histogram[code], grid, densities[:, code], colour)
        if code < len(classes) - 1:
            axes.set_xticklabels([])
    return figure


_DEGREES = FuncFormatter(lambda value, _: f"{value:.0f}°")


def _head(figure: Figure, title: str, classes: Sequence[str]) -> None:
    """Write the title, and below it the classes with their colours."""
    width, height = figure.get_size_inches()
    figure.text(0.05 / width, 1 - 0.05 / height, title, va="top", weight="bold", size=10)
    x = 0.05
    for code, label in enumerate(classes):
        y = 1 - 0.27 / height
        figure.text(x / width, y, "●", va="top", size=8, color=COLOURS[code % len(COLOURS)])
        figure.text((x + 0.13) / width, y, shorten(label, 14), va="top", size=8)
        x += 0.25 + label_width([shorten(label, 14)], 8)


def _square(figure: Figure, left: float, bottom: float, side: float, limit: float) -> Axes:
    """Return axes without a frame that reach as far in every direction; sizes in inches."""
    width, height = figure.get_size_inches()
    box = (left / width, bottom / height, side / width, side / height)
    return figure.add_axes(
        box, xlim=(-limit, limit), ylim=(-limit, limit), frame_on=False, xticks=[], yticks=[]
    )


def _dots(axes: Axes, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """Draw a dot per point, all in one path of lines hardly longer than thick: little text."""
    points = np.repeat(np.column_stack([x, y]), 2, axis=0)
    points[1::2, 0] += 5e-4 * np.ptp(axes.get_xlim())
    codes = np.tile(np.array([Path.MOVETO, Path.LINETO], Path.code_type), len(x))
    path = Path(points, codes)
    axes.add_patch(PathPatch(path, fill=False, ec=colour, lw=2.2, capstyle="round", alpha=0.75))


def _shade(axes: Axes, x: np.ndarray, y: np.ndarray, inside: np.ndarray, code: int) -> None:
    """Fill the region of a class."""
    if inside.max() > 0.5:
        colour = COLOURS[code % len(COLOURS)]
        axes.contourf(x, y, inside, levels=[0.5, 1.5], colors=[colour], alpha=_REGION)


def _broken(curve: np.ndarray) -> np.ndarray:
    """Return a curve with a gap wherever two neighbours are far apart."""
    far = np.flatnonzero(np.abs(np.diff(curve, axis=0)).max(axis=1) > _GAP) + 1
    return np.insert(curve.astype(float), far, np.nan, axis=0)


def _unit(points: np.ndarray) -> np.ndarray:
    """Return longitudes and latitudes, shape (n, 2), as unit vectors, shape (n, 3)."""
    longitude, latitude = points.T
    across = np.cos(latitude)
    return np.column_stack(
        [across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)]
    )


def _directions(view: np.ndarray, front: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which directions are right and up for one who looks at the ball from `view`.

    Up is the third axis, unless that points nearly at the viewer.
    """
    pole = np.eye(3)[2 if abs(front[2]) < 0.9 else 1]
    up = pole - (pole @ view) * view
    up /= np.linalg.norm(up)
    return np.cross(up, view), up


def _shade_ball(
    axes: Axes,
    grid: tuple[np.ndarray, np.ndarray],
    predicted: np.ndarray,
    directions: np.ndarray,
    n_classes: int,
) -> None:
    """Fill the regions on the half of the ball that is seen, and draw its outline."""
    turn = np.linspace(0, 2 * np.pi, 121)
    radius = np.sin(np.linspace(0, np.pi / 2, 46))[:, None]
    x, y = radius * np.cos(turn), radius * np.sin(turn)
    depth = np.sqrt(np.maximum(1 - x**2 - y**2, 0))
    points = np.stack([x, y, depth], axis=-1) @ directions
    longitude = np.arctan2(points[..., 1], points[..., 0])
    latitude = np.arcsin(np.clip(points[..., 2], -1, 1))
    for code in range(n_classes):
        inside = _between(*grid, (predicted == code).astype(float), longitude, latitude)
        _shade(axes, x, y, inside, code)
    axes.add_patch(Circle((0, 0), 1, fill=False, ec=GREY, lw=0.8))


def _between(
    first: np.ndarray, second: np.ndarray, values: np.ndarray, x: np.ndarray, y: np.ndarray
) -> np.ndarray:
    """Interpolate on a grid, linearly in both directions; values of shape (n_second, n_first)."""
    i = np.interp(y, second, np.arange(len(second)))
    j = np.interp(x, first, np.arange(len(first)))
    low_i = np.minimum(i.astype(int), len(second) - 2)
    low_j = np.minimum(j.astype(int), len(first) - 2)
    di, dj = i - low_i, j - low_j
    lower = (1 - dj) * values[low_i, low_j] + dj * values[low_i, low_j + 1]
    upper = (1 - dj) * values[low_i + 1, low_j] + dj * values[low_i + 1, low_j + 1]
    return (1 - di) * lower + di * upper


def _name_axes(axes: Axes, right: np.ndarray, up: np.ndarray, view: np.ndarray) -> None:
    """Mark where the coordinate axes come out of the half of the ball that is seen."""
    for i in range(3):
        for sign in (1, -1):
            if sign * view[i] > -1e-9:
                x, y = sign * right[i], sign * up[i]
                axes.plot(x, y, "o", mfc="none", mec=INK, markersize=4, markeredgewidth=0.8)
                name = f"{'−' if sign < 0 else ''}x{'₁₂₃'[i]}"
                side, offset = ("right", -0.09) if x > 0.3 else ("left", 0.09)
                axes.text(x + offset, y, name, size=8, ha=side, va="center")


def _rose(axes: Axes, edges: np.ndarray, histogram: np.ndarray, colour: str) -> None:
    """Draw a sector per bin, its area proportional to its samples."""
    radius = np.sqrt(histogram / max(histogram.max(), 1e-12))
    angles = np.stack([edges[:-1], edges[1:]])
    arc = np.stack([radius * np.cos(angles), radius * np.sin(angles)], axis=-1)
    centre = np.zeros((1, *arc.shape[1:]))
    sectors = np.concatenate([centre, arc, centre]).transpose(1, 0, 2)[histogram > 0]
    codes = np.full(sectors.shape[:2], Path.LINETO, Path.code_type)
    codes[:, 0], codes[:, -1] = Path.MOVETO, Path.CLOSEPOLY
    path = Path(sectors.reshape(-1, 2), codes.ravel())
    axes.add_patch(PathPatch(path, fc=colour, alpha=0.75, ec="none"))
    axes.add_patch(Circle((0, 0), 1, fill=False, ec=GREY, lw=0.6))
    axes.plot([1, 1.1], [0, 0], color=INK, linewidth=0.8)


def _densities(
    axes: Axes,
    edges: np.ndarray,
    histogram: np.ndarray,
    grid: np.ndarray,
    densities: np.ndarray,
    colour: str,
) -> None:
    """Draw the histogram along a turn, and both densities over it."""
    middles = (edges[:-1] + edges[1:]) / 2
    order = np.argsort((middles - grid[0]) % (2 * np.pi), kind="stable")
    start = np.linspace(grid[0], grid[0] + 2 * np.pi, len(order) + 1)
    axes.stairs(histogram[order], np.degrees(start), fill=True, color=GREY, alpha=0.3)
    degrees = np.degrees(grid)
    axes.plot(degrees, densities[1], "--", color=INK, linewidth=1.1)
    axes.plot(degrees, densities[0], color=colour, linewidth=1.6)
    axes.set(xlim=(degrees[0], degrees[-1]), ylim=(0, 1.05 * max(histogram.max(), densities.max())))
    axes.xaxis.set_major_locator(MultipleLocator(90))
    axes.xaxis.set_major_formatter(_DEGREES)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
