"""Charts as files: SVG that fits a page, and SVG, PDF and PNG for print."""

import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.rcsetup import cycler

from xnbflow.core.atomic import write_atomically
from xnbflow.report.drawings.marks import Chart
from xnbflow.report.page.style import COLOURS
from xnbflow.report.static.artists import INK_COLOUR
from xnbflow.report.static.chart_figure import draw_chart

_STYLE: dict[str, Any] = {
    "axes.edgecolor": INK_COLOUR,
    "axes.labelcolor": INK_COLOUR,
    "axes.linewidth": 0.6,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK_COLOUR,
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
    "text.color": INK_COLOUR,
    "text.parse_math": False,
    "xtick.color": INK_COLOUR,
    "ytick.color": INK_COLOUR,
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

_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', Arial, sans-serif"

#: The style in a figure's file, which follows the reader's light or dark theme.
_THEMES = (
    "<style>:root{color:#1b1f24;background:#fff}"
    "@media(prefers-color-scheme:dark){:root{color:#e6e8eb;background:#16191d}}</style>"
)
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


def render(name: str, chart: Chart) -> str:
    """Draw a chart and return it as an ``<svg>`` element that can be in a page beside others.

    ``name`` is the seed of every id in it: ids of two figures differ, and the same chart gives the
    same text every time.
    """
    buffer = io.StringIO()
    with _style_of_print({"svg.hashsalt": name}):
        figure = draw_chart(chart)
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})

    # The ``<svg>`` element without unused definitions, with rounded coordinates.
    svg = buffer.getvalue()
    svg = _NEEDLESS.sub("", svg)
    used = set(re.findall(r"#(\w+)", svg))

    def tidy(element: re.Match[str]) -> str:
        text = re.sub(r' id="([^"]*)"', lambda i: i[0] if i[1] in used else "", element[0])
        return _IN_ELEMENT.sub("", text)

    svg = re.sub(r"<[^>]+>", tidy, svg)
    svg = svg.replace("<svg ", f'<svg font-family="{_FONT}" stroke-linejoin="round" ', 1)

    return svg.replace(INK_COLOUR, "currentColor")


def write_svg(path: Path, chart: Chart) -> None:
    """Write a chart as an SVG file, light or dark as the reader's browser."""
    svg = render(path.stem, chart).replace(">", f">{_THEMES}", 1)
    text = f'<?xml version="1.0" encoding="utf-8"?>\n{svg}\n'
    write_atomically(path, lambda part: part.write_text(text, encoding="utf-8"))


def print_figure(chart: Chart, path: Path, width: float) -> float:
    """Draw a chart for print and write it as SVG, PDF and PNG of 600 dots per inch.

    ``path`` is the path of the files without an ending, ``width`` is in millimetres. The result is
    the drawn width, which is greater if the labels need it, since text is not scaled.
    """
    with for_print(chart, width, path.name) as figure:
        for kind, date in (("svg", "Date"), ("pdf", "CreationDate"), ("png", "Software")):
            save = partial(figure.savefig, format=kind, metadata={date: None})
            write_atomically(path.with_name(f"{path.name}.{kind}"), save)
        return float(figure.get_figwidth() * _MM_PER_INCH)


@contextmanager
def for_print(chart: Chart, width: float, name: str) -> Iterator[Figure]:
    """Draw a chart of a width in millimetres, and keep the style until it is saved."""
    with _style_of_print(_ON_PAPER | {"svg.hashsalt": name}):
        yield draw_chart(chart, width / _MM_PER_INCH)


@contextmanager
def _style_of_print(look: dict[str, Any]) -> Iterator[None]:
    """Draw in the style of the page, and without a warning of letters that a font lacks."""
    settings: Any = _STYLE | look
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        yield
