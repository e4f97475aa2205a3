"""Matrices whose cells are shaded by a value: selection, distances, confusion."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from xnbflow.report.page.style import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    column_width,
    label_width,
    name_columns,
    name_rows,
    new_axes,
    shorten,
    write_heading,
)

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
    colour: str = BLUE,
    cell: tuple[float, float] = (0.34, 0.2),
    width: float | None = None,
    key: str = "",
) -> Figure:
    """Draw a matrix.

    ``values``, of shape (n_rows, n_columns), are between 0 and 1; the greater, the darker, and
    missing ones stay empty. ``texts`` are written in the cells, ``marks`` right of each row; cells
    that are ``outlined`` have a frame. ``colour`` is that of the darkest cells, ``cell`` the width
    and height of one in inches.
    """
    row_labels = [shorten(name) for name in rows]
    column_labels = [shorten(name) for name in columns]
    left = 0.15 + label_width(row_labels) + (0.2 if ylabel else 0)
    beside = left + 0.15 + label_width(marks)
    room = (column_width(0.0) - beside) / max(1, len(columns))
    across = max(cell[0], min(room, 1.0))  # in print the cells fill the column
    upright = max(map(len, column_labels), default=0) * 0.07 < across
    bottom = (0.25 if upright else 0.12 + label_width(column_labels)) + (0.2 if xlabel else 0)
    bottom += 0.42 if key else 0
    inner = across * len(columns)
    height = bottom + 0.3 + cell[1] * len(rows)
    width = max(beside + inner, 0.2 + label_width([title], 11), column_width(0.0))
    width = max(width, 1.6 + label_width([key], 8)) if key else width
    figure, axes = new_axes(width, height, left=left, right=width - left - inner, bottom=bottom)
    write_heading(figure, title)
    name_columns(axes, column_labels, upright=upright)
    name_rows(axes, range(len(rows)), row_labels)
    axes.set(xlim=(-0.5, len(columns) - 0.5), ylim=(len(rows) - 0.5, -0.5))
    axes.spines[:].set_visible(False)
    middle = (left + inner / 2) / width
    centre = (bottom + cell[1] * len(rows) / 2) / height
    figure.text(middle, (0.05 + (0.42 if key else 0)) / height, xlabel, ha="center")
    figure.text(0.05 / width, centre, ylabel, va="center", rotation=90)
    shade_cells(axes, values, colour)
    if key:
        colour_bar(figure, key, [0, 0.5, 1], [colour])
    if texts:
        _write_texts(axes, values, texts)
    for i, mark in enumerate(marks):
        if mark:
            axes.text(len(columns) - 0.4, i, mark, va="center")
    _outline(axes, outlined)
    return figure


def _write_texts(axes: Axes, values: np.ndarray, texts: Sequence[Sequence[str]]) -> None:
    """Write a text in each cell, white on dark ones; empty texts are omitted."""
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            if text:
                ink = "white" if values[i, j] > 0.55 else INK
                axes.text(j, i, text, ha="center", va="center_baseline", size=8, color=ink)


def _outline(axes: Axes, cells: Collection[tuple[int, int]]) -> None:
    """Frame cells, each a row and a column."""
    for i, j in cells:
        frame = Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, ec=ORANGE, lw=1.4)
        axes.add_artist(frame)


def colour_bar(figure: Figure, label: str, ticks: Sequence[float], colours: Sequence[str]) -> None:
    """Draw the legend of the shades in the lower left corner, 0.35 inches high.

    One colour is for values from 0 on, the first of two for those below 0.
    """
    width, height = figure.get_size_inches()
    axes = figure.add_axes((0.2 / width, 0.22 / height, 1.2 / width, 0.1 / height))
    steps = np.linspace(-1 if len(colours) > 1 else 0, 1, 2 * _LEVELS + 1)[None]
    shade_cells(axes, np.clip(steps, 0, 1), colours[-1], framed=False)
    if len(colours) > 1:
        shade_cells(axes, np.clip(-steps, 0, 1), colours[0], framed=False, below=True)
    axes.set(xlim=(-0.5, steps.size - 0.5), ylim=(-0.5, 0.5), yticks=[])
    names = [f"{tick:+g}" if len(colours) > 1 and tick else f"{tick:g}" for tick in ticks]
    axes.set_xticks(np.linspace(0, steps.size - 1, len(ticks)), names, size=8)
    axes.tick_params(length=0, pad=2)
    axes.text(steps.size + 1, 0, label, va="center", size=8)


def shade_cells(
    axes: Axes, values: np.ndarray, colour: str, *, framed: bool = True, below: bool = False
) -> None:
    """Fill cells in steps of strength, one path for all cells of a step; frame all of them.

    In print, cells of values ``below`` the mean have half the height: they differ in grey, too.
    """
    tall = 0.5 if below and column_width(0.0) else 1.0
    steps = np.ceil(np.clip(np.nan_to_num(values), 0, 1) * _LEVELS).astype(int)
    for step in np.unique(steps[steps > 0]):
        cells = _squares(*np.nonzero(steps == step), tall=tall)
        axes.add_artist(PathPatch(cells, fc=colour, alpha=float(step / _LEVELS), ec="none"))
    if framed:
        frame = _squares(*np.nonzero(np.ones(values.shape, bool)))
        axes.add_artist(PathPatch(frame, fc="none", ec=GREY, alpha=0.6, lw=0.5))


def _squares(rows: np.ndarray, columns: np.ndarray, *, tall: float = 1.0) -> Path:
    """Return rectangles around cells, 1 wide, as one path."""
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    corners[:, 1] *= tall
    vertices = (np.stack([columns, rows], axis=1)[:, None, :] + corners).reshape(-1, 2)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(vertices, np.tile(codes, len(rows)))
