"""The room that names and legends of a figure need, in inches, without drawing them."""

import math
from collections.abc import Sequence

from xnbflow.report.page.style import shorten

#: Height of a line of text, in inches.
LINE = 0.13
#: Height of a row of a legend, in inches.
LEGEND_ROW = 0.17
#: Size of the text of a legend, in points.
LEGEND_SIZE = 8.0
#: Width of a sign of a legend with the gaps around it, in inches.
SIGN_ROOM = 0.42
#: Width of a sign of a legend, in inches.
SIGN = 0.22


def label_width(labels: Sequence[str], size: float = 9.0) -> float:
    """Return the inches that the widest of some labels takes at a font size in points.

    Capital letters are wider, and CJK characters are wider still.
    """
    widths = [sum(map(_letter_width, label)) for label in labels]
    return 0.0087 * size * max(widths, default=0.0)


def _letter_width(letter: str) -> float:
    """Return the width of a letter, in widths of a small one."""
    return 1 + 0.6 * (letter > "\u2e80") + 0.3 * letter.isupper()


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


def shorten_middle(name: str, inches: float) -> str:
    """Return a name that fits a width, without its middle: long ones often differ in the last word.

    Examples
    --------
    >>> shorten_middle("collected at the first site", 1.0)
    'colle… site'
    """
    if label_width([name], LEGEND_SIZE) <= inches:
        return name
    half = max(1, int(5 * inches))
    return f"{name[:half]}…{name[-half:]}"


def legend_positions(labels: Sequence[str], width: float) -> list[tuple[float, int]]:
    """Return for each label of a legend its inches from the left, and its row.

    Labels follow each other; one that does not fit a width in inches begins the next row.

    Examples
    --------
    >>> [row for _, row in legend_positions(["a", "b", "long" * 7, "c"], 3.0)]
    [0, 0, 1, 1]
    """
    positions = []
    x = 0.0
    row = 0
    for label in labels:
        needed = SIGN_ROOM + label_width([label], LEGEND_SIZE)
        if x and x + needed > width:
            x = 0.0
            row += 1
        positions.append((x, row))
        x += needed
    return positions


def fit_across(names: Sequence[str], gap: float) -> bool:
    """Return whether names with a distance of ``gap`` inches fit beside each other."""
    return label_width(names) < gap


def every_name(gap: float) -> int:
    """Return 1, 2, 3, ... if of upright names every one, every second, third, ... is written."""
    return max(1, math.ceil(LINE / gap)) if gap > 0 else 1
