"""Cells as texts, numbers and categories, and why a cell is no number."""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from xnbflow.core.errors import quoted

DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")
DECIMAL_POINT = re.compile(r"[+-]?\d*\.\d+([eE][+-]?\d+)?")
#: Most numbers of a table: without exponent, and few enough digits that they are finite.
_PLAIN_NUMBER = re.compile(r"[+-]?\d{1,20}(\.\d{0,20})?")
#: A percentage, a limit of detection, digits in groups with spaces, and an infinite number.
_MEASURED = re.compile(
    r"[<>≤≥~]=?\s*[\d.,]+\s*%?|[+-]?[\d.,]+\s*%|\d{1,3}(\s\d{3})+([.,]\d+)?|[+-]?inf(inity)?",
    re.IGNORECASE,
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([.,']\d{3})+([.,]\d+)?")
#: The first digits of a number with separators of thousands, and the others.
_FIRST_GROUP = re.compile(r"[1-9]\d{0,2}")
_GROUP = re.compile(r"\d{3}")
#: Numbers with a sign of thousands by which it is recognised: of 50 numbers that are rounded to
#: three decimals, all have three with a probability of .9 to the power 50, .005.
_MANY_GROUPED = 50
#: Whole numbers in columns that also have numbers with a sign of thousands, by which the sign is
#: recognised: of decimals with three digits one in a thousand is whole.
_SEVERAL_WHOLE = 3
#: Texts of a missing value, in small letters: of programs, and of clinical tables as those of TCGA
#: and cBioPortal.
_MISSING_WORDS = frozenset(
    {"", "na", "nan", "-nan", "n/a", "#n/a", "<na>", "null", "none", "?", "undetermined", "--"}
    | {"nd", "n.d.", "unknown", "missing", "pending", "not available", "not applicable"}
    | {"not reported", "not evaluated", "not determined", "[not available]", "[not applicable]"}
    | {"[not evaluated]", "[unknown]", "[discrepancy]"}
)
#: Longest word of which Arrow, which compares exactly, has every mixture of letters.
_SHORT_WORD = 5
_MONTH = "(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_MONTHS = _MONTH.strip("()").split("|")
#: Stems of gene symbols that are months in English.
_STEMS = {"mar": ("MARCH", "MARC"), "sep": ("SEPT",), "dec": ("DEC",), "oct": ("OCT",)}
#: Dates that Excel makes of gene symbols: 2-Sep, Sep-02, 2021-09-02, 2021-09-02 00:00:00.
_DATE = re.compile(
    rf"\d{{1,2}}-{_MONTH}|{_MONTH}-\d{{1,4}}|\d{{4}}-\d\d-\d\d([ T][\d:.]+)?", re.IGNORECASE
)
#: A day: its year, month and day in any order, or a day and a month as `_DATE`.
_DAY = re.compile(
    rf"(\d{{4}}([-./])\d{{1,2}}\2\d{{1,2}}|\d{{1,2}}([-./])\d{{1,2}}\3(\d{{4}}|\d{{2}}))"
    rf"([ T][\d:.]+)?|{_DATE.pattern}",
    re.IGNORECASE,
)
#: Typographic quotes and the space that does not break, and what they are plainly.
_QUOTES = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "\u00a0": " "})


def _spellings(word: str) -> set[str]:
    """Return a word in small and capital letters; of a short one, every mixture of both."""
    if len(word) > _SHORT_WORD:
        return {word, word.title(), word.capitalize(), word.upper()}
    letters = [(letter.lower(), letter.upper()) for letter in word]
    return set(map("".join, itertools.product(*letters)))


#: The spellings of missing values, for Arrow.
_NULLS = sorted(set().union(*map(_spellings, _MISSING_WORDS)))


def text_of_cell(cell: Any, decimal: str = ".") -> str:
    """Return a cell of a workbook as text: numbers in their shortest exact form, with their sign.

    Examples
    --------
    >>> text_of_cell(7.5), text_of_cell(7.5, ","), text_of_cell(8.0), text_of_cell(" TP53 ")
    ('7.5', '7,5', '8', 'TP53')
    """
    if isinstance(cell, float) and math.isfinite(cell):
        is_whole = cell.is_integer() and abs(cell) < 2**53
        return str(int(cell)) if is_whole else str(cell).replace(".", decimal)
    return str(cell).strip()


def plain_text(text: str) -> str:
    r"""Return a text with straight quotes and single spaces.

    Examples
    --------
    >>> plain_text(" patient’s\u00a0 mucosa ")
    "patient's mucosa"
    """
    return " ".join(text.translate(_QUOTES).split())


def is_missing(cell: str) -> bool:
    """Return whether a cell means a missing value, as ``NA`` and ``?`` do."""
    return cell.strip().lower() in _MISSING_WORDS


def is_date(name: str) -> bool:
    """Return whether a name is a date that Excel has made of a gene's symbol, as 2-Sep of SEPT2.

    Examples
    --------
    >>> is_date("1-Mar"), is_date("Sep-02"), is_date("2021-09-02 00:00:00"), is_date("HLA-A")
    (True, True, True, False)
    """
    return _DATE.fullmatch(name.strip()) is not None


def is_day(text: str) -> bool:
    """Return whether a text is a day of the calendar, in any order of its parts.

    Examples
    --------
    >>> [is_day(text) for text in ("2022-01-05", "5.1.2022", "1/5/22", "2022-01-05 00:00:00")]
    [True, True, True, True]
    >>> is_day("1-2"), is_day("3/4"), is_day("2-Sep")
    (False, False, True)
    """
    return _DAY.fullmatch(text.strip()) is not None


def symbols_of_date(name: str) -> list[str]:
    """Return the gene symbols that Excel turns into a date; none if no symbol becomes this date.

    MARCH1 and MARC1 both become the first of March. The present symbols are returned: MARCHF1 and
    MTARC1, and for SEPT2 and DEC1 SEPTIN2 and DELEC1.

    Examples
    --------
    >>> symbols_of_date("1-Mar"), symbols_of_date("2021-09-02 00:00:00"), symbols_of_date("Dec-01")
    (['MARCH1', 'MARC1'], ['SEPT2'], ['DEC1'])
    """
    name = name.strip()
    letters = re.search("[A-Za-z]+", name)
    digits = re.search(r"\d+", name)
    if match := re.match(r"\d{4}-(\d\d)-(\d\d)", name):
        number = int(match[1])
        month = _MONTHS[number - 1] if 1 <= number <= 12 else ""
        day = int(match[2])
    elif letters is not None and digits is not None:
        month = letters[0].lower()
        day = int(digits[0])
    else:
        return []
    return [f"{stem}{day}" for stem in _STEMS.get(month, ())]


def category_codes(cells: Sequence[str]) -> np.ndarray:
    """Return the code of each cell's category, 0, 1, ... as float64, shape (n_cells,).

    Categories are ordered as numbers if all are numbers, else as text.

    Examples
    --------
    >>> category_codes(["10", "9", "10"]), category_codes(["low", "high", "low"])
    (array([1., 0., 1.]), array([1., 0., 1.]))
    """
    categories = set(cells)
    are_numbers = all(map(is_number, categories))
    ordered = sorted(categories, key=float) if are_numbers else sorted(categories)
    code = {category: float(position) for position, category in enumerate(ordered)}
    return np.array([code[cell] for cell in cells])


def is_number(cell: str) -> bool:
    """Return whether a cell is a finite number in the notation of `float`.

    Examples
    --------
    >>> [is_number(cell) for cell in ("1.5", "-2e3", "NA", "1_000", "inf", "1,5")]
    [True, True, False, False, False, False]
    """
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


class CellFault(NamedTuple):
    """Why a cell is not a finite number, as a clause; what to do, and the key that answers it."""

    clause: str
    remedy: str
    key: str


def fault_of_number(cell: str, decimal: str = ".") -> CellFault | None:
    """Return why a cell without spaces around it is not a finite number; None for a number.

    Examples
    --------
    >>> fault_of_number("1,5").remedy
    'this looks like a decimal comma: set decimal: comma, or save it with decimal points'
    >>> fault_of_number("1,5", decimal=","), fault_of_number("1e5")
    (None, None)
    """
    if decimal == "," and DECIMAL_POINT.fullmatch(cell):
        clause = f"{quoted(cell)} has a decimal point, but other cells have commas"
        return CellFault(clause, "make them agree", "decimal")
    number = cell.replace(",", ".", 1) if decimal == "," else cell
    if is_number(number):
        return None

    # What it is instead.
    is_grouped = _THOUSANDS.fullmatch(cell) is not None
    clause = f"{quoted(cell)} is not a number"
    if is_grouped:
        clause += ": it has separators of thousands"
    elif "_" not in cell and _is_infinite(number):
        clause = f"the value is infinite ({quoted(cell)})"

    # What to do.
    key = "drop"
    remedy = (
        "correct it, or list the feature under categorical or drop; a column of sample names is "
        "the key id"
    )
    if DECIMAL_COMMA.fullmatch(cell):
        key = "decimal"
        remedy = (
            "this looks like a decimal comma: set decimal: comma, or save it with decimal points"
        )
        if is_grouped:
            remedy = (
                "if the comma is a decimal sign, set decimal: comma; else save the table without "
                "separators of thousands"
            )
    elif is_grouped:
        remedy = "save the table without separators of thousands"
    elif cell.strip("+-").lower() in {"inf", "infinity"}:
        remedy = "fill it in, remove the sample, or list the feature under drop"
    return CellFault(clause, remedy, key)


def _is_infinite(cell: str) -> bool:
    """Return whether Python reads a cell as an infinite number, as ``inf`` and ``1e999``."""
    try:
        return math.isinf(float(cell))
    except ValueError:
        return False


def have_thousands(columns: Iterable[Iterable[str]], sign: str) -> bool:
    """Return whether a sign groups the digits of numbers by thousands, and is no decimal sign.

    All numbers with the sign are 1 or more and have groups of three digits behind it, and all
    others are whole and below 1,000. Several of these are in columns of numbers with the sign; or
    one is, and those with the sign are many, so that decimals of three digits would have zeros at
    their end, which programs do not write; or a number has several groups.

    Examples
    --------
    >>> counts = [f"{count:,}" for count in (3, 980, 1204, 17, 25300)]
    >>> have_thousands([counts], ","), have_thousands([["8.125", "7.5", "987"]], ".")
    (True, False)
    >>> have_thousands([["8,125", "7,350"], ["61", "47"]], ",")  # decimals, and ages
    False
    """
    has_several_groups = False
    n_all_grouped = 0
    n_whole_beside_grouped = 0
    for column in columns:
        n_grouped = 0
        n_whole = 0
        for cell in column:
            text = cell.strip().lstrip("+-")
            if sign in text:
                first, *groups = text.split(sign)
                if _FIRST_GROUP.fullmatch(first) and all(map(_GROUP.fullmatch, groups)):
                    n_grouped += 1
                    has_several_groups |= len(groups) > 1
                elif not is_text(cell):
                    return False
            elif text.isdecimal():
                n_whole += 1
                if int(text) >= 1000:
                    return False
        n_all_grouped += n_grouped
        if n_grouped:
            n_whole_beside_grouped += n_whole
    if n_all_grouped >= _MANY_GROUPED and (has_several_groups or n_whole_beside_grouped):
        return True
    return n_whole_beside_grouped >= _SEVERAL_WHOLE


def is_measured(cell: str) -> bool:
    """Return whether a cell is a measurement that is no plain number, as a percentage or a limit.

    Examples
    --------
    >>> [is_measured(cell) for cell in ("8.4%", "<0,5", "12 345,6", "-inf")]
    [True, True, True, True]
    >>> is_measured("8.4"), is_measured("3a")
    (False, False)
    """
    return _MEASURED.fullmatch(cell.strip()) is not None


def is_text(cell: str) -> bool:
    """Return whether a cell is neither missing nor a number in any notation."""
    cell = cell.strip()
    if _PLAIN_NUMBER.fullmatch(cell):  # a table of 20,000 genes has 400,000 such cells in its head
        return False
    if is_missing(cell) or DECIMAL_COMMA.fullmatch(cell) or _THOUSANDS.fullmatch(cell):
        return False
    try:
        number = float(cell)
    except ValueError:
        return True
    return "_" in cell or not math.isfinite(number)


def numbers_of(text: str, count: int, decimal: str = ".") -> np.ndarray | None:
    r"""Convert cells, one per line, to float64, each rounded as by `float`.

    They are read as one long column by Arrow's CSV reader; NaN is a missing value. The result is
    None where a cell may not be a number: `fault_of_number` finds that cell.

    Examples
    --------
    >>> numbers_of("1.5\nNA\n\n-2e3", 4).tolist()
    [1.5, nan, nan, -2000.0]
    """
    if not count:
        return np.empty(0)
    data = text.encode() + b"\n"
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(
                use_threads=False, column_names=["value"], block_size=len(data) + 1
            ),
            arrow_csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(
                column_types={"value": pa.float64()}, null_values=_NULLS, decimal_point=decimal
            ),
        )
    except pa.ArrowInvalid:
        return None
    values = table["value"].to_numpy()
    return values if len(values) == count and not np.isinf(values).any() else None
