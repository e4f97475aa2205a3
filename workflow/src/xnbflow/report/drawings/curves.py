"""Curves: the densities of a feature per class (XNB paper, Eq. 3), and calibration."""

from collections.abc import Collection, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.style import COLOURS, GREY, MARKERS, label_width, new_axes, shorten

__all__ = ["draw_calibration", "draw_densities"]

_WIDTH = 2.9
_RUG_ROW = 0.17
_CURVES = 1.15
#: With more classes than this only the one in focus has a colour: no one tells ten curves apart.
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

    Parameters
    ----------
    feature : str
        Its name.
    grid : ndarray of shape (n_points,)
        Where the densities are known.
    densities : ndarray of shape (n_classes, n_points)
    samples : sequence of ndarray
        The feature's values per class.
    classes : sequence of str
        Class labels.
    chosen : collection of int
        Numbers of the classes that the feature was selected for.
    focus : int
        The one of them that it tells most about.
    notes : sequence of str
        What stands right of each class's rug.
    """
    n_classes = len(classes)
    labels = [f"{'● ' if i in chosen else ''}{shorten(c, 16)}" for i, c in enumerate(classes)]
    left, right = min(1.3, 0.1 + label_width(labels, 8)), 0.1 + label_width(notes, 8)
    rugs = _RUG_ROW * n_classes
    figure, axes = new_axes(
        _WIDTH,
        0.75 + _CURVES + rugs,
        left=left,
        right=right,
        bottom=0.35,
        xlim=(grid[0], grid[-1]),
    )
    figure.text(
        0.03, 1 - 0.08 / figure.get_figheight(), shorten(feature, 40), va="top", weight="bold"
    )
    peaks = densities.max(axis=1)
    height = min(peaks.max(), 3 * np.median(peaks))
    row = height * _RUG_ROW / _CURVES
    strong = set(chosen) if n_classes <= _MOST_COLOURED else {focus}
    for i in range(n_classes):
        coloured = i in strong or n_classes <= _MOST_COLOURED
        colour = COLOURS[i % len(COLOURS)] if coloured else GREY
        curve = np.minimum(densities[i], 1.02 * height)
        axes.plot(grid, curve, color=colour, linewidth=1.8 if i in strong else 0.9)
        if i in strong:
            axes.fill_between(grid, curve, color=colour, alpha=0.2, linewidth=0)
        _draw_rug(axes, samples[i], -row * (i + 1), row, colour)
        axes.text(
            1.01,
            -row * (i + 0.6),
            notes[i],
            va="center",
            fontsize=8,
            transform=axes.get_yaxis_transform(),
        )
    axes.set_ylim(-row * (n_classes + 0.3), 1.04 * height)
    axes.set_yticks([-row * (i + 0.6) for i in range(n_classes)], labels, fontsize=8)
    axes.tick_params("y", length=0)
    axes.axhline(0, color=GREY, linewidth=0.6)
    axes.spines["left"].set_visible(False)
    axes.xaxis.set_major_locator(MaxNLocator(int((_WIDTH - left - right) / 0.45)))
    return figure


def _draw_rug(axes: Axes, samples: np.ndarray, base: float, height: float, colour: str) -> None:
    """Draw a tick per sample, all in one line with gaps."""
    values = np.unique(samples)
    x = np.repeat(values, 3)
    y = np.tile([base + 0.1 * height, base + 0.75 * height, np.nan], len(values))
    axes.plot(x, y, color=colour, linewidth=0.8, alpha=0.8)


def draw_calibration(
    classifiers: Sequence[str],
    predicted: Sequence[np.ndarray],
    observed: Sequence[np.ndarray],
    counts: Sequence[np.ndarray],
) -> Figure:
    """Draw how often a predicted probability comes true.

    Parameters
    ----------
    classifiers : sequence of str
    predicted, observed, counts : sequence of ndarray
        Per classifier and bin: mean probability, frequency, and how many there were.
    """
    lines = -(-len(classifiers) // 2)
    figure, axes = new_axes(
        _WIDTH,
        2.95 + 0.17 * lines,
        bottom=0.5 + 0.17 * lines,
        title="Calibration",
        xlabel="predicted probability",
        ylabel="how often it came true",
        xlim=(-0.03, 1.03),
        ylim=(-0.03, 1.03),
    )
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    most = max((n.max(initial=1) for n in counts), default=1)
    for j, (name, x, y, n) in enumerate(zip(classifiers, predicted, observed, counts, strict=True)):
        colour = COLOURS[j % len(COLOURS)]
        axes.plot(x, y, color=colour, linewidth=1, alpha=0.7)
        axes.scatter(
            x,
            y,
            s=8 + 52 * np.sqrt(n / most),
            c=colour,
            marker=MARKERS[j % len(MARKERS)],
            label=name,
        )
    axes.legend(
        loc="upper left",
        bbox_to_anchor=(-0.22, -0.19),
        ncols=2,
        columnspacing=0.8,
        handletextpad=0.1,
        borderaxespad=0,
        fontsize=8,
    )
    return figure
