"""The values of a feature by class as box plots with points: batches in colour, groups joined."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from xnbflow.report.drawings.probabilities import spread_of_samples
from xnbflow.report.page.style import (
    GREY,
    INK,
    column_width,
    label_width,
    legend_above,
    legend_room,
    name_columns,
    new_axes,
    shorten,
    style_of,
    write_heading,
)

#: Samples from which on the points are a picture within the drawing.
_MANY = 100


def draw_gene(
    title: str,
    values: np.ndarray,
    classes: Sequence[str],
    groups: Sequence[str],
    batches: Sequence[str],
    ylabel: str,
) -> Figure:
    """Draw each sample at its class and value over the class's box; a line joins a group's samples.

    A box has the quartiles, its whiskers end at the last samples within 1.5 times their distance.
    ``values``, of shape (n_samples,), may be missing (NaN); the others have a text per sample, and
    an empty one is no group, and no batch.
    """
    labels, codes = np.unique(classes, return_inverse=True)
    # the same for every feature of a series, so that figures can be compared
    positions = codes + spread_of_samples(len(values))
    names = [shorten(label, 24) for label in labels]
    batch_names = sorted({*batches} - {""})
    needed = 0.7 + len(names) * max(0.6, 0.1 + label_width(names))
    width = column_width(max(2.4, min(3.7, needed)))
    columns, room = legend_room(batch_names, width - 0.7) if batch_names else (1, 0.0)
    upright = max(map(label_width, ([name] for name in names))) < (width - 0.7) / len(names)
    bottom = 0.25 if upright else 0.15 + label_width(names)
    figure, axes = new_axes(
        width, 2.2 + bottom + room, left=0.6, bottom=bottom, top=0.4 + room, ylabel=ylabel
    )
    write_heading(figure, shorten(title, 40))
    class_values = [values[(codes == i) & ~np.isnan(values)] for i in range(len(labels))]
    _draw_boxes(axes, class_values)
    _join_groups(axes, positions, values, codes, groups=groups)
    # batches in colour; without batches the classes, as in the other pictures
    samples_of = {batch: np.asarray(batches) == batch for batch in batch_names}
    if not batch_names:
        samples_of = {label: codes == i for i, label in enumerate(labels)}
    _draw_samples(axes, positions, values, samples_of)
    if batch_names:
        without_batch = np.asarray(batches) == ""
        axes.plot(positions[without_batch], values[without_batch], ".", color=GREY)
        legend_above(axes, columns)
    axes.set_xlim(-0.5, len(labels) - 0.5)
    name_columns(axes, names, upright=upright)
    return figure


def _draw_boxes(axes: Axes, class_values: Sequence[np.ndarray]) -> None:
    """Draw a box plot of the values of each class at 0, 1, ..."""
    outline = {"color": INK, "linewidth": 0.8}
    axes.boxplot(
        class_values,
        positions=range(len(class_values)),
        widths=0.66,
        showfliers=False,
        manage_ticks=False,
        boxprops=outline,
        whiskerprops=outline,
        capprops=outline,
        medianprops=outline | {"linewidth": 1.8},
    )


def _join_groups(
    axes: Axes,
    positions: np.ndarray,
    values: np.ndarray,
    codes: np.ndarray,
    *,
    groups: Sequence[str],
) -> None:
    """Join the samples of each group that has several classes by a line, in order of the classes.

    All but ``axes`` have a value per sample; an empty text is no group.
    """
    for group in sorted({*groups} - {""}):
        samples = np.flatnonzero(np.asarray(groups) == group)
        samples = samples[np.argsort(codes[samples], kind="stable")]
        if len(set(codes[samples])) > 1:
            axes.plot(positions[samples], values[samples], color=GREY, linewidth=0.6)


def _draw_samples(
    axes: Axes,
    positions: np.ndarray,
    values: np.ndarray,
    samples_of: Mapping[str, np.ndarray],
) -> None:
    """Draw samples as points; ``samples_of`` has a mask of the samples of each colour by name."""
    for i, (name, samples) in enumerate(samples_of.items()):
        colour, marker = style_of(i)
        style: dict[str, Any] = {
            "color": colour,
            "marker": marker,
            "markersize": 3,
            "linestyle": "",
            "alpha": 0.7,
            # one picture of many points: a mark each would make the page large
            "rasterized": len(values) > _MANY,
        }
        axes.plot(positions[samples], values[samples], label=shorten(name), **style)
