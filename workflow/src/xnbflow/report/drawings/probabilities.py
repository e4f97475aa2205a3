"""Samples by their class and the probability that the classifier gives it."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.page.style import (
    GREY,
    N_STYLES,
    column_width,
    label_width,
    legend_above,
    legend_room,
    name_columns,
    new_axes,
    shorten,
    style_of,
)


def spread_of_samples(n_samples: int) -> np.ndarray:
    """Return places of samples beside each other, -0.25 to 0.25, the same each time.

    Multiples of the golden ratio fill an interval evenly.
    """
    return (np.arange(n_samples) * 0.618 % 1 - 0.5) * 0.5


def draw_probabilities(
    classes: Sequence[str],
    true: Sequence[str],
    predicted: Sequence[str],
    probability: np.ndarray,
) -> Figure:
    """Draw each sample over its class at the probability of that class, shape (n_samples,).

    Colour and mark are those of the predicted class, or with more classes than different looks
    those of right and wrong predictions; a line marks one half.
    """
    names = [shorten(name, 16) for name in classes]
    kinds, labels, kind_of_sample = classes, names, predicted
    if len(classes) > N_STYLES:
        kinds = labels = ["right", "wrong"]
        kind_of_sample = [
            "right" if answer == label else "wrong"
            for answer, label in zip(predicted, true, strict=True)
        ]
    width = column_width(max(2.9, min(6.0, 0.7 + 0.5 * len(classes))))
    columns, room = legend_room(labels, width - 0.7)
    upright = max(label_width([name]) for name in names) < (width - 0.8) / len(names)
    bottom = 0.3 if upright else 0.15 + label_width(names)
    figure, axes = new_axes(width, 2.2 + bottom + room, bottom=bottom, left=0.65, top=0.15 + room)
    places = np.array([list(classes).index(name) for name in true])
    places = places + spread_of_samples(len(true))
    axes.axhline(0.5, color=GREY, linestyle="--", linewidth=1)
    axes.set(ylim=(-0.04, 1.04), xlim=(-0.6, len(classes) - 0.4), ylabel="probability of its class")
    for i, (name, label) in enumerate(zip(kinds, labels, strict=True)):
        of_class = np.array([kind == name for kind in kind_of_sample], dtype=bool)
        colour, marker = style_of(i)
        axes.plot(
            places[of_class], probability[of_class], linestyle="", label=label, markersize=4,
            alpha=0.8, color=colour, marker=marker,
        )  # fmt: skip
    name_columns(axes, names, upright=upright)
    legend_above(axes, columns)
    return figure
