"""Lines with marks, and the trade-off between accuracy and features (XNB paper, Table 2)."""

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
    MARKERS,
    column_width,
    legend_above,
    legend_room,
    new_axes,
    plain_number,
    shorten,
    write_heading,
)

__all__ = ["Line", "draw_lines", "draw_trade_off"]

#: With more data sets than this their names would lie on one another.
_MOST_NAMED = 6
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
    for i, (label, x, y) in enumerate(lines):
        colour, marker = COLOURS[i % len(COLOURS)], MARKERS[i % len(MARKERS)]
        size = 4 if len(x) > 1 else 7
        axes.plot(
            x, y, color=colour, marker=marker, markersize=size, linewidth=1.4, label=label,
            markevery=1 if len(x) <= _MOST_MARKS else 0.2,
        )  # fmt: skip
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


def _make_logarithmic(axes: Axes, name: Literal["x", "y"], subs: Sequence[float]) -> None:
    """Make an axis logarithmic, with ticks at multiples of the powers of ten."""
    axes.set(**{f"{name}scale": "log"})
    axis = axes.xaxis if name == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=subs))
    axis.set_major_formatter(plain_number)
    axis.set_minor_formatter(NullFormatter())


def draw_trade_off(
    rows: Sequence[str], classifiers: Sequence[str], features: np.ndarray, accuracy: np.ndarray
) -> Figure:
    """Draw accuracy against features per class; a line joins the classifiers of a data set.

    ``rows`` are data sets; ``features`` and ``accuracy`` have shape (n_rows, n_classifiers).
    """
    width = column_width(4.5)
    columns, room = legend_room(classifiers, width - 0.8)
    figure, axes = new_axes(width, 3.4 + room, left=0.8, top=0.1 + room)
    axes.set(xlabel="features per class (logarithmic)", ylabel="accuracy")
    for x, y in zip(features, accuracy, strict=True):
        order = np.argsort(x, kind="stable")
        axes.plot(x[order], y[order], color=GREY, linewidth=0.6, alpha=0.6)
    decades = np.log10(np.nanmax(features) / np.nanmin(features))
    apart = 0.01 * decades if len(rows) > 1 else 0.0  # a share of the axis, whatever its range
    shifts = 10 ** (apart * (np.arange(len(classifiers)) - (len(classifiers) - 1) / 2))
    for j, name in enumerate(classifiers):
        colour, marker = COLOURS[j % len(COLOURS)], MARKERS[j % len(MARKERS)]
        x, y = features[:, j] * shifts[j], accuracy[:, j]
        axes.plot(x, y, marker, color=colour, markersize=5, alpha=0.85, label=name, clip_on=False)
    low = axes.get_ylim()[0]
    axes.set_ylim(low - 0.05 * (1.0 - low), 1.0)
    _make_logarithmic(axes, "x", (1.0,) if decades > 2 else (1.0, 2.0, 5.0))
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    if len(rows) <= _MOST_NAMED:
        _name_lines(axes, rows, features, accuracy)
    legend_above(axes, columns)
    return figure


def _name_lines(
    axes: Axes, rows: Sequence[str], features: np.ndarray, accuracy: np.ndarray
) -> None:
    """Write each data set's name beside its leftmost point, names one below the other."""
    low, high = axes.get_ylim()
    fewest = np.nanargmin(np.where(np.isnan(accuracy), np.inf, features), axis=1)
    x, y = features[range(len(rows)), fewest], accuracy[range(len(rows)), fewest]
    below = np.inf
    for i in np.argsort(-y, kind="stable"):
        if np.isfinite(y[i]):
            below = min(y[i], below - 0.045 * (high - low))
            text, place = f"  {shorten(rows[i], 20)}", (x[i], below)
            axes.annotate(text, place, (7, 0), textcoords="offset points", fontsize=8, va="center")
