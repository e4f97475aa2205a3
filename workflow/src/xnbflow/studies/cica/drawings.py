"""A measure by step of a descent, as median and band over many runs."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from xnbflow.report.page.style import (
    COLOURS,
    DASHES,
    GREY,
    MARKERS,
    column_width,
    legend_above,
    legend_room,
    new_axes,
    write_heading,
)

__all__ = ["Band", "draw_descent"]


class Band(NamedTuple):
    """A median with its band, by step: arrays of shape (n_steps,)."""

    label: str
    lower: np.ndarray
    median: np.ndarray
    upper: np.ndarray


def draw_descent(
    title: str,
    bands: Sequence[Band],
    levels: Sequence[tuple[str, float]],
    ylabel: str,
    *,
    ratios: bool,
) -> Figure:
    """Draw a measure by step, with levels as horizontal lines.

    The axis is logarithmic for ``ratios``; else it begins at 0.
    """
    labels = [*(band.label for band in bands), *(label for label, _ in levels)]
    width = column_width(4.4)
    columns, room = legend_room(labels, width - 0.65)
    figure, axes = new_axes(width, 2.75 + room, left=0.65, top=0.35 + room)
    axes.set(xlabel="step of the descent", ylabel=ylabel)
    write_heading(figure, title)
    for band, colour, marker in zip(bands, COLOURS, MARKERS, strict=False):
        steps = np.arange(len(band.median))
        axes.fill_between(steps, band.lower, band.upper, color=colour, alpha=0.2, linewidth=0)
        look: dict[str, Any] = {"color": colour, "marker": marker, "markevery": 0.2}
        axes.plot(steps, band.median, linewidth=2, label=band.label, **look)
    for (label, level), dashes in zip(levels, DASHES[1:], strict=False):
        axes.axhline(level, color=GREY, linestyle=dashes, linewidth=1.2, label=label)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if ratios:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        axes.set_ylim(bottom=0)
    legend_above(axes, columns)
    return figure
