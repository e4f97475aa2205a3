"""The critical-difference diagram of classifiers, after Demšar (2006), Figure 1."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.style import COLOURS, INK, new_axes, shorten

__all__ = ["draw_ranks"]


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
    k = len(classifiers)
    half = (k + 1) // 2
    top, lines = 0.85, 0.22 * half + 0.12 * len(bars)
    figure, axes = new_axes(5.4, 0.45 + top + lines, left=1.45, right=1.45, bottom=0.1, top=top)
    axes.set(xlim=(1, k), ylim=(-(0.12 * len(bars) + 0.22 * half + 0.2), 0))
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.xaxis.tick_top()
    axes.set_xticks(np.arange(1, k + 1))
    axes.set_yticks([])
    transform = axes.get_xaxis_transform()
    y = 1 + 0.42 / (figure.get_figheight() - top - 0.1)
    axes.plot([1, 1 + difference], [y, y], color=INK, lw=1.5, transform=transform, clip_on=False)
    axes.text(
        1 + difference / 2,
        y + 0.05 / (figure.get_figheight() - top - 0.1),
        f"critical difference {difference:.2f}",
        ha="center",
        va="bottom",
        transform=transform,
    )
    for i, (first, last) in enumerate(bars):
        level = -0.12 * (i + 1)
        axes.plot(
            [ranks[first] - 0.03, ranks[last] + 0.03], [level, level], color=COLOURS[1], lw=3.5
        )
    depth = 0.12 * len(bars) + 0.15
    for i, (name, rank) in enumerate(zip(classifiers, ranks, strict=True)):
        best = i < half
        level = -(depth + 0.22 * (i if best else k - 1 - i))
        end, side = (0.9, "right") if best else (k + 0.1, "left")
        axes.plot([rank, rank, end], [0, level, level], color=INK, lw=0.8, clip_on=False)
        text = f"{shorten(name, 17)}  {rank:.2f}" if best else f"{rank:.2f}  {shorten(name, 17)}"
        axes.annotate(
            text,
            (end, level),
            ((-4 if best else 4), 0),
            textcoords="offset points",
            annotation_clip=False,
            ha=side,
            va="center",
        )
    return figure
