"""The heat map of a signature: features by samples, standardised, classes side by side."""

import textwrap
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
_KEY = (
    f"samples; strongest: {_MOST} standard deviations above (orange, full cells) or below (blue, "
    "half cells) the mean"
)
_KEY_SIZE = 8


def draw_heatmap(
    z: np.ndarray, rows: Sequence[str], classes: Sequence[str], *, width: float | None = None
) -> Figure:
    """Draw features by samples: one colour above a feature's mean, another below it.

    Parameters
    ----------
    z : ndarray of shape (n_features, n_samples)
        Standardised values.
    rows : sequence of str
        Names of the features.
    classes : sequence of str
        The class of each sample; those of a class stand side by side.
    width : float, optional
        Inches; by default what the samples take, 6.2 and the labels at most.
    """
    labels = [shorten(row, 34) for row in rows]
    n, m = z.shape
    left = 0.15 + label_width(labels)
    inner = min(_WIDTH, _WIDEST * m) if width is None else width - left - 0.1
    edges = [0, *(i for i in range(1, m) if classes[i] != classes[i - 1]), m]
    spans = list(pairwise(edges))
    crowded = any(label_width([classes[a]]) > inner * (b - a) / m for a, b in spans)
    wide = width or max(left + inner, label_width([_KEY], _KEY_SIZE)) + 0.1
    key = textwrap.fill(_KEY, int(wide / label_width("n", _KEY_SIZE)))
    top, bottom = 0.55 if crowded else 0.35, 0.2 + 0.15 * len(key.splitlines())
    height = top + bottom + _ROW * n
    right = wide - left - inner
    figure, axes = new_axes(wide, height, left=left, right=right, bottom=bottom, top=top)
    shade_cells(axes, np.clip(z / _MOST, 0, 1), COLOURS[1], framed=False)
    shade_cells(axes, np.clip(-z / _MOST, 0, 1), COLOURS[0], framed=False, tall=0.5)
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
    figure.text(0.05 / wide, 0.08 / height, key, size=_KEY_SIZE)
    return figure
