"""The margins and sizes of the panels of a static figure, from their texts.

They are computed before anything is drawn, because matplotlib's measure of drawn texts takes longer
than the drawing. Widths are settled first, since the names below a panel are written across where
they fit, and need a higher margin otherwise:

1. `measure_sides`: the margins left and right of a panel, for the names and numbers beside it;
2. `share_width`: the widths of the axes, which share what the margins leave;
3. `fit_names_below`: the margins below and above, by how the names below the axes are written.

All lengths are in inches.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xnbflow.report.drawings.marks import Chart, ChartPanel
from xnbflow.report.page.style import shorten
from xnbflow.report.static.room import (
    every_name,
    fit_across,
    label_width,
    shorten_to,
)

#: Margin at an edge without anything.
EDGE = 0.08
#: Margin beside the last number of an axis.
LAST_NUMBER = 0.2
#: Margin left of axes with numbers.
_NUMBERS_BESIDE = 0.45
#: Margin left of axes with a label, but neither numbers nor names.
_NOTHING_BESIDE = 0.1
#: Gaps on both sides of names beside axes.
_GAPS_BESIDE = 0.15
#: Gaps on both sides of upright names below axes.
_GAPS_BELOW = 0.12
#: Height of numbers, or of names that are not upright, below axes.
_NUMBERS_BELOW = 0.24
#: Height of a label.
_LABEL = 0.2
#: Height of the title of a panel.
_TITLE = 0.18
#: Gap below a panel.
_GAP_BELOW = 0.03
#: Gap above a panel whose numbers are below it.
_GAP_ABOVE = 0.04

#: Least width of axes that no content determines, on a page.
_LEAST_WIDTH = 1.4
#: Least width of such axes in print.
_LEAST_PRINTED_WIDTH = 0.85
#: In print, panels of cells are at most this many times as wide as on a page.
_MOST_STRETCHED = 3.0
#: Greatest side of a square.
_MOST_SIDE = 4.0
#: Font size by which the width of a title is measured, in points.
_TITLE_POINTS = 11.0
#: Gaps on both sides of a title.
_TITLE_GAPS = 0.2
#: Greatest width of a title in a figure that is as wide as its content: a longer title has several
#: lines.
_MOST_TITLE = 6.0
#: Width of the sign of an entry of the legend, with the gaps around sign and text.
_KEY_SIGN = 0.6


@dataclass(frozen=True)
class NamesBelow:
    """Names below the axes: whether they are written across, and that every nth is written."""

    names: Sequence[str] = ()
    across: bool = True
    every: int = 1


@dataclass
class PanelSizes:
    """A panel with its margins, the width and height of its axes, and its names as written.

    The fields before ``width`` are set by `measure_sides`, width and height by `share_width`, the
    others by `fit_names_below`.
    """

    panel: ChartPanel
    left: float
    right: float
    #: The names on the left side, and on the right side.
    names: list[str]
    right_names: list[str]
    width: float = 0.0
    height: float = 0.0
    bottom: float = 0.0
    top: float = 0.0
    names_below: NamesBelow = NamesBelow()


def panel_sizes(chart: Chart, column: float | None) -> tuple[list[list[PanelSizes]], float]:
    """Return the sizes of the panels of a chart, row by row, and the width of the figure.

    In print the width is at least ``column``, and more if the texts need it; None is a page.
    """
    rows = [[measure_sides(panel, column) for panel in panels] for panels in chart.rows]
    # Panels below each other have axes with one left and one right end.
    if all(len(row) == 1 for row in rows):
        left = max(row[0].left for row in rows)
        right = max(row[0].right for row in rows)
        for (sizes,) in rows:
            sizes.left = left
            sizes.right = right
    width = share_width(chart, rows, column)
    for row in rows:
        for sizes in row:
            fit_names_below(sizes)
    return rows, width


def row_height(row: Sequence[PanelSizes]) -> float:
    """Return the height of a row of panels with their margins."""
    return max(sizes.top + sizes.height + sizes.bottom for sizes in row)


def measure_sides(panel: ChartPanel, column: float | None) -> PanelSizes:
    """Return a panel with the margins beside it, and its names as they are written."""
    # the left side: names or numbers, and the label
    label = _LABEL if panel.y.label else 0.0
    most = math.inf if column is None else column - _LEAST_PRINTED_WIDTH - label
    names = [shorten_to(name, panel.y.longest, most) for name in panel.y.names]
    left = EDGE
    if names:
        left = _GAPS_BESIDE + label_width(names)
    elif not panel.y.hidden:
        left = _NUMBERS_BESIDE
    if panel.y.label:
        left = max(left, _NOTHING_BESIDE) + label

    # the right side: names, or half of the last number below the axes
    right_names: list[str] = []
    right = EDGE
    if panel.right:
        right_names = [shorten(name, panel.right.longest) for name in panel.right.names]
        right = _GAPS_BESIDE + label_width(right_names)
    if not panel.x.hidden and (panel.x.at or not panel.x.names):
        right = max(right, LAST_NUMBER)
    return PanelSizes(panel, left, right, names, right_names)


def share_width(chart: Chart, rows: Sequence[list[PanelSizes]], column: float | None) -> float:
    """Set the widths and heights of the axes of all panels; return the width of the figure."""
    # the figure: as wide as asked for, or as its widest row, title or key
    printed = column is not None
    width = column or chart.width
    for row in rows:
        margins = sum(sizes.left + sizes.right for sizes in row)
        axes = sum(_least_width(sizes.panel, len(row), printed=printed) for sizes in row)
        width = max(width, margins + axes)
    if not chart.width:  # a matrix is as wide as its cells, but its title is one line
        title = _TITLE_GAPS + label_width([chart.title], _TITLE_POINTS)
        keys = [_KEY_SIGN + label_width([key.text]) for key in chart.keys]
        width = max(width, min(title, _MOST_TITLE), *keys)

    # the axes: those without a width of their content share what the others leave
    for row in rows:
        available = width - sum(sizes.left + sizes.right for sizes in row)
        content = sum(sizes.panel.width or 0.0 for sizes in row)
        n_free = sum(sizes.panel.width is None for sizes in row)
        for sizes in row:
            panel = sizes.panel
            if panel.width is None:
                sizes.width = (available - content) / n_free
            elif printed and not n_free:  # cells fill the column
                sizes.width = panel.width * min(available / content, _MOST_STRETCHED)
            else:
                sizes.width = panel.width
            is_square = panel.square or panel.equal
            sizes.height = min(sizes.width, _MOST_SIDE) if is_square else panel.height
    return width


def _least_width(panel: ChartPanel, n_in_row: int, *, printed: bool) -> float:
    """Return the least width of axes; those that may shrink do so in print alone."""
    if panel.width is None:
        return _LEAST_PRINTED_WIDTH / n_in_row if printed else _LEAST_WIDTH
    return panel.least if printed and panel.least is not None else panel.width


def fit_names_below(sizes: PanelSizes) -> None:
    """Set the margins below and above a panel, and how the names below it are written."""
    # the height of numbers or names: names that do not fit beside each other are upright
    axis = sizes.panel.x
    height = 0.0
    if axis.names:
        names = [shorten_to(name, axis.longest, math.inf) for name in axis.names]
        positions = np.asarray(axis.name_positions, dtype=float)
        start = -0.5 if axis.start is None else axis.start
        end = len(names) - 0.5 if axis.end is None else axis.end
        span = abs(end - start)
        gap = float(np.diff(np.sort(positions)).min(initial=span)) * (sizes.width / span)
        across = fit_across(names, gap)
        sizes.names_below = NamesBelow(names, across, 1 if across else every_name(gap))
        height = _NUMBERS_BELOW if across else _GAPS_BELOW + label_width(names)
    elif not axis.hidden:
        height = _NUMBERS_BELOW

    # numbers and names of an opposite axis are above the panel, its label remains below
    label = _LABEL if axis.label else 0.0
    sizes.bottom = (0.0 if axis.opposite else height) + label + _GAP_BELOW
    sizes.top = height if axis.opposite else _GAP_ABOVE
    if sizes.panel.title or sizes.panel.note:
        sizes.top += _TITLE
