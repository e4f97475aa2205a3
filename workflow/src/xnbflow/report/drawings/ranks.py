"""The critical-difference diagram of classifiers, after Demšar (2006), Figure 1."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.page.style import INK, ORANGE, column_width, label_width, new_axes, shorten

#: Inches from bar to bar, and from name to name.
_BAR = 0.12
_LINE = 0.22


def draw_ranks(
    classifiers: Sequence[str],
    ranks: Sequence[float],
    bars: Sequence[tuple[int, int]],
    difference: float,
) -> Figure:
    """Draw average ranks on a line, best on the left, and bars that join equal classifiers.

    ``bars`` are the first and last classifier of each bar, ``difference`` is the length of the
    yardstick.
    """
    k = len(classifiers)
    n_left = (len(classifiers) + 1) // 2
    depth = _BAR * len(bars) + 0.15
    height = depth + _LINE * n_left
    side = 0.25 + label_width([f"{shorten(name, 17)}  0.00" for name in classifiers])
    width = max(column_width(2.5 + 2 * side), 1.0 + 2 * side)
    figure, axes = new_axes(width, height + 0.95, left=side, right=side, bottom=0.1, top=0.85)
    axes.set(xlim=(1, k), ylim=(-height, 0), xticks=np.arange(1, k + 1), yticks=[])
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.plot([1, 1 + difference], [0.42, 0.42], color=INK, lw=1.5, clip_on=False)
    text = f"critical difference {difference:.2f}"
    axes.text(1 + difference / 2, 0.46, text, ha="center", va="bottom")
    for i, (first, last) in enumerate(bars):
        x = [ranks[first] - 0.03, ranks[last] + 0.03]
        y = -_BAR * (i + 1)
        axes.plot(x, [y, y], color=ORANGE, lw=3.5)
    for i, (classifier, rank) in enumerate(zip(classifiers, ranks, strict=True)):
        left = i < n_left
        name = shorten(classifier, 17)
        end = 0.9 if left else k + 0.1
        y = -depth - _LINE * (i if left else k - 1 - i)
        axes.plot([rank, rank, end], [0, y, y], color=INK, lw=0.8, clip_on=False)
        text = f"{name}  {rank:.2f} " if left else f" {rank:.2f}  {name}"
        axes.text(end, y, text, ha="right" if left else "left", va="center")
    return figure
