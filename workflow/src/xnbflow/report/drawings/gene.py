"""The values of a feature by class as box plots with points: batches in colour, groups joined."""

from collections.abc import Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, Panel, single
from xnbflow.report.drawings.probabilities import spread_of_samples
from xnbflow.report.page.style import GREY, shorten

#: Inches of a class, beyond which a chart is wider; and its least and greatest width.
_CLASS = 0.6
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
    labels, codes = np.unique(classes, return_inverse=True)
    # the same for every feature of a series, so that figures can be compared
    places = codes + spread_of_samples(len(values))
    drawn: list[marks.Mark] = [marks.Boxes(values=values, codes=codes)]
    x, y = _lines_of_groups(places, values, codes, groups=groups)
    if len(x):
        drawn.append(marks.Line(x=x, y=y, colour=GREY, width=0.6))
    # batches in colour; without batches the classes, as in the other pictures
    parts = np.asarray(batches) if any(batches) else np.asarray(classes)
    names = sorted({*parts} - {""})
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
    panel = Panel(
        marks=drawn,
        x=Axis(names=labels.tolist(), longest=24, start=-0.5, end=len(labels) - 0.5),
        y=Axis(label=ylabel),
        height=2.2,
    )
    width = max(_LEAST, min(_MOST, 0.7 + _CLASS * len(labels)))
    return single(panel, width=width, title=shorten(title, 40))


def _lines_of_groups(
    places: np.ndarray, values: np.ndarray, codes: np.ndarray, *, groups: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Return lines that join the samples of each group with several classes, in order of these.

    A missing value ends each line. All arguments have a value per sample; an empty text is no
    group.
    """
    samples_of_lines: list[int] = []
    for group in sorted({*groups} - {""}):
        samples = np.flatnonzero(np.asarray(groups) == group)
        samples = samples[np.argsort(codes[samples], kind="stable")]
        if len(set(codes[samples])) > 1:
            samples_of_lines += [*samples.tolist(), -1]
    order = np.array(samples_of_lines[:-1], dtype=int)
    gaps = order < 0
    return np.where(gaps, np.nan, places[order]), np.where(gaps, np.nan, values[order])
