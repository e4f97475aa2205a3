"""Calibration curves: observed frequencies by predicted probability."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.page.style import COLOURS, GREY, MARKERS, column_width, new_axes

__all__ = ["draw_calibration"]


def draw_calibration(
    classifiers: Sequence[str],
    predicted: Sequence[np.ndarray],
    observed: Sequence[np.ndarray],
    counts: Sequence[np.ndarray],
    lower: Sequence[np.ndarray],
    upper: Sequence[np.ndarray],
) -> Figure:
    """Draw observed frequencies by predicted probability.

    Per classifier and bin: mean probability, frequency, number of predictions, and the ends of the
    intervals of the frequencies.
    """
    width = column_width(2.9)
    legend = 0.17 * -(-len(classifiers) // 2)
    height = min(width, 4.5) + 0.05 + legend
    figure, axes = new_axes(width, height, bottom=0.5 + legend, title="Calibration")
    axes.set(xlabel="predicted probability", ylabel="observed frequency")
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    most = max((n.max(initial=1) for n in counts), default=1)
    for j, (name, x, y, n) in enumerate(zip(classifiers, predicted, observed, counts, strict=True)):
        colour, marker = COLOURS[j % len(COLOURS)], MARKERS[j % len(MARKERS)]
        axes.plot(x, y, color=colour, linewidth=1, alpha=0.7)
        axes.vlines(x, lower[j], upper[j], color=colour, linewidth=0.8, alpha=0.6)
        axes.scatter(x, y, s=8 + 52 * np.sqrt(n / most), c=colour, marker=marker, label=name)
    figure.legend(
        loc="lower left",
        bbox_to_anchor=(0, 0),
        borderaxespad=0.2,
        ncols=2,
        columnspacing=0.8,
        handletextpad=0.1,
        fontsize=8,
    )
    return figure
