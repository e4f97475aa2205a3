"""Volcano plots of the differences between a class and the others."""

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.page.style import BLUE, GREY, ORANGE, shorten

#: Share of the height of all points that a name takes.
_LINE = 0.05


def evidence(p: np.ndarray) -> np.ndarray:
    """Return -log10 of p-values, at most 300."""
    return -np.log10(np.clip(p, 1e-300, 1))


def draw_volcano(
    title: str, change: np.ndarray, p: np.ndarray, cut: float, names: dict[str, int], xlabel: str
) -> Chart:
    """Return each feature at its change and its p-value; those below the cut in colour.

    ``change``, named by ``xlabel``, and ``p``, of shape (n_features,), are those that could be
    tested; ``cut`` is the largest p whose false discovery rate is below the level, NaN if there is
    none. ``names`` are features to name, best first, and where they are; one that would lie on
    another is not.
    """
    y = evidence(p)
    differs = p <= cut
    drawn: list[marks.Mark] = []
    for features, colour in (
        (~differs, GREY),
        (differs & (change < 0), BLUE),
        (differs & (change >= 0), ORANGE),
    ):
        drawn.append(marks.Points(x=change[features], y=y[features], colour=colour, size=2.0))

    # Names beside their points; leave out those that would overlap an earlier one.
    line = _LINE * (y.max(initial=0) - y.min(initial=0))
    middle = (change.max(initial=0) + change.min(initial=0)) / 2
    heights: list[float] = []  # of the names that are written
    sides: dict[bool, list[tuple[str, int]]] = {False: [], True: []}
    for name, i in names.items():
        if any(abs(y[i] - other) < line for other in heights):
            continue
        heights.append(y[i])
        sides[bool(change[i] > middle)].append((shorten(name, 24), i))
    texts = []
    for is_right, written in sides.items():
        if written:
            places = [i for _, i in written]
            texts.append(
                marks.Texts(
                    x=change[places],
                    y=y[places],
                    texts=[name for name, _ in written],
                    align="right" if is_right else "left",  # names stay within the axes
                    offset=(-3.0 if is_right else 3.0, 0.0),
                )
            )
    drawn += texts

    panel = ChartPanel(marks=drawn, x=Axis(label=xlabel), y=Axis(label="-log10 p"), height=2.0)
    return single(panel, width=3.0, title=title)
