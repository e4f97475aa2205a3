"""Curves of predicted probabilities in a square: calibration, and the ROC curve."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.page.style import COLOURS, DASHES, GREY, column_width, new_axes, style_of

#: Inches of a line of a legend.
_LINE = 0.17
#: Classes whose curves differ by their dashes.
_FEW = 6


def draw_calibration(
    classifiers: Sequence[str],
    predicted: Sequence[np.ndarray],
    observed: Sequence[np.ndarray],
    counts: Sequence[np.ndarray],
    lower: Sequence[np.ndarray],
    upper: Sequence[np.ndarray],
) -> Figure:
    """Draw observed frequencies by predicted probability.

    Per classifier and bin: mean probability, frequency, number of predictions, and the ends of the
    intervals of the frequencies.
    """
    figure, axes = _square("Calibration", -(-len(classifiers) // 2))
    axes.set(xlabel="predicted probability", ylabel="observed frequency")
    most = max((n.max(initial=1) for n in counts), default=1)
    for j, (name, x, y, n) in enumerate(zip(classifiers, predicted, observed, counts, strict=True)):
        colour, marker = style_of(j)
        axes.plot(x, y, color=colour, linewidth=1, alpha=0.7)
        axes.vlines(x, lower[j], upper[j], color=colour, linewidth=0.8, alpha=0.6)
        axes.scatter(x, y, s=8 + 52 * np.sqrt(n / most), c=colour, marker=marker, label=name)
    _write_legend(figure, 2, 0.1)
    return figure


def draw_roc(title: str, curves: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> Figure:
    """Draw ROC curves: false and true positive rates, each of shape (n_points,), by their labels.

    Dashes differ as colours do, since these repeat with many classes.
    """
    figure, axes = _square(title, len(curves))
    axes.set(xlabel="false positive rate", ylabel="true positive rate")
    for j, (label, (x, y)) in enumerate(curves.items()):
        dashes = DASHES[j % _FEW]
        axes.plot(x, y, color=COLOURS[j % len(COLOURS)], ls=dashes, lw=1.6, label=label)
    _write_legend(figure, 1, 0.5)
    return figure


def _square(title: str, lines: int) -> tuple[Figure, Axes]:
    """Return a square from 0 to 1 with its diagonal, and room for the lines of a legend below."""
    width = column_width(2.9)
    legend = _LINE * lines
    height = min(width, 4.5) + 0.05 + legend
    figure, axes = new_axes(width, height, bottom=0.5 + legend, title=title)
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03))
    axes.plot([0, 1], [0, 1], color=GREY, linestyle="--", linewidth=1)
    return figure, axes


def _write_legend(figure: Figure, columns: int, gap: float) -> None:
    """Write the legend in the lower left corner, ``gap`` font sizes from mark to text."""
    figure.legend(
        loc="lower left", bbox_to_anchor=(0, 0), borderaxespad=0.2, ncols=columns,
        columnspacing=0.8, handletextpad=gap, labelspacing=0.2, fontsize=8,
    )  # fmt: skip
