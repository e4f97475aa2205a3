"""Figures 1 and 2 of Pavlenko and von Rosen, and the weights of scores."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator, PercentFormatter

from xnbflow.report.page.style import (
    BLUE,
    GREY,
    ORANGE,
    column_width,
    legend_above,
    new_axes,
    write_heading,
)

#: Inches of the panels of the paper's figures, and beside them.
_PANEL = 1.15
_LEFT = 0.75
_RIGHT = 0.2
#: Inches above the panels for heading and legend, and below the last one for its name.
_HEAD = 0.55
_FOOT = 0.45
#: Inches between the first panels, which share an axis, and between the others.
_NARROW = 0.15
_WIDE = 0.6


def draw_paper_figure(
    title: str,
    scale: np.ndarray,
    separation: np.ndarray,
    risk: np.ndarray,
    edges: np.ndarray,
    counts: np.ndarray,
    xlabel: str,
) -> Figure:
    """Draw separation, risk and gains below each other, as the paper does.

    Parameters
    ----------
    title : str
    scale : ndarray of shape (n_points,)
        The axis of the curves, named ``xlabel``.
    separation, risk : ndarray of shape (2, n_points)
        D and D~, R and R~: with all blocks (solid) and with selection (dashed).
    edges : ndarray of shape (n_bins + 1,)
    counts : ndarray of shape (n_bins,)
        Histogram of the gains 1 - R~/R of training sets.
    xlabel : str
    """
    width = column_width(4.4)
    height = _HEAD + 3 * _PANEL + _NARROW + _WIDE + _FOOT
    figure = Figure(figsize=(width, height))
    write_heading(figure, title)
    on_gains = _add_panel(figure, _FOOT)
    on_risk = _add_panel(figure, _FOOT + _PANEL + _WIDE)
    on_separation = _add_panel(figure, _FOOT + 2 * _PANEL + _WIDE + _NARROW)

    _draw_pair(on_separation, scale, separation, ("all blocks", "selected by Eq. 22"))
    on_separation.set_ylabel("D, D~")
    on_separation.tick_params("x", labelbottom=False)
    legend_above(on_separation, 2)
    _draw_pair(on_risk, scale, risk, ("R", "R~"))
    on_risk.set(yscale="log", xlabel=xlabel)
    on_risk.set_ylabel("R, R~")
    on_risk.yaxis.set_major_locator(LogLocator(numticks=4))
    on_risk.yaxis.set_minor_locator(NullLocator())
    on_gains.stairs(counts, edges, fill=True, color=BLUE, alpha=0.8)
    on_gains.axvline(0, color=GREY, linestyle=":", linewidth=1.2)
    on_gains.set(xlabel="gain 1 − R~/R of a training set", ylabel="training sets")
    on_gains.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    on_gains.yaxis.set_major_locator(MaxNLocator(3, integer=True))
    return figure


def _add_panel(figure: Figure, base: float) -> Axes:
    """Add axes of the full width, ``base`` inches above the foot of the figure."""
    width, height = figure.get_size_inches()
    inner = (width - _LEFT - _RIGHT) / width
    axes = figure.add_axes((_LEFT / width, base / height, inner, _PANEL / height))
    axes.grid(visible=True, axis="y")
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.yaxis.set_major_locator(MaxNLocator(3))
    return axes


def _draw_pair(axes: Axes, scale: np.ndarray, curves: np.ndarray, labels: tuple[str, str]) -> None:
    """Draw the curve of all blocks solid, that with selection dashed."""
    axes.plot(scale, curves[0], color=BLUE, linewidth=1.8, label=labels[0])
    axes.plot(scale, curves[1], "--", color=ORANGE, linewidth=1.4, label=labels[1])
    axes.set_xlim(0, scale[-1])


def draw_weights(
    title: str, scores: np.ndarray, known: np.ndarray, estimated: np.ndarray, threshold: float
) -> Figure:
    """Draw the weight of a score under the known and under estimated distributions.

    Parameters
    ----------
    title : str
    scores : ndarray of shape (n_scores,)
    known : ndarray of shape (n_scores,)
        Weights under the known distribution H.
    estimated : ndarray of shape (3, n_scores)
        5% quantile, median and 95% quantile of the weights under estimates of H.
    threshold : float
        The score at which Eq. 20 cuts.
    """
    figure, axes = new_axes(column_width(2.5), 1.75, left=0.4, bottom=0.4, top=0.25)
    write_heading(figure, title, 7.5)
    low, median, high = estimated
    axes.fill_between(scores, low, high, color=ORANGE, alpha=0.25, linewidth=0)
    axes.plot(scores, median, "--", color=ORANGE, linewidth=1.3)
    axes.plot(scores, known, color=BLUE, linewidth=1.6)
    axes.axvline(threshold, color=GREY, linestyle=":", linewidth=1.2)
    highest = max(1.0, known[scores >= threshold].max(initial=0.0))
    axes.set(xlim=(0, scores[-1]), ylim=(0, 1.05 * highest), yticks=[0, 0.5, 1])
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set_xlabel("score", fontsize=8)
    axes.grid(visible=True)
    return figure
