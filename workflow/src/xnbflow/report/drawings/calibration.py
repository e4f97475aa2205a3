"""Curves of predicted probabilities in a square: calibration, and the ROC curve."""

from collections.abc import Mapping, Sequence

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import Axis, Chart, ChartPanel, single
from xnbflow.report.drawings.tooltips import intervals
from xnbflow.report.page.style import GREY, N_DASHES

#: Diameter of a point without predictions, in points.
_LEAST_SIZE = 3.0
#: What a point of all predictions has more than this diameter.
_SIZE = 5.0


def draw_calibration(
    classifiers: Sequence[str],
    predicted: Sequence[np.ndarray],
    observed: Sequence[np.ndarray],
    counts: Sequence[np.ndarray],
    lower: Sequence[np.ndarray],
    upper: Sequence[np.ndarray],
) -> Chart:
    """Return the chart of observed frequencies by predicted probability.

    Per classifier and bin: mean probability, frequency, number of predictions, and the ends of the
    intervals of the frequencies.
    """
    drawn: list[marks.Mark] = []
    most = max((n.max(initial=1) for n in counts), default=1)
    for i, name in enumerate(classifiers):
        x, y, n = predicted[i], observed[i], counts[i]
        drawn.append(marks.Segments(x0=x, y0=lower[i], x1=x, y1=upper[i], colour=i, width=0.9))
        points = marks.Points(
            x=x,
            y=y,
            colour=i,
            size=_LEAST_SIZE + _SIZE * np.sqrt(n / most),
            joined=True,
            label=name,
            tips={
                "predicted": "x",
                "observed": "y",
                "95% interval": intervals(lower[i], upper[i]),
                "predictions": [f"{count:,.0f}" for count in n],
            },
        )
        drawn.append(points)
    return _square("Calibration", drawn, "predicted probability", "observed frequency")


def draw_roc(title: str, curves: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Chart:
    """Return the chart of ROC curves: false and true positive rates, (n_points,), by their labels.

    Dashes differ as colours do, since these repeat with many classes.
    """
    drawn: list[marks.Mark] = []
    for i, (label, (x, y)) in enumerate(curves.items()):
        tips: marks.Tips = {"false positive rate": "x", "true positive rate": "y"}
        line = marks.Line(x=x, y=y, colour=i, dash=i % N_DASHES, width=1.6, label=label, tips=tips)
        drawn.append(line)
    return _square(title, drawn, "false positive rate", "true positive rate")


def _square(title: str, drawn: Sequence[marks.Mark], xlabel: str, ylabel: str) -> Chart:
    """Return marks in a square from 0 to 1 with its diagonal."""
    ends = np.array([0.0, 1.0])
    diagonal = marks.Line(x=ends, y=ends, colour=GREY, dash=1, width=1.0)
    x = Axis(label=xlabel, start=-0.03, end=1.03)
    y = Axis(label=ylabel, start=-0.03, end=1.03)
    return single(ChartPanel(marks=[diagonal, *drawn], x=x, y=y, square=True), title=title)
