"""The densities of a feature per class (XNB paper, Eqs. 3 and 8), with the samples as rugs."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import (
    COLOURS,
    DASHES,
    GREY,
    ROUND,
    column_width,
    label_width,
    legend_above,
    legend_room,
    name_rows,
    new_axes,
    shorten,
    style_of,
    write_heading,
)

#: Heights in inches: of the rug of a class, and of the curves.
_RUG_ROW = 0.17
_CURVES = 1.15
#: Inches that the curves of two cohorts are high, and that the title of an axis takes.
_COHORT_CURVES = 1.5
_TITLE = 0.3
#: With more classes only the one in focus has a colour, since ten curves are indistinguishable.
_MOST_COLOURED = 6


def draw_densities(
    feature: str,
    grid: np.ndarray,
    densities: np.ndarray,
    samples: Sequence[np.ndarray],
    classes: Sequence[str],
    chosen: Collection[int],
    focus: int,
    notes: Sequence[str],
) -> Figure:
    """Draw the density of a feature in each class, and below each class's samples as a rug.

    The ``densities``, of shape (n_classes, n_points), are those on the ``grid``; ``samples`` are
    the feature's values per class. ``chosen`` are the numbers of the classes that the feature was
    selected for, ``focus`` the one of them that it separates best; ``notes`` are written right of
    each class's rug.
    """
    labels = [f"{'● ' if i in chosen else ''}{shorten(c, 16)}" for i, c in enumerate(classes)]
    left = min(1.3, 0.1 + label_width(labels, 8))
    right = 0.1 + label_width(notes, 8)
    left = max(left, _TITLE)
    inner = _CURVES + _RUG_ROW * len(labels)
    figure, axes = _new_axes(feature, inner, top=0.4, left=left, right=right)
    few = len(classes) <= _MOST_COLOURED
    strong = set(chosen) if few else {focus}
    peaks = densities.max(axis=1)
    peaks = peaks[peaks > 0]
    # Curves are cut: a class that is almost constant would flatten all others.
    height = float(min(peaks.max(), 3 * np.median(peaks))) if len(peaks) else 1.0
    row = height * _RUG_ROW / _CURVES
    for i in range(len(classes)):
        colour = COLOURS[i % len(COLOURS)] if few or i in strong else GREY
        curve = np.minimum(densities[i], 1.02 * height)
        dashes = DASHES[i % len(DASHES)] if few else "-"
        style: dict[str, Any] = {"color": colour, "linestyle": dashes}
        axes.plot(grid, curve, linewidth=1.8 if i in strong else 0.9, **style)
        if i in strong:
            axes.fill_between(grid, curve, color=colour, alpha=0.2, linewidth=0)
        values = np.unique(samples[i])
        base = -row * (i + 1)
        ticks = np.tile([base + 0.1 * row, base + 0.75 * row, np.nan], len(values))
        axes.plot(np.repeat(values, 3), ticks, color=colour, linewidth=0.8, alpha=0.8)
        axes.plot(grid[[0, -1]], [base, base], linewidth=0.9, **style)
    middles = [-row * (i + 0.6) for i in range(len(classes))]
    name_rows(axes, middles, labels, size=8)
    beside = axes.get_yaxis_transform()
    for y, note in zip(middles, notes, strict=True):
        axes.text(1.01, y, note, va="center", fontsize=8, transform=beside)
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.set(xlim=(grid[0], grid[-1]), ylim=(-row * (len(classes) + 0.3), 1.04 * height))
    return figure


def _new_axes(
    feature: str, inner: float, *, top: float, left: float, right: float
) -> tuple[Figure, Axes]:
    """Return axes of a height in inches below the feature's name."""
    width = column_width(2.9)
    height = 0.5 + inner + top
    figure, axes = new_axes(width, height, left=left, right=right, bottom=0.5, top=top)
    write_heading(figure, shorten(feature, 60), 9)
    axes.set_xlabel("value", size=8)
    ticks = int((width - left - right) / 0.45)
    middle = 1 - (top + min(inner, _COHORT_CURVES) / 2) / height
    left = (left - 0.08) / width
    figure.text(left, middle, "density", size=8, rotation=90, ha="right", va="center")
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(ticks, prune="both", steps=ROUND))
    axes.ticklabel_format(axis="x", useOffset=False)  # an offset would be beyond the figure
    return figure, axes


def draw_cohorts(
    feature: str, grid: np.ndarray, curves: Mapping[str, Sequence[np.ndarray | None]]
) -> Figure:
    """Draw a feature's density in each class: filled in training, dashed in the test cohort.

    ``curves`` have by class the densities on the ``grid``, of shape (n_points,), in the training
    and in the test cohort; None where there are fewer than two samples.
    """
    classes = [shorten(label, 16) for label in curves]
    columns, room = legend_room(classes, column_width(2.9))
    figure, axes = _new_axes(feature, _COHORT_CURVES, top=0.4 + room, left=_TITLE, right=0.15)
    unknown = np.full(len(grid), np.nan)
    for i, (name, (train, test)) in enumerate(zip(classes, curves.values(), strict=True)):
        colour, marker = style_of(i)
        if train is not None:
            axes.fill_between(grid, train, color=colour, alpha=0.25, linewidth=0)
        first = unknown if train is None else train
        style: dict[str, Any] = {"marker": marker, "markevery": 0.15, "markersize": 3}
        axes.plot(grid, first, color=colour, linewidth=1.2, label=name, **style)
        second = unknown if test is None else test
        axes.plot(grid, second, color=colour, linewidth=1.6, linestyle="--", **style)
    legend_above(axes, columns)
    axes.set(xlim=(grid[0], grid[-1]), yticks=[])
    axes.set_ylim(0)
    return figure
