"""Effects of single features (Larsen 2005, Figures 1 and 2)."""

from collections.abc import Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel
from xnbflow.report.page.style import BLUE, COLOURS, GREY, ORANGE

#: Inches of the strip below an effect that shows where the observations are.
_STRIP = 0.3
#: Points of a curve: more cannot be distinguished.
_POINTS = 120
#: Bars of the histogram in the strip.
_BINS = 50
#: Colour, dash and width of each curve.
_LOOKS: dict[str, tuple[str, int, float]] = {
    "naive effect": (BLUE, 1, 1.3),
    "adjustment": (ORANGE, 2, 1.6),
    "sum": (COLOURS[0], 0, 2.0),
}


def draw_effect(
    feature: str,
    values: np.ndarray,
    effects: np.ndarray,
    counts: np.ndarray,
    separate: Sequence[tuple[float, float]],
    note: str,
    *,
    large: bool = False,
) -> Chart:
    """Return a feature's naive effect, its adjustment and their sum, above its observations.

    At ``values`` (n_values,), ascending, ``effects`` (3, n_values) are naive effect, adjustment and
    sum in log odds, and ``counts`` (n_values,) the observations. ``separate`` values have an effect
    of their own, each with its share of the observations: they are points, with gaps in the curves.
    The other observations are in a histogram; the ``note`` counts those beyond the axis. A
    ``large`` figure has a legend.
    """
    low = float(values[0])
    high = float(values[-1])
    margin = 0.03 * (high - low) or 0.5
    start, end = low - margin, high + margin
    apart = np.isin(values, [value for value, _ in separate])
    edges = np.linspace(low, high, _BINS + 1)
    bars, _ = np.histogram(values[~apart], edges, weights=counts[~apart])
    # The first value of each step of the axis, and all that are drawn apart.
    steps = np.floor((values - low) / ((high - low) or 1.0) * _POINTS)
    shown = apart | (np.diff(steps, prepend=-np.inf) > 0)
    values = values[shown]
    effects = effects[:, shown]
    apart = apart[shown]
    drawn: list[marks.Mark] = [marks.Level(at=0.0, colour=GREY, dash=0, width=0.8)]
    for curve, (name, (colour, dash, width)) in zip(effects, _LOOKS.items(), strict=True):
        line = marks.Line(
            x=values,
            y=np.where(apart, np.nan, curve),
            colour=colour,
            dash=dash,
            width=width,
            label=name if large else "",
        )
        drawn.append(line)
        if apart.any():
            drawn.append(marks.Points(x=values[apart], y=curve[apart], colour=colour))
    above = ChartPanel(
        marks=drawn,
        x=Axis(start=start, end=end, hidden=True),
        y=Axis(label="log odds" if large else ""),
        height=1.9 if large else 1.2,
        note=note,
    )
    below = ChartPanel(
        marks=_observations(separate, edges, bars),
        x=Axis(start=start, end=end),
        y=Axis(start=0.0, end=1.6, hidden=True),
        height=_STRIP,
    )
    return Chart(rows=[[above], [below]], width=4.4 if large else 2.9, title=feature)


def _observations(
    separate: Sequence[tuple[float, float]], edges: np.ndarray, counts: np.ndarray
) -> list[marks.Mark]:
    """Return a histogram by square root, and the shares of single values."""
    heights = np.sqrt(counts / max(counts.max(initial=0), 1))
    drawn: list[marks.Mark] = [
        marks.Rectangles(
            x0=edges[:-1],
            x1=edges[1:],
            y0=np.zeros(len(heights)),
            y1=heights,
            colours=[GREY] * len(heights),
        )
    ]
    if separate:
        at = np.array([value for value, _ in separate])
        shares = [f" {share:.0%}" for _, share in separate]
        top = np.full(len(at), 1.5)
        zeros = np.zeros(len(at))
        drawn.append(marks.Segments(x0=at, y0=zeros, x1=at, y1=top, colour=COLOURS[2], width=2.0))
        drawn.append(marks.Texts(x=at, y=top, texts=shares, align="left", baseline="top"))
    return drawn
