"""Charts: what a browser draws in place of a static figure, with values under the pointer.

A chart is JSON: its axes, and layers of marks over them. It is made from the arguments of the
figure's drawing, so that a section describes a figure once. ``templates/charts.js`` draws it.

========  ================================================================================
mark      fields
========  ================================================================================
points    ``x``, ``y``; ``size`` (pixels, one or several), ``hollow``, ``joined`` by a line
line      ``x``, ``y``; ``dash``
bars      ``x0``, ``y0``, ``x1``, ``y1``: straight lines, for example intervals
band      ``x``, ``lower``, ``upper``
cells     ``x``, ``y`` (categories), ``colour`` and ``alpha`` of each, ``text`` in each
level     ``y``: a horizontal line
========  ================================================================================

Every layer may have a ``label`` for the legend, a ``colour`` (number of the palette, ``ink``,
``grey``, or a colour each) and ``tips``: names and texts that the pointer shows.
"""

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from xnbflow.report.drawings.calibration import draw_calibration, draw_roc
from xnbflow.report.drawings.components import draw_components
from xnbflow.report.drawings.gene import draw_gene
from xnbflow.report.drawings.heatmap import draw_heatmap, looks_of
from xnbflow.report.drawings.lines import Line, draw_lines
from xnbflow.report.drawings.matrix import draw_matrix
from xnbflow.report.drawings.probabilities import draw_probabilities, spread_of_samples
from xnbflow.report.drawings.rows import Points, draw_points
from xnbflow.report.page.blocks import Figure
from xnbflow.report.page.style import BLUE, ORANGE, strip_colour, strip_style_of

#: Height of a chart in pixels.
_HEIGHT = 400
#: Height in pixels of a row of a chart with a row per name.
_ROW = 26
#: Number of rows of a matrix of counts up to which they are tall, and their height in pixels.
_FEW_ROWS = 8
_TALL_ROW = 60
#: Number of columns of a matrix up to which its cells show their values.
_FEW_COLUMNS = 10
#: Standard deviations from which on a cell of a heat map is as dark as can be.
_DARKEST = 2.5
#: Categories of a strip above which only the pointer names them.
_MOST_KEYS = 6
#: Most cells of a chart; larger matrices keep their static figure.
_MOST_CELLS = 20_000


def chart_of(figure: Figure) -> dict[str, Any] | None:
    """Return the chart of a figure; None for a drawing that has none."""
    convert = _CHARTS.get(figure.draw)
    return convert(**figure.arguments, **figure.extra) if convert else None


def _lines(
    lines: Sequence[Line],
    xlabel: str,
    ylabel: str,
    *,
    title: str = "",
    ring: tuple[str, float, float] | None = None,
    levels: Sequence[tuple[str, float]] = (),
    bands: Sequence[tuple[np.ndarray, np.ndarray, np.ndarray]] = (),
    logarithmic: str = "x",
) -> dict[str, Any]:
    """Return the chart of `draw_lines`."""
    layers: list[dict[str, Any]] = []
    for i, (x, lower, upper) in enumerate(bands):
        limits = {"lower": _numbers(lower), "upper": _numbers(upper)}
        layers.append({"mark": "band", "x": _numbers(x), **limits, "colour": i})
    for i, line in enumerate(lines):
        tips = {ylabel: _texts(line.y), xlabel: _texts(line.x)}
        if i < len(bands):
            tips["95% interval"] = _intervals(bands[i][1], bands[i][2])
        points = {"x": _numbers(line.x), "y": _numbers(line.y), "tips": tips}
        layers.append({"mark": "points", "joined": True, "label": line.label, "colour": i} | points)
    for name, level in levels:
        layers.append({"mark": "level", "y": float(level), "label": name, "colour": "grey"})
    if ring:
        name, right, up = ring
        circle = {"mark": "points", "x": [float(right)], "y": [float(up)], "label": name}
        layers.append(circle | {"hollow": True, "size": 16, "colour": "ink"})
    return {
        "title": title,
        "height": _HEIGHT,
        "x": {"label": xlabel, "log": logarithmic == "x"},
        "y": {"label": ylabel, "log": logarithmic == "y"},
        "layers": layers,
    }


def _calibration(
    classifiers: Sequence[str],
    predicted: Sequence[np.ndarray],
    observed: Sequence[np.ndarray],
    counts: Sequence[np.ndarray],
    lower: Sequence[np.ndarray],
    upper: Sequence[np.ndarray],
) -> dict[str, Any]:
    """Return the chart of `draw_calibration`; the area of a point is its share of predictions."""
    layers = [_diagonal()]
    most = max((n.max(initial=1) for n in counts), default=1)
    for i, name in enumerate(classifiers):
        x = predicted[i]
        y = observed[i]
        n = counts[i]
        ends = {"x0": _numbers(x), "y0": _numbers(lower[i])}
        ends |= {"x1": _numbers(x), "y1": _numbers(upper[i])}
        layers.append({"mark": "bars", "colour": i} | ends)
        tips = {
            "predicted": _texts(x),
            "observed": _texts(y),
            "95% interval": _intervals(lower[i], upper[i]),
            "predictions": [f"{count:,.0f}" for count in n],
        }
        size = _numbers(6 + 10 * np.sqrt(n / most))
        points = {"x": _numbers(x), "y": _numbers(y), "size": size, "tips": tips}
        layers.append({"mark": "points", "joined": True, "label": name, "colour": i} | points)
    axes = _unit_axes("predicted probability", "observed frequency")
    return axes | {"title": "Calibration", "layers": layers}


def _roc(title: str, curves: Mapping[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """Return the chart of `draw_roc`."""
    layers = [_diagonal()]
    for i, (label, (x, y)) in enumerate(curves.items()):
        tips = {"false positive rate": _texts(x), "true positive rate": _texts(y)}
        points = {"x": _numbers(x), "y": _numbers(y), "size": 5, "tips": tips}
        layers.append({"mark": "points", "joined": True, "label": label, "colour": i} | points)
    axes = _unit_axes("false positive rate", "true positive rate")
    return axes | {"title": title, "layers": layers}


def _matrix(
    values: np.ndarray,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    texts: Sequence[Sequence[str]] | None = None,
    colour: str = BLUE,
    xlabel: str = "",
    ylabel: str = "",
    **_: Any,
) -> dict[str, Any] | None:
    """Return the chart of `draw_matrix`; None of one with too many cells."""
    if values.size > _MOST_CELLS or len({*rows}) < len(rows) or len({*columns}) < len(columns):
        return None
    # All lists have a value per cell, row after row; the axis y begins below, with the last row.
    shares = np.nan_to_num(np.asarray(values, dtype=float)).reshape(-1)
    shown = [f"{share:.2f}" for share in shares]
    if texts:
        words = list(itertools.chain.from_iterable(texts))
    else:
        words = shown if len(columns) <= _FEW_COLUMNS else [""] * shares.size
    tips = {
        ylabel or "row": np.repeat(list(rows), len(columns)).tolist(),
        xlabel or "column": list(columns) * len(rows),
        "share" if texts else "value": shown,
    }
    if texts:
        tips["count"] = [word or "0" for word in words]
    cells = {
        "mark": "cells",
        "x": list(columns) * len(rows),
        "y": np.repeat(list(rows), len(columns)).tolist(),
        "colour": [colour] * shares.size,
        "alpha": _numbers(np.clip(shares, 0, 1)),
        "text": words,
        "tips": tips,
    }
    return {
        "title": title,
        "height": 110 + (_TALL_ROW if texts and len(rows) <= _FEW_ROWS else _ROW) * len(rows),
        "x": {"label": xlabel, "names": list(columns)},
        "y": {"label": ylabel, "names": list(rows)[::-1]},
        "layers": [cells],
    }


def _band(
    name: str,
    cells: Sequence[str],
    texts: Sequence[str],
    look: Mapping[str, tuple[str, float]],
) -> dict[str, Any]:
    """Return a strip of a heat map as its distinct texts and, for each sample, their positions.

    The cells a, a, b have the texts a and b and the positions 0, 0, 1. ``look`` has the colour and
    the opacity of each text.
    """
    shown = [look.get(text, (BLUE, 0.0)) for text in texts]
    return {
        "name": name,
        "texts": [text or "unknown" for text in texts],
        "colours": [colour for colour, _ in shown],
        "alphas": [alpha for _, alpha in shown],
        "cells": [texts.index(text) for text in cells],
    }


def _heatmap(
    z: np.ndarray,
    rows: Sequence[str],
    classes: Sequence[str],
    tracks: Mapping[str, Sequence[str]] | None = None,
    samples: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Return the chart of `draw_heatmap`, with a row above it for the class and each track."""
    # The browser identifies rows and samples by their names, so that these must be distinct.
    n, m = z.shape
    names = list(samples) if len({*samples}) == m else [f"sample {j + 1}" for j in range(m)]
    strips = {"class": list(classes), **{k: list(v) for k, v in (tracks or {}).items()}}
    labels = [*strips, *rows]
    if n * m > _MOST_CELLS or len({*labels}) < len(labels):
        return None
    keys: list[list[str | float]] = [
        [f"above the mean (full colour: {_DARKEST:g} SD)", ORANGE, 1.0],
        ["below the mean", BLUE, 1.0],
    ]
    bands = []
    for i, (name, cells) in enumerate(strips.items()):
        texts = list(dict.fromkeys(cells))
        if name == "class":
            look = {text: strip_style_of(k) for k, text in enumerate(texts)}
            of_classes: list[list[str | float]] = [[text, *look[text]] for text in texts]
            keys = of_classes + keys
        else:
            look = dict(looks_of(cells, strip_colour(i - 1)))
            keys += _keys_of_strip(name, look)
        bands.append(_band(name, cells, texts, look))
    hundredths = [list(map(_in_hundredths, row)) for row in z.tolist()]
    return {
        "kind": "heat map",
        "height": 60 + 18 * len(labels),
        "keys": keys,
        "darkest": _DARKEST,
        "colours": [BLUE, ORANGE],
        "rows": list(rows),
        "samples": names,
        "strips": bands,
        "z": hundredths,
    }


def _keys_of_strip(name: str, look: Mapping[str, tuple[str, float]]) -> list[list[str | float]]:
    """Return the legend of a strip: its categories, or the ends of its numbers."""
    texts = [text for text in look if text]
    if len({colour for colour, _ in look.values()}) == 1 and len(texts) > 1:  # shades of a number
        texts = [texts[0], texts[-1]]
    if len(texts) > _MOST_KEYS:
        return []
    return [[f"{name}: {text}", *look[text]] for text in texts]


def _layers_of_points(
    rows: Sequence[str], group: Points, y: np.ndarray, xlabel: str
) -> list[dict[str, Any]]:
    """Return the intervals and the points of a group at the heights ``y`` (n_rows,)."""
    x = np.asarray(group.values, dtype=float)
    low = np.asarray(group.lower, dtype=float)
    high = np.asarray(group.upper, dtype=float)
    drawn = np.isfinite(x)
    has_interval = drawn & np.isfinite(low) & np.isfinite(high)
    bars = {
        "mark": "bars",
        "colour": group.style,
        "x0": _numbers(low[has_interval]),
        "x1": _numbers(high[has_interval]),
        "y0": _numbers(y[has_interval]),
        "y1": _numbers(y[has_interval]),
    }
    intervals = []
    for lower, upper in zip(low[drawn], high[drawn], strict=True):
        finite = np.isfinite(lower) and np.isfinite(upper)
        intervals.append(f"{lower:.3g} to {upper:.3g}" if finite else "")
    names = [name for name, is_drawn in zip(rows, drawn, strict=True) if is_drawn]
    points = {
        "mark": "points",
        "label": group.label,
        "x": _numbers(x[drawn]),
        "y": _numbers(y[drawn]),
        "tips": {group.label or "row": names, xlabel: _texts(x[drawn]), "interval": intervals},
        "size": 9,
        "hollow": group.hollow or group.beside >= 0,
        "colour": group.style,
    }
    return [bars, points]


def _points(
    rows: Sequence[str],
    groups: Sequence[Points],
    xlabel: str,
    levels: tuple[str, Sequence[float]] | None = None,
    most: float | None = None,
    *,
    title: str = "",
    **_: Any,
) -> dict[str, Any] | None:
    """Return the chart of `draw_points`: a row per name, the groups below each other in it."""
    if len({*rows}) < len(rows):
        return None
    n_lines = max(1, sum(group.beside < 0 for group in groups))
    offsets = np.linspace(-0.3, 0.3, n_lines) if n_lines > 1 else np.zeros(1)
    places = np.arange(len(rows), dtype=float)
    layers: list[dict[str, Any]] = []
    for i, group in enumerate(groups):
        line = group.beside if group.beside >= 0 else i
        layers += _layers_of_points(rows, group, places + offsets[line], xlabel)
    if levels:
        name, positions = levels
        x = np.asarray(positions, dtype=float)
        layers.append(
            {
                "mark": "bars",
                "colour": "ink",
                "label": name,
                "x0": _numbers(x),
                "x1": _numbers(x),
                "y0": _numbers(places - 0.4),
                "y1": _numbers(places + 0.4),
            }
        )
    return {
        "title": title,
        "height": int(110 + (16 + 14 * n_lines) * len(rows)),
        "x": {"label": xlabel, "end": most},
        "y": {"label": "", "ticks": list(rows), "range": [len(rows) - 0.5, -0.5]},
        "layers": layers,
    }


def _components(
    scores: np.ndarray,
    groups: Sequence[str],
    names: Sequence[str],
    axes_labels: tuple[str, str],
    samples: Sequence[str] = (),
    columns: Mapping[str, Sequence[str]] | None = None,
    place: str = "",
) -> dict[str, Any]:
    """Return the chart of `draw_components`.

    ``columns`` are texts by which the reader colours the samples, whose names are ``samples``.
    ``place`` names the model of the page's explanations.
    """
    return {
        "kind": "samples",
        "height": 460,
        "x": {"label": axes_labels[0]},
        "y": {"label": axes_labels[1]},
        "points": {"x": _numbers(scores[:, 0]), "y": _numbers(scores[:, 1])},
        "named": list(names),
        "samples": list(samples) or [f"sample {i + 1}" for i in range(len(scores))],
        "columns": {name: list(cells) for name, cells in (columns or {"group": groups}).items()},
        "place": place,
    }


def _probabilities(
    classes: Sequence[str],
    true: Sequence[str],
    predicted: Sequence[str],
    probability: np.ndarray,
    samples: Sequence[str] = (),
    place: str = "",
) -> dict[str, Any]:
    """Return the chart of `draw_probabilities`; for ``samples`` and ``place`` see `_components`."""
    places = np.array([list(classes).index(name) for name in true])
    x = places + spread_of_samples(len(true))
    columns = {
        "predicted": list(predicted),
        "class": list(true),
        "probability": _texts(probability),
    }
    return {
        "kind": "samples",
        "height": 460,
        "x": {"label": "", "ticks": list(classes), "range": [-0.6, len(classes) - 0.4]},
        "y": {"label": "probability of its class", "range": [-0.04, 1.04]},
        "points": {"x": _numbers(x), "y": _numbers(probability)},
        "level": 0.5,
        "samples": list(samples),
        "columns": columns,
        "coloured": ["predicted", "class"],
        "place": place,
    }


def _gene(
    title: str,
    values: np.ndarray,
    classes: Sequence[str],
    groups: Sequence[str],
    batches: Sequence[str],
    ylabel: str,
    samples: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the chart of `draw_gene`, whose boxes the browser computes."""
    labels, codes = np.unique(classes, return_inverse=True)
    shown = sorted({*batches} - {""})
    named = sorted({name for name in groups if name and list(groups).count(name) > 1})
    return {
        "kind": "gene",
        "title": title,
        "values": _numbers(values),
        "classes": labels.tolist(),
        "class": codes.tolist(),
        "batches": shown,
        "batch": [shown.index(name) if name else -1 for name in batches],
        "group": [named.index(name) if name in named else -1 for name in groups],
        "samples": list(samples) or [""] * len(codes),
        "unit": ylabel,
    }


def _unit_axes(xlabel: str, ylabel: str) -> dict[str, Any]:
    ends = [-0.03, 1.03]
    axes = {"x": {"label": xlabel, "range": ends}, "y": {"label": ylabel, "range": ends}}
    return {"height": 460, **axes}


def _diagonal() -> dict[str, Any]:
    return {"mark": "line", "x": [0, 1], "y": [0, 1], "colour": "grey", "dash": "dashed"}


def _numbers(values: np.ndarray) -> list[float | None]:
    """Return numbers with five significant digits; None for missing and infinite ones."""
    return [float(f"{v:.5g}") if np.isfinite(v) else None for v in np.asarray(values, dtype=float)]


def _intervals(lower: np.ndarray, upper: np.ndarray) -> list[str]:
    return [f"{low} to {high}" for low, high in zip(_texts(lower), _texts(upper), strict=True)]


def _texts(values: np.ndarray) -> list[str]:
    return [f"{value:.3g}" if value < 1000 else f"{value:,.0f}" for value in np.asarray(values)]


_CHARTS: dict[Callable[..., Any], Callable[..., dict[str, Any] | None]] = {
    draw_lines: _lines,
    draw_calibration: _calibration,
    draw_roc: _roc,
    draw_matrix: _matrix,
    draw_gene: _gene,
    draw_heatmap: _heatmap,
    draw_points: _points,
    draw_components: _components,
    draw_probabilities: _probabilities,
}


def _in_hundredths(number: float) -> int | None:
    """Return a number in hundredths; None if it is missing."""
    return round(100 * number) if np.isfinite(number) else None
