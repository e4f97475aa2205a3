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

    # Lines that join the samples of each group with several classes, in order of these; a missing
    # value ends each line.
    samples_of_lines: list[int] = []
    for group in sorted({*groups} - {""}):
        in_group = np.flatnonzero(np.asarray(groups) == group)
        in_group = in_group[np.argsort(codes[in_group], kind="stable")]
        if len(set(codes[in_group])) > 1:
            samples_of_lines += [*in_group.tolist(), -1]
    order = np.array(samples_of_lines[:-1], dtype=int)
    gaps = order < 0
    x = np.where(gaps, np.nan, places[order])
    y = np.where(gaps, np.nan, values[order])
    if len(x):
        drawn.append(marks.Line(x=x, y=y, colour=GREY, width=0.6))
    # batches in colour; without batches the classes, as in the other pictures
    parts = np.asarray(batches) if any(batches) else np.asarray(classes)
    names = sorted(set(parts.tolist()) - {""}, key=natural_key)
    for i, part in enumerate([*names, *([""] if "" in parts else [])]):
        chosen = np.flatnonzero((parts == part) & ~np.isnan(values)).tolist()
        tips: dict[str, list[str]] = {}
        if samples:
            tips["sample"] = [samples[j] for j in chosen]
        tips["class"] = [str(classes[j]) for j in chosen]
        points = marks.Points(
            x=places[chosen],
            y=values[chosen],
            colour=i if part else GREY,
            size=3.0,
            alpha=0.7,
            label=shorten(part) if part and any(batches) else "",
            tips={**tips, "value": "y"},
        )
        drawn.append(points)
    panel = ChartPanel(
        marks=drawn,
        x=Axis(names=labels, longest=24, start=-0.5, end=len(labels) - 0.5),
        y=Axis(label=ylabel),
        height=2.2,
    )
    width = max(_LEAST, min(_MOST, 0.7 + _CLASS * len(labels)))
    return single(panel, width=width, title=shorten(title, 40))
