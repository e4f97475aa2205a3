"""Comparisons of several classes that a study may add to its design (``contrasts``)."""

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from xnbflow.data.controls import control_class

#: Pairs up to which all are proposed: those of five classes.
_MOST_PAIRS = 10
#: Classes whose pairs differ in something that the comparison with all others does not show.
_FEWEST_CLASSES = 3
#: Words with which a comparison is written, so that no class can contain them.
_RESERVED = (" vs ", " within ")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def proposed_contrasts(classes: Sequence[str] | np.ndarray, reference: str = "") -> list[str]:
    """Return comparisons of single classes, as a design writes them; empty for two classes.

    A class is compared with the mean of all others by default, which are not alike. Of up to five
    classes all pairs are proposed, of more those with the control, if there is one. The control
    (the ``reference``, or a class with such a name) comes second. With a ``reference`` its pairs
    are compared in any case and are left out. Classes that differ by a number alone have a trend.

    Examples
    --------
    >>> proposed_contrasts(["early", "healthy", "late"])
    ['early vs healthy', 'late vs healthy', 'late vs early']
    >>> proposed_contrasts(["early", "healthy", "late"], reference="healthy")
    ['late vs early']
    >>> proposed_contrasts(["dose 0", "dose 5", "dose 10"])[0]
    'trend(class)'
    >>> proposed_contrasts(["healthy", "tumour"])
    []
    """
    names = [str(label) for label in classes]
    if len(names) < _FEWEST_CLASSES or any(word in name for name in names for word in _RESERVED):
        return []
    control = control_class(names, reference)
    others = [name for name in names if name != control]
    pairs = [] if reference else [(name, control) for name in others if control]
    if len(names) * (len(names) - 1) // 2 <= _MOST_PAIRS:
        pairs += [(second, first) for first, second in combinations(others, 2)]
    trend = ["trend(class)"] if _differ_by_a_number(names) else []
    return [*trend, *(f"{first} vs {second}" for first, second in pairs)]


def _differ_by_a_number(names: Sequence[str]) -> bool:
    """Return whether names differ by a number only: each has one number, and the same text.

    Examples
    --------
    >>> _differ_by_a_number(["0 mg", "5 mg"]), _differ_by_a_number(["T1", "N1"])
    (True, False)
    """
    numbers = [_NUMBER.findall(name) for name in names]
    if any(len(numbers_of_name) != 1 for numbers_of_name in numbers):
        return False
    is_distinct = len({float(single) for (single,) in numbers}) == len(names)
    return is_distinct and len({_NUMBER.sub("", name) for name in names}) == 1
