"""How matplotlib draws each kind of mark: a function for each class of `MARKS`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from xnbflow.report.drawings import marks
from xnbflow.report.page.style import COLOURS, GREY, ORANGE, style_of

#: Placeholder of the page's text colour in files of SVG.
INK_COLOUR = "#010203"
#: The dashes of lines: solid, then dashes of matplotlib.
DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 4)))
#: Points from which on they are a picture within the drawing: a mark each would make it large.
_MANY = 400
#: Steps of the shades of cells, each of which is one path.
_LEVELS = 20
#: Values from which on a cell is so dark that its text is white.
_DARK = 0.55
#: Half the width of a box, as a share of the distance of two boxes.
_BOX = 0.33
#: Half the width of the caps of its whiskers.
_CAP = 0.16
#: Diameter of a sample, in points.
_SAMPLE = 4.0
#: Diameter of a sample of a large series, in points.
_SMALL_SAMPLE = 2.5
#: Number of samples from which on a series is large.
_LARGE_SERIES = 200
#: Letters of the names beside samples.
_LONGEST_NAME = 14
#: A whisker ends at the last value within this multiple of the distance of the quartiles.
_WHISKER = 1.5
#: Least number of values with a box.
_FEWEST_OF_BOX = 2


def colour_of(colour: marks.Colour) -> str:
    """Return a colour of matplotlib."""
    if isinstance(colour, int):
        return style_of(colour)[0]
    return {"ink": INK_COLOUR, "grey": GREY}.get(colour, colour)


def marker_of(colour: marks.Colour) -> str:
    """Return the symbol of points of a colour."""
    return style_of(colour)[1] if isinstance(colour, int) else "o"


def draw_mark(axes: Axes, mark: marks.Mark, *, printed: bool) -> None:
    """Draw a mark. In print, cells below the mean have half the height, to differ in grey."""
    if isinstance(mark, marks.Cells):
        _draw_cells(axes, mark, halved=printed)
    else:
        _DRAWN[type(mark)](axes, mark)


def _draw_points(axes: Axes, mark: marks.Points) -> None:
    colour = colour_of(mark.colour)
    if mark.joined:
        axes.plot(mark.x, mark.y, color=colour, linewidth=1.4, alpha=mark.alpha)
    axes.scatter(
        mark.x,
        mark.y,
        s=np.square(mark.size + 0.6),
        marker=marker_of(mark.colour),
        facecolor="none" if mark.hollow else colour,
        edgecolor=colour,
        linewidth=1.0 if mark.hollow else 0.0,
        alpha=mark.alpha,
        rasterized=len(mark.x) > _MANY,
        clip_on=False,
        zorder=3,
    )


def _draw_line(axes: Axes, mark: marks.Line) -> None:
    axes.plot(
        mark.x,
        mark.y,
        color=colour_of(mark.colour),
        linestyle=DASHES[mark.dash],
        linewidth=mark.width,
        alpha=mark.alpha,
    )


def _draw_segments(axes: Axes, mark: marks.Segments) -> None:
    missing = np.full(len(mark.x0), np.nan)
    x = np.column_stack([mark.x0, mark.x1, missing]).ravel()
    y = np.column_stack([mark.y0, mark.y1, missing]).ravel()
    axes.plot(x, y, color=colour_of(mark.colour), linewidth=mark.width)


def _draw_rug(axes: Axes, mark: marks.Rug) -> None:
    x = np.repeat(mark.x, 3)
    y = np.tile([mark.low, mark.high, np.nan], len(mark.x))
    axes.plot(x, y, color=colour_of(mark.colour), linewidth=0.8, alpha=0.8)


def _draw_band(axes: Axes, mark: marks.Band) -> None:
    axes.fill_between(
        mark.x,
        mark.lower,
        mark.upper,
        color=colour_of(mark.colour),
        alpha=mark.alpha,
        linewidth=0,
    )


def _draw_rectangles(axes: Axes, mark: marks.Rectangles) -> None:
    axes.bar(
        mark.x0,
        mark.y1 - mark.y0,
        mark.x1 - mark.x0,
        bottom=mark.y0,
        align="edge",
        color=list(map(colour_of, mark.colours)),
        alpha=mark.alpha,
    )


def _draw_area(axes: Axes, mark: marks.Area) -> None:
    axes.fill(mark.x, mark.y, color=colour_of(mark.colour), alpha=mark.alpha, linewidth=0)


def _draw_regions(axes: Axes, mark: marks.Regions) -> None:
    for code in np.unique(mark.codes):
        inside = (mark.codes == code).astype(float)
        colour = COLOURS[code % len(COLOURS)]
        axes.contourf(mark.x, mark.y, inside, levels=[0.5, 1.5], colors=[colour], alpha=mark.alpha)


def _draw_level(axes: Axes, mark: marks.Level) -> None:
    line = axes.axvline if mark.upright else axes.axhline
    dash = DASHES[mark.dash]
    line(mark.at, color=colour_of(mark.colour), linestyle=dash, linewidth=mark.width)


def _draw_texts(axes: Axes, mark: marks.Texts) -> None:
    for x, y, text in zip(mark.x, mark.y, mark.texts, strict=True):
        axes.annotate(
            text,
            (x, y),
            mark.offset,
            textcoords="offset points",
            color=colour_of(mark.colour),
            size=mark.size,
            ha=mark.align,
            va={"middle": "center"}.get(mark.baseline, mark.baseline),
        )


def _draw_cells(axes: Axes, mark: marks.Cells, *, halved: bool) -> None:
    shares = mark.shares
    if halved or mark.framed:
        _shade(axes, shares, mark.colours[1], mark.first)
        _shade(axes, -shares, mark.colours[0], mark.first, tall=0.5 if halved else 1.0)
    else:
        # An image has a tenth of the bytes of shapes.
        below, above = map(to_rgb, mark.colours)
        cells = np.empty((*shares.shape, 4))
        cells[..., :3] = np.where((shares > 0)[..., None], above, below)
        cells[..., 3] = abs(np.nan_to_num(shares))
        n_rows, n_columns = shares.shape
        extent = (-0.5, n_columns - 0.5, mark.first + n_rows - 0.5, mark.first - 0.5)
        axes.imshow(cells, interpolation="none", aspect="auto", extent=extent)

    if mark.framed:
        rows, columns = np.nonzero(np.ones(shares.shape, bool))
        frame = _squares(rows + mark.first, columns)
        axes.add_artist(PathPatch(frame, fc="none", ec=GREY, alpha=0.6, lw=0.5))
    for i, row in enumerate(mark.texts):
        for j, text in enumerate(row):
            ink = "white" if abs(shares[i, j]) > _DARK else INK_COLOUR
            if text:
                place = (j, i + mark.first)
                axes.text(*place, text, ha="center", va="center_baseline", size=8, color=ink)
    for i, j in mark.outlined:
        corner = (j - 0.46, i + mark.first - 0.46)
        axes.add_artist(Rectangle(corner, 0.92, 0.92, fill=False, ec=ORANGE, lw=1.4))


def _shade(axes: Axes, shares: np.ndarray, colour: str, first: int, *, tall: float = 1.0) -> None:
    """Fill cells in steps of strength, one path for all cells of a step."""
    steps = np.ceil(np.clip(np.nan_to_num(shares), 0, 1) * _LEVELS).astype(int)
    for step in np.unique(steps[steps > 0]):
        rows, columns = np.nonzero(steps == step)
        cells = _squares(rows + first, columns, tall=tall)
        axes.add_artist(PathPatch(cells, fc=colour, alpha=float(step / _LEVELS), ec="none"))


def _squares(rows: np.ndarray, columns: np.ndarray, *, tall: float = 1.0) -> Path:
    """Return rectangles around cells, 1 wide, as one path."""
    corners = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5)])
    corners[:, 1] *= tall
    vertices = (np.stack([columns, rows], axis=1)[:, None, :] + corners).reshape(-1, 2)
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path(vertices, np.tile(codes, len(rows)))


def _draw_strip(axes: Axes, mark: marks.Strip) -> None:
    """Draw a cell per column, equal neighbours as one."""
    codes = np.asarray(mark.codes)
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
        code = codes[start]
        if mark.alphas[code]:
            colour = colour_of(mark.colours[code])
            cell = Rectangle(
                (start - 0.5, mark.y - 0.4), end - start, 0.8, fc=colour,
                alpha=mark.alphas[code], lw=0,
            )  # fmt: skip
            axes.add_artist(cell)


def _box_of(values: np.ndarray) -> tuple[float, ...]:
    """Return the ends of a box plot: whisker, quartile, median, quartile, whisker.

    Examples
    --------
    >>> _box_of(np.array([1.0, 2.0, 3.0, 4.0, 50.0]))
    (1.0, 1.75, 3.0, 15.5, 4.0)
    """
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="hazen").tolist()
    reach = _WHISKER * (high - low)
    first = values[values >= low - reach].min()
    last = values[values <= high + reach].max()
    return float(first), low, middle, high, float(last)


def _draw_boxes(axes: Axes, mark: marks.Boxes) -> None:
    for code in np.unique(mark.codes):
        values = mark.values[(mark.codes == code) & ~np.isnan(mark.values)]
        if len(values) < _FEWEST_OF_BOX:
            continue
        first, low, middle, high, last = _box_of(values)
        left, right = code - _BOX, code + _BOX
        caps = [code - _CAP, code + _CAP]
        x = [left, right, right, left, left, np.nan, code, code, np.nan, code, code]
        y = [low, low, high, high, low, np.nan, first, low, np.nan, high, last]
        x += [np.nan, *caps, np.nan, *caps]
        y += [np.nan, first, first, np.nan, last, last]
        axes.plot(x, y, color=INK_COLOUR, linewidth=0.8)
        axes.plot([left, right], [middle, middle], color=INK_COLOUR, linewidth=1.8)


def _draw_samples(axes: Axes, mark: marks.Samples) -> None:
    size = _SAMPLE if len(mark.x) <= _LARGE_SERIES else _SMALL_SAMPLE
    groups = np.asarray(mark.groups, dtype=object)
    for i, group in enumerate(mark.order):
        chosen = groups == group
        points = marks.Points(x=mark.x[chosen], y=mark.y[chosen], colour=i, size=size, alpha=0.8)
        _draw_points(axes, points)
    middle = np.mean(axes.get_xlim())
    for x, y, name in zip(mark.x, mark.y, mark.named, strict=False):
        if name:
            is_right = x > middle
            texts = marks.Texts(
                x=np.array([x]),
                y=np.array([y]),
                texts=[name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"],
                align="right" if is_right else "left",
                baseline="bottom",
                offset=(-4.0 if is_right else 4.0, 1.0),
                size=7.5,
            )
            _draw_texts(axes, texts)


def legend_entries(
    panels: Sequence[marks.ChartPanel], keys: Sequence[marks.LegendKey]
) -> list[tuple[Line2D, str]]:
    """Return the entries of a legend, a sign and a text: labels of marks, groups, and keys."""
    entries: list[tuple[Line2D, str]] = []
    for panel in panels:
        for mark in panel.marks:
            if isinstance(mark, marks.Samples):
                for i, group in enumerate(mark.order):
                    points = marks.Points(x=mark.x[:0], y=mark.y[:0], colour=i, label=group)
                    entries.append((_handle_of(points), group))
            elif getattr(mark, "label", ""):
                entries.append((_handle_of(mark), mark.label))  # type: ignore[union-attr]
    for key in keys:
        square = Line2D([], [], linestyle="", marker="s", markersize=7, markeredgewidth=0)
        square.set(color=colour_of(key.colour), alpha=key.alpha)
        entries.append((square, key.text))
    return entries


def _handle_of(mark: Any) -> Line2D:
    """Return the sign of a mark in a legend."""
    colour = colour_of(mark.colour)
    if isinstance(mark, marks.Points):
        size = min(7.0, float(np.max(mark.size, initial=4.5)))
        face = "none" if mark.hollow else colour
        sign = Line2D([], [], color=colour, marker=marker_of(mark.colour), markerfacecolor=face)
        sign.set(markersize=max(4.0, size), linewidth=1.4 if mark.joined else 0.0)
        return sign
    dash = DASHES[getattr(mark, "dash", 0)]
    return Line2D([], [], color=colour, linestyle=dash, linewidth=mark.width)


#: The function that draws a mark, by its class; cells have further arguments, see `draw_mark`.
_DRAWN: dict[type, Callable[[Axes, Any], None]] = {
    marks.Points: _draw_points,
    marks.Line: _draw_line,
    marks.Segments: _draw_segments,
    marks.Rug: _draw_rug,
    marks.Band: _draw_band,
    marks.Rectangles: _draw_rectangles,
    marks.Area: _draw_area,
    marks.Regions: _draw_regions,
    marks.Level: _draw_level,
    marks.Texts: _draw_texts,
    marks.Strip: _draw_strip,
    marks.Boxes: _draw_boxes,
    marks.Samples: _draw_samples,
}
