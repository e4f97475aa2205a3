"""One style for all figures: colours that the colour-blind tell apart, text as on the page."""

import io
import re
from collections.abc import Sequence

import matplotlib as mpl
from matplotlib.figure import Figure

__all__ = ["COLOURS", "INK", "classifier_colours", "new_figure", "svg"]

#: Okabe and Ito's palette (2008), without black and yellow: distinct to the colour-blind.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D46", "#7F7F7F")

#: Stands for the page's text colour: black on a light page, white on a dark one.
INK = "#010203"

_STYLE = {
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.prop_cycle": mpl.cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": "medium",
    "figure.constrained_layout.use": True,
    "font.family": "sans-serif",
    "font.size": 10,
    "grid.color": "#8888884d",
    "legend.frameon": False,
    "savefig.transparent": True,
    "svg.fonttype": "none",
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def new_figure(width: float = 7.0, height: float = 4.0) -> Figure:
    """Return an empty figure in the house style, size in inches."""
    mpl.rcParams.update(_STYLE)
    return Figure(figsize=(width, height))


def classifier_colours(classifiers: Sequence[str]) -> dict[str, str]:
    """Return a colour per classifier, the same in every figure of a study."""
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(classifiers)}


def svg(figure: Figure, name: str) -> str:
    """Return a figure as an ``<svg>`` element that can stand in a page beside others.

    Parameters
    ----------
    figure : Figure
        Drawn on `new_figure`.
    name : str
        Prefix of every id in it, and the seed of the generated ones: the same figure gives the same
        text every time.
    """
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    text = re.sub(r"\s*<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\1#{name}-", text)
    return text.strip()
