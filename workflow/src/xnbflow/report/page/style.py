"""One style for all figures: colours that the colour-blind tell apart, text as on the page."""

import io
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

from xnbflow.data.atomic import write_atomically

__all__ = [
    "COLOURS",
    "GREY",
    "INK",
    "MARKERS",
    "label_width",
    "legend_above",
    "legend_columns",
    "legend_room",
    "name_columns",
    "name_rows",
    "new_axes",
    "nothing",
    "plain_number",
    "render",
    "render_png",
    "shorten",
    "write_heading",
]

#: Okabe and Ito's palette (2008) without black and yellow, which vanish on a dark or light page.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D46", "#7F7F7F")
#: A second mark of the same things, for those who see no colours.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: What is less important; legible on a light and on a dark page.
GREY = "#888888"
#: Stands for the page's text colour: black on a light page, white on a dark one.
INK = "#010203"

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

_ON_PAPER: dict[str, Any] = {"savefig.facecolor": "white", "savefig.transparent": False}

#: Points between the axes and what is written beside them.
_PAD = 3.5

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"


def label_width(labels: Sequence[str], size: float = 9.0) -> float:
    """Return the inches that the longest of some labels takes at a font size in points."""
    return 0.0087 * size * max((len(label) for label in labels), default=0)


def shorten(name: str, length: int = 26) -> str:
    """Return a name that fits a figure; the tables give it in full.

    Examples
    --------
    >>> shorten("a_rather_long_name_of_a_feature", 12)
    'a_rather_lo…'
    """
    return name if len(name) <= length else f"{name[: length - 1]}…"


def legend_columns(labels: Sequence[str], width: float) -> int:
    """Return how many labels of a legend stand side by side in so many inches."""
    return max(1, min(len(labels), int(width / (0.45 + label_width(labels)))))


def legend_room(labels: Sequence[str], width: float) -> tuple[int, float]:
    """Return `legend_columns`, and the inches that a legend with as many columns is high."""
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
    """Write a heading in the upper left corner of a figure."""
    width, height = figure.get_size_inches()
    figure.text(0.06 / width, 1 - 0.08 / height, text, va="top", weight="bold", size=size)


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

    Margins are given because working them out from the text takes longer than all the drawing.
    """
    figure = Figure(figsize=(width, height))
    box = (
        left / width,
        bottom / height,
        (width - left - right) / width,
        (height - bottom - top) / height,
    )
    return figure, figure.add_axes(box, **properties)


def name_rows(
    axes: Axes, places: Iterable[float], labels: Sequence[str], size: float = 9.0
) -> None:
    """Write names left of the axes, without ticks: each takes longer than a text.

    Parameters
    ----------
    axes : Axes
    places : iterable of float
        Where each name stands on the y axis.
    labels : sequence of str
    size : float
        Of the text, in points.
    """
    axes.set_yticks([])
    beside, va, ha = axes.get_yaxis_text1_transform(_PAD)
    for place, label in zip(places, labels, strict=True):
        axes.text(0, place, label, transform=beside, va=va, ha=ha, size=size)


def name_columns(axes: Axes, labels: Sequence[str], *, upright: bool) -> None:
    """Write names below the axes at 0, 1, 2, ..., across or upright, without ticks."""
    axes.set_xticks([])
    below, va, ha = axes.get_xaxis_text1_transform(_PAD)
    for place, label in enumerate(labels):
        axes.text(place, 0, label, transform=below, va=va, ha=ha, rotation=0 if upright else 90)


def nothing() -> Figure:
    """Return an empty figure: what a process draws first, to have imported all it needs."""
    return Figure(figsize=(1, 1))


def render(name: str, draw: Callable[..., Figure], arguments: Mapping[str, Any]) -> str:
    """Draw a figure and return it as an ``<svg>`` element that can stand in a page beside others.

    Parameters
    ----------
    name : str
        Seed of every id in it: ids of two figures differ, and the same figure gives the same text
        every time.
    draw : callable
        Returns the figure, made by `new_axes`.
    arguments : mapping
        Its keyword arguments.
    """
    buffer = io.StringIO()
    with _styled({"svg.hashsalt": name}):
        draw(**arguments).savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    root = ET.fromstring(buffer.getvalue())  # noqa: S314  our own text
    _tidy(root)
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", _XLINK)
    return ET.tostring(root, encoding="unicode").replace(INK, "currentColor")


def render_png(draw: Callable[..., Figure], arguments: Mapping[str, Any], path: str | Path) -> None:
    """Draw a figure and write it as PNG of 300 dots per inch, black on white.

    Parameters
    ----------
    draw, arguments
        As in `render`.
    path : path
        Where to write.
    """
    with _styled(_ON_PAPER):
        figure = draw(**arguments)
        write_atomically(path, lambda part: figure.savefig(part, format="png", dpi=300))


@contextmanager
def _styled(look: dict[str, Any]) -> Iterator[None]:
    """Draw in the style of the page, and without a warning of letters that a font lacks."""
    settings: Any = _STYLE | look
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield


def _tidy(root: ET.Element) -> None:
    """Leave out what nothing refers to, and round coordinates."""
    text = "\n".join(value for element in root.iter() for value in element.attrib.values())
    used = set(re.findall(r"(?:url\(#|^#)([^)\n]+)", text, flags=re.MULTILINE))
    root.set("font-family", _FONT)
    root.set("stroke-linejoin", "round")
    for element in list(root.iter()):
        for child in list(element):
            invisible = child.tag == f"{{{_SVG}}}path" and child.get("style") == "fill: none"
            if invisible or child.tag in {f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"}:
                element.remove(child)
        _tidy_element(element, used)
    _dissolve_plain_groups(root)


def _tidy_element(element: ET.Element, used: set[str]) -> None:
    element.tail = None
    if element.text is not None and not element.text.strip():
        element.text = None
    for key, value in list(element.attrib.items()):
        if (key == "id" and value not in used) or value.startswith("rotate(-0 "):
            element.attrib.pop(key)
        elif key == "style":
            element.set(key, re.sub(r"font-family: [^;]*;? ?", "", value).replace(": ", ":"))
        elif key in {"d", "x", "y", "transform", "width", "height"}:
            element.set(key, _rounded(value))


def _rounded(numbers: str) -> str:
    """Return coordinates with two decimals (a fiftieth of a pixel) and no needless space."""
    numbers = re.sub(r"(?<=\.\d\d)\d+", "", numbers)
    return re.sub(r"\s*([A-Zz])\s*", r"\1", numbers).strip() if "\n" in numbers else numbers


def _dissolve_plain_groups(element: ET.Element) -> None:
    """Put the content of groups that say nothing in their place."""
    for child in list(element):
        _dissolve_plain_groups(child)
    for position in range(len(element) - 1, -1, -1):
        child = element[position]
        if child.tag == f"{{{_SVG}}}g" and not child.attrib:
            element[position : position + 1] = list(child)
        elif child.tag == f"{{{_SVG}}}defs" and not len(child):
            element.remove(child)
