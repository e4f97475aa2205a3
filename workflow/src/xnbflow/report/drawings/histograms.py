"""Histograms of p-values and of correlations (XNB paper, sections 6.1 to 6.3)."""

from itertools import pairwise

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.tooltips import number_text
from xnbflow.report.page.style import GREY

#: Height of the panels in inches.
_HEIGHT = 1.35
#: Share of the width of a bin that its bar takes.
_BAR_WIDTH = 0.92
#: By how much a computed edge of a bin may differ from the limit that it is compared with.
_ROUNDING = 1e-9

#: Least height of the axis of p-values, as a multiple of the height of an even distribution.
_LEAST_MULTIPLE = 2.5
#: Height of this axis as a multiple of the highest bar: room for the text above.
_ROOM = 1.12
#: Position of the share of small p-values: next to the left side (as p), below the upper side (as a
#: share of the height); and the distance of the other text from its line, as a share of the height.
_SHARE_X = 0.08
_SHARE_Y = 0.97
_LINE_DISTANCE = 0.02

#: Lower end of the axis of pairs, which is logarithmic: below one pair.
_LEAST_PAIRS = 0.7
#: Least number of pairs up to which this axis goes.
_LEAST_MOST_PAIRS = 10.0
#: Upper end of this axis, and position of the text of the cut, as powers of the highest number of
#: pairs; and the distance of this text from its line, as a correlation.
_END_POWER = 1.25
_TEXT_POWER = 1.22
_CUT_DISTANCE = 0.015


def draw_p_values(shares: np.ndarray, alpha: float, share_below: float) -> Chart:
    """Return the chart of the distribution of p-values of Shapiro-Wilk tests.

    Parameters
    ----------
    shares : ndarray, shape (n_bins,)
        The share of features in each of equal bins of p from 0 to 1.
    alpha : float
        The significance level of the diagnostics; a feature with a smaller p is not normal.
    share_below : float
        The share of features with a smaller p; bins have it only where the level is an edge.
    """
    edges = np.linspace(0, 1, len(shares) + 1)
    is_below_alpha = edges[1:] <= alpha + _ROUNDING
    even_share = 1 / len(shares)
    top = max(shares.max(initial=0.0), _LEAST_MULTIPLE * even_share) * _ROOM
    text_below = f"p < {alpha:g}: {share_below:.0%}"
    panel_marks: list[marks.Mark] = [
        _bars(edges, shares, is_below_alpha, base=0.0, name="share of features"),
        marks.Level(at=even_share, colour=GREY),
        marks.Texts(
            x=np.array([1.0]),
            y=np.array([even_share + top * _LINE_DISTANCE]),
            texts=["if all were normal"],
            align="right",
            baseline="bottom",
        ),
        marks.Texts(
            x=np.array([_SHARE_X]),
            y=np.array([top * _SHARE_Y]),
            texts=[text_below],
            align="left",
            baseline="top",
        ),
    ]
    x = Axis(label="p", start=0.0, end=1.0)
    y = Axis(label="share of features", start=0.0, end=top)
    panel = ChartPanel(marks=panel_marks, x=x, y=y, height=_HEIGHT)
    return single(panel, title="Shapiro-Wilk p-values")


def draw_correlations(edges: np.ndarray, n_pairs: np.ndarray, cut: float) -> Chart:
    """Return the chart of the correlations of pairs of features within the classes.

    Parameters
    ----------
    edges : ndarray, shape (n_bins + 1,)
        The edges of the bins of |r|.
    n_pairs : ndarray of int, shape (n_bins,)
        The number of pairs of features in each bin.
    cut : float
        The absolute correlation from which the diagnostics call a pair dependent.
    """
    most_pairs = max(float(n_pairs.max(initial=1)), _LEAST_MOST_PAIRS)
    is_beyond_cut = edges[:-1] >= cut - _ROUNDING
    panel_marks: list[marks.Mark] = [
        _bars(edges, n_pairs, is_beyond_cut, base=_LEAST_PAIRS, name="pairs"),
        marks.Level(at=cut, upright=True, colour=GREY),
        marks.Texts(
            x=np.array([cut - _CUT_DISTANCE]),
            y=np.array([most_pairs**_TEXT_POWER]),
            texts=[f"cut {cut:.2f}"],
            align="right",
            baseline="top",
        ),
    ]
    x = Axis(label="|r| of a pair of features", start=0.0, end=1.0)
    y = Axis(label="pairs", log=True, start=_LEAST_PAIRS, end=most_pairs**_END_POWER)
    panel = ChartPanel(marks=panel_marks, x=x, y=y, height=_HEIGHT)
    return single(panel, title="Correlation given the class")


def _bars(
    edges: np.ndarray, heights: np.ndarray, is_marked: np.ndarray, *, base: float, name: str
) -> marks.Rectangles:
    """Return a bar for each bin, from ``base`` to its height; marked bars have the second colour.

    The pointer shows the bin and the height, under its ``name``.
    """
    bins = [f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges)]
    return marks.Rectangles(
        x0=edges[:-1],
        x1=edges[:-1] + _BAR_WIDTH * np.diff(edges),
        y0=np.full(len(heights), base),
        y1=np.maximum(heights, base),
        colours=list(map(int, is_marked)),
        tips={"from": bins, name: list(map(number_text, heights))},
    )
