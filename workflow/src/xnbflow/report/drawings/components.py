"""Samples by their first two principal components."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from xnbflow.report.page.style import (
    INK,
    N_STYLES,
    column_width,
    legend_above,
    legend_room,
    new_axes,
    shorten,
    style_of,
)


def draw_components(
    scores: np.ndarray,
    groups: Sequence[str],
    names: Sequence[str],
    axes_labels: tuple[str, str],
) -> Figure:
    """Draw samples by two components, coloured by a group.

    ``scores`` have shape (n_samples, 2). ``groups`` beyond the colours have other marks; with more
    groups than different looks none has a colour. ``names`` are written beside samples, for example
    outliers; an empty name is not.
    """
    kinds = sorted(set(groups))
    if len(kinds) > N_STYLES:
        kinds = [f"{len(kinds)} groups"]
        groups = kinds * len(scores)
    width = column_width(2.9)
    half = int(5 * (width - 0.7))  # long values often differ in the last word only
    labels = [k if len(k) <= 2 * half else f"{k[:half]}…{k[-half:]}" for k in kinds]
    columns, room = legend_room(labels, width - 0.7)
    side = min(width - 0.7, 4.0)
    figure, axes = new_axes(width, side + 0.6 + room, left=0.75, top=0.15 + room)
    for i, kind in enumerate(kinds):
        of_kind = scores[[group == kind for group in groups]]
        colour, marker = style_of(i)
        axes.plot(
            *of_kind.T,
            linestyle="",
            marker=marker,
            color=colour,
            markersize=4 if len(scores) <= 200 else 2.5,
            alpha=0.8,
            label=labels[i],
        )
    middle = np.mean(axes.get_xlim())
    for (x, y), name in zip(scores, names, strict=True):
        if name:
            axes.annotate(
                shorten(name, 14), (x, y), (-4 if x > middle else 4, 3), color=INK, size=7,
                textcoords="offset points", ha="right" if x > middle else "left",
            )  # fmt: skip
    axes.set(xlabel=axes_labels[0], ylabel=axes_labels[1])
    axes.locator_params(nbins=4)
    legend_above(axes, columns)
    return figure
