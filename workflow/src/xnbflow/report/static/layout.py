"""Where the panels, axes, names and legends of a static figure are.

Margins are computed from the texts before anything is drawn, because matplotlib's measure of the
drawn texts takes longer than the drawing. All lengths are in inches.
"""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis as MatplotlibAxis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

from xnbflow.report.drawings.marks import Axis, Chart, Panel
from xnbflow.report.page.style import shorten
from xnbflow.report.static.artists import draw_mark, legend_entries
from xnbflow.report.static.room import (
    LEGEND_ROW,
    LEGEND_SIZE,
    SIGN,
    SIGN_ROOM,
    every_name,
    fit_across,
    label_width,
    legend_places,
    shorten_middle,
    shorten_to,
)

#: Multiples of powers of ten at which axes have ticks.
_ROUND = (1, 2, 5, 10)
#: Least size of text in points: 10 pixels on a screen.
_LEAST = 7.5
#: Points between the axes and the text beside them.
_PAD = 3.5
#: Inches at an edge without anything, and beside the last number of an axis.
_EDGE = 0.08
_LAST_NUMBER = 0.2
#: Inches of numbers left of an axis and below it, of a label, and of a heading.
_NUMBERS = 0.4
_BELOW = 0.24
_LABEL = 0.2
_HEADING = 0.28
#: Inches of names and margins of a panel in print, beyond which names are cut.
_LEAST_INNER = 0.85
#: Least width of a panel that no content determines.
_LEAST_PANEL = 1.4
#: In print, panels of cells are at most this many times as wide as on a page.
_STRETCHED = 3.0
#: Greatest side of a square.
_MOST_SIDE = 4.0
#: Inches of an axis for each of its ticks; heights count as more, since numbers are less high.
_TICK = 0.4
_UPWARDS = 1.6
#: Powers of ten of an axis of logarithms with ticks at further multiples: many, some and none.
_FEW_DECADES = 1.2
_SOME_DECADES = 3.0


@dataclass
class _Place:
    """A panel with its margins and its inner width and height."""

    panel: Panel
    left: float
    right: float
    names: list[str]
    notes: list[str]
    bottom: float = 0.0
    top: float = 0.0
    width: float = 0.0
    height: float = 0.0
    #: The names below the axes, whether they are across, and that every nth of them is written.
    below: tuple[Sequence[str], bool, int] = ((), True, 1)


def draw(chart: Chart, column: float | None = None) -> Figure:
    """Draw a chart; in print its width is that of a ``column``, or more if its texts need it."""
    # Each panel with the room of its names, below each other with one left end.
    rows = [_places(panels, column) for panels in chart.rows]
    if all(len(row) == 1 for row in rows):
        stacked = [row[0] for row in rows]
        left = max(panel.left for panel in stacked)
        right = max(panel.right for panel in stacked)
        for panel in stacked:
            panel.left = left
            panel.right = right
    width = _share_widths(chart, rows, column)

    # The legend above them.
    entries = []
    for artist, text in legend_entries(chart.panels, chart.keys):
        entries.append((artist, shorten_middle(text, width - SIGN_ROOM)))
    places = legend_places([text for _, text in entries], width - _EDGE)
    above_legend = _HEADING if chart.title else 0.04
    head = (above_legend if chart.title or entries else _EDGE) + 0.02
    head += LEGEND_ROW * (1 + places[-1][1]) if places else 0.0
    for row in rows:
        for place in row:
            _fit_names_below(place)
    heights = [_height(row) for row in rows]
    height = head + sum(heights)
    figure = Figure(figsize=(width, height))
    write_heading(figure, chart.title)
    _write_legend(figure, entries, places, height - above_legend)

    # The panels, from the top.
    top = height - head
    printed = column is not None
    for row, row_height in zip(rows, heights, strict=True):
        x = 0.0
        for place in row:
            _draw_panel(figure, place, x, top - place.top - place.height, printed=printed)
            x += place.left + place.width + place.right
        top -= row_height
    return figure


def _places(panels: Sequence[Panel], column: float | None) -> list[_Place]:
    """Return the panels of a row with their margins."""
    return [_place(panel, column) for panel in panels]


def _height(row: Sequence[_Place]) -> float:
    """Return the height of a row of panels with their margins."""
    return max(place.top + place.height + place.bottom for place in row)


def _place(panel: Panel, column: float | None) -> _Place:
    """Return a panel with the margins beside it, and its names as they are written."""
    most = math.inf if column is None else column - _LEAST_INNER - (_LABEL if panel.y.label else 0)
    names = [shorten_to(name, panel.y.longest, most) for name in panel.y.names]
    left = _EDGE
    if names:
        left = 0.15 + label_width(names)
    elif not panel.y.hidden:
        left = 0.05 + _NUMBERS
    if panel.y.label:
        left = max(left, 0.1) + _LABEL
    notes: list[str] = []
    right = _EDGE
    if panel.right:
        notes = [shorten(name, panel.right.longest) for name in panel.right.names]
        right = 0.15 + label_width(notes)
    if not panel.x.hidden and (panel.x.at or not panel.x.names):
        right = max(right, _LAST_NUMBER)
    return _Place(panel, left, right, names, notes)


def _share_widths(chart: Chart, rows: Sequence[list[_Place]], column: float | None) -> float:
    """Set the inner widths of all panels, and the heights; return the width of the figure."""
    printed = column is not None
    width = column or chart.width
    for row in rows:
        width = max(
            width, sum(p.left + p.right + _least_width(p, row, printed=printed) for p in row)
        )
    if not chart.width:  # a matrix is as wide as its cells, but its title is one line
        width = max(width, min(0.2 + label_width([chart.title], 11), 6.0))
        width = max(width, *(0.6 + label_width([key.text]) for key in chart.keys), 0.0)
    for row in rows:
        inner = width - sum(p.left + p.right for p in row)
        natural = sum(p.panel.width or 0.0 for p in row)
        n_free = sum(p.panel.width is None for p in row)
        for place in row:
            if place.panel.width is None:
                place.width = (inner - natural) / n_free
            elif n_free:
                place.width = place.panel.width
            elif printed:  # cells fill the column
                place.width = place.panel.width * min(inner / natural, _STRETCHED)
            else:
                place.width = place.panel.width
            place.height = place.panel.height
            if place.panel.square or place.panel.equal:
                place.height = min(place.width, _MOST_SIDE)
    return width


def _least_width(place: _Place, row: Sequence[_Place], *, printed: bool) -> float:
    """Return the least inner width of a panel; one that may shrink does so in print alone."""
    panel = place.panel
    if panel.width is None:
        return _LEAST_INNER / len(row) if printed else _LEAST_PANEL
    return panel.width if panel.least is None or not printed else panel.least


def _fit_names_below(place: _Place) -> None:
    """Set the margins below and above a panel, and how the names below it are written."""
    x = place.panel.x
    room = 0.0
    if x.names:
        names = [shorten_to(name, x.longest, math.inf) for name in x.names]
        places = np.asarray(x.places, dtype=float)
        start = -0.5 if x.start is None else x.start
        end = len(names) - 0.5 if x.end is None else x.end
        inches = place.width / abs(end - start)
        gap = float(np.diff(np.sort(places)).min(initial=abs(end - start))) * inches
        across = fit_across(names, gap)
        every = 1 if across else every_name(gap)
        place.below = (names, across, every)
        room = _BELOW if across else 0.12 + label_width(names)
    elif not x.hidden:
        room = _BELOW
    label = _LABEL if x.label else 0.0
    place.bottom = (0.0 if x.opposite else room) + label + 0.03
    place.top = room if x.opposite else 0.04
    if place.panel.title or place.panel.note:
        place.top += 0.18


def _draw_panel(figure: Figure, place: _Place, x: float, y: float, *, printed: bool) -> None:
    """Draw a panel whose left margin begins at ``x`` and whose axes begin at the height ``y``."""
    panel = place.panel
    width, height = figure.get_size_inches()
    left = x + place.left
    box = (left / width, y / height, place.width / width, place.height / height)
    axes = figure.add_axes(box, frame_on=not (panel.x.hidden and panel.y.hidden))
    axes.margins(0.05)
    if panel.x.log:
        axes.set_xscale("log")
    if panel.y.log:
        axes.set_yscale("log")
    axes.set_axisbelow(True)
    if panel.x.grid:
        axes.grid(visible=True, axis="x")
    if panel.y.grid:
        axes.grid(visible=True, axis="y")

    for mark in panel.marks:
        draw_mark(axes, mark, printed=printed)
    axes.set_xlim(panel.x.start, panel.x.end)
    axes.set_ylim(panel.y.start, panel.y.end)
    if panel.equal:
        axes.set_aspect("equal")
    _set_ticks(axes.xaxis, panel.x, place.width)
    _set_ticks(axes.yaxis, panel.y, _UPWARDS * place.height)
    _thin_numbers(axes, panel.x, place.width)
    if panel.x.opposite:
        axes.spines["bottom"].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
    if panel.x.hidden or (panel.x.names and panel.y.names):
        axes.spines["bottom"].set_visible(False)
    if panel.y.hidden or panel.y.names:
        axes.spines["left"].set_visible(False)
    if panel.x.names:
        names, across, every = place.below

        # Write names below the axes (above an opposite one), across or upright.
        transform = (
            axes.get_xaxis_text2_transform if panel.x.opposite else axes.get_xaxis_text1_transform
        )
        below, va, ha = transform(_PAD)
        edge = 1 if panel.x.opposite else 0
        rotation = 0 if across else 90
        for i in range(0, len(names), every):
            column = panel.x.places[i]
            axes.text(column, edge, names[i], transform=below, va=va, ha=ha, rotation=rotation)

    beside, va, ha = axes.get_yaxis_text1_transform(_PAD)
    for at, name in zip(panel.y.places, place.names, strict=True):
        axes.text(0, at, name, transform=beside, va=va, ha=ha)
    if panel.right:
        beside_axes = axes.get_yaxis_transform()
        reach = 1 + 0.06 / place.width
        for at, note in zip(panel.right.places, place.notes, strict=True):
            axes.text(reach, at, note, va="center", transform=beside_axes)
    _write_labels(figure, place, (x, y))


def _write_labels(figure: Figure, place: _Place, corner: tuple[float, float]) -> None:
    """Write the labels of axes, and the title and the note above a panel."""
    panel = place.panel
    width, height = figure.get_size_inches()
    x, y = corner
    middle = (x + place.left + place.width / 2) / width
    if panel.x.label:
        foot = y - place.bottom + 0.04
        figure.text(middle, foot / height, panel.x.label, ha="center", va="bottom")
    if panel.y.label:
        centre = (y + place.height / 2) / height
        figure.text((x + 0.05) / width, centre, panel.y.label, va="center", rotation=90)
    above = (y + place.height + 0.04) / height
    left = (x + place.left) / width
    figure.text(left, above, panel.title, size=8, va="bottom")
    right = (x + place.left + place.width) / width
    figure.text(right, above, panel.note, size=8, va="bottom", ha="right")


def _set_ticks(axis: MatplotlibAxis, declared: Axis, inches: float) -> None:
    """Set ticks at round numbers, as many as fit; axes with names have none."""
    if declared.hidden or declared.names:
        axis.set_major_locator(NullLocator())
        axis.set_minor_locator(NullLocator())
        return
    n = int(np.clip(inches / _TICK, 2, 6))
    if declared.log:
        low, high = sorted(axis.get_view_interval())
        decades = math.log10(high / low)
        subs: tuple[int, ...] = (1,)
        if decades < _FEW_DECADES:
            subs = (1, 2, 5)
        elif decades < _SOME_DECADES:
            subs = (1, 3)
        axis.set_major_locator(LogLocator(subs=subs, numticks=2 * n))
        axis.set_major_formatter(plain_number)
        axis.set_minor_formatter(NullFormatter())
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(n, steps=_ROUND, integer=declared.whole))
        axis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]


def _thin_numbers(axes: Axes, declared: Axis, inches: float) -> None:
    """Leave out numbers below the axes that would overlap, and the ends if they are beyond."""
    if declared.hidden or declared.names or declared.log:
        return
    low, high = sorted(axes.get_xlim())
    for n in range(int(np.clip(inches / _TICK, 2, 6)), 0, -1):
        locator = MaxNLocator(n, steps=_ROUND, integer=declared.whole)
        ticks = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
        axes.xaxis.set_major_locator(locator)
        numbers = label_width(axes.xaxis.get_major_formatter().format_ticks(ticks))
        if numbers * len(ticks) < inches:
            break
    if numbers / 2 > _LAST_NUMBER:
        axes.xaxis.set_major_locator(
            MaxNLocator(n, steps=_ROUND, integer=declared.whole, prune="both")
        )


def plain_number(value: float, _: float | None = None) -> str:
    """Return a tick's label without powers of ten: 0.1, 1, 1,000, 10 M.

    Examples
    --------
    >>> plain_number(1000.0), plain_number(1e7), plain_number(0.1)
    ('1,000', '10 M', '0.1')
    """
    if value >= 1e6:
        return f"{value / 1e6:,.0f} M"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def write_heading(figure: Figure, text: str, size: float = 10) -> None:
    """Write a heading in the upper left corner of a figure: a long one small, in several lines."""
    width, height = figure.get_size_inches()
    for lines, points in enumerate((size, max(0.8 * size, _LEAST), _LEAST), 1):
        letters = int(len(text) * (width - 0.12) / max(label_width([text], points), 1e-9))
        wrapped = textwrap.wrap(text, max(1, letters))
        if len(wrapped) <= lines:
            break
    place = (0.06 / width, 1 - 0.06 / height)
    whole = "\n".join(wrapped)
    figure.text(*place, whole, va="top", weight="bold", size=points, linespacing=1.0)


def _write_legend(
    figure: Figure,
    entries: Sequence[tuple[Line2D, str]],
    places: Sequence[tuple[float, int]],
    top: float,
) -> None:
    """Write the legend below the height ``top``; ``places`` are those of `legend_places`."""
    width, height = figure.get_size_inches()
    for (sign, text), (x, row) in zip(entries, places, strict=True):
        left = x + _EDGE
        y = top - LEGEND_ROW * (row + 0.5)
        sign.set_data([left, left + SIGN / 2, left + SIGN], [y, y, y])
        sign.set_markevery([1])
        sign.set_transform(figure.dpi_scale_trans)
        figure.add_artist(sign)
        place = ((left + SIGN + 0.06) / width, y / height)
        figure.text(*place, text, va="center", size=LEGEND_SIZE)
