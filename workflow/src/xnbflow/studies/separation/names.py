"""Names of the methods that the separation study compares, and of its distributions in pictures."""

import re
from collections.abc import Iterable

__all__ = [
    "ALL",
    "ALL_BLOCKS",
    "BEST_THRESHOLD",
    "BIAS_REMOVED",
    "BY_TRUTH",
    "EQ22",
    "ESTIMATED_WEIGHTS",
    "KNOWN_WEIGHTS",
    "REAL",
    "STYLES",
    "TRUE_SCORES",
    "setting_rows",
]

#: Of distributions or sample sizes: all of them together.
ALL = "all"

ALL_BLOCKS = "all blocks"
EQ22 = "Eq. 22 as printed"
BIAS_REMOVED = "Eq. 22, bias removed"
BEST_THRESHOLD = "best threshold, estimated H"
ESTIMATED_WEIGHTS = "weights, estimated H"
KNOWN_WEIGHTS = "weights, known H"
TRUE_SCORES = "threshold at the true scores"
#: Methods that select and can be had, and those that need the truth and cannot.
REAL = (EQ22, BIAS_REMOVED, BEST_THRESHOLD, ESTIMATED_WEIGHTS)
BY_TRUTH = (KNOWN_WEIGHTS, TRUE_SCORES)
STYLES = {method: i for i, method in enumerate((*REAL, *BY_TRUTH, ALL_BLOCKS))}


def setting_rows(settings: Iterable[str]) -> list[tuple[str, list[str]]]:
    """Return headings with the labels of their rows, in the order of the settings."""
    rows: list[tuple[str, list[str]]] = []
    for heading, label in map(_parts, settings):
        if not rows or rows[-1][0] != heading:
            rows.append((heading, []))
        rows[-1][1].append(label)
    return rows


def _parts(setting: str) -> tuple[str, str]:
    """Return the kind of a distribution and its parameters, for a heading and a row.

    Examples
    --------
    >>> _parts("10% useless, others uniform on [0, 20]")
    ('10% useless, others uniform on', '[0, 20]')
    """
    found = re.fullmatch(r"(.*\S) ([\[(].*)", setting)
    return (found[1], found[2]) if found else ("distribution", setting)
