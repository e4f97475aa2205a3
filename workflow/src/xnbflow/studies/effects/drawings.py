"""Effects of single features, convergence and stepwise selection (Larsen 2005, Figures 1-2)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    label_width,
    legend_above,
    new_axes,
    shorten,
    write_heading,
)

__all__ = ["draw_convergence", "draw_effect", "draw_path"]

_WIDTH = 2.9
_LARGE_WIDTH = 4.4
#: Inches of the strip below an effect that shows where the observations are.
_STRIP = 0.3
#: Multiples between ticks.
_STEPS = [1, 2, 2.5, 5, 10]
#: Points of a curve.
_POINTS = 120
_NAMES = ("naive effect", "adjustment", "sum")
_LOOKS: tuple[dict[str, Any], ...] = (
    {"color": COLOURS[0], "linestyle": "--", "linewidth": 1.3},
    {"color": COLOURS[1], "linestyle": ":", "linewidth": 1.6},
    {"color": COLOURS[2], "linestyle": "-", "linewidth": 2.0},
)


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

    Parameters
    ----------
    feature : str
        Its name.
    values : ndarray of shape (n_values,)
        Where the effects are known, ascending.
    effects : ndarray of shape (3, n_values)
        Naive effect, adjustment and sum, in log odds.
    separate : sequence of (float, float)
        Values that have an effect of their own, each with its share of the observations: drawn as
        points, where the curves pause.
    edges, counts : ndarray of shape (n_bins + 1,) and (n_bins,)
        How many other observations there are where.
    note : str
        What stands at the foot: which observations lie beyond the axis.
    large : bool
        Whether to draw it large, with a legend.
    """
    width = _LARGE_WIDTH if large else _WIDTH
    figure, axes = new_axes(
        width,
        3.4 if large else 2.2,
        left=0.7 if large else 0.5,
        bottom=_STRIP + (0.55 if large else 0.4),
        top=0.55 if large else 0.3,
        xlim=_wide_enough(edges[0], edges[-1]),
    )
    write_heading(figure, shorten(feature, 36), 10 if large else 8)
    axes.axhline(0, color=GREY, linewidth=0.8)
    apart = np.isin(values, [value for value, _ in separate])
    shown = apart | _thinned(values, edges[0], edges[-1])
    values, effects, apart = values[shown], effects[:, shown], apart[shown]
    for curve, look, name in zip(effects, _LOOKS, _NAMES, strict=True):
        axes.plot(values, np.where(apart, np.nan, curve), label=name, **look)
        axes.plot(values[apart], curve[apart], "o", color=look["color"], markersize=4.5)
    axes.yaxis.set_major_locator(MaxNLocator(6 if large else 4, steps=_STEPS))
    axes.tick_params("x", labelbottom=False, length=0)
    axes.spines["bottom"].set_visible(False)
    if large:
        axes.set_ylabel("log odds")
        legend_above(axes, 3)
    _draw_strip(figure, axes, separate, edges, counts, large=large)
    if note:
        figure.text(1 - 0.1 / width, 0.02, note, ha="right", va="bottom", size=7.5)
    return figure


def _thinned(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Mark the first value in each of many equal steps: more cannot be told apart."""
    steps = np.floor((values - low) / ((high - low) or 1.0) * _POINTS)
    return np.diff(steps, prepend=-np.inf) > 0


def _wide_enough(low: float, high: float) -> tuple[float, float]:
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def _draw_strip(
    figure: Figure,
    axes: Axes,
    separate: Sequence[tuple[float, float]],
    edges: np.ndarray,
    counts: np.ndarray,
    *,
    large: bool,
) -> None:
    """Draw the counts as bars below the effects; a separate value has its share written."""
    box, height = axes.get_position(), figure.get_figheight()
    below = (box.x0, box.y0 - (_STRIP + 0.02) / height, box.width, _STRIP / height)
    strip = figure.add_axes(below, sharex=axes)
    heights = np.sqrt(counts / max(counts.max(initial=0), 1))
    strip.fill_between(edges, np.append(heights, 0), step="post", facecolor=GREY, edgecolor="none")
    for value, share in separate:
        strip.plot([value, value], [0, 1.5], color=COLOURS[3], linewidth=2)
        size, place = 8 if large else 7, (value, 1.5)
        strip.annotate(
            f"{share:.0%}", place, (4, 0), textcoords="offset points", va="top", size=size
        )
    strip.set(ylim=(0, 1.6), yticks=[])
    strip.tick_params("x", labelsize=9 if large else 8)
    strip.xaxis.set_major_locator(MaxNLocator(6 if large else 4, steps=_STEPS))
    strip.spines["left"].set_visible(False)


def draw_convergence(names: Sequence[str], paths: Sequence[np.ndarray]) -> Figure:
    """Draw the log-likelihood of the training part after each pass, a line per set of features.

    Parameters
    ----------
    names : sequence of str
    paths : sequence of ndarray
        Log-likelihood by iteration, from 0 (naive Bayes), per name.
    """
    lines = [
        Line(name, np.arange(len(path)), path) for name, path in zip(names, paths, strict=True)
    ]
    xlabel = "pass over the features (0: naive Bayes)"
    figure = draw_lines(lines, xlabel, "log-likelihood", logarithmic=False)
    (axes,) = figure.axes
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return figure


def draw_path(steps: Sequence[str], log_likelihood: np.ndarray, filled: np.ndarray) -> Figure:
    """Draw how the log-likelihood rises as features enter, a row per step.

    Parameters
    ----------
    steps : sequence of str
        What was done.
    log_likelihood : ndarray of shape (n_steps,)
        Of the training part, after each step.
    filled : ndarray of bool, shape (n_steps,)
        Steps with a full mark; the others have a ring.
    """
    labels = [shorten(step, 28) for step in steps]
    figure, axes = new_axes(
        _LARGE_WIDTH,
        0.65 + 0.17 * len(steps),
        left=min(2.0, 0.2 + label_width(labels, 8)),
        right=0.25,
        top=0.1,
        xlabel="log-likelihood of the training part",
    )
    places = np.arange(len(steps))
    axes.plot(log_likelihood, places, color=COLOURS[0], linewidth=0.8, alpha=0.5)
    for chosen, face in ((filled, COLOURS[0]), (~filled, "none")):
        x, y = log_likelihood[chosen], places[chosen]
        axes.plot(x, y, "o", color=COLOURS[0], markersize=5, markerfacecolor=face)
    axes.set_yticks(places, labels, fontsize=8)
    axes.tick_params("y", length=0)
    axes.set_ylim(len(steps) - 0.5, -0.5)
    axes.xaxis.set_major_locator(MaxNLocator(5))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(visible=True, axis="x")
    return figure
