"""The heat map of a signature: features by samples, standardised, classes side by side."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, LegendKey
from xnbflow.report.page.style import BLUE, GREY, ORANGE, strip_colour, strip_style_of

#: Width of all samples, in inches.
_WIDTH = 5.4
#: Greatest width of a sample, in inches.
_WIDEST = 0.3
#: Height of a row, in inches.
_ROW = 0.19
#: Inches of all samples in a narrow column.
_NARROWEST = 0.85
#: Least width of the figure in inches, for its legend.
_LEAST = 4.2
#: Standard deviations from which on a cell is as dark as can be.
_DARKEST = 2.5
#: Categories of a strip above which only the pointer names them.
_MOST_KEYS = 6
#: A number, or the first one of a range.
_NUMBER = re.compile(r"-?\d+(\.\d+)?(?=$| to )")
#: Colour and opacity of the cells of a strip, by their text.
Look = Mapping[str, tuple[str, float]]


def draw_heatmap(
    z: np.ndarray,
    rows: Sequence[str],
    classes: Sequence[str],
    tracks: Mapping[str, Sequence[str]] | None = None,
    samples: Sequence[str] = (),
) -> Chart:
    """Return features by samples: one colour above a feature's mean, another below it.

    ``z``, of shape (n_features, n_samples), are standardised values; ``rows`` name the features,
    ``classes`` has the class of each sample; samples of a class are side by side. ``tracks`` are
    columns of the phenotype, a text per sample, empty where it is unknown: each is a strip, below
    the strip of the class.
    ``samples`` are names for the pointer.
    """
    n_rows, n_samples = z.shape
    columns = {"class": list(classes), **{name: list(v) for name, v in (tracks or {}).items()}}
    drawn: list[marks.Mark] = []
    keys: list[LegendKey] = []
    n_colours = 0  # of the strips so far
    for i, (name, cells) in enumerate(columns.items()):
        texts = list(dict.fromkeys(cells))
        if i == 0:
            look: Look = {text: strip_style_of(k) for k, text in enumerate(texts)}
            keys += [
                LegendKey(text=text, colour=colour, alpha=a) for text, (colour, a) in look.items()
            ]
        else:
            look = looks_of(cells, first=n_colours)
            n_colours += len({colour for colour, _ in look.values()})
            keys += _keys_of_strip(name, look)

        # The cells a, a, b have the texts a and b and the codes 0, 0, 1; unknown categories are
        # transparent.
        shown = [look.get(text, (BLUE, 0.0)) for text in texts]
        strip = marks.Strip(
            y=float(i),
            name=name,
            codes=[texts.index(text) for text in cells],
            texts=[text or "unknown" for text in texts],
            colours=[colour for colour, _ in shown],
            alphas=[alpha for _, alpha in shown],
        )
        drawn.append(strip)
    keys += [
        LegendKey(text=f"above the mean (full colour: {_DARKEST:g} SD)", colour=ORANGE),
        LegendKey(text="below the mean", colour=BLUE),
    ]
    first = len(columns)
    shaded = marks.Cells(
        values=z,
        rows=list(rows),
        columns=list(samples) or [f"sample {j + 1}" for j in range(n_samples)],
        colours=(BLUE, ORANGE),
        most=_DARKEST,
        first=first,
        framed=False,
        headings=("row", "sample", "SD", ""),
    )
    drawn.append(shaded)
    spans = _spans(classes)
    for start, _ in spans[1:]:
        drawn.append(marks.Level(at=start - 0.5, upright=True, colour=GREY, dash=0, width=1.2))
    middles = [(start + end - 1) / 2 for start, end in spans]
    names = [classes[start] for start, _ in spans]
    panel = ChartPanel(
        marks=drawn,
        x=Axis(names=names, at=middles, longest=22, start=-0.5, end=n_samples - 0.5),
        y=Axis(names=[*columns, *rows], longest=34, start=first + n_rows - 0.5, end=-0.5),
        height=_ROW * (first + n_rows),
        width=min(_WIDTH, _WIDEST * n_samples),
        least=_NARROWEST,
    )
    return Chart(rows=[[panel]], width=_LEAST, keys=keys)


def _spans(classes: Sequence[str]) -> list[tuple[int, int]]:
    """Return the first sample of each run of a class, and the one after its last.

    Examples
    --------
    >>> _spans(["a", "a", "b"])
    [(0, 2), (2, 3)]
    """
    starts = [i for i, label in enumerate(classes) if i and label != classes[i - 1]]
    return list(pairwise([0, *starts, len(classes)]))


def looks_of(cells: Sequence[str], first: int = 0) -> Look:
    """Return colour and opacity of each text: shades of one colour if all texts are numbers.

    The colours begin with the number ``first`` of those of strips.
    """
    texts = {*cells} - {""}
    numbers = {text: float(n[0]) for text in texts if (n := _NUMBER.match(text))}
    if len(numbers) < len(texts):
        return {text: (strip_colour(first + i), 1.0) for i, text in enumerate(sorted(texts))}
    order = sorted(numbers, key=numbers.__getitem__)
    return {text: (strip_colour(first), (i + 1) / len(order)) for i, text in enumerate(order)}


def _keys_of_strip(name: str, look: Look) -> list[LegendKey]:
    """Return the legend of a strip: its categories, or the ends of its numbers."""
    texts = [text for text in look if text]
    if len({colour for colour, _ in look.values()}) == 1 and len(texts) > 1:  # shades of a number
        texts = [texts[0], texts[-1]]
    if len(texts) > _MOST_KEYS:
        return []
    return [LegendKey(text=f"{name}: {t}", colour=look[t][0], alpha=look[t][1]) for t in texts]
