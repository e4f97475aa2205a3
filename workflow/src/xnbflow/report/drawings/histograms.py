"""Histograms of p-values and of correlations (XNB paper, sections 6.1 to 6.3)."""

from itertools import pairwise

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.numbers import number_text
from xnbflow.report.page.style import GREY

_HEIGHT = 1.35
#: Share of the width of a bin that its bar takes.
_FILLED = 0.92
#: Least height of an axis of logarithms, below one pair.
_LEAST = 0.7


def draw_p_values(shares: np.ndarray, alpha: float) -> Chart:
    """Return the distribution of p-values.

    ``shares``, of shape (n_bins,), are those in equal bins from 0 to 1; below ``alpha`` a feature
    counts as not normal.
    """
    edges = np.linspace(0, 1, len(shares) + 1)
    below = edges[1:] <= alpha + 1e-12
    level = 1 / len(shares)
    top = max(shares.max(initial=0.0), 2.5 * level) * 1.12
    drawn: list[marks.Mark] = [
        _bars(edges, shares, below, 0.0, "share of features"),
        marks.Level(at=level, colour=GREY),
        _text(1.0, level + top * 0.02, "if all were normal", "right", "bottom"),
        _text(0.08, top * 0.97, f"p < {alpha:g}: {shares[below].sum():.0%}", "left", "top"),
    ]
    x = Axis(label="p", start=0.0, end=1.0)
    y = Axis(label="share of features", start=0.0, end=top)
    panel = ChartPanel(marks=drawn, x=x, y=y, height=_HEIGHT)
    return single(panel, title="Shapiro-Wilk p-values")


def draw_correlations(edges: np.ndarray, pairs: np.ndarray, cut: float) -> Chart:
    """Return how many pairs of features have which correlation within the classes.

    ``edges``, of shape (n_bins + 1,), are those of the bins of |r|; ``pairs`` beyond the ``cut``
    count as dependent.
    """
    top = max(float(pairs.max(initial=1)), 10.0)
    drawn: list[marks.Mark] = [
        _bars(edges, pairs, edges[:-1] >= cut - 1e-9, _LEAST, "pairs"),
        marks.Level(at=cut, upright=True, colour=GREY),
        _text(cut - 0.015, top**1.22, f"cut {cut:.2f}", "right", "top"),
    ]
    x = Axis(label="|r| of a pair of features", start=0.0, end=1.0)
    y = Axis(label="pairs", log=True, start=_LEAST, end=top**1.25)
    panel = ChartPanel(marks=drawn, x=x, y=y, height=_HEIGHT)
    return single(panel, title="Correlation given the class")


def _bars(
    edges: np.ndarray, heights: np.ndarray, marked: np.ndarray, base: float, name: str
) -> marks.Rectangles:
    """Return bars from a base to heights; the second colour for those that are marked."""
    bins = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
    return marks.Rectangles(
        x0=edges[:-1],
        x1=edges[:-1] + _FILLED * np.diff(edges),
        y0=np.full(len(heights), base),
        y1=np.maximum(heights, base),
        colours=[int(is_marked) for is_marked in marked],
        tips={"from": bins, name: list(map(number_text, heights))},
    )


def _text(x: float, y: float, text: str, align: str, baseline: str) -> marks.Texts:
    place = {"x": np.array([x]), "y": np.array([y])}
    return marks.Texts(**place, texts=[text], align=align, baseline=baseline)  # type: ignore[arg-type]
