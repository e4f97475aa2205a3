"""The critical-difference diagram of classifiers, after Demšar (2006), Figure 1."""

from collections.abc import Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.page.style import INK, ORANGE, shorten

#: Distance from bar to bar, in inches.
_BAR = 0.12
#: Distance from name to name, in inches.
_LINE = 0.22
#: Inches of the yardstick below the names.
_YARDSTICK = 0.35
#: Letters of a name.
_LONGEST = 17
#: Part of a rank between the ends of the axis and the names.
_MARGIN = 0.1


def draw_ranks(
    classifiers: Sequence[str],
    ranks: Sequence[float],
    bars: Sequence[tuple[int, int]],
    difference: float,
) -> Chart:
    """Return average ranks on a line, best on the left, and bars that join equal classifiers.

    ``bars`` are the first and last classifier of each bar, ``difference`` is the length of the
    yardstick.
    """
    k = len(classifiers)
    n_left = (k + 1) // 2
    depth = _BAR * len(bars) + 0.15
    height = depth + _LINE * n_left + _YARDSTICK
    start = 1 - _MARGIN
    end = max(k, 1 + difference) + _MARGIN

    # Bars join equal classifiers, each on a line below the axis.
    drawn: list[marks.Mark] = []
    for i, (first, last) in enumerate(bars):
        x = np.array([ranks[first] - 0.03, ranks[last] + 0.03])
        y = np.full(2, -_BAR * (i + 1))
        drawn.append(marks.Line(x=x, y=y, colour=ORANGE, width=3.5))

    # A line leads from each rank to the name of the classifier, on the left or on the right.
    heights = [-depth - _LINE * (i if i < n_left else k - 1 - i) for i in range(k)]
    for i, (rank, height_of_name) in enumerate(zip(ranks, heights, strict=True)):
        x = np.array([rank, rank, start if i < n_left else end])
        y = np.array([0.0, height_of_name, height_of_name])
        drawn.append(marks.Line(x=x, y=y, colour=INK, width=0.8))
    names = []
    for i, (classifier, rank) in enumerate(zip(classifiers, ranks, strict=True)):
        name = shorten(classifier, _LONGEST)
        names.append(f"{name}  {rank:.2f}" if i < n_left else f"{rank:.2f}  {name}")

    # The yardstick is below the names.
    foot = np.full(2, -height + 0.06)
    yardstick = np.array([1.0, 1.0 + difference])
    drawn.append(marks.Line(x=yardstick, y=foot, colour=INK, width=1.5))
    caption = marks.Texts(
        x=yardstick[:1],
        y=foot[:1],
        texts=[f"critical difference {difference:.2f}"],
        align="left",
        baseline="bottom",
        offset=(0.0, 2.0),
    )
    drawn.append(caption)
    panel = ChartPanel(
        marks=drawn,
        x=Axis(
            names=[str(rank) for rank in range(1, k + 1)],
            at=[float(rank) for rank in range(1, k + 1)],
            start=start,
            end=end,
            opposite=True,
        ),
        y=Axis(names=names[:n_left], at=heights[:n_left], longest=40, start=-height, end=0.0),
        right=Axis(names=names[n_left:], at=heights[n_left:], longest=40),
        height=height,
    )
    return single(panel, width=5.6)
