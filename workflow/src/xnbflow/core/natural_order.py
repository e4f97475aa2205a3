"""The order of texts by the numbers within them: 0 h, 6 h, 24 h."""

import re


def natural_key(text: str) -> tuple[tuple[int, float, str], ...]:
    """Return a key by which numbers within texts sort as numbers.

    Examples
    --------
    >>> sorted(["24 h", "0 h", "6 h"], key=natural_key)
    ['0 h', '6 h', '24 h']
    """
    key = []
    # With a group in the pattern every second piece is a number: "6 h" becomes "", "6", " h".
    for place, piece in enumerate(re.split(r"(\d+(?:\.\d+)?)", text)):
        if place % 2:
            key.append((0, float(piece), ""))
        elif piece:
            key.append((1, 0.0, piece.lower()))
    return tuple(key)
