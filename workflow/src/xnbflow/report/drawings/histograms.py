"""Histograms of p-values and of correlations (XNB paper, sections 6.1 to 6.3)."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.page.style import COLOURS, GREY, column_width, new_axes, plain_number

_HEIGHT = 2.1


def draw_p_values(shares: np.ndarray, alpha: float) -> Figure:
    """Draw the distribution of p-values.

    ``shares``, of shape (n_bins,), are those in equal bins from 0 to 1; below ``alpha`` a feature
    counts as not normal.
    """
    figure, axes = new_axes(column_width(2.9), _HEIGHT, title="Shapiro-Wilk p-values")
    axes.set(xlabel="p", ylabel="share of features")
    edges = np.linspace(0, 1, len(shares) + 1)
    below = edges[1:] <= alpha + 1e-12
    _draw_bars(axes, edges, shares, below)
    level = 1 / len(shares)
    axes.axhline(level, color=GREY, linestyle="--", linewidth=1)
    top = max(shares.max(initial=0.0), 2.5 * level) * 1.12
    axes.set_ylim(0, top)
    axes.text(1.0, level + top * 0.02, "if all were normal", ha="right", va="bottom", fontsize=8)
    text = f"p < {alpha:g}: {shares[below].sum():.0%}"
    axes.text(0.08, top * 0.97, text, va="top", color=COLOURS[1])
    return figure


def draw_correlations(edges: np.ndarray, pairs: np.ndarray, cut: float) -> Figure:
    """Draw how many pairs of features have which correlation within the classes.

    ``edges``, of shape (n_bins + 1,), are those of the bins of |r|; ``pairs`` beyond the ``cut``
    count as dependent.
    """
    figure, axes = new_axes(column_width(2.9), _HEIGHT, left=0.75)
    axes.set_title("Correlation given the class")
    axes.set(xlabel="|r| of a pair of features", ylabel="pairs", yscale="log")
    _draw_bars(axes, edges, pairs, edges[:-1] >= cut - 1e-9)
    axes.axvline(cut, color=GREY, linestyle="--", linewidth=1)
    axes.yaxis.set_major_formatter(plain_number)
    axes.minorticks_off()
    top = max(float(pairs.max(initial=1)), 10.0)
    axes.set_ylim(0.7, top**1.25)
    axes.text(cut - 0.015, top**1.22, f"cut {cut:.2f}", ha="right", va="top", fontsize=8)
    return figure


def _draw_bars(axes: Axes, edges: np.ndarray, heights: np.ndarray, marked: np.ndarray) -> None:
    colours = np.where(marked, COLOURS[1], COLOURS[0])
    axes.bar(edges[:-1], heights, np.diff(edges) * 0.92, align="edge", color=colours)
    axes.set_xlim(0, 1)
