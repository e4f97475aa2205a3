"""A chart as plain data: marks over the axes of panels, and texts. Two renderers draw it.

`xnbflow.report.page.charts` makes it JSON for the browser (``charts.js``), `xnbflow.report.static`
draws it by matplotlib. Each renderer has an entry for each class of `MARKS`.

A colour is the number of a class, group or line (see `xnbflow.report.page.style.style_of`), "ink"
(the colour of the text), "grey", or a colour as ``#rrggbb``. Lengths are in inches, sizes of marks
and widths of lines in points. Arrays of coordinates may have missing values (NaN): a missing point
is not drawn and interrupts a line.

Tips are what the pointer shows of a point: texts by their name, or "x" or "y" for the coordinate.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

Colour = int | str
Tips = Mapping[str, Sequence[str] | Literal["x", "y"]]


@dataclass(frozen=True, kw_only=True)
class Points:
    """Points at ``x`` and ``y`` (n_points,), ``joined`` by a line if asked for.

    ``size`` is the diameter of all points, or of each. A number as colour also chooses the symbol.
    """

    x: np.ndarray
    y: np.ndarray
    colour: Colour = "grey"
    size: float | np.ndarray = 4.5
    hollow: bool = False
    joined: bool = False
    alpha: float = 0.85
    label: str = ""
    tips: Tips = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line through ``x`` and ``y`` (n_points,); ``dash`` is a number of `DASHES`."""

    x: np.ndarray
    y: np.ndarray
    colour: Colour = "grey"
    dash: int = 0
    width: float = 1.4
    alpha: float = 1.0
    label: str = ""
    tips: Tips = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Segments:
    """Straight lines from (``x0``, ``y0``) to (``x1``, ``y1``), for example intervals."""

    x0: np.ndarray
    y0: np.ndarray
    x1: np.ndarray
    y1: np.ndarray
    colour: Colour = "grey"
    width: float = 1.2
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Rug:
    """A short upright line at each ``x`` (n_points,), from the height ``low`` to ``high``."""

    x: np.ndarray
    low: float
    high: float
    colour: Colour = "grey"


@dataclass(frozen=True, kw_only=True)
class Band:
    """The area between ``lower`` and ``upper`` (n_points,) along ``x``."""

    x: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    colour: Colour = "grey"
    alpha: float = 0.18


@dataclass(frozen=True, kw_only=True)
class Rectangles:
    """Filled rectangles: bars of a histogram. The ``colours`` are one of each or one of all."""

    x0: np.ndarray
    x1: np.ndarray
    y0: np.ndarray
    y1: np.ndarray
    colours: Sequence[Colour]
    alpha: float = 1.0
    tips: Tips = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Area:
    """A filled polygon with the corners ``x`` and ``y`` (n_points,)."""

    x: np.ndarray
    y: np.ndarray
    colour: Colour = "grey"
    alpha: float = 0.75


@dataclass(frozen=True, kw_only=True)
class Regions:
    """Parts of a plane by the number of their class: ``codes`` (len(y), len(x)) on a grid."""

    x: np.ndarray
    y: np.ndarray
    codes: np.ndarray
    alpha: float = 0.25


@dataclass(frozen=True, kw_only=True)
class Level:
    """A straight line across the panel: at a height, or ``upright`` at a place of the axis x."""

    at: float
    upright: bool = False
    colour: Colour = "grey"
    dash: int = 1
    width: float = 1.0
    label: str = ""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Texts at ``x`` and ``y``, moved by an ``offset`` in points to the right and upwards.

    ``align`` is the end of the text at its place, ``baseline`` its height there.
    """

    x: np.ndarray
    y: np.ndarray
    texts: Sequence[str]
    align: Literal["left", "center", "right"] = "center"
    baseline: Literal["top", "middle", "bottom"] = "middle"
    offset: tuple[float, float] = (0.0, 0.0)
    colour: Colour = "ink"
    size: float = 8.0


@dataclass(frozen=True, kw_only=True)
class Cells:
    """A matrix of cells, shaded by ``values`` (n_rows, n_columns); missing ones are empty.

    The first cell is at x = 0 and y = ``first``, the next row at ``first`` + 1. A cell of the value
    ``most`` has the full colour: the second of ``colours`` for positive values, the first for
    negative ones. Where there is a ``least`` value, its cells are white, and all have the second
    colour. ``texts`` are written in the cells; cells that are ``outlined`` (row and column)
    have a frame. ``rows`` and ``columns`` name the cells for the pointer, whose tips have the
    headings ``headings``: of rows, columns, values and texts.
    """

    values: np.ndarray
    rows: Sequence[str]
    columns: Sequence[str]
    colours: tuple[str, str]
    most: float = 1.0
    least: float = 0.0
    first: int = 0
    texts: Sequence[Sequence[str]] = ()
    outlined: Sequence[tuple[int, int]] = ()
    framed: bool = True
    headings: tuple[str, str, str, str] = ("row", "column", "value", "text")

    @property
    def shares(self) -> np.ndarray:
        """The strength of the colour of each cell, from -1 to 1 (n_rows, n_columns)."""
        return np.clip((self.values - self.least) / (self.most - self.least), -1, 1)


@dataclass(frozen=True, kw_only=True)
class Strip:
    """A row of coloured cells at the height ``y``: a category for each column of a heat map.

    ``codes`` (n_columns,) are numbers of the distinct ``texts``, each with a colour and an opacity;
    ``name`` is the name of the row.
    """

    y: float
    name: str
    codes: Sequence[int]
    texts: Sequence[str]
    colours: Sequence[str]
    alphas: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Boxes:
    """Box plots: the quartiles of the ``values`` (n_samples,) of each class at x = 0, 1, ...

    ``codes`` (n_samples,) are the numbers of the classes. Quartiles are Hazen's (1914), as in the
    bandwidths of the classifiers; whiskers end at the last values within 1.5 times their distance.
    """

    values: np.ndarray
    codes: np.ndarray


@dataclass(frozen=True, kw_only=True)
class Samples:
    """Samples as points, coloured by one of several ``columns``: in a browser the reader chooses.

    A column has a text per sample, as have ``groups``, which colour the static figure in the
    ``order`` of its legend. ``coloured`` are the columns to choose from, all if empty. ``samples``
    are their names, ``named`` the texts beside points (outliers; empty for most). ``model`` names
    the model that explains samples on the second page, empty without one.
    """

    x: np.ndarray
    y: np.ndarray
    samples: Sequence[str]
    groups: Sequence[str]
    order: Sequence[str]
    columns: Mapping[str, Sequence[str]]
    coloured: Sequence[str] = ()
    named: Sequence[str] = ()
    model: str = ""


Mark = (
    Points
    | Line
    | Segments
    | Rug
    | Band
    | Rectangles
    | Area
    | Regions
    | Level
    | Texts
    | Cells
    | Strip
    | Boxes
    | Samples
)
#: All kinds of marks.
MARKS: tuple[type, ...] = Mark.__args__


@dataclass(frozen=True, kw_only=True)
class Axis:
    """An axis: numbers, or ``names`` at the coordinates ``at`` (0, 1, 2, ... if empty).

    It reaches from ``start`` to ``end``, which may be less; None for what the marks need. ``whole``
    axes have ticks at whole numbers. A ``hidden`` axis has neither line nor ticks; ``opposite`` is
    at the top. Names are cut to ``longest`` letters on the axis.
    """

    label: str = ""
    start: float | None = None
    end: float | None = None
    log: bool = False
    whole: bool = False
    names: Sequence[str] = ()
    at: Sequence[float] = ()
    longest: int = 26
    hidden: bool = False
    opposite: bool = False
    grid: bool = False

    @property
    def name_positions(self) -> Sequence[float]:
        """The coordinates of the names on the axis."""
        return self.at or range(len(self.names))


@dataclass(frozen=True, kw_only=True)
class ChartPanel:
    """Marks over a pair of axes of a ``height``, and of a ``width`` if the content determines it.

    In print a panel shrinks to its ``least`` width where the column is narrow, if it has one.
    ``right`` are further names on the right side. The axes are ``square``, and with ``equal`` a
    unit has one length on both.
    """

    marks: Sequence[Mark]
    x: Axis = Axis()
    y: Axis = Axis()
    right: Axis | None = None
    height: float = 2.1
    width: float | None = None
    least: float | None = None
    square: bool = False
    equal: bool = False
    title: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class LegendKey:
    """An entry of the legend for what is no mark with a label: a filled square."""

    text: str
    colour: Colour
    alpha: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Chart:
    """Panels in ``rows`` below each other. In print the ``width`` is the width of a column."""

    rows: Sequence[Sequence[ChartPanel]]
    width: float = 2.9
    title: str = ""
    keys: Sequence[LegendKey] = ()

    @property
    def panels(self) -> list[ChartPanel]:
        """All panels, row after row."""
        return [panel for row in self.rows for panel in row]


def single(panel: ChartPanel, *, width: float = 2.9, title: str = "") -> Chart:
    """Return a chart of one panel."""
    return Chart(rows=[[panel]], width=width, title=title)
