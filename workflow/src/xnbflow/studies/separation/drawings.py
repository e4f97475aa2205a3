"""Gains of block selection, risk beside its formula, and weights (Pavlenko and von Rosen)."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    MARKERS,
    label_width,
    legend_above,
    legend_columns,
    new_axes,
    shorten,
)

__all__ = ["Marks", "draw_differences", "draw_marks", "draw_weights"]

_WIDTH = 5.6
_SMALL_WIDTH = 2.5
#: Inches per row, and per heading above rows.
_ROW, _HEADING = 0.26, 0.24


class Marks(NamedTuple):
    """A value per row.

    Attributes
    ----------
    label : str
        Legend; empty for marks that it leaves out.
    values, errors : ndarray of shape (n_rows,)
        Values, and their standard errors; missing ones are not drawn.
    style : int
        Number of the colour and the mark.
    hollow : bool
        Whether the marks are rings.
    """

    label: str
    values: np.ndarray
    errors: np.ndarray
    style: int
    hollow: bool = False


def draw_marks(
    title: str,
    rows: Sequence[str],
    series: Sequence[Marks],
    xlabel: str,
    band: float = 0.0,
    *,
    logarithmic: bool = False,
) -> Figure:
    """Draw rows of marks under headings, with a line at 0.

    Parameters
    ----------
    title : str
    rows : sequence of str
        Distributions, those of a kind one after the other: their parameters, in parentheses, name
        the row, what stands before them is a heading.
    series : sequence of Marks
        Their values go by row, headings not counted.
    xlabel : str
    band : float
        How far from 0 the axis is shaded.
    logarithmic : bool
        Whether the axis is logarithmic beyond 1 and -1.
    """
    parts = [re.fullmatch(r"(.*\S) ([\[(].*)", row) for row in rows]
    labels = [part[2] if part else row for part, row in zip(parts, rows, strict=True)]
    kinds = [part[1] if part else "distribution" for part in parts]
    headings, places, end = [], np.zeros(len(rows)), 0.0
    for i, kind in enumerate(kinds):
        if kind not in kinds[max(i - 1, 0) : i]:
            headings.append((kind, end + _HEADING / 2))
            end += _HEADING
        places[i] = end + _ROW / 2
        end += _ROW
    left = 0.2 + label_width(labels)
    names = [marks.label for marks in series if marks.label]
    columns = legend_columns(names, _WIDTH)
    top = 0.35 + 0.2 * -(-len(names) // columns)
    figure, axes = new_axes(
        _WIDTH, 0.5 + top + end, left=left, right=0.25, top=top, xlabel=xlabel, ylim=(end, 0)
    )
    figure.text(0.06 / _WIDTH, 1 - 0.06 / (0.5 + top + end), title, va="top", weight="bold")
    if band:
        axes.axvspan(-band, band, color=GREY, alpha=0.2, linewidth=0)
    shifts = np.linspace(-0.32, 0.32, len(series)) * _ROW if len(series) > 1 else [0.0]
    for marks, shift in zip(series, shifts, strict=True):
        errors = np.nan_to_num(marks.errors)
        axes.errorbar(
            marks.values, places + shift, xerr=errors, elinewidth=1.0, **_appearance(marks)
        )
    along = axes.get_yaxis_transform()
    above, below = places - _ROW / 2, places + _ROW / 2
    axes.vlines(np.zeros(len(rows)), above, below, GREY, linewidth=1.0)
    axes.hlines(above, 0, 1, GREY, transform=along, linewidth=0.5, alpha=0.4)
    start = (0.1 - left) / (_WIDTH - left - 0.25)
    for kind, y in headings:
        axes.text(start, y + 0.02, kind, transform=along, va="center", style="italic", size=8.5)
    axes.set_yticks(places, labels)
    axes.spines["left"].set_visible(False)
    axes.tick_params("y", length=0)
    if logarithmic:
        axes.set_xscale("symlog", linthresh=1.0)
        axes.margins(x=0.05)
        axes.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.grid(visible=True, axis="x")
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure


def draw_differences(
    title: str, series: Sequence[Marks], expected: Sequence[np.ndarray], band: float
) -> Figure:
    """Draw by how much simulated risks differ from their formula, against the formula's risk.

    Parameters
    ----------
    title : str
    series : sequence of Marks
        Each method's simulated risks less the formula's.
    expected : sequence of ndarray
        Each method's risks by the formula.
    band : float
        How far from 0 it is shaded.
    """
    names = [marks.label for marks in series]
    columns = legend_columns(names, _WIDTH)
    top = 0.35 + 0.2 * -(-len(names) // columns)
    figure, axes = new_axes(
        _WIDTH,
        2.5 + top,
        left=0.8,
        top=top,
        xlabel="risk by the asymptotic formula",
        ylabel="simulated − formula",
    )
    figure.text(0.06 / _WIDTH, 1 - 0.06 / (2.5 + top), title, va="top", weight="bold")
    axes.axhline(0, color=GREY, linewidth=1.0)
    axes.axhspan(-band, band, color=GREY, alpha=0.2, linewidth=0)
    for marks, x in zip(series, expected, strict=True):
        errors = np.nan_to_num(marks.errors)
        axes.errorbar(
            x, marks.values, yerr=errors, elinewidth=0.8, alpha=0.85, **_appearance(marks)
        )
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure


def _appearance(marks: Marks) -> dict[str, Any]:
    return {
        "fmt": MARKERS[marks.style % len(MARKERS)],
        "color": COLOURS[marks.style % len(COLOURS)],
        "markerfacecolor": "none" if marks.hollow else None,
        "markersize": 4.2,
        "label": marks.label,
    }


def draw_weights(
    title: str,
    scores: np.ndarray,
    known: np.ndarray,
    estimated: np.ndarray,
    threshold: float,
) -> Figure:
    """Draw the weight of a score under the known and under estimated distributions.

    Parameters
    ----------
    title : str
    scores, known : ndarray of shape (n_scores,)
        Scores, and their weights where the distribution is known.
    estimated : ndarray of shape (3, n_scores)
        5 % quantile, median and 95 % quantile of the weights by estimates.
    threshold : float
        Where Eq. 20 cuts.
    """
    figure, axes = new_axes(_SMALL_WIDTH, 1.75, left=0.4, bottom=0.4, top=0.25)
    figure.text(0.1 / _SMALL_WIDTH, 0.97, shorten(title, 42), va="top", weight="bold", size=7.5)
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
