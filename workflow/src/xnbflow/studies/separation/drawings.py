"""Gains of block selection, and weights of scores (Pavlenko and von Rosen)."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    MARKERS,
    column_width,
    label_width,
    legend_above,
    legend_room,
    name_rows,
    new_axes,
    shorten,
    write_heading,
)

__all__ = ["draw_gains", "draw_weights"]


def draw_gains(
    title: str,
    rows: Sequence[str],
    gains: Mapping[str, tuple[np.ndarray, np.ndarray]],
    hollow: Collection[str],
) -> Figure:
    """Draw rows of gains with their standard errors in per cent, and a line at 0.

    Of each method both have shape (n_rows,); the marks of ``hollow`` ones are hollow.
    """
    left, width = 0.2 + label_width(rows, 8), column_width(5.6)
    columns, room = legend_room(list(gains), width)
    top = 0.35 + room
    height = 0.5 + top + 0.26 * len(rows)
    figure, axes = new_axes(width, height, left=left, right=0.25, top=top)
    write_heading(figure, title)
    places = np.arange(len(rows))
    shifts = np.linspace(-0.32, 0.32, len(gains))
    for i, (method, (values, errors)) in enumerate(gains.items()):
        axes.errorbar(
            values,
            places + shifts[i],
            xerr=np.nan_to_num(errors),
            fmt=MARKERS[i % len(MARKERS)],
            color=COLOURS[i % len(COLOURS)],
            markerfacecolor="none" if method in hollow else None,
            markersize=4.2,
            elinewidth=1.0,
            label=method,
        )
    axes.axvline(0, color=GREY, linewidth=1.0)
    for place in places[:-1]:
        axes.axhline(place + 0.5, color=GREY, alpha=0.4, linewidth=0.5)
    name_rows(axes, places, list(rows), 8)
    axes.set(xlabel="gain 1 − R~/R in per cent", ylim=(len(rows) - 0.5, -0.5))
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure


def draw_weights(
    title: str, scores: np.ndarray, known: np.ndarray, estimated: np.ndarray, threshold: float
) -> Figure:
    """Draw the weight of a score under the known and under estimated distributions.

    Of ``scores`` (n_scores,) these are ``known`` (n_scores,), and by estimates their 5 % quantile,
    median and 95 % quantile (3, n_scores). Eq. 20 cuts at the ``threshold``.
    """
    figure, axes = new_axes(column_width(2.5), 1.75, left=0.4, bottom=0.4, top=0.25)
    write_heading(figure, shorten(title, 42), 7.5)
    low, median, high = estimated
    axes.fill_between(scores, low, high, color=COLOURS[1], alpha=0.25, linewidth=0)
    axes.plot(scores, median, "--", color=COLOURS[1], linewidth=1.3)
    axes.plot(scores, known, color=COLOURS[0], linewidth=1.6)
    axes.axvline(threshold, color=GREY, linestyle=":", linewidth=1.2)
    most = max(1.0, known[scores >= threshold].max(initial=0.0))
    axes.set(xlim=(0, scores[-1]), ylim=(0, 1.05 * most), yticks=[0, 0.5, 1])
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set_xlabel("score", fontsize=8)
    axes.grid(visible=True)
    return figure
