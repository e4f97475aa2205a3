"""Weights of scores (Pavlenko and von Rosen)."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xnbflow.report.page.style import COLOURS, GREY, column_width, new_axes, write_heading


def draw_weights(
    title: str, scores: np.ndarray, known: np.ndarray, estimated: np.ndarray, threshold: float
) -> Figure:
    """Draw the weight of a score under the known and under estimated distributions.

    Of ``scores`` (n_scores,) these are ``known`` (n_scores,), and by estimates their 5% quantile,
    median and 95% quantile (3, n_scores). Eq. 20 cuts at the ``threshold``.
    """
    figure, axes = new_axes(column_width(2.5), 1.75, left=0.4, bottom=0.4, top=0.25)
    write_heading(figure, title, 7.5)
    low, median, high = estimated
    axes.fill_between(scores, low, high, color=COLOURS[1], alpha=0.25, linewidth=0)
    axes.plot(scores, median, "--", color=COLOURS[1], linewidth=1.3)
    axes.plot(scores, known, color=COLOURS[0], linewidth=1.6)
    axes.axvline(threshold, color=GREY, linestyle=":", linewidth=1.2)
    most = max(1.0, known[scores >= threshold].max(initial=0.0))
    axes.set(xlim=(0, scores[-1]), ylim=(0, 1.05 * most), yticks=[0, 0.5, 1])
    axes.tick_params(labelsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.set_xlabel("score", fontsize=8)
    axes.grid(visible=True)
    return figure
