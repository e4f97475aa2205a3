"""Accuracy against the number of genes, a mark per method."""

from collections.abc import Sequence
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from xnbflow.report.page.style import (
    COLOURS,
    MARKERS,
    legend_above,
    legend_columns,
    new_axes,
    plain_number,
)

__all__ = ["Mark", "draw_trade"]

_WIDTH = 4.4


class Mark(NamedTuple):
    """A method.

    Attributes
    ----------
    label : str
        Legend.
    genes : float
        Above 0.
    accuracy : float
    """

    label: str
    genes: float
    accuracy: float


def draw_trade(marks: Sequence[Mark]) -> Figure:
    """Draw accuracy against the number of genes, on a logarithmic axis.

    Parameters
    ----------
    marks : sequence of Mark
    """
    names = [each.label for each in marks]
    left, right = 0.6, 0.2
    columns = legend_columns(names, _WIDTH - left - right)
    top = 0.1 + 0.2 * -(-len(names) // columns)
    figure, axes = new_axes(
        _WIDTH, 2.3 + top, left=left, right=right, top=top, xlabel="genes", ylabel="accuracy"
    )
    for i, each in enumerate(marks):
        axes.plot(
            [each.genes],
            [each.accuracy],
            MARKERS[i % len(MARKERS)],
            color=COLOURS[i % len(COLOURS)],
            markersize=7,
            label=each.label,
        )
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter(plain_number)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.margins(0.12)
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure
