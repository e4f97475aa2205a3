"""Charts as JSON: what the browser draws, with values under the pointer.

``templates/charts.js`` draws it, with a function for each kind of mark. The JSON has the fields of
the dataclasses of `xnbflow.report.drawings.marks` that are not empty; a mark has its kind as
``mark``. To keep pages small, numbers have five significant digits, those of cells are whole
hundredths (with a least value, of the way from it to the greatest), grids of regions have a digit
for each place, and of many points without tips those that cover each other are left out.
"""

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from xnbflow.report.drawings import marks
from xnbflow.report.drawings.marks import MARKS, Chart, Regions

#: Pixels of an inch of a panel, which is larger than in a static figure, and around a panel.
_PIXELS = 110
_AROUND = 110
#: Pixels around a panel without an axis: the room of its tools.
_TOOLS = 40
#: Height in pixels of a square.
_SQUARE = 460
#: Points without tips from which on those that cover each other are left out: those that are at the
#: same of so many places along and across their extent, two or three pixels apart.
_MANY = 2_000
_PLACES = (250, 150)


def chart_json(chart: Chart) -> dict[str, Any]:
    """Return a chart as JSON for ``charts.js``."""
    content: dict[str, Any] = {"rows": [list(map(_panel, row)) for row in chart.rows]}
    if chart.title:
        content["title"] = chart.title
    if chart.keys:
        content["keys"] = [[key.text, key.colour, key.alpha] for key in chart.keys]
    return content


def _panel(panel: marks.ChartPanel) -> dict[str, Any]:
    """Return a panel; its height is in pixels."""
    height = round(_PIXELS * panel.height) + (_TOOLS if panel.x.hidden else _AROUND)
    content = {
        "height": _SQUARE if panel.square else height,
        "x": _fields(panel.x),
        "y": _fields(panel.y),
        "right": _fields(panel.right) if panel.right else None,
        "square": panel.square,
        "equal": panel.equal,
        "title": panel.title,
        "note": panel.note,
        "marks": [_fields(_thin(mark)) for mark in panel.marks],
    }
    return {name: value for name, value in content.items() if value or name in {"x", "y", "marks"}}


def _thin(mark: Any) -> Any:
    """Return many points without those that would be drawn on another; any other mark as it is.

    Of 44,000 grey points of a volcano plot 12,000 are left, and look the same.
    """
    if not isinstance(mark, marks.Points) or mark.tips or mark.joined or len(mark.x) <= _MANY:
        return mark
    is_finite = np.isfinite(mark.x) & np.isfinite(mark.y)
    x = mark.x[is_finite]
    y = mark.y[is_finite]
    places = np.column_stack([_place_of(x, _PLACES[0]), _place_of(y, _PLACES[1])])
    _, first = np.unique(places, axis=0, return_index=True)
    return dataclasses.replace(mark, x=x[first], y=y[first])


def _place_of(values: np.ndarray, n_places: int) -> np.ndarray:
    """Return the number of the place of each value along their extent."""
    low = values.min()
    extent = values.max() - low or 1.0
    return np.round((values - low) / extent * n_places)


def _fields(item: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that are not empty; of a mark also its kind."""
    content: dict[str, Any] = {}
    if isinstance(item, MARKS):
        content["mark"] = type(item).__name__.lower()
    for field in dataclasses.fields(item):
        value = getattr(item, field.name)
        if isinstance(item, marks.Cells) and field.name == "values":
            numbers = item.shares if item.least else value
            content["values"] = [list(map(_in_hundredths, row)) for row in numbers.tolist()]
        elif isinstance(item, Regions) and field.name == "codes":
            content["codes"] = ["".join(map(_digit, row)) for row in value.tolist()]
        elif not _is_empty(value):
            content[field.name] = _json(value)
    return content


def _is_empty(value: Any) -> bool:
    """Return whether a field is empty: None, False, no text, no items. Zero is a number."""
    if isinstance(value, bool) or value is None:
        return not value
    return isinstance(value, str | list | tuple | dict) and not value


def _json(value: Any) -> Any:
    """Return a value of a field as JSON."""
    if dataclasses.is_dataclass(value):
        return _fields(value)
    if isinstance(value, np.ndarray):
        return _numbers(value)
    if isinstance(value, Mapping):
        return {str(name): _json(content) for name, content in value.items()}
    if isinstance(value, list | tuple | range):
        return [_json(item) for item in value]
    if isinstance(value, np.generic):
        return _json(value.item())
    return _number(value) if isinstance(value, float) else value


def _numbers(values: np.ndarray) -> list[float | None]:
    """Return numbers with five significant digits; None for missing and infinite ones."""
    return [_number(value) for value in np.asarray(values, dtype=float).tolist()]


def _number(value: float) -> float | None:
    """Return a number with five significant digits, an integer as such; None if not finite."""
    if not np.isfinite(value):
        return None
    rounded = float(f"{value:.5g}")
    return int(rounded) if rounded == int(rounded) else rounded


def _in_hundredths(number: float) -> int | None:
    """Return a number in hundredths; None if it is missing."""
    return round(100 * number) if np.isfinite(number) else None


def _digit(code: int) -> str:
    """Return a small number as a character: 0, 1, 2, ..., then ":" and so on."""
    return chr(ord("0") + code)
