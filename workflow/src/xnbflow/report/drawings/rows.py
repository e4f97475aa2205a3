"""Points with intervals, a row per data set."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.tooltips import intervals
from xnbflow.report.page.style import GREY, INK

#: Colour of the lines between rows: grey at 30 %.
_BORDER = f"{GREY}4d"


class RowPoints(NamedTuple):
    """A value per row, with an interval where there is one; missing values are not drawn.

    ``style`` is the number of the colour and the mark. ``beside`` is the number of the group whose
    lines it shares, hollow, as the paper's values beside ours; -1 for lines of its own.
    """

    label: str
    values: Sequence[float]
    lower: Sequence[float]
    upper: Sequence[float]
    style: int
    beside: int = -1
    hollow: bool = False


def draw_points(
    rows: Sequence[str],
    groups: Sequence[RowPoints],
    xlabel: str,
    levels: tuple[str, Sequence[float]] | None = None,
    most: float | None = None,
    *,
    title: str = "",
    length: int = 26,
) -> Chart:
    """Return rows of points, the groups of a row one below the other.

    ``levels`` are a name, and per row a value that all groups are to be compared with: a bar across
    the row. ``most`` is the greatest possible value, where the axis ends. Names of rows are cut to
    a ``length``.
    """
    n_lines = sum(group.beside < 0 for group in groups)
    # offsets of the groups within a row of height 1
    offsets = np.linspace(-0.32, 0.32, n_lines) if n_lines > 1 else np.zeros(1)
    places = np.arange(len(rows), dtype=float)
    has_legend = len(groups) + bool(levels) > 1
    drawn: list[marks.Mark] = [
        marks.Level(at=float(row) + 0.5, colour=_BORDER, dash=0, width=0.6) for row in places[:-1]
    ]
    for i, group in enumerate(groups):
        line = group.beside if group.beside >= 0 else i
        label = group.label if has_legend else ""
        drawn += _marks_of_group(rows, group, places + offsets[line], xlabel, label=label)
    if levels:
        name, at = levels
        x = np.asarray(at, dtype=float)
        bars = marks.Segments(
            x0=x, y0=places - 0.42, x1=x, y1=places + 0.42, colour=INK, width=1.6, label=name
        )
        drawn.append(bars)
    panel = ChartPanel(
        marks=drawn,
        x=Axis(label=xlabel, end=most, grid=True),
        y=Axis(names=list(rows), longest=length, start=len(rows) - 0.5, end=-0.5),
        height=(0.14 + 0.085 * n_lines) * len(rows),
    )
    return single(panel, width=4.6, title=title)


def _marks_of_group(
    rows: Sequence[str], group: RowPoints, places: np.ndarray, xlabel: str, *, label: str
) -> list[marks.Mark]:
    """Return the intervals and the points of a group at the heights ``places`` (n_rows,)."""
    x = np.asarray(group.values, dtype=float)
    low = np.asarray(group.lower, dtype=float)
    high = np.asarray(group.upper, dtype=float)
    drawn = np.isfinite(x)
    has_interval = drawn & np.isfinite(low) & np.isfinite(high)
    bars = marks.Segments(
        x0=low[has_interval],
        y0=places[has_interval],
        x1=high[has_interval],
        y1=places[has_interval],
        colour=group.style,
    )
    names = [name for name, is_drawn in zip(rows, drawn, strict=True) if is_drawn]
    points = marks.Points(
        x=x[drawn],
        y=places[drawn],
        colour=group.style,
        size=6.0 if group.beside >= 0 else 4.5,
        hollow=group.hollow or group.beside >= 0,
        label=label,
        tips={
            group.label or "row": names,
            xlabel: "x",
            "interval": intervals(low[drawn], high[drawn]),
        },
    )
    return [bars, points] if has_interval.any() else [points]
