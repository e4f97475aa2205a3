"""Volcano plots of the differences between a class and the others."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.page.style import (
    BLUE,
    GREY,
    ORANGE,
    column_width,
    new_axes,
    shorten,
    write_heading,
)


def evidence(p: np.ndarray) -> np.ndarray:
    """Return -log10 of p-values, at most 300."""
    return -np.log10(np.clip(p, 1e-300, 1))


def draw_volcano(
    title: str, change: np.ndarray, p: np.ndarray, cut: float, names: dict[str, int], xlabel: str
) -> Figure:
    """Draw each feature at its change and its p-value; those below the cut in colour.

    ``change``, named by ``xlabel``, and ``p``, of shape (n_features,), are those that could be
    tested; ``cut`` is the largest p whose false discovery rate is below the level, NaN if there is
    none. ``names`` are features to name, best first, and where they are; one that would lie on
    another is not.
    """
    label = "-log10 p"
    figure, axes = new_axes(
        column_width(3.0), 2.8, left=0.6, right=0.6, top=0.35, xlabel=xlabel, ylabel=label
    )
    write_heading(figure, title)
    y = evidence(p)
    differs = p <= cut
    for features, colour in (
        (~differs, GREY),
        (differs & (change < 0), BLUE),
        (differs & (change >= 0), ORANGE),
    ):
        # one picture within the drawing: a mark each would make the page large
        axes.plot(change[features], y[features], ".", color=colour, markersize=2, rasterized=True)
    _write_names(axes, change, y, names)
    return figure


def _write_names(axes: Axes, x: np.ndarray, y: np.ndarray, names: dict[str, int]) -> None:
    """Write names beside their points; leave out those that would overlap an earlier one."""
    line = 0.05 * (y.max(initial=0) - y.min(initial=0))
    middle = float(np.mean(axes.get_xlim()))
    heights: list[float] = []  # of the names that are written
    for name, i in names.items():
        if any(abs(y[i] - other) < line for other in heights):
            continue
        heights.append(y[i])
        right = x[i] > middle  # names stay within the axes
        axes.annotate(
            shorten(name, 24),
            (x[i], y[i]),
            (-3 if right else 3, 0),
            textcoords="offset points",
            size=8,
            va="center",
            ha="right" if right else "left",
        )
