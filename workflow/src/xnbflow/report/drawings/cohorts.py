"""The densities of a feature in two cohorts on top of each other."""

from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import COLOURS, legend_above, legend_columns, new_axes, shorten

__all__ = ["draw_cohorts"]

_WIDTH, _CURVES = 2.9, 1.5


def draw_cohorts(
    feature: str, grid: np.ndarray, curves: Mapping[str, tuple[np.ndarray | None, ...]]
) -> Figure:
    """Draw a feature's density in each class: filled in training, dashed in the test cohort.

    Parameters
    ----------
    feature : str
        Its name.
    grid : ndarray of shape (n_points,)
    curves : mapping of str to (ndarray or None, ndarray or None)
        By class the densities in the training and in the test cohort; None where there are fewer
        than two samples.
    """
    classes = [shorten(label, 16) for label in curves]
    columns = legend_columns(classes, _WIDTH)
    rows = -(-len(classes) // columns)
    height = 0.75 + 0.2 * rows + _CURVES
    figure, axes = new_axes(_WIDTH, height, left=0.15, right=0.15, bottom=0.35)
    box = axes.get_position()
    axes.set_position((box.x0, 0.35 / height, box.width, _CURVES / height))
    for i, (name, (train, test)) in enumerate(zip(classes, curves.values(), strict=True)):
        colour = COLOURS[i % len(COLOURS)]
        if train is not None:
            axes.fill_between(grid, train, color=colour, alpha=0.25, linewidth=0)
        axes.plot(grid, np.full(len(grid), np.nan) if train is None else train, color=colour,
                  linewidth=1.2, label=name)  # fmt: skip
        if test is not None:
            axes.plot(grid, test, color=colour, linewidth=1.6, linestyle="--")
    legend_above(axes, columns)
    figure.text(0.03, 1 - 0.08 / height, shorten(feature, 40), va="top", weight="bold")
    axes.set(xlim=(grid[0], grid[-1]), yticks=[])
    axes.set_ylim(0)
    axes.xaxis.set_major_locator(MaxNLocator(4, prune="both"))
    axes.ticklabel_format(axis="x", useOffset=False)  # an offset would stand beyond the figure
    axes.spines["left"].set_visible(False)
    return figure
