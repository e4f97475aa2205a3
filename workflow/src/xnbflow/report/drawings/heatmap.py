"""The heat map of a signature: features by samples, standardised, classes side by side."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from xnbflow.report.drawings.matrix import colour_bar, shade_cells
from xnbflow.report.page.style import (
    BLUE,
    GREY,
    ORANGE,
    column_width,
    label_width,
    name_rows,
    new_axes,
    shorten,
    shorten_to,
    strip_colour,
    strip_style_of,
)

#: Inches of all samples, at most of one sample, and of a feature.
_WIDTH = 5.4
_WIDEST = 0.3
_ROW = 0.2
#: Largest share of a column in print that the names of features take.
_MOST_LABELS = 0.6
#: Letters of the name of a class, and points of small text.
_LONGEST = 22
_SIZE = 8
#: Standard deviations from which on a cell is as dark as can be.
_MOST = 2.5
_LEGEND = "SD from the mean"
#: Inches of a line of text.
_LINE = 0.16


def draw_heatmap(
    z: np.ndarray,
    rows: Sequence[str],
    classes: Sequence[str],
    tracks: Mapping[str, Sequence[str]] | None = None,
) -> Figure:
    """Draw features by samples: one colour above a feature's mean, another below it.

    ``z``, of shape (n_features, n_samples), are standardised values; ``rows`` name the features,
    ``classes`` are those of the samples, which are side by side. ``tracks`` are columns of the
    phenotype, a text per sample, empty where it is unknown: a strip each, below that of the class.
    """
    tracks = tracks or {}
    room = column_width(math.inf) * _MOST_LABELS
    labels = [shorten_to(row, 34, room) for row in rows]
    strip_labels = [shorten_to(name, 24, room) for name in ("class", *tracks) if tracks]
    n_rows, n_samples = z.shape
    left = 0.15 + label_width([*labels, *strip_labels])
    screen_width = min(_WIDTH, _WIDEST * n_samples)
    width = column_width(max(left + screen_width + 0.1, 4.2))
    inner = width - left - 0.1 if column_width(0.0) else screen_width
    right = width - left - inner
    spans = _spans(classes)
    names = [shorten(classes[start], _LONGEST) for start, _ in spans]
    lines, places = _place_names(names, spans, inner / n_samples, (-left, inner + right))
    strips = _TRACK * len(strip_labels)
    looks = [looks_of(cells, strip_colour(i)) for i, cells in enumerate(tracks.values())]
    key = list(_legend_texts(dict(zip(strip_labels[1:], looks, strict=True)), width - 0.3))
    top = 0.2 + _LINE * (1 + max(lines)) + strips
    bottom = 0.7 + _LINE * (1 + key[-1].line if key else 0)
    height = top + bottom + _ROW * n_rows
    figure, axes = new_axes(width, height, left=left, right=right, bottom=bottom, top=top)
    _shade(axes, z)
    axes.set(xlim=(-0.5, n_samples - 0.5), ylim=(n_rows - 0.5, -0.5), xlabel="samples")
    axes.set_xticks([])
    axes.spines[:].set_visible(False)
    heights = [-0.5 - (strips - _TRACK * (i + 0.5)) / _ROW for i in range(len(strip_labels))]
    name_rows(axes, [*range(n_rows), *heights], [*labels, *strip_labels])
    of_classes = {name: strip_style_of(i) for i, name in enumerate(dict.fromkeys(classes))}
    for y, texts, look in zip(
        heights, [classes, *tracks.values()], [of_classes, *looks], strict=False
    ):
        _draw_strip(axes, y, texts, look)
    for name, (start, end), line, place in zip(names, spans, lines, places, strict=True):
        if start:
            axes.axvline(start - 0.5, color=GREY, linewidth=1.2)
        y = -0.55 - (strips + line * _LINE) / _ROW
        middle = (start + end - 1) / 2
        if line:  # a thin line leads to a name above the others
            ends = [-0.5 - strips / _ROW, y]
            axes.plot([middle] * 2, ends, color=GREY, linewidth=0.5, clip_on=False)
        x = place * n_samples / inner - 0.5
        axes.text(x, y, name, ha="center", va="bottom", size=_SIZE)
    _write_key(figure, key)
    colour_bar(figure, _LEGEND, [-_MOST, 0.0, _MOST], (BLUE, ORANGE))
    return figure


def _spans(classes: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first sample of each run of a class, and the one after its last.

    Examples
    --------
    >>> _spans(["a", "a", "b"])
    [(0, 2), (2, 3)]
    """
    starts = [i for i, label in enumerate(classes) if i and label != classes[i - 1]]
    return list(pairwise([0, *starts, len(classes)]))


def _shade(axes: Axes, z: np.ndarray) -> None:
    """Fill the cells: shapes in print; on a page an image, which has a tenth of the bytes."""
    if column_width(0.0):
        shade_cells(axes, np.clip(z / _MOST, 0, 1), ORANGE, framed=False)
        shade_cells(axes, np.clip(-z / _MOST, 0, 1), BLUE, framed=False, below=True)
        return
    cells = np.array([to_rgba(colour) for colour in (BLUE, ORANGE)])[(z > 0).astype(int)]
    cells[..., 3] = np.clip(np.nan_to_num(abs(z)) / _MOST, 0, 1)
    axes.imshow(cells, interpolation="none", aspect="auto")


#: Inches of a track.
_TRACK = 0.17
#: A number, or the first one of a range.
_NUMBER = re.compile(r"-?\d+(\.\d+)?(?=$| to )")
Look = Mapping[str, tuple[str, float]]


def looks_of(cells: Sequence[str], colour: str) -> Look:
    """Return colour and opacity of each text: shades of one colour if all texts are numbers."""
    texts = {*cells} - {""}
    numbers = {text: float(n[0]) for text in texts if (n := _NUMBER.match(text))}
    if len(numbers) < len(texts):
        return {text: (strip_colour(i), 1.0) for i, text in enumerate(sorted(texts))}
    order = sorted(numbers, key=numbers.__getitem__)
    return {text: (colour, (i + 1) / len(order)) for i, text in enumerate(order)}


def _draw_strip(axes: Axes, y: float, texts: Sequence[str], look: Look) -> None:
    """Draw a text per sample as a coloured cell at a height, equal neighbours as one."""
    starts = [i for i, text in enumerate(texts) if not i or text != texts[i - 1]]
    for start, end in pairwise([*starts, len(texts)]):
        if texts[start] in look:
            colour, alpha = look[texts[start]]
            place = (start - 0.5, y - 0.4 * _TRACK / _ROW)
            tall = 0.8 * _TRACK / _ROW
            cell = Rectangle(place, end - start, tall, fc=colour, alpha=alpha, lw=0, clip_on=False)
            axes.add_artist(cell)


class _KeyText(NamedTuple):
    """A text of a legend: its left end in inches, its line, and colour and opacity of its mark."""

    x: float
    line: int
    text: str
    colour: str
    alpha: float


def _legend_texts(tracks: Mapping[str, Look], width: float) -> Iterator[_KeyText]:
    """Yield the texts of a legend: each track in bold, then its texts with their marks.

    A line begins with each track and where a text would exceed the width.
    """
    line = -1
    for name, looks in tracks.items():
        line = line + 1
        x = 0.0
        for text, (colour, alpha) in {name: ("", 1.0), **looks}.items():
            shown = shorten(text, 34)
            mark = 0.14 if colour else 0.0
            needed = label_width([shown], _SIZE) + mark
            if x and x + needed > width:
                line = line + 1
                x = 0.15
            yield _KeyText(x=x, line=line, text=shown, colour=colour, alpha=alpha)
            x += needed + 0.12


def _write_key(figure: Figure, key: Sequence[_KeyText]) -> None:
    """Write the legend of the strips above that of the cells."""
    width, height = figure.get_size_inches()
    for text in key:
        x, y = 0.2 + text.x, (0.5 + _LINE * (key[-1].line - text.line)) / height
        weight = "bold"
        if text.colour:
            corner = x / width, y - 0.05 / height
            size = 0.1 / width, 0.1 / height
            figure.add_artist(Rectangle(corner, *size, fc=text.colour, alpha=text.alpha, lw=0))
            x = x + 0.14
            weight = "normal"
        figure.text(x / width, y, text.text, va="center", weight=weight, size=_SIZE)


def _place_names(
    names: Sequence[str], spans: Sequence[tuple[int, int]], cell: float, room: tuple[float, float]
) -> tuple[list[int], list[float]]:
    """Return in which line of text each name is written, and where its middle is, in inches.

    No two names of a line meet, and all are within the ``room``.
    """
    ends: list[float] = []
    lines = []
    places = []
    for name, (start, end) in zip(names, spans, strict=True):
        half = label_width([name], _SIZE) / 2 + 0.04
        middle = float(np.clip(cell * (start + end) / 2, room[0] + half, room[1] - half))
        line = next((i for i, other in enumerate(ends) if other <= middle - half), len(ends))
        ends[line : line + 1] = [middle + half]
        lines.append(line)
        places.append(middle)
    return lines, places
