"""A chart as a figure of matplotlib: panels with axes and names, headings and the legend.

The sizes of panels come from `xnbflow.report.static.panel_sizes`, the marks from
`xnbflow.report.static.artists`. All lengths are in inches, from the lower left corner.
"""

import math
import textwrap
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis as MatplotlibAxis
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

from xnbflow.report.drawings.marks import Axis, Chart
from xnbflow.report.static.artists import draw_mark, legend_entries
from xnbflow.report.static.panel_sizes import (
    EDGE,
    LAST_NUMBER,
    PanelSizes,
    panel_sizes,
    row_height,
)
from xnbflow.report.static.room import (
    LEGEND_ROW,
    LEGEND_SIZE,
    SIGN,
    SIGN_ROOM,
    label_width,
    legend_positions,
    shorten_middle,
)

#: Multiples of powers of ten at which axes have ticks.
_ROUND = (1, 2, 5, 10)
#: Length of an axis for each of its ticks, in inches.
_TICK = 0.4
#: Least and greatest number of ticks of an axis.
_FEWEST_TICKS = 2
_MOST_TICKS = 6
#: The factor by which a height counts as more, since numbers are less high than wide.
_UPWARDS = 1.6
#: Most powers of ten of an axis of logarithms that has ticks at many multiples of each.
_FEW_DECADES = 1.2
#: Most powers of ten of an axis of logarithms that has ticks at some multiples of each.
_SOME_DECADES = 3.0

#: Size of the heading of a figure, in points.
_HEADING_POINTS = 10.0
#: The factor of this size for a heading of two lines.
_SMALLER = 0.8
#: Least size of a text, in points: 10 pixels on a screen.
_LEAST_POINTS = 7.5
#: Size of the title of a panel, in points.
_TITLE_POINTS = 8.0
#: Height of the heading with its gaps, in inches.
_HEADING = 0.28
#: Gap of the heading from the edges, in inches.
_HEADING_GAP = 0.06
#: Gap above a legend without a heading, in inches.
_GAP_ABOVE_LEGEND = 0.04
#: Gap between the legend and the panels, in inches.
_GAP_BELOW_LEGEND = 0.02
#: Gap between the sign of a legend and its text.
_SIGN_GAP = 0.06
#: Gap between axes and the names left of them, in points.
_NAME_PAD = 3.5
#: Gap between axes and the names right of them, in inches.
_RIGHT_NAME_PAD = 0.06
#: Gaps of the labels of both axes from the edge of their panel, in inches.
_LABEL_BELOW = 0.04
_LABEL_BESIDE = 0.05
#: Gap of the title above the axes, in inches.
_TITLE_GAP = 0.04


def draw_chart(chart: Chart, column: float | None = None) -> Figure:
    """Draw a chart; in print its width is at least ``column``, and more if its texts need it."""
    rows, width = panel_sizes(chart, column)

    # The heading and the legend, from the top.
    entries = []
    for sign, text in legend_entries(chart.panels, chart.keys):
        entries.append((sign, shorten_middle(text, width - SIGN_ROOM)))
    signs = legend_positions([text for _, text in entries], width - EDGE)
    heading = _HEADING if chart.title else _GAP_ABOVE_LEGEND
    head = heading if chart.title or entries else EDGE
    head += _GAP_BELOW_LEGEND
    if signs:
        _, last_row = signs[-1]
        head += LEGEND_ROW * (1 + last_row)
    height = head + sum(row_height(row) for row in rows)
    figure = Figure(figsize=(width, height))
    write_heading(figure, chart.title)
    _write_legend(figure, entries, signs, height - heading)

    # The panels below them, row by row.
    top = height - head
    for row in rows:
        x = 0.0
        for sizes in row:
            left = x + sizes.left
            bottom = top - sizes.top - sizes.height
            axes = _draw_axes(figure, sizes, (left, bottom), printed=column is not None)
            _write_names(axes, sizes)
            _write_labels(figure, sizes, (left, bottom))
            x = left + sizes.width + sizes.right
        top -= row_height(row)
    return figure


def _draw_axes(
    figure: Figure, sizes: PanelSizes, corner: tuple[float, float], *, printed: bool
) -> Axes:
    """Draw the axes of a panel, whose lower left ``corner`` is in inches, with marks and ticks."""
    panel = sizes.panel
    width, height = figure.get_size_inches()
    left, bottom = corner
    box = (left / width, bottom / height, sizes.width / width, sizes.height / height)
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

    # the marks, before limits and ticks, which depend on them
    for mark in panel.marks:
        draw_mark(axes, mark, printed=printed)
    axes.set_xlim(panel.x.start, panel.x.end)
    axes.set_ylim(panel.y.start, panel.y.end)
    if panel.equal:
        axes.set_aspect("equal")
    _set_ticks(axes.xaxis, panel.x, sizes.width)
    _set_ticks(axes.yaxis, panel.y, _UPWARDS * sizes.height)
    _thin_numbers(axes, panel.x, sizes.width)

    # lines of the axes: none beside names, which belong to rows or columns of marks
    if panel.x.opposite:
        axes.spines["bottom"].set_visible(False)
        axes.spines["top"].set_visible(True)
        axes.xaxis.tick_top()
    if panel.x.hidden or (panel.x.names and panel.y.names):
        axes.spines["bottom"].set_visible(False)
    if panel.y.hidden or panel.y.names:
        axes.spines["left"].set_visible(False)
    return axes


def _write_names(axes: Axes, sizes: PanelSizes) -> None:
    """Write the names below the axes (above an opposite one), on the left and on the right side."""
    panel = sizes.panel
    if panel.x.names:
        below = sizes.names_below
        if panel.x.opposite:
            edge = 1
            transform, va, ha = axes.get_xaxis_text2_transform(_NAME_PAD)
        else:
            edge = 0
            transform, va, ha = axes.get_xaxis_text1_transform(_NAME_PAD)
        rotation = 0 if below.across else 90
        for i in range(0, len(below.names), below.every):
            x = panel.x.name_positions[i]
            text = below.names[i]
            axes.text(x, edge, text, transform=transform, va=va, ha=ha, rotation=rotation)

    transform, va, ha = axes.get_yaxis_text1_transform(_NAME_PAD)
    for y, name in zip(panel.y.name_positions, sizes.names, strict=True):
        axes.text(0, y, name, transform=transform, va=va, ha=ha)

    if panel.right:
        transform = axes.get_yaxis_transform()
        x = 1 + _RIGHT_NAME_PAD / sizes.width
        for y, name in zip(panel.right.name_positions, sizes.right_names, strict=True):
            axes.text(x, y, name, va="center", transform=transform)


def _write_labels(figure: Figure, sizes: PanelSizes, corner: tuple[float, float]) -> None:
    """Write the labels of axes, and the title and the note above a panel."""
    panel = sizes.panel
    width, height = figure.get_size_inches()
    left, bottom = corner
    if panel.x.label:
        x = (left + sizes.width / 2) / width
        y = (bottom - sizes.bottom + _LABEL_BELOW) / height
        figure.text(x, y, panel.x.label, ha="center", va="bottom")
    if panel.y.label:
        x = (left - sizes.left + _LABEL_BESIDE) / width
        y = (bottom + sizes.height / 2) / height
        figure.text(x, y, panel.y.label, va="center", rotation=90)
    above = (bottom + sizes.height + _TITLE_GAP) / height
    right = (left + sizes.width) / width
    figure.text(left / width, above, panel.title, size=_TITLE_POINTS, va="bottom")
    figure.text(right, above, panel.note, size=_TITLE_POINTS, va="bottom", ha="right")


def _most_ticks(length: float) -> int:
    """Return how many ticks an axis of a length in inches has at most."""
    return int(np.clip(length / _TICK, _FEWEST_TICKS, _MOST_TICKS))


def _set_ticks(axis: MatplotlibAxis, declared: Axis, length: float) -> None:
    """Set ticks at round numbers, as many as fit; axes with names have none."""
    if declared.hidden or declared.names:
        axis.set_major_locator(NullLocator())
        axis.set_minor_locator(NullLocator())
        return
    n_ticks = _most_ticks(length)
    if declared.log:
        low, high = sorted(axis.get_view_interval())
        decades = math.log10(high / low)
        multiples: tuple[int, ...] = (1,)
        if decades < _FEW_DECADES:
            multiples = (1, 2, 5)
        elif decades < _SOME_DECADES:
            multiples = (1, 3)
        axis.set_major_locator(LogLocator(subs=multiples, numticks=2 * n_ticks))
        axis.set_major_formatter(plain_number)
        axis.set_minor_formatter(NullFormatter())
        axis.set_minor_locator(NullLocator())
    else:
        axis.set_major_locator(MaxNLocator(n_ticks, steps=_ROUND, integer=declared.whole))
        axis.get_major_formatter().set_useOffset(False)  # type: ignore[attr-defined]


def _thin_numbers(axes: Axes, declared: Axis, length: float) -> None:
    """Leave out numbers below the axes that would overlap, and the ends if they are beyond."""
    if declared.hidden or declared.names or declared.log:
        return
    low, high = sorted(axes.get_xlim())
    for n_ticks in range(_most_ticks(length), 0, -1):
        locator = MaxNLocator(n_ticks, steps=_ROUND, integer=declared.whole)
        ticks = [tick for tick in locator.tick_values(low, high) if low <= tick <= high]
        axes.xaxis.set_major_locator(locator)
        widest = label_width(axes.xaxis.get_major_formatter().format_ticks(ticks))
        if widest * len(ticks) < length:
            break
    if widest / 2 > LAST_NUMBER:
        axes.xaxis.set_major_locator(
            MaxNLocator(n_ticks, steps=_ROUND, integer=declared.whole, prune="both")
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


def write_heading(figure: Figure, text: str) -> None:
    """Write a heading in the upper left corner of a figure: a long one small, in several lines."""
    width, height = figure.get_size_inches()
    sizes = (_HEADING_POINTS, max(_SMALLER * _HEADING_POINTS, _LEAST_POINTS), _LEAST_POINTS)
    for n_lines, points in enumerate(sizes, 1):
        text_width = max(label_width([text], points), 1e-9)  # an empty heading has none
        letters = int(len(text) * (width - 2 * _HEADING_GAP) / text_width)
        lines = textwrap.wrap(text, max(1, letters))
        if len(lines) <= n_lines:
            break
    figure.text(
        _HEADING_GAP / width,
        1 - _HEADING_GAP / height,
        "\n".join(lines),
        va="top",
        weight="bold",
        size=points,
        linespacing=1.0,
    )


def _write_legend(
    figure: Figure,
    entries: Sequence[tuple[Line2D, str]],
    positions: Sequence[tuple[float, int]],
    top: float,
) -> None:
    """Write the legend below the height ``top``, at the positions of `legend_positions`."""
    width, height = figure.get_size_inches()
    for (sign, text), (x, row) in zip(entries, positions, strict=True):
        left = x + EDGE
        y = top - LEGEND_ROW * (row + 0.5)
        sign.set_data([left, left + SIGN / 2, left + SIGN], [y, y, y])
        sign.set_markevery([1])
        sign.set_transform(figure.dpi_scale_trans)
        figure.add_artist(sign)
        text_x = left + SIGN + _SIGN_GAP
        figure.text(text_x / width, y / height, text, va="center", size=LEGEND_SIZE)
