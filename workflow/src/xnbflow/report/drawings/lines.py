"""Lines with marks, single points and horizontal levels."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.tooltips import intervals
from xnbflow.report.page.style import GREY, N_DASHES


class NamedLine(NamedTuple):
    """Points of shape (n_points,) that a line joins; a single point is a larger mark."""

    label: str
    x: np.ndarray
    y: np.ndarray


def draw_lines(
    lines: Sequence[NamedLine],
    xlabel: str,
    ylabel: str,
    *,
    title: str = "",
    levels: Sequence[tuple[str, float]] = (),
    bands: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]] = (),
    logarithmic: Literal["x", "y", ""] = "x",
) -> Chart:
    """Return lines with marks, single points and horizontal levels.

    One of the axes is ``logarithmic``, or neither: then y begins at 0.

    ``levels`` are legends and heights of horizontal lines; ``bands`` are x, lower and upper ends of
    intervals around the first lines, each of shape (n_points,).
    """
    drawn: list[marks.Mark] = []
    for i, (x, lower, upper) in enumerate(bands):
        drawn.append(marks.Band(x=x, lower=lower, upper=upper, colour=i, alpha=0.15))
    for i, line in enumerate(lines):
        tips: dict[str, Sequence[str]] = {ylabel: "y", xlabel: "x"}
        if i < len(bands):
            tips["95% interval"] = intervals(bands[i][1], bands[i][2])
        points = marks.Points(
            x=line.x,
            y=line.y,
            colour=i,
            size=4.0 if len(line.x) > 1 else 7.0,
            joined=True,
            label=line.label,
            tips=tips,
        )
        drawn.append(points)
    for i, (name, level) in enumerate(levels):
        dash = 1 + i % (N_DASHES - 1)
        drawn.append(marks.Level(at=float(level), colour=GREY, dash=dash, width=1.2, label=name))
    x_axis = Axis(label=xlabel, log=logarithmic == "x", whole=logarithmic != "x", grid=True)
    y_axis = Axis(
        label=ylabel, log=logarithmic == "y", start=None if logarithmic else 0.0, grid=True
    )
    return single(ChartPanel(marks=drawn, x=x_axis, y=y_axis, height=1.95), width=4.5, title=title)
