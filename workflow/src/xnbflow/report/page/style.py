"""One style for all figures: colours for colour-blind readers, text as on the page."""

import io
import math
import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler
from matplotlib.ticker import MaxNLocator

from xnbflow.core.atomic import write_atomically

#: Okabe and Ito's palette (2008) without black and yellow, which vanish on a dark or light page.
#: Blue and orange are below and above a mean, or lower and higher in a class: they come last, so
#: that a class has one colour in every picture. The first two also differ for the colour-blind.
BLUE = "#0072B2"
ORANGE = "#D55E00"
COLOURS = ("#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D46", "#7F7F7F", BLUE, ORANGE)
#: Colour of less important parts; legible on a light and on a dark page.
GREY = "#888888"
#: Placeholder of the page's text colour: black on a light page, white on a dark one.
INK = "#010203"
#: Marks in addition to colours, for readers who do not see these.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Number of classes with different looks, see `style_of`. Beyond it colours would mislead.
N_STYLES = len(COLOURS) * len(MARKERS)
#: Inches that a line of text needs.
_LINE = 0.13


def style_of(i: int) -> tuple[str, str]:
    """Colour and marker of the class, group or line `i`: no two of the first 64 are equal."""
    n_colours = len(COLOURS)
    return COLOURS[i % n_colours], MARKERS[(i + i // n_colours) % len(MARKERS)]


#: Colours of strips of other columns, different from those of the classes.
_STRIP_COLOURS = ("#5B4B8A", "#B9A8E0", "#3D5A5C", "#A3C4C6", "#6B4A3A", "#D0B5A5", INK, GREY)


def strip_style_of(i: int) -> tuple[str, float]:
    """Colour and opacity of class `i` in a strip of cells, which has no markers."""
    return COLOURS[i % len(COLOURS)], 1.0 if i < len(COLOURS) else 0.45


def strip_colour(i: int) -> str:
    """Colour of strip `i` or of its category `i`, different from those of the classes."""
    return _STRIP_COLOURS[i % len(_STRIP_COLOURS)]


#: Styles of curves in addition to colours: solid, then dashes of matplotlib.
DASHES: tuple[Any, ...] = ("-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)), (0, (1, 4)))

_STYLE: dict[str, Any] = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.xmargin": 0.02,
    "font.family": "sans-serif",
    "font.size": 9,
    "grid.color": "#8888884d",
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
}

_ON_PAPER: dict[str, Any] = {
    "pdf.fonttype": 42,
    "savefig.dpi": 600,
    "savefig.facecolor": "white",
    "savefig.transparent": False,
    "svg.fonttype": "path",
}

_MM_PER_INCH = 25.4
_POINTS_PER_INCH = 72
#: Inches of a column in print; none on a page.
_COLUMN: ContextVar[float | None] = ContextVar("column", default=None)
#: Multiples of powers of ten at which axes have ticks.
ROUND = (1, 2, 5, 10)
#: Least size of text in points: 10 pixels on a screen.
_LEAST = 7.5
#: Points between the axes and the text beside them.
_PAD = 3.5

_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"


def column_width(natural: float) -> float:
    """Return the width of a figure in inches: that of the column in print, else the given one."""
    return _COLUMN.get() or natural


def label_width(labels: Sequence[str], size: float = 9.0) -> float:
    """Return the inches that the widest of some labels takes at a font size in points.

    Capital letters are wider, and CJK characters are wider still.
    """
    widths = [sum(map(_letter_width, label)) for label in labels]
    return 0.0087 * size * max(widths, default=0.0)


def _letter_width(letter: str) -> float:
    """Return the width of a letter, in widths of a small one."""
    return 1 + 0.6 * (letter > "\u2e80") + 0.3 * letter.isupper()


def shorten(name: str, length: int = 26) -> str:
    """Return a name that fits a figure; the tables give it in full.

    Examples
    --------
    >>> shorten("a_rather_long_name_of_a_feature", 12)
    'a_rather_lo…'
    """
    return name if len(name) <= length else f"{name[: length - 1]}…"


def shorten_to(name: str, length: int, inches: float) -> str:
    """Return a name of at most a number of letters that also fits a width in inches.

    Examples
    --------
    >>> shorten_to("a_rather_long_name", 12, 2.0), shorten_to("A_RATHER_LONG_NAME", 12, 0.8)
    ('a_rather_lo…', 'A_RATHE…')
    """
    shown = shorten(name, length)
    while label_width([shown]) > inches and len(shown) > 1:
        shown = shorten(name, len(shown) - 1)
    return shown


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return the number of labels of a legend that fit side by side in a width in inches."""
    return max(1, min(len(labels), int(width / (0.45 + label_width(labels)))))


def legend_room(labels: Sequence[str], width: float) -> tuple[int, float]:
    """Return `legend_columns`, and the height of a legend with these columns in inches."""
    columns = legend_columns(labels, width)
    return columns, 0.2 * -(-len(labels) // columns)


def legend_above(axes: Axes, columns: int) -> None:
    """Put the legend above the axes; leave 0.2 inches per row and 0.1 more at the top."""
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(-0.01, 1.0),
        borderaxespad=0.1,
        ncols=columns,
        columnspacing=1.0,
        handletextpad=0.3,
        labelspacing=0.3,
    )


def write_heading(figure: Figure, text: str, size: float = 10) -> None:
    """Write a heading in the upper left corner of a figure: a long one small, in several lines."""
    width, height = figure.get_size_inches()
    for lines, points in enumerate((size, max(0.8 * size, _LEAST), _LEAST), 1):
        letters = int(len(text) * (width - 0.12) / max(label_width([text], points), 1e-9))
        wrapped = textwrap.wrap(text, max(1, letters))
        if len(wrapped) <= lines:
            break
    place = (0.06 / width, 1 - 0.08 / height)
    whole = "\n".join(wrapped)
    figure.text(*place, whole, va="top", weight="bold", size=points, linespacing=1.0)


def plain_number(value: float, _: float | None = None) -> str:
    """Return a tick's label without powers of ten: 0.1, 1, 1,000, 10 M.

    Examples
    --------
    >>> plain_number(1000.0), plain_number(1e7), plain_number(0.1)
    ('1,000', '10 M', '0.1')
    """
    if value >= 1e6:
        return f"{value / 1e6:,.0f} M"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def new_axes(
    width: float,
    height: float,
    *,
    left: float = 0.6,
    right: float = 0.1,
    bottom: float = 0.45,
    top: float = 0.3,
    **properties: Any,
) -> tuple[Figure, Axes]:
    """Return a figure with one pair of axes; sizes and margins in inches.

    Margins are arguments because their computation from the text takes longer than the drawing.
    """
    figure = Figure(figsize=(width, height))
    inner = ((width - left - right) / width, (height - bottom - top) / height)
    axes = figure.add_axes((left / width, bottom / height, *inner), **properties)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=ROUND))
    return figure, axes


def name_rows(
    axes: Axes, places: Iterable[float], labels: Sequence[str], size: float = 9.0
) -> None:
    """Write names left of the axes at places on the y axis, without ticks, which take longer."""
    axes.set_yticks([])
    beside, va, ha = axes.get_yaxis_text1_transform(_PAD)
    for place, label in zip(places, labels, strict=True):
        axes.text(0, place, label, transform=beside, va=va, ha=ha, size=size)


def name_columns(axes: Axes, labels: Sequence[str], *, upright: bool) -> None:
    """Write names below the axes at 0, 1, 2, ..., across or upright, without ticks.

    Of many names that would overlap every second, third, ... is written.
    """
    axes.set_xticks([])
    below, va, ha = axes.get_xaxis_text1_transform(_PAD)
    first, last = axes.get_xlim()
    inches = axes.get_window_extent().width / axes.figure.dpi / (last - first)
    every = 1 if upright else max(1, math.ceil(_LINE / inches))
    for place in range(0, len(labels), every):
        label = labels[place]
        axes.text(place, 0, label, transform=below, va=va, ha=ha, rotation=0 if upright else 90)


def render(name: str, draw: Callable[..., Figure], arguments: Mapping[str, Any]) -> str:
    """Draw a figure and return it as an ``<svg>`` element that can be in a page beside others.

    ``draw`` returns the figure, made by `new_axes`, of its keyword ``arguments``. ``name`` is the
    seed of every id in it: ids of two figures differ, and the same figure gives the same text every
    time. ``data-axes`` has left, top, width and height of its only axes in points, and their limits
    of x and y.
    """
    buffer = io.StringIO()
    with _styled({"svg.hashsalt": name}):
        figure = draw(**arguments)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = _tidied(buffer.getvalue()).replace(INK, "currentColor")
    return svg.replace("<svg ", f'<svg data-axes="{_place_of_axes(figure)}" ', 1)


def _place_of_axes(figure: Figure) -> str:
    """Return left, top, width, height and limits of the axes in points; "" for several axes."""
    if len(figure.axes) != 1:
        return ""
    (axes,) = figure.axes
    width, height = figure.get_size_inches() * _POINTS_PER_INCH
    box = axes.get_position()
    place = (box.x0 * width, (1 - box.y1) * height, box.width * width, box.height * height)
    return " ".join(f"{number:.6g}" for number in (*place, *axes.get_xlim(), *axes.get_ylim()))


def print_figure(
    draw: Callable[..., Figure], arguments: Mapping[str, Any], path: Path, width: float
) -> float:
    """Draw a figure for print and write it as SVG, PDF and PNG of 600 dots per inch.

    ``path`` is that of the files without their endings, ``width`` millimetres. The result is the
    drawn width, which is greater if the labels need it, since text is not scaled.
    """
    with for_print(draw, arguments, width, path.name) as figure:
        for kind, date in (("svg", "Date"), ("pdf", "CreationDate"), ("png", "Software")):
            save = partial(figure.savefig, format=kind, metadata={date: None})
            write_atomically(path.with_name(f"{path.name}.{kind}"), save)
        return float(figure.get_figwidth() * _MM_PER_INCH)


@contextmanager
def for_print(
    draw: Callable[..., Figure], arguments: Mapping[str, Any], width: float, name: str
) -> Iterator[Figure]:
    """Draw a figure of a width in millimetres, and keep the style until it is saved."""
    token = _COLUMN.set(width / _MM_PER_INCH)
    try:
        with _styled(_ON_PAPER | {"svg.hashsalt": name}):
            yield draw(**arguments)
    finally:
        _COLUMN.reset(token)


@contextmanager
def _styled(look: dict[str, Any]) -> Iterator[None]:
    """Draw in the style of the page, and without a warning of letters that a font lacks."""
    settings: Any = _STYLE | look
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


#: Parts of matplotlib's files that a page does not need: preamble, metadata, style, hidden shapes.
_NEEDLESS = re.compile(
    r"^.*?(?=<svg)|<metadata>.*?</metadata>|<style.*?</style>"
    r'|<path[^>]*style="fill: none"/>|(?<=>)\s*\n\s*(?=<)',
    re.DOTALL,
)
#: The same within an element: fonts, rotations by nothing, decimals beyond a fiftieth of a pixel.
_IN_ELEMENT = re.compile(
    r"font-family: [^;\"]*;? ?| transform=\"rotate\(-0 [^\"]*\"|(?<=\.\d\d)\d+|\s+(?=[A-Zz]\b)"
)


def _tidied(svg: str) -> str:
    """Return the ``<svg>`` element without unused definitions, with rounded coordinates."""
    svg = _NEEDLESS.sub("", svg)
    used = set(re.findall(r"#(\w+)", svg))

    def tidied(element: re.Match[str]) -> str:
        text = re.sub(r' id="([^"]*)"', lambda i: i[0] if i[1] in used else "", element[0])
        return _IN_ELEMENT.sub("", text)

    svg = re.sub(r"<[^>]+>", tidied, svg)
    return svg.replace("<svg ", f'<svg font-family="{_FONT}" stroke-linejoin="round" ', 1)
