"""Curves over numbers of features, with single points and levels beside them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    INK,
    MARKERS,
    legend_above,
    legend_columns,
    new_axes,
    plain_number,
)

__all__ = ["Curve", "draw_curves"]

_WIDTH = 4.4
_DASHES = ["--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 4))]


class Curve(NamedTuple):
    """A method along its path.

    Attributes
    ----------
    label : str
        Legend.
    features, values : ndarray of shape (n_points,)
        Features per class, above 0, and the measure.
    """

    label: str
    features: np.ndarray
    values: np.ndarray


def draw_curves(
    title: str,
    curves: Sequence[Curve],
    chosen: tuple[str, float, float] | None,
    levels: Sequence[tuple[str, float]],
    ylabel: str,
) -> Figure:
    """Draw a measure against the number of features per class, on a logarithmic axis.

    Parameters
    ----------
    title : str
    curves : sequence of Curve
    chosen : (str, float, float) or None
        Legend, features and measure of what inner cross-validation chooses: a large hollow mark.
    levels : sequence of (str, float)
        Methods that use all features: horizontal lines.
    ylabel : str
        Name of the measure.
    """
    labels = [*(curve.label for curve in curves), *(label for label, _ in levels)]
    labels += [chosen[0]] if chosen else []
    columns = legend_columns(labels, _WIDTH - 0.65)
    top = 0.35 + 0.2 * -(-len(labels) // columns)
    figure, axes = new_axes(
        _WIDTH, 2.5 + top, left=0.65, top=top, xlabel="features per class", ylabel=ylabel
    )
    figure.text(0.02, 1 - 0.06 / figure.get_figheight(), title, va="top", weight="bold", size=10)
    for curve, colour, marker in zip(curves, COLOURS, MARKERS, strict=False):
        axes.plot(
            curve.features,
            curve.values,
            color=colour,
            marker=marker,
            markersize=4,
            linewidth=1.6,
            label=curve.label,
        )
    for (label, level), dashes in zip(levels, _DASHES, strict=False):
        axes.axhline(level, color=GREY, linestyle=dashes, linewidth=1.2, label=label)
    if chosen:
        label, features, value = chosen
        axes.plot(
            [features],
            [value],
            linestyle="",
            marker="o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=INK,
            markeredgewidth=1.6,
            label=label,
            zorder=5,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter(plain_number)
    axes.xaxis.set_minor_formatter(NullFormatter())
    legend_above(axes, columns)
    return figure
