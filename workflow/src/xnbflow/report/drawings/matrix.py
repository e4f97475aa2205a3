"""Matrices whose cells are shaded by a value: selection, distances, confusion."""

from collections.abc import Collection, Sequence

import numpy as np

from xnbflow.report.drawings.marks import Axis, Cells, Chart, ChartPanel, LegendKey
from xnbflow.report.page.style import BLUE


def draw_matrix(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    texts: Sequence[Sequence[str]] | None = None,
    marks: Sequence[str] = (),
    outlined: Collection[tuple[int, int]] = (),
    xlabel: str = "",
    ylabel: str = "",
    colour: str = BLUE,
    cell: tuple[float, float] = (0.34, 0.2),
    key: str = "",
) -> Chart:
    """Return the chart of a matrix.

    ``values``, of shape (n_rows, n_columns), are between 0 and 1; the greater, the darker, and
    missing ones stay empty. ``texts`` are written in the cells, ``marks`` right of each row; cells
    that are ``outlined`` have a frame. ``colour`` is the colour of the darkest cells, ``cell`` the
    width and height of a cell in inches; ``key`` names the number that the shades show.
    """
    shaded = Cells(
        values=np.asarray(values, dtype=float),
        rows=list(rows),
        columns=list(columns),
        colours=(colour, colour),
        texts=[list(row) for row in texts] if texts else [],
        outlined=sorted(outlined),
        headings=(ylabel or "row", xlabel or "column", "share" if texts else "value", "count"),
    )
    panel = ChartPanel(
        marks=[shaded],
        x=Axis(label=xlabel, names=list(columns), start=-0.5, end=len(columns) - 0.5),
        y=Axis(label=ylabel, names=list(rows), start=len(rows) - 0.5, end=-0.5),
        right=Axis(names=list(marks)) if any(marks) else None,
        height=cell[1] * len(rows),
        width=cell[0] * len(columns),
    )
    keys = [LegendKey(text=f"{key}: 1 (white: 0)", colour=colour)] if key else []
    return Chart(rows=[[panel]], width=0.0, title=title, keys=keys)
