"""The heat map of a signature: features by samples, standardised, classes side by side."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure

from xnbflow.report.drawings.matrix import colour_bar, shade_cells
from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    column_width,
    label_width,
    name_rows,
    new_axes,
    shorten,
)

__all__ = ["draw_heatmap"]

_WIDTH, _WIDEST, _ROW = 5.4, 0.3, 0.2
_LONGEST, _SIZE = 22, 8
#: Standard deviations from which on a cell is as dark as can be.
_MOST = 2.5
_LEGEND, _LINE = "SD from the mean", 0.16


def draw_heatmap(z: np.ndarray, rows: Sequence[str], classes: Sequence[str]) -> Figure:
    """Draw features by samples: one colour above a feature's mean, another below it.

    ``z``, of shape (n_features, n_samples), are standardised values; ``rows`` name the features,
    ``classes`` are those of the samples, which stand side by side.
    """
    labels = [shorten(row, 34) for row in rows]
    n, m = z.shape
    left = 0.15 + label_width(labels)
    wide = column_width(max(left + min(_WIDTH, _WIDEST * m) + 0.1, 4.2))
    inner = wide - left - 0.1 if column_width(0.0) else min(_WIDTH, _WIDEST * m)
    edges = [0, *(i for i in range(1, m) if classes[i] != classes[i - 1]), m]
    spans = list(pairwise(edges))
    names = [shorten(classes[start], _LONGEST) for start, _ in spans]
    right = wide - left - inner
    lines, places = _placed(names, spans, inner / m, (-left, inner + right))
    top = 0.2 + _LINE * (1 + max(lines))
    height = top + 0.7 + _ROW * n
    figure, axes = new_axes(wide, height, left=left, right=right, bottom=0.7, top=top)
    if column_width(0.0):
        shade_cells(axes, np.clip(z / _MOST, 0, 1), COLOURS[1], framed=False)
        shade_cells(axes, np.clip(-z / _MOST, 0, 1), COLOURS[0], framed=False, below=True)
    else:  # an image: a tenth of the bytes of shapes
        cells = np.array([to_rgba(COLOURS[above]) for above in (0, 1)])[(z > 0).astype(int)]
        cells[..., 3] = np.clip(np.nan_to_num(abs(z)) / _MOST, 0, 1)
        axes.imshow(cells, interpolation="none", aspect="auto")
    axes.set(xlim=(-0.5, m - 0.5), ylim=(n - 0.5, -0.5), xlabel="samples")
    name_rows(axes, range(n), labels)
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    for name, (start, end), line, place in zip(names, spans, lines, places, strict=True):
        if start:
            axes.axvline(start - 0.5, color=GREY, linewidth=1.2)
        up, middle = -0.55 - line * _LINE / _ROW, (start + end - 1) / 2
        if line:
            axes.plot([middle] * 2, [-0.5, up], color=GREY, linewidth=0.5, clip_on=False)
        axes.text(place * m / inner - 0.5, up, name, ha="center", va="bottom", size=_SIZE)
    colour_bar(figure, _LEGEND, [-_MOST, 0.0, _MOST], (COLOURS[0], COLOURS[1]))
    return figure


def _placed(
    names: Sequence[str], spans: Sequence[tuple[int, int]], cell: float, room: tuple[float, float]
) -> tuple[list[int], list[float]]:
    """Return in which line of text each name is written, and where its middle is, in inches.

    No two names of a line meet, and all are within the ``room``.
    """
    ends: list[float] = []
    lines, places = [], []
    for name, (start, end) in zip(names, spans, strict=True):
        half = label_width([name], _SIZE) / 2 + 0.04
        middle = float(np.clip(cell * (start + end) / 2, room[0] + half, room[1] - half))
        line = next((i for i, other in enumerate(ends) if other <= middle - half), len(ends))
        ends[line : line + 1] = [middle + half]
        lines.append(line)
        places.append(middle)
    return lines, places
