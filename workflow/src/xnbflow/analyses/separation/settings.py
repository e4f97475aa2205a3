"""The methods that the separation study compares, and how its pictures name its distributions."""

import re
from collections.abc import Iterable

__all__ = ["ALL", "BY_TRUTH", "EQ22", "ESTIMATED", "REAL", "STYLES", "setting_rows"]

#: The methods of `xnbflow.analyses.separation.simulation`; those of `BY_TRUTH` cannot be had.
ALL, EQ22, ESTIMATED = "all blocks", "Eq. 22 as printed", "weights, estimated H"
REAL = (EQ22, "Eq. 22, bias removed", "best threshold, estimated H", ESTIMATED)
BY_TRUTH = ("weights, known H", "threshold at the true scores")
STYLES = {method: i for i, method in enumerate((*REAL, *BY_TRUTH, ALL))}


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
