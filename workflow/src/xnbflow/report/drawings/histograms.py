"""Distributions: p-values, correlations, class sizes (XNB paper, sections 6.1 to 6.3)."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    label_width,
    name_rows,
    new_axes,
    plain_number,
    shorten,
)

__all__ = ["draw_class_sizes", "draw_correlations", "draw_p_values"]

_WIDTH, _HEIGHT = 2.9, 2.1


def draw_p_values(shares: np.ndarray, alpha: float) -> Figure:
    """Draw the distribution of p-values.

    Parameters
    ----------
    shares : ndarray of shape (n_bins,)
        Share of p-values in equal bins from 0 to 1.
    alpha : float
        Level below which a feature counts as not normal.
    """
    figure, axes = new_axes(
        _WIDTH, _HEIGHT, title="Shapiro-Wilk p-values", xlabel="p", ylabel="share of features"
    )
    edges = np.linspace(0, 1, len(shares) + 1)
    below = edges[1:] <= alpha + 1e-12
    colours = np.where(below, COLOURS[1], COLOURS[0])
    axes.bar(edges[:-1], shares, np.diff(edges) * 0.92, align="edge", color=colours)
    axes.axhline(1 / len(shares), color=GREY, linestyle="--", linewidth=1)
    top = max(shares.max(initial=0.0), 2.5 / len(shares)) * 1.12
    axes.set(xlim=(0, 1), ylim=(0, top))
    axes.text(
        1.0, 1 / len(shares) + top * 0.02, "if all were normal", ha="right", va="bottom", fontsize=8
    )
    axes.text(
        0.08, top * 0.97, f"p < {alpha:g}: {shares[below].sum():.0%}", va="top", color=COLOURS[1]
    )
    return figure


def draw_correlations(edges: np.ndarray, pairs: np.ndarray, cut: float) -> Figure:
    """Draw how many pairs of features have which correlation within the classes.

    Parameters
    ----------
    edges : ndarray of shape (n_bins + 1,)
        Edges of the bins of |r|.
    pairs : ndarray of int, shape (n_bins,)
    cut : float
        Pairs beyond this count as dependent.
    """
    figure, axes = new_axes(
        _WIDTH,
        _HEIGHT,
        left=0.75,
        title="Correlation given the class",
        xlabel="|r| of a pair of features",
        ylabel="pairs",
        yscale="log",
    )
    colours = np.where(edges[:-1] >= cut - 1e-9, COLOURS[1], COLOURS[0])
    axes.bar(edges[:-1], pairs, np.diff(edges) * 0.92, align="edge", color=colours)
    axes.axvline(cut, color=GREY, linestyle="--", linewidth=1)
    axes.yaxis.set_major_formatter(plain_number)
    axes.minorticks_off()
    bottom, top = 0.7, max(float(pairs.max(initial=1)), 10.0)
    axes.set(xlim=(0, 1), ylim=(bottom, top**1.25))
    axes.text(cut - 0.015, top**1.22, f"cut {cut:.2f}", ha="right", va="top", fontsize=8)
    return figure


def draw_class_sizes(classes: Sequence[str], sizes: Sequence[int]) -> Figure:
    """Draw how many samples each class has."""
    labels = [shorten(name, 22) for name in classes]
    height = max(_HEIGHT, 0.75 + 0.22 * len(labels))
    left = min(1.7, 0.2 + label_width(labels))
    figure, axes = new_axes(
        _WIDTH, height, left=left, right=0.45, title="Class sizes", xlabel="samples"
    )
    places = np.arange(len(labels))
    axes.barh(places, sizes, 0.7, color=COLOURS[0])
    for place, size in zip(places, sizes, strict=True):
        axes.text(size, float(place), f" {size}", va="center")
    name_rows(axes, places, labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    return figure
