"""Lines with marks, single points and horizontal levels."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from xnbflow.report.page.style import (
    COLOURS,
    DASHES,
    GREY,
    INK,
    column_width,
    legend_above,
    legend_room,
    new_axes,
    plain_number,
    style_of,
    write_heading,
)

#: Longer lines have a mark at every fifth of their length.
_MOST_MARKS = 30


class Line(NamedTuple):
    """Points of shape (n_points,) that a line joins; a single point is a larger mark."""

    label: str
    x: np.ndarray
    y: np.ndarray


def draw_lines(
    lines: Sequence[Line],
    xlabel: str,
    ylabel: str,
    *,
    title: str = "",
    ring: tuple[str, float, float] | None = None,
    levels: Sequence[tuple[str, float]] = (),
    bands: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]] = (),
    logarithmic: Literal["x", "y", ""] = "x",
) -> Figure:
    """Draw lines with marks, single points and horizontal levels.

    One of the axes is ``logarithmic``, or neither: then y begins at 0.

    ``ring`` is the legend and the place of a point to compare with, a large hollow mark; ``levels``
    are legends and heights of horizontal lines; ``bands`` are x, lower and upper ends of intervals
    around the first lines, each of shape (n_points,).
    """
    labels = [line.label for line in lines] + [label for label, _ in levels]
    labels += [ring[0]] if ring else []
    width = column_width(4.5)
    columns, room = legend_room(labels, width - 0.75)
    top = 0.1 + room + 0.25 * bool(title)
    figure, axes = new_axes(width, 2.4 + top, left=0.75, right=0.25, top=top)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    write_heading(figure, title)
    for i, line in enumerate(lines):
        _draw_line(axes, line, i)
    for (x, lower, upper), colour in zip(bands, COLOURS, strict=False):
        axes.fill_between(x, lower, upper, color=colour, alpha=0.15, linewidth=0)
    for (label, level), dashes in zip(levels, DASHES[1:], strict=False):
        axes.axhline(level, color=GREY, linestyle=dashes, linewidth=1.2, label=label)
    if ring:
        label, right, up = ring
        axes.plot([right], [up], "o", color="none", markeredgecolor=INK, markersize=11, label=label)
    axes.margins(0.05)
    if logarithmic == "x":
        _make_logarithmic(axes, "x", (1, 3))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if logarithmic == "y":
        _make_logarithmic(axes, "y", (1, 2, 5))
    elif not logarithmic:
        axes.set_ylim(bottom=0)
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure


def _draw_line(axes: Axes, line: Line, style: int) -> None:
    """Draw a line with marks; a single point has a larger one. ``style`` is that of `style_of`."""
    colour, marker = style_of(style)
    axes.plot(
        line.x,
        line.y,
        color=colour,
        marker=marker,
        markersize=4 if len(line.x) > 1 else 7,
        linewidth=1.4,
        label=line.label,
        # on a long line marks have distances of a fifth of the diagonal
        markevery=1 if len(line.x) <= _MOST_MARKS else 0.2,
    )


def _make_logarithmic(axes: Axes, name: Literal["x", "y"], subs: Sequence[float]) -> None:
    """Make an axis logarithmic, with ticks at multiples of the powers of ten."""
    axes.set(**{f"{name}scale": "log"})
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(plain_number)
    axis.set_minor_formatter(NullFormatter())
