"""The heat map of a signature: features by samples, standardised, classes side by side."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.drawings.matrix import shade_cells
from xnbflow.report.page.style import COLOURS, GREY, label_width, name_rows, new_axes, shorten

__all__ = ["draw_heatmap"]

_WIDTH, _WIDEST, _ROW = 6.2, 0.3, 0.2
#: Standard deviations from which on a cell is as dark as can be.
_MOST = 2.5
_KEY = f"samples; strongest: {_MOST} standard deviations above (orange) or below (blue) the mean"
_KEY_SIZE = 8


def draw_heatmap(z: np.ndarray, rows: Sequence[str], classes: Sequence[str]) -> Figure:
    """Draw features by samples: one colour above a feature's mean, another below it.

    Parameters
    ----------
    z : ndarray of shape (n_features, n_samples)
        Standardised values.
    rows : sequence of str
        Names of the features.
    classes : sequence of str
        The class of each sample; those of a class stand side by side.
    """
    labels = [shorten(row, 34) for row in rows]
    n, m = z.shape
    inner = min(_WIDTH, _WIDEST * m)
    edges = [0, *(i for i in range(1, m) if classes[i] != classes[i - 1]), m]
    spans = list(pairwise(edges))
    crowded = any(label_width([classes[a]]) > inner * (b - a) / m for a, b in spans)
    left, top = 0.15 + label_width(labels), 0.55 if crowded else 0.35
    height = top + 0.35 + _ROW * n
    width = max(left + inner, label_width([_KEY], _KEY_SIZE)) + 0.1
    right = width - left - inner
    figure, axes = new_axes(width, height, left=left, right=right, bottom=0.35, top=top)
    shade_cells(axes, np.clip(z / _MOST, 0, 1), COLOURS[1], framed=False)
    shade_cells(axes, np.clip(-z / _MOST, 0, 1), COLOURS[0], framed=False)
    axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5))
    name_rows(axes, range(n), labels)
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    for i, (start, end) in enumerate(spans):
        if start:
            axes.axvline(start - 0.5, color=GREY, linewidth=1.2)
        room = max(3, int(inner * (end - start) / m / label_width("n")))
        up = -0.75 - (crowded and i % 2)  # neighbours in turn, so that long names do not meet
        name = shorten(classes[start], 2 * room)
        axes.text((start + end - 1) / 2, up, name, ha="center", va="bottom")
    figure.text(0.05 / width, 0.08 / height, _KEY, size=_KEY_SIZE)
    return figure
