"""The critical-difference diagram of classifiers, after Demšar (2006), Figure 1."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.page.style import COLOURS, INK, label_width, new_axes, shorten

__all__ = ["draw_ranks"]

#: Inches from bar to bar, and from name to name.
_BAR, _LINE = 0.12, 0.22


def draw_ranks(
    classifiers: Sequence[str],
    ranks: Sequence[float],
    bars: Sequence[tuple[int, int]],
    difference: float,
) -> Figure:
    """Draw average ranks on a line, best on the left, and bars that join what does not differ.

    Parameters
    ----------
    classifiers : sequence of str
        Best first.
    ranks : sequence of float
        Their average ranks, ascending.
    bars : sequence of (int, int)
        First and last classifier of each bar.
    difference : float
        Length of the yardstick.
    """
    k, n_left = len(classifiers), (len(classifiers) + 1) // 2
    depth = _BAR * len(bars) + 0.15
    height = depth + _LINE * n_left
    side = 0.25 + label_width([f"{shorten(name, 17)}  0.00" for name in classifiers])
    figure, axes = new_axes(
        2.5 + 2 * side, height + 0.95, left=side, right=side, bottom=0.1, top=0.85
    )
    axes.set(xlim=(1, k), ylim=(-height, 0), xticks=np.arange(1, k + 1), yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    _draw_yardstick(axes, difference)
    for i, (first, last) in enumerate(bars):
        x, y = [ranks[first] - 0.03, ranks[last] + 0.03], -_BAR * (i + 1)
        axes.plot(x, [y, y], color=COLOURS[1], lw=3.5)
    for i, (name, rank) in enumerate(zip(classifiers, ranks, strict=True)):
        line = i if i < n_left else k - 1 - i
        _draw_classifier(axes, shorten(name, 17), rank, -depth - _LINE * line, left=i < n_left)
    return figure


def _draw_yardstick(axes: Axes, difference: float) -> None:
    """Draw the critical difference above the axis; the y axis is in inches."""
    axes.plot([1, 1 + difference], [0.42, 0.42], color=INK, lw=1.5, clip_on=False)
    text = f"critical difference {difference:.2f}"
    axes.text(1 + difference / 2, 0.46, text, ha="center", va="bottom")


def _draw_classifier(axes: Axes, name: str, rank: float, y: float, *, left: bool) -> None:
    """Draw a line from a classifier's rank down and to its name at the side."""
    end = 0.9 if left else axes.get_xlim()[1] + 0.1
    axes.plot([rank, rank, end], [0, y, y], color=INK, lw=0.8, clip_on=False)
    axes.annotate(
        f"{name}  {rank:.2f}" if left else f"{rank:.2f}  {name}",
        (end, y),
        (-4 if left else 4, 0),
        textcoords="offset points",
        annotation_clip=False,
        ha="right" if left else "left",
        va="center",
    )
