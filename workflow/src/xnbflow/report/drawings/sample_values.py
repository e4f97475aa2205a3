"""The values of samples side by side: their distributions, library sizes and correlations."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, LegendKey, single
from xnbflow.report.drawings.tooltips import number_text
from xnbflow.report.page.style import BLUE, GREY, strip_style_of

#: Height of a panel of distributions and of library sizes, in inches.
_HEIGHT = 1.6
#: Width of the figures, in inches.
_WIDTH = 4.6
#: Half the width of the box of a sample; the distance of two samples is 1.
_BOX = 0.38
#: Greatest height and width of a cell of the map, and of the whole map, in inches.
_CELL = 0.2
_MAP = 3.6
#: Samples up to which each has its name beside the map; with more the pointer names them.
_MOST_NAMED = 40


def draw_distributions(
    panels: Mapping[str, np.ndarray], classes: Sequence[str], samples: Sequence[str]
) -> Chart:
    """Return the chart of the quantiles of each sample, the samples of a class side by side.

    ``panels`` are quantiles (n_samples, 5) by the name of their axis: 5, 25, 50, 75 and 95 %.
    ``classes`` and ``samples`` have the class and the name of each sample.
    """
    rows = []
    for label, quantiles in panels.items():
        low, first, middle, third, high = quantiles.T
        at = np.arange(len(quantiles), dtype=float)
        whiskers = marks.Segments(x0=at, x1=at, y0=low, y1=high, colour=GREY, width=0.7)
        boxes = marks.Rectangles(
            x0=at - _BOX,
            x1=at + _BOX,
            y0=first,
            y1=third,
            colours=_colours(classes),
            tips={
                "sample": list(samples),
                "class": list(classes),
                "median": list(map(number_text, middle)),
            },
        )
        medians = marks.Segments(
            x0=at - _BOX, x1=at + _BOX, y0=middle, y1=middle, colour="ink", width=1.2
        )
        panel = ChartPanel(
            marks=[whiskers, boxes, medians, *_borders(classes)],
            x=_class_axis(classes),
            y=Axis(label=label),
            height=_HEIGHT,
        )
        rows.append([panel])
    return Chart(rows=rows, width=_WIDTH, title="Values of each sample")


def draw_library_sizes(sizes: np.ndarray, classes: Sequence[str], samples: Sequence[str]) -> Chart:
    """Return the chart of the reads of each sample (n_samples,), classes side by side."""
    at = np.arange(len(sizes), dtype=float)
    bars = marks.Rectangles(
        x0=at - _BOX,
        x1=at + _BOX,
        y0=np.zeros(len(sizes)),
        y1=sizes / 1e6,
        colours=_colours(classes),
        tips={
            "sample": list(samples),
            "class": list(classes),
            "reads": [f"{size:,.0f}" for size in sizes],
        },
    )
    panel = ChartPanel(
        marks=[bars, *_borders(classes)],
        x=_class_axis(classes),
        y=Axis(label="million reads", start=0.0),
        height=_HEIGHT,
    )
    return single(panel, width=_WIDTH, title="Library sizes")


def draw_sample_correlations(
    correlations: np.ndarray,
    classes: Sequence[str],
    samples: Sequence[str],
    order: Sequence[str],
) -> Chart:
    """Return the map of the correlations of samples (n_samples, n_samples), with their classes.

    Rows and columns have one order; the strip above has the class of each column, in colours by the
    ``order`` of the classes. The lowest correlation is white, so that small differences between
    high ones are visible.
    """
    n_samples = len(samples)
    texts = list(order)
    look = [strip_style_of(i) for i in range(len(texts))]
    lowest = float(correlations.min())
    strip = marks.Strip(
        y=0.0,
        name="class",
        codes=[texts.index(text) for text in classes],
        texts=texts,
        colours=[colour for colour, _ in look],
        alphas=[alpha for _, alpha in look],
    )
    cells = marks.Cells(
        values=correlations,
        rows=list(samples),
        columns=list(samples),
        colours=(BLUE, BLUE),
        least=lowest if lowest < 1 else 0.0,
        first=1,
        framed=False,
        headings=("sample", "with", "correlation", ""),
    )
    names = list(samples) if n_samples <= _MOST_NAMED else [""] * n_samples
    size = min(_CELL * (n_samples + 1), _MAP)
    panel = ChartPanel(
        marks=[strip, cells],
        x=Axis(start=-0.5, end=n_samples - 0.5, hidden=True),
        y=Axis(names=["class", *names], start=n_samples + 0.5, end=-0.5, longest=18),
        height=size,
        width=size,
        equal=True,
    )
    keys = [
        LegendKey(text=text, colour=colour, alpha=alpha)
        for text, (colour, alpha) in zip(texts, look, strict=True)
    ]
    keys.append(LegendKey(text=f"correlation: 1 (white: {lowest:.2f})", colour=BLUE))
    return Chart(rows=[[panel]], width=_WIDTH, title="Correlation of samples", keys=keys)


def _colours(classes: Sequence[str]) -> list[marks.Colour]:
    """Return the colour of the class of each sample."""
    order = list(dict.fromkeys(classes))
    return [order.index(label) for label in classes]


def _starts(classes: Sequence[str]) -> list[int]:
    """Return the first sample of each class but the first, whose samples are side by side."""
    return [i for i in range(1, len(classes)) if classes[i] != classes[i - 1]]


def _borders(classes: Sequence[str]) -> list[marks.Mark]:
    """Return a line between each two neighbouring classes."""
    return [
        marks.Level(at=start - 0.5, upright=True, colour=GREY, dash=0, width=0.6)
        for start in _starts(classes)
    ]


def _class_axis(classes: Sequence[str]) -> Axis:
    """Return an axis that has the name of each class below the middle of its samples."""
    spans = list(pairwise([0, *_starts(classes), len(classes)]))
    return Axis(
        names=[classes[start] for start, _ in spans],
        at=[(start + end - 1) / 2 for start, end in spans],
        longest=22,
        start=-0.5,
        end=len(classes) - 0.5,
    )
