"""The trade-off between accuracy and the number of features (XNB paper, Table 2)."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter

from xnbflow.report.page.style import (
    COLOURS,
    GREY,
    MARKERS,
    label_width,
    legend_above,
    legend_columns,
    new_axes,
    plain_number,
    shorten,
)

__all__ = ["draw_trade_off"]

_WIDTH = 4.6
#: With more data sets than this their names would lie on one another.
_MOST_NAMED = 6


def draw_trade_off(
    rows: Sequence[str], classifiers: Sequence[str], features: np.ndarray, accuracy: np.ndarray
) -> Figure:
    """Draw accuracy against features per class; a line joins the classifiers of a data set.

    Parameters
    ----------
    rows, classifiers : sequence of str
        Data sets, classifiers.
    features, accuracy : ndarray of shape (n_rows, n_classifiers)
    """
    columns = legend_columns(classifiers, _WIDTH)
    top = 0.1 + 0.2 * -(-len(classifiers) // columns)
    figure, axes = new_axes(
        _WIDTH,
        3.3 + top,
        top=top,
        xscale="log",
        xlabel="features per class (logarithmic)",
        ylabel="accuracy",
    )
    for i in range(len(rows)):
        order = np.argsort(features[i], kind="stable")
        axes.plot(features[i, order], accuracy[i, order], color=GREY, linewidth=0.6, alpha=0.6)
    shifts = 10 ** (0.03 * (np.arange(len(classifiers)) - (len(classifiers) - 1) / 2))
    for j, name in enumerate(classifiers):
        axes.plot(
            features[:, j] * shifts[j],
            accuracy[:, j],
            MARKERS[j % len(MARKERS)],
            color=COLOURS[j % len(COLOURS)],
            markersize=5,
            alpha=0.85,
            label=name,
        )
    decades = np.log10(np.nanmax(features) / np.nanmin(features))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0,) if decades > 2 else (1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(plain_number)
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    _make_room_at_the_left(axes)
    if len(rows) <= _MOST_NAMED:
        _name_lines(axes, rows, features, accuracy)
    legend_above(axes, columns)
    return figure


def _make_room_at_the_left(axes: Axes) -> None:
    """Leave the room that the numbers at the ticks, whatever their decimals, and the name take."""
    numbers = axes.yaxis.get_major_formatter().format_ticks(axes.get_yticks().tolist())
    left = (0.32 + label_width(numbers)) / _WIDTH
    box = axes.get_position()
    axes.set_position((left, box.y0, box.x1 - left, box.height))


def _name_lines(
    axes: Axes, rows: Sequence[str], features: np.ndarray, accuracy: np.ndarray
) -> None:
    """Write each data set's name beside its leftmost point, names one below the other."""
    low, high = axes.get_ylim()
    fewest = np.nanargmin(np.where(np.isnan(accuracy), np.inf, features), axis=1)
    x, y = features[range(len(rows)), fewest], accuracy[range(len(rows)), fewest]
    below = np.inf
    for i in np.argsort(-y, kind="stable"):
        if np.isfinite(y[i]):
            below = min(y[i], below - 0.045 * (high - low))
            axes.annotate(
                f"  {shorten(rows[i], 20)}",
                (x[i], below),
                xytext=(7, 0),
                textcoords="offset points",
                fontsize=8,
                va="center",
            )
