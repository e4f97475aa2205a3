"""Charts as files for print: SVG, PDF and PNG."""

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


def print_figure(chart: Chart, path: Path, width: float) -> float:
    """Draw a chart for print and write it as SVG, PDF and PNG of 600 dots per inch.

    ``path`` is the path of the files without an ending, ``width`` is in millimetres. The result is
    the drawn width, which is greater if the labels need it, since text is not scaled.
    """
    with _for_print(chart, width, path.name) as figure:
        for kind, date in (("svg", "Date"), ("pdf", "CreationDate"), ("png", "Software")):
            save = partial(figure.savefig, format=kind, metadata={date: None})
            write_atomically(path.with_name(f"{path.name}.{kind}"), save)
        return float(figure.get_figwidth() * _MM_PER_INCH)


@contextmanager
def _for_print(chart: Chart, width: float, name: str) -> Iterator[Figure]:
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
