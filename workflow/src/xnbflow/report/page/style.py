"""One style for all charts: colours for colour-blind readers, symbols, dashes, short names."""

#: Below and above a mean, or lower and higher in a class; no class has these colours.
BLUE = "#0072B2"
ORANGE = "#D55E00"
#: Colours of classes: those of Okabe and Ito's palette (2008) without black and yellow, which
#: vanish on a dark or light page, and without blue and orange; then brown, grey, violet and olive.
#: The first two also differ for the colour-blind.
COLOURS = (
    "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#8C6D46", "#7F7F7F", "#7028E8", "#999933"
)  # fmt: skip
#: Colour of less important parts; legible on a light and on a dark page.
GREY = "#888888"
#: The colour of the text: black on a light page, white on a dark one.
INK = "ink"
#: Marks in addition to colours, for readers who do not see these; names of matplotlib.
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
#: Number of classes with different looks, see `style_of`. Beyond it colours would mislead.
N_STYLES = len(COLOURS) * len(_MARKERS)
#: Number of dashes of lines, solid first, in addition to colours; see `xnbflow.report.static`.
N_DASHES = 6
#: Colours of strips of other columns, different from the colours of classes.
_STRIP_COLOURS = ("#5B4B8A", "#B9A8E0", "#3D5A5C", "#A3C4C6", "#6B4A3A", "#D0B5A5", INK, GREY)


def style_of(i: int) -> tuple[str, str]:
    """Colour and marker of the class, group or line `i`: no two of the first 64 are equal."""
    n_colours = len(COLOURS)
    return COLOURS[i % n_colours], _MARKERS[(i + i // n_colours) % len(_MARKERS)]


def strip_style_of(i: int) -> tuple[str, float]:
    """Colour and opacity of class `i` in a strip of cells, which has no markers."""
    return COLOURS[i % len(COLOURS)], 1.0 if i < len(COLOURS) else 0.45


def strip_colour(i: int) -> str:
    """Colour of strip `i` or of its category `i`, different from the colours of classes."""
    return _STRIP_COLOURS[i % len(_STRIP_COLOURS)]


def shorten(name: str, length: int = 26) -> str:
    """Return a name that fits a figure; the tables give it in full.

    Examples
    --------
    >>> shorten("a_rather_long_name_of_a_feature", 12)
    'a_rather_lo…'
    """
    return name if len(name) <= length else f"{name[: length - 1]}…"
