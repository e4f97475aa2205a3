"""Gains of block selection, risk beside its formula, and weights (Pavlenko and von Rosen)."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
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
    rows: Sequence[tuple[str, Sequence[str]]],
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
    rows : sequence of (str, sequence of str)
        A heading with the labels of its rows.
    series : sequence of Marks
        Their values go by row, headings not counted.
    xlabel : str
    band : float
        How far from 0 the axis is shaded.
    logarithmic : bool
        Whether the axis is logarithmic beyond 1 and -1.
    """
    labels = [label for _, under in rows for label in under]
    places, headings, end = _places(rows)
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
        _draw_series(axes, marks, places + shift)
    _draw_rows(axes, places, headings, start=(0.1 - left) / (_WIDTH - left - 0.25))
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


def _draw_rows(
    axes: Axes, places: np.ndarray, headings: Sequence[tuple[str, float]], start: float
) -> None:
    """Draw the line at 0, lines between rows, and headings from ``start`` (in widths) on."""
    axes.vlines(np.zeros(len(places)), places - _ROW / 2, places + _ROW / 2, GREY, linewidth=1.0)
    axes.hlines(
        places - _ROW / 2,
        0,
        1,
        GREY,
        transform=axes.get_yaxis_transform(),
        linewidth=0.5,
        alpha=0.4,
    )
    for heading, place in headings:
        axes.text(
            start,
            place + 0.02,
            heading,
            transform=axes.get_yaxis_transform(),
            va="center",
            style="italic",
            size=8.5,
        )


def _places(
    rows: Sequence[tuple[str, Sequence[str]]],
) -> tuple[np.ndarray, list[tuple[str, float]], float]:
    """Return inches from the top: of the rows, of the headings, of the end."""
    places, headings, end = [], [], 0.0
    for heading, under in rows:
        headings.append((heading, end + _HEADING / 2))
        end += _HEADING
        places += [end + _ROW * (i + 0.5) for i in range(len(under))]
        end += _ROW * len(under)
    return np.array(places), headings, end


def _draw_series(axes: Axes, marks: Marks, y: np.ndarray) -> None:
    axes.errorbar(
        marks.values,
        y,
        xerr=np.nan_to_num(marks.errors),
        fmt=MARKERS[marks.style % len(MARKERS)],
        color=COLOURS[marks.style % len(COLOURS)],
        markerfacecolor="none" if marks.hollow else None,
        markersize=4.2,
        elinewidth=1.0,
        label=marks.label,
    )


def draw_differences(
    title: str,
    names: Sequence[str],
    styles: Sequence[int],
    expected: Sequence[np.ndarray],
    differences: Sequence[np.ndarray],
    errors: Sequence[np.ndarray],
    band: float,
) -> Figure:
    """Draw by how much simulated risks differ from their formula, against the formula's risk.

    Parameters
    ----------
    title : str
    names : sequence of str
        Methods.
    styles : sequence of int
        Numbers of their colours and marks.
    expected : sequence of ndarray
        Each method's risks by the formula.
    differences, errors : sequence of ndarray
        Simulated risk less the formula's, and its standard error.
    band : float
        How far from 0 it is shaded.
    """
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
    for name, style, x, y, error in zip(names, styles, expected, differences, errors, strict=True):
        axes.errorbar(
            x,
            y,
            yerr=np.nan_to_num(error),
            fmt=MARKERS[style % len(MARKERS)],
            color=COLOURS[style % len(COLOURS)],
            markersize=4.2,
            elinewidth=0.8,
            alpha=0.85,
            label=name,
        )
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    legend_above(axes, columns)
    return figure


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
