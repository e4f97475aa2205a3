"""The densities of a feature per class (XNB paper, Eqs. 3 and 8), with the samples as rugs."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.page.style import GREY, N_DASHES, shorten

#: Height of the rug of a class, in inches.
_RUG_ROW = 0.17
#: Height of the curves, in inches.
_CURVES = 1.15
#: Height of the curves of two cohorts, in inches.
_COHORT_CURVES = 1.5
#: With more classes only the one in focus has a colour, since ten curves are indistinguishable.
_MOST_COLOURED = 6


def draw_densities(
    feature: str,
    grid: np.ndarray,
    densities: np.ndarray,
    samples: Sequence[np.ndarray],
    classes: Sequence[str],
    chosen: Collection[int],
    focus: int,
    notes: Sequence[str],
) -> Chart:
    """Return the density of a feature in each class, and below each class's samples as a rug.

    The ``densities``, of shape (n_classes, n_points), are those on the ``grid``; ``samples`` are
    the feature's values per class. ``chosen`` are the numbers of the classes that the feature was
    selected for, ``focus`` the one of them that it separates best; ``notes`` are written right of
    each class's rug.
    """
    few = len(classes) <= _MOST_COLOURED
    strong = set(chosen) if few else {focus}

    # Where curves are cut: a class that is almost constant would flatten all others.
    peaks = densities.max(axis=1)
    peaks = peaks[peaks > 0]
    height = float(min(peaks.max(), 3 * np.median(peaks))) if len(peaks) else 1.0

    row = height * _RUG_ROW / _CURVES
    ends = grid[[0, -1]]
    drawn: list[marks.Mark] = []
    for i in range(len(classes)):
        colour: marks.Colour = i if few or i in strong else GREY
        dash = i % N_DASHES if few else 0
        curve = np.minimum(densities[i], 1.02 * height)
        if i in strong:
            drawn.append(marks.Band(x=grid, lower=np.zeros(len(grid)), upper=curve, colour=colour))
        width = 1.8 if i in strong else 0.9
        drawn.append(marks.Line(x=grid, y=curve, colour=colour, dash=dash, width=width))
        base = -row * (i + 1)
        rug = np.unique(samples[i])
        drawn.append(marks.Rug(x=rug, low=base + 0.1 * row, high=base + 0.75 * row, colour=colour))
        line = np.array([base, base])
        drawn.append(marks.Line(x=ends, y=line, colour=colour, dash=dash, width=0.9))
    drawn.append(marks.Level(at=0.0, colour=GREY, dash=0, width=0.6))
    middles = [-row * (i + 0.6) for i in range(len(classes))]
    names = [f"{'● ' if i in chosen else ''}{name}" for i, name in enumerate(classes)]
    panel = ChartPanel(
        marks=drawn,
        x=Axis(label="value", start=float(grid[0]), end=float(grid[-1])),
        y=Axis(
            label="density",
            names=names,
            at=middles,
            longest=18,
            start=-row * (len(classes) + 0.3),
            end=1.04 * height,
        ),
        right=Axis(names=list(notes), at=middles) if any(notes) else None,
        height=_CURVES + _RUG_ROW * len(classes),
    )
    return single(panel, title=shorten(feature, 60))


def draw_cohorts(
    feature: str, grid: np.ndarray, curves: Mapping[str, Sequence[np.ndarray | None]]
) -> Chart:
    """Return a feature's density in each class: filled in training, dashed in the test cohort.

    ``curves`` have by class the densities on the ``grid``, of shape (n_points,), in the training
    and in the test cohort; None where there are fewer than two samples.
    """
    unknown = np.full(len(grid), np.nan)
    drawn: list[marks.Mark] = []
    for i, (name, (train, test)) in enumerate(curves.items()):
        if train is not None:
            zeros = np.zeros(len(grid))
            drawn.append(marks.Band(x=grid, lower=zeros, upper=train, colour=i, alpha=0.25))
        train_curve = unknown if train is None else train
        drawn.append(
            marks.Line(x=grid, y=train_curve, colour=i, width=1.2, label=shorten(name, 16))
        )
        test_curve = unknown if test is None else test
        drawn.append(marks.Line(x=grid, y=test_curve, colour=i, dash=1, width=1.6))
    panel = ChartPanel(
        marks=drawn,
        x=Axis(label="value", start=float(grid[0]), end=float(grid[-1])),
        y=Axis(label="density", start=0.0),
        height=_COHORT_CURVES,
    )
    return single(panel, title=shorten(feature, 60))
