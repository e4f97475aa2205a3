"""Effects of single features (Larsen 2005, Figures 1 and 2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import (
    BLUE,
    COLOURS,
    GREY,
    ORANGE,
    column_width,
    legend_above,
    new_axes,
    write_heading,
)

#: Inches of the strip below an effect that shows where the observations are.
_STRIP = 0.3
#: Multiples of powers of ten between ticks.
_MULTIPLES = [1, 2, 2.5, 5, 10]
#: Points of a curve: more cannot be distinguished.
_POINTS = 120
_LOOKS: dict[str, dict[str, Any]] = {
    "naive effect": {"color": BLUE, "linestyle": "--", "linewidth": 1.3},
    "adjustment": {"color": ORANGE, "linestyle": ":", "linewidth": 1.6},
    "sum": {"color": COLOURS[0], "linestyle": "-", "linewidth": 2.0},
}


def draw_effect(
    feature: str,
    values: np.ndarray,
    effects: np.ndarray,
    separate: Sequence[tuple[float, float]],
    edges: np.ndarray,
    counts: np.ndarray,
    note: str,
    *,
    large: bool = False,
) -> Figure:
    """Draw a feature's naive effect, its adjustment and their sum, above its observations.

    At ``values`` (n_values,), ascending, ``effects`` (3, n_values) are naive effect, adjustment and
    sum in log odds. ``separate`` values have an effect of their own, each with its share of the
    observations: they are points, with gaps in the curves. ``edges`` (n_bins + 1,) and ``counts``
    (n_bins,) are the histogram of the other observations; the ``note`` at the foot counts those
    beyond the axis. A ``large`` figure has a legend.
    """
    width = column_width(4.4 if large else 2.9)
    low = edges[0]
    high = edges[-1]
    margin = 0.03 * (high - low) or 0.5
    figure, axes = new_axes(
        width,
        3.4 if large else 2.2,
        left=0.7 if large else 0.5,
        bottom=_STRIP + (0.55 if large else 0.4),
        top=0.55 if large else 0.3,
        xlim=(low - margin, high + margin),
    )
    write_heading(figure, feature, 10 if large else 8)
    axes.axhline(0, color=GREY, linewidth=0.8)
    apart = np.isin(values, [value for value, _ in separate])
    # The first value of each step of the axis, and all that are drawn apart.
    steps = np.floor((values - low) / ((high - low) or 1.0) * _POINTS)
    shown = apart | (np.diff(steps, prepend=-np.inf) > 0)
    values = values[shown]
    effects = effects[:, shown]
    apart = apart[shown]
    for curve, (name, look) in zip(effects, _LOOKS.items(), strict=True):
        axes.plot(values, np.where(apart, np.nan, curve), label=name, **look)
        axes.plot(values[apart], curve[apart], "o", color=look["color"], markersize=4.5)
    axes.yaxis.set_major_locator(MaxNLocator(6 if large else 4, steps=_MULTIPLES))
    axes.tick_params("x", labelbottom=False, length=0)
    axes.spines["bottom"].set_visible(False)
    if large:
        axes.set_ylabel("log odds")
        legend_above(axes, 3)
    _draw_observations(figure, axes, separate=separate, edges=edges, counts=counts, large=large)
    if note:
        figure.text(1 - 0.1 / width, 0.02, note, ha="right", va="bottom", size=7.5)
    return figure


def _draw_observations(
    figure: Figure,
    axes: Axes,
    separate: Sequence[tuple[float, float]],
    edges: np.ndarray,
    counts: np.ndarray,
    *,
    large: bool,
) -> None:
    """Draw a strip below the axes: a histogram by square root, and the shares of single values."""
    box = axes.get_position()
    height = figure.get_figheight()
    below = (box.x0, box.y0 - (_STRIP + 0.02) / height, box.width, _STRIP / height)
    strip = figure.add_axes(below, sharex=axes)
    heights = np.sqrt(counts / max(counts.max(initial=0), 1))
    strip.fill_between(edges, np.append(heights, 0), step="post", facecolor=GREY, edgecolor="none")
    size = 8 if large else 7
    for value, share in separate:
        strip.plot([value, value], [0, 1.5], color=COLOURS[2], linewidth=2)
        strip.text(value, 1.5, f" {share:.0%}", va="top", size=size)
    strip.set(ylim=(0, 1.6), yticks=[])
    strip.tick_params("x", labelsize=size + 1)
    strip.xaxis.set_major_locator(MaxNLocator(6 if large else 4, steps=_MULTIPLES))
    strip.spines["left"].set_visible(False)
