"""Figures 1 and 2 of Pavlenko and von Rosen, and the weights of scores."""

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.page.style import BLUE, GREY, ORANGE

#: Inches of the panels of the paper's figures.
_PANEL = 1.15


def draw_paper_figure(
    title: str,
    scale: np.ndarray,
    separation: np.ndarray,
    risk: np.ndarray,
    edges: np.ndarray,
    counts: np.ndarray,
    xlabel: str,
) -> Chart:
    """Return separation, risk and gains below each other, as in the paper.

    Parameters
    ----------
    title : str
    scale : ndarray of shape (n_points,)
        The axis of the curves, named ``xlabel``.
    separation, risk : ndarray of shape (2, n_points)
        D and D~, R and R~: with all blocks (solid) and with selection (dashed).
    edges : ndarray of shape (n_bins + 1,)
    counts : ndarray of shape (n_bins,)
        Histogram of the gains 1 - R~/R of training sets.
    xlabel : str
    """
    end = float(scale[-1])
    above = ChartPanel(
        marks=_pair(scale, separation, ("all blocks", "selected by Eq. 22")),
        x=Axis(start=0.0, end=end, hidden=True),
        y=Axis(label="D, D~", grid=True),
        height=_PANEL,
    )
    middle = ChartPanel(
        marks=_pair(scale, risk, ("", "")),
        x=Axis(label=xlabel, start=0.0, end=end),
        y=Axis(label="R, R~", log=True, grid=True),
        height=_PANEL,
    )
    bars = marks.Rectangles(
        x0=100 * edges[:-1],
        x1=100 * edges[1:],
        y0=np.zeros(len(counts)),
        y1=counts.astype(float),
        colours=[BLUE] * len(counts),
        alpha=0.8,
    )
    zero = marks.Level(at=0.0, upright=True, colour=GREY, dash=2, width=1.2)
    below = ChartPanel(
        marks=[bars, zero],
        x=Axis(label="gain 1 − R~/R of a training set (%)"),
        y=Axis(label="training sets", start=0.0, whole=True, grid=True),
        height=_PANEL,
    )
    return Chart(rows=[[above], [middle], [below]], width=4.4, title=title)


def _pair(scale: np.ndarray, curves: np.ndarray, labels: tuple[str, str]) -> list[marks.Mark]:
    """Return the curve of all blocks solid, that with selection dashed."""
    return [
        marks.Line(x=scale, y=curves[0], colour=BLUE, width=1.8, label=labels[0]),
        marks.Line(x=scale, y=curves[1], colour=ORANGE, dash=1, width=1.4, label=labels[1]),
    ]


def draw_weights(
    title: str, scores: np.ndarray, known: np.ndarray, estimated: np.ndarray, threshold: float
) -> Chart:
    """Return the weight of a score under the known and under estimated distributions.

    Parameters
    ----------
    title : str
    scores : ndarray of shape (n_scores,)
    known : ndarray of shape (n_scores,)
        Weights under the known distribution H.
    estimated : ndarray of shape (3, n_scores)
        5% quantile, median and 95% quantile of the weights under estimates of H.
    threshold : float
        The score at which Eq. 20 cuts.
    """
    low, median, high = estimated
    highest = max(1.0, known[scores >= threshold].max(initial=0.0))
    drawn: list[marks.Mark] = [
        marks.Band(x=scores, lower=low, upper=high, colour=ORANGE, alpha=0.25),
        marks.Line(x=scores, y=median, colour=ORANGE, dash=1, width=1.3),
        marks.Line(x=scores, y=known, colour=BLUE, width=1.6),
        marks.Level(at=threshold, upright=True, colour=GREY, dash=2, width=1.2),
    ]
    panel = ChartPanel(
        marks=drawn,
        x=Axis(label="score", start=0.0, end=float(scores[-1]), grid=True),
        y=Axis(start=0.0, end=1.05 * float(highest), grid=True),
        height=1.1,
    )
    return single(panel, width=2.5, title=title)
