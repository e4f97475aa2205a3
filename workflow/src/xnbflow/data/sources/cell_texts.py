"""Cells of text as numbers and categories, and what to tell of those that are neither."""

import math
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from xnbflow.data.errors import InputError

__all__ = [
    "MISSING_WORDS",
    "category_codes",
    "complaint",
    "is_date",
    "is_missing",
    "parse_numbers",
]

#: What stands for a missing value, in small letters.
MISSING_WORDS = frozenset({"", "na", "nan", "n/a", "#n/a", "<na>", "null", "none", "?"})

_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
#: What Excel makes of symbols of genes: 2-Sep, Sep-02, 2021-09-02, 2021-09-02 00:00:00.
_DATE = re.compile(
    rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,4}}|\d{{4}}-\d\d-\d\d([ T][\d:.]+)?", re.IGNORECASE
)


def parse_numbers(
    cells: Sequence[str],
    names: Iterable[str],
    where: str,
    advice: Callable[[str], str] = lambda _: "correct or remove it",
) -> np.ndarray:
    """Return cells as finite numbers, shape (n_cells,), rounded as `float` rounds.

    Parameters
    ----------
    cells : sequence of str
        What stands in the file.
    names : iterable of str
        Where in there each cell stands.
    where : str
        Where they stand, for an error.
    advice : callable
        Given a cell that is no finite number, returns what to do about it.

    Raises
    ------
    InputError
        If a cell is no number, missing or infinite.

    Examples
    --------
    >>> parse_numbers(["1.5", "-2e3"], ["column g1", "column g2"], "toy.csv, line 2").tolist()
    [1.5, -2000.0]
    """
    try:
        values = np.array([float(cell) for cell in cells])
        if np.isfinite(values).all() and "_" not in "".join(cells):
            return values
    except ValueError:
        pass
    for cell, name in zip(cells, names, strict=True):
        if wrong := complaint(cell):
            msg = f"{where}, {name}: {wrong}; {advice(cell)}"
            raise InputError(msg)
    raise AssertionError  # one of the cells was bad


def is_missing(cell: str) -> bool:
    """Return whether a cell says that there is no value.

    Examples
    --------
    >>> is_missing("NA"), is_missing("?"), is_missing("0")
    (True, True, False)
    """
    return cell.strip().lower() in MISSING_WORDS


def is_date(name: str) -> bool:
    """Return whether a name is a date that Excel has made of a gene's symbol, as 2-Sep of SEPT2.

    Examples
    --------
    >>> is_date("1-Mar"), is_date("Sep-02"), is_date("2021-09-02 00:00:00"), is_date("HLA-A")
    (True, True, True, False)
    """
    return _DATE.fullmatch(name.strip()) is not None


def category_codes(cells: Sequence[str]) -> np.ndarray:
    """Return the code of each cell's category, 0, 1, ... as float64, shape (n_cells,).

    Categories are ordered as numbers if all are numbers, else as text.

    Examples
    --------
    >>> category_codes(["10", "9", "10"]), category_codes(["low", "high", "low"])
    (array([1., 0., 1.]), array([1., 0., 1.]))
    """
    categories = set(cells)
    numeric = all(complaint(cell) is None for cell in categories)
    ordered = sorted(categories, key=float) if numeric else sorted(categories)
    code = {category: float(position) for position, category in enumerate(ordered)}
    return np.array([code[cell] for cell in cells])


def complaint(cell: str) -> str | None:
    """Say why a cell is no finite number; None where it is one."""
    if is_missing(cell):
        return f"the value is missing ({cell!r})"
    try:
        if math.isfinite(float(cell)) and "_" not in cell:
            return None
    except ValueError:
        return f"{cell!r} is not a number"
    return f"{cell!r} is not a number" if "_" in cell else f"the value is infinite ({cell!r})"
