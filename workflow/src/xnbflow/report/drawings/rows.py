"""Points with intervals, a row per data set."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.page.style import (
    GREY,
    INK,
    column_width,
    label_width,
    legend_above,
    legend_room,
    name_rows,
    new_axes,
    shorten_to,
    style_of,
    write_heading,
)

#: Inches of a column in print that names of rows leave: margins, and the axes.
_LEAST = 1.05


class Points(NamedTuple):
    """A value per row, with an interval where there is one; missing values are not drawn.

    ``style`` is the number of the colour and the mark. ``beside`` is the number of the group whose
    lines it shares, hollow, as the paper's values beside ours; -1 for lines of its own.
    """

    label: str
    values: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]
    style: int
    beside: int = -1
    hollow: bool = False


def draw_points(
    rows: Sequence[str],
    groups: Sequence[Points],
    xlabel: str,
    levels: tuple[str, Sequence[float]] | None = None,
    most: float | None = None,
    *,
    title: str = "",
    length: int = 26,
) -> Figure:
    """Draw rows of points, the groups of a row one below the other.

    ``levels`` are a name, and per row a value that all groups are to be compared with: a bar across
    the row. ``most`` is the greatest possible value, where the axis ends; a mark on it is drawn
    whole. Names of rows are cut to a ``length``.
    """
    names = [group.label for group in groups] + ([levels[0]] if levels else [])
    n_lines = sum(group.beside < 0 for group in groups)
    legend = names if len(names) > 1 else []
    most_of_names = column_width(math.inf) - _LEAST
    labels = [shorten_to(name, length, most_of_names) for name in rows]
    left = min(most_of_names + 0.2, 0.073 * length, 0.2 + label_width(labels))
    width = column_width(max(4.6, left + 2.7))
    columns, room = legend_room(legend, width - left)
    top = 0.1 + room + 0.25 * bool(title)
    height = 0.5 + top + (0.14 + 0.085 * n_lines) * len(rows)
    figure, axes = new_axes(width, height, left=left, right=0.25, top=top, xlabel=xlabel)
    write_heading(figure, title)
    name_rows(axes, range(len(rows)), labels)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    # offsets of the groups within a row of height 1
    offsets = np.linspace(-0.32, 0.32, n_lines) if n_lines > 1 else np.zeros(1)
    positions = np.arange(len(rows))
    for i, group in enumerate(groups):
        line = group.beside if group.beside >= 0 else i
        _draw_group(axes, group, positions + offsets[line])
    if levels:
        name, at = levels
        axes.vlines(at, positions - 0.42, positions + 0.42, color=INK, linewidth=1.6, label=name)
    for position in positions[:-1]:
        axes.axhline(position + 0.5, color=GREY, alpha=0.25, linewidth=0.6)
    if most is not None:
        axes.set_xlim(right=most)
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)
    if legend:
        legend_above(axes, columns)
    return figure


def _draw_group(axes: Axes, group: Points, positions: np.ndarray) -> None:
    """Draw a point with its interval at each of the heights, (n_rows,)."""
    values = np.asarray(group.values, dtype=float)
    below = values - np.asarray(group.lower)
    above = np.asarray(group.upper) - values
    beside = group.beside >= 0
    colour, marker = style_of(group.style)
    axes.errorbar(
        values,
        positions,
        xerr=np.nan_to_num(np.stack([below, above]).clip(min=0)),
        fmt="d" if beside else marker,
        color=colour,
        markerfacecolor="none" if beside or group.hollow else None,
        markersize=6 if beside else 4.5,
        elinewidth=1.2,
        label=group.label,
        clip_on=False,
    )
