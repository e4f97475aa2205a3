"""Matrices whose cells are shaded by a value: selection, distances, confusion."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    INK,
    label_width,
    name_columns,
    name_rows,
    new_axes,
    shorten,
    write_heading,
)

__all__ = ["draw_matrix"]

_LEVELS = 20


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
    colour: str = COLOURS[0],
    cell: tuple[float, float] = (0.34, 0.2),
    width: float | None = None,
) -> Figure:
    """Draw a matrix.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_columns)
        Between 0 and 1; the greater, the darker. Missing ones stay empty.
    rows, columns : sequence of str
        Labels.
    title : str
        Heading.
    texts : sequence of sequence of str, optional
        What stands in the cells.
    marks : sequence of str
        What stands right of each row.
    outlined : collection of (int, int)
        Cells with a frame.
    xlabel, ylabel : str
        Names of the axes.
    colour : str
        Of the darkest cells.
    cell : (float, float)
        Width and height of a cell in inches.
    width : float, optional
        Inches, or more where the labels need it; by default what the cells take.
    """
    row_labels, column_labels = [shorten(r) for r in rows], [shorten(c) for c in columns]
    left = 0.15 + label_width(row_labels) + (0.2 if ylabel else 0)
    beside = left + 0.15 + label_width(marks)
    room = 0.0 if width is None else (width - beside) / max(1, len(columns))
    across = max(cell[0], min(room, 1.0))
    upright = max(map(len, column_labels), default=0) * 0.07 < across
    bottom = (0.25 if upright else 0.12 + label_width(column_labels)) + (0.2 if xlabel else 0)
    inner, height = across * len(columns), bottom + 0.3 + cell[1] * len(rows)
    width = max(beside + inner, 0.2 + label_width([title], 11), width or 0.0)
    figure, axes = new_axes(width, height, left=left, right=width - left - inner, bottom=bottom)
    write_heading(figure, title)
    name_columns(axes, column_labels, upright=upright)
    name_rows(axes, range(len(rows)), row_labels)
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    middle, centre = (left + inner / 2) / width, (bottom + cell[1] * len(rows) / 2) / height
    figure.text(middle, 0.05 / height, xlabel, ha="center")
    figure.text(0.05 / width, centre, ylabel, va="center", rotation=90)
    shade_cells(axes, values, colour)
    for i, row in enumerate(texts or ()):
        for j, text in enumerate(row):
            if text:
                ink = "white" if values[i, j] > 0.55 else INK
                axes.text(j, i, text, ha="center", va="center_baseline", size=8, color=ink)
    for i, mark in enumerate(marks):
        if mark:
            axes.text(len(columns) - 0.4, i, mark, va="center")
    for i, j in outlined:
        frame = Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec=COLOURS[1], lw=1.4)
        axes.add_artist(frame)
    return figure


def shade_cells(
    axes: Axes, values: np.ndarray, colour: str, *, framed: bool = True, tall: float = 1.0
) -> None:
    """Fill cells in steps of strength, one path for all cells of a step; frame all of them.

    ``tall`` is the share of a cell's height that is filled.
    """
    if framed:
        frame = _squares(*np.nonzero(np.ones(values.shape, bool)))
        axes.add_artist(PathPatch(frame, fc="none", ec=GREY, alpha=0.35, lw=0.4))
    steps = np.ceil(np.clip(np.nan_to_num(values), 0, 1) * _LEVELS).astype(int)
    for step in np.unique(steps[steps > 0]):
        cells = _squares(*np.nonzero(steps == step), tall=tall)
        axes.add_artist(PathPatch(cells, fc=colour, alpha=float(step / _LEVELS), ec="none"))


def _squares(rows: np.ndarray, columns: np.ndarray, *, tall: float = 1.0) -> Path:
    """Return rectangles around cells, 1 wide, as one path."""
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    corners[:, 1] *= tall
    vertices = (np.stack([columns, rows], axis=1)[:, None, :] + corners).reshape(-1, 2)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(vertices, np.tile(codes, len(rows)))
