"""The values of a feature by class as box plots with points: batches in colour, groups joined."""

from collections.abc import Sequence

import numpy as np

from xnbflow.core.natural_order import natural_key
from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.probabilities import spread_of_samples
from xnbflow.report.page.style import GREY, shorten

#: Width of a class, in inches.
_CLASS = 0.6
#: Width of the numbers and the label of the axis, in inches.
_MARGIN = 0.7
#: Least and greatest width of a chart, in inches.
_LEAST = 2.4
_MOST = 3.7


def draw_gene(
    title: str,
    values: np.ndarray,
    classes: Sequence[str],
    groups: Sequence[str],
    batches: Sequence[str],
    ylabel: str,
    samples: Sequence[str] = (),
) -> Chart:
    """Return each sample at its class and value over the class's box; lines join groups.

    ``values``, of shape (n_samples,), may be missing (NaN); the others have a text per sample, and
    an empty one is no group, and no batch. ``samples`` are names for the pointer.
    """
    labels = sorted(set(classes), key=natural_key)
    codes = np.array([labels.index(label) for label in classes])
    # the same for every feature of a series, so that figures can be compared
    places = codes + spread_of_samples(len(values))
    drawn: list[marks.Mark] = [marks.Boxes(values=values, codes=codes)]
    order = _order_of_lines(codes, groups)
    if len(order):
        gaps = order < 0
        x = np.where(gaps, np.nan, places[order])
        y = np.where(gaps, np.nan, values[order])
        drawn.append(marks.Line(x=x, y=y, colour=GREY, width=0.6))

    # Batches in colour, samples without one in grey; without batches the classes, as in the other
    # pictures.
    has_batches = any(batches)
    parts = np.asarray(batches) if has_batches else np.asarray(classes)
    names = sorted(set(parts.tolist()) - {""}, key=natural_key)
    colours: dict[str, int | str] = {name: number for number, name in enumerate(names)}
    if "" in parts:
        colours[""] = GREY
    for part, colour in colours.items():
        chosen = np.flatnonzero((parts == part) & ~np.isnan(values)).tolist()
        tips: dict[str, list[str] | str] = {}
        if samples:
            tips["sample"] = [samples[i] for i in chosen]
        tips["class"] = [str(classes[i]) for i in chosen]
        tips["value"] = "y"
        points = marks.Points(
            x=places[chosen],
            y=values[chosen],
            colour=colour,
            size=3.0,
            alpha=0.7,
            label=shorten(part) if part and has_batches else "",
            tips=tips,
        )
        drawn.append(points)
    panel = ChartPanel(
        marks=drawn,
        x=Axis(names=labels, longest=24, start=-0.5, end=len(labels) - 0.5),
        y=Axis(label=ylabel),
        height=2.2,
    )
    width = max(_LEAST, min(_MOST, _MARGIN + _CLASS * len(labels)))
    return single(panel, width=width, title=shorten(title, 40))


def _order_of_lines(codes: np.ndarray, groups: Sequence[str]) -> np.ndarray:
    """Return the positions of samples along the lines that join groups with several classes.

    The samples of a group are in the order of their classes, ``codes`` (n_samples,); -1 ends each
    line but the last.

    Examples
    --------
    >>> _order_of_lines(np.array([1, 0, 0, 1]), ["p", "p", "q", "q"]).tolist()
    [1, 0, -1, 2, 3]
    """
    samples_of_lines: list[int] = []
    for group in sorted({*groups} - {""}):
        in_group = np.flatnonzero(np.asarray(groups) == group)
        in_group = in_group[np.argsort(codes[in_group], kind="stable")]
        if len(set(codes[in_group])) > 1:
            samples_of_lines += [*in_group.tolist(), -1]
    return np.array(samples_of_lines[:-1], dtype=int)
