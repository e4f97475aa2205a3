"""Descents: a measure by step, as median and band over many runs, beside the rivals' medians."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.style import COLOURS, GREY, legend_above, legend_columns, new_axes

__all__ = ["Band", "draw_descent", "draw_ratios"]

_WIDTH = 4.4
_DASHES = ["--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 4))]


class Band(NamedTuple):
    """A median with its band, by step.

    Attributes
    ----------
    label : str
        Legend.
    lower, median, upper : ndarray of shape (n_steps,)
    """

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
    """Draw a measure by step.

    Parameters
    ----------
    title : str
    bands : sequence of Band
        What descends.
    levels : sequence of (str, float)
        What stands still: drawn as horizontal lines.
    ylabel : str
        Name of the measure.
    ratios : bool
        Whether equal ratios are equally far apart (a logarithmic axis); else it begins at 0.
    """
    labels = [*(band.label for band in bands), *(label for label, _ in levels)]
    columns = legend_columns(labels, _WIDTH - 0.65)
    top = 0.35 + 0.2 * -(-len(labels) // columns)
    figure, axes = new_axes(
        _WIDTH, 2.4 + top, left=0.65, top=top, xlabel="step of the descent", ylabel=ylabel
    )
    figure.text(0.02, 1 - 0.06 / figure.get_figheight(), title, va="top", weight="bold", size=10)
    for band, colour in zip(bands, COLOURS, strict=False):
        steps = np.arange(len(band.median))
        axes.fill_between(steps, band.lower, band.upper, color=colour, alpha=0.2, linewidth=0)
        axes.plot(steps, band.median, color=colour, linewidth=2, label=band.label)
    for (label, level), dashes in zip(levels, _DASHES, strict=False):
        axes.axhline(level, color=GREY, linestyle=dashes, linewidth=1.2, label=label)
    axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if ratios:
        axes.set_yscale("log")
        _tick_ratios(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)
    legend_above(axes, columns)
    return figure


def draw_ratios(rows: Sequence[str], groups: Sequence[Points], xlabel: str) -> Figure:
    """Draw rows of points as `draw_points` does, on a logarithmic axis."""
    figure = draw_points(rows, groups, xlabel)
    axes = figure.axes[0]
    axes.set_xscale("log")
    _tick_ratios(axes.xaxis)
    return figure


def _tick_ratios(axis: Axis) -> None:
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())
