"""What a column of the samples contains: categories, numbers, dates, or nothing to be tested.

Names of columns decide nothing. A column of text that differs in nearly every sample names the
samples, and takes part in no test. Dates are the days on which samples were processed. Parts of
columns (a well, a position on a chip, a time) are columns of their own, see
`xnbflow.diagnostics.column_parts`; a column with the class in other words is recognised by
`xnbflow.diagnostics.class_words`.
"""

import re
import warnings

import numpy as np
import pandas as pd

from xnbflow.diagnostics.class_words import is_class_in_other_words
from xnbflow.sources.formats.cell_texts import is_missing

#: Least mean number of samples of the levels of a column of categories.
_MEAN_SIZE = 2
#: Most distinct whole numbers that are treated as categories.
_FEW = 12
#: A date in numbers: two of at most two digits, their separator, and a year.
_NUMERIC_DATE = re.compile(
    r"^(\d{1,2})([./-])(\d{1,2})[./-](\d{4}|\d{2})(?:[ T][\d:.]+(?: ?[AaPp][Mm])?)?$"
)
#: Other dates: the year first, or a month as a word.
_OTHER_DATE = re.compile(
    r"^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b|"
    r"^\d{1,2}[ -](?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]\d{2,4}$",
    re.IGNORECASE,
)
#: Years of two digits below this number are of the present century.
_CENTURY = 70


def has_value(cells: pd.Series) -> pd.Series:
    """Return whether each cell of a column has a value.

    The word "none" is a value if the other values are categories: the drug that a patient has.

    Examples
    --------
    >>> has_value(pd.Series(["statin", "none", "NA"])).tolist()
    [True, True, False]
    >>> has_value(pd.Series(["3.5", "none", "NA"])).tolist()
    [True, False, False]
    """
    present = ~cells.map(is_missing)
    others = cells[present].str.strip()
    if len(others) and as_numbers(others) is None and as_dates(others) is None:
        present |= cells.str.strip().str.lower() == "none"
    return present


def column_values(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return cells as numbers or text; None for identifiers, constants and the class itself.

    The class is a column with its labels or with other words for them. A column of text is an
    identifier if its levels have less than two samples in the mean, except if it has as many levels
    as there are classes. Dates are categories, one for each day; with less than two samples a day
    they are numbers, in days.

    Examples
    --------
    >>> labels = pd.Series(["case", "control"] * 3)
    >>> column_values(labels, pd.Series(["31", "45", "52", "38", "60", "41"])).tolist()
    [31, 45, 52, 38, 60, 41]
    >>> column_values(labels, pd.Series(list("uvwxyz"))) is None  # names of samples
    True
    """
    n_levels = cells.nunique()
    n_classes = labels.nunique()
    if n_levels < 2 or n_classes < 2:
        return None
    is_class = (cells.str.lower() == labels.str.lower()).all()
    if is_class or is_class_in_other_words(labels, cells):
        return None

    days = as_dates(cells)
    if days is not None:
        return _values_of_days(days, n_classes)

    # Numbers. A few whole ones, such as 1 and 2, are codes of categories.
    is_category = _are_categories(cells, n_classes)
    numbers = as_numbers(cells)
    if numbers is not None:
        are_codes = numbers.nunique() <= _FEW and bool((numbers == numbers.round()).all())
        if not (is_category and are_codes):
            return numbers
    return cells if is_category else None


def _values_of_days(days: pd.Series, n_classes: int) -> pd.Series | None:
    """Return days as texts if they are categories, else as numbers; None if there is only one."""
    dates = days.to_numpy(dtype="datetime64[D]")
    texts = pd.Series(np.datetime_as_string(dates), days.index)
    if texts.nunique() < 2:
        return None
    return (
        texts if _are_categories(texts, n_classes) else pd.Series(dates.astype(float), days.index)
    )


def _are_categories(cells: pd.Series, n_classes: int) -> bool:
    """Return whether cells repeat as categories do: 12 samples may have up to six levels."""
    n_levels = cells.nunique()
    return n_levels <= len(cells) / _MEAN_SIZE or n_levels == n_classes


def column_levels(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return the level of each cell, numbers in thirds; None if `column_values` is None."""
    values = column_values(labels, cells)
    if values is None or not pd.api.types.is_numeric_dtype(values):
        return values
    return pd.qcut(values, 3, labels=False, duplicates="drop")


def as_numbers(cells: pd.Series) -> pd.Series | None:
    """Return finite numbers; None where a cell is not a number."""
    numbers = pd.to_numeric(cells, errors="coerce")
    return numbers[np.isfinite(numbers)] if numbers.notna().all() else None


def as_dates(cells: pd.Series) -> pd.Series | None:
    """Return the days of a column of dates, datetime64; None where a cell is no date.

    All cells are read in one order: the day is first if any cell demands it, or if dots separate
    the numbers and no cell demands the month first. Times of the day are left out: they are a part
    of the column (`xnbflow.diagnostics.column_parts`).

    Examples
    --------
    >>> as_dates(pd.Series(["02.11.2020", "14.12.2020"])).dt.strftime("%d %B").tolist()
    ['02 November', '14 December']
    >>> as_dates(pd.Series(["02/11/2020", "12/14/2020"])).dt.strftime("%d %B").tolist()
    ['11 February', '14 December']
    >>> as_dates(pd.Series(["2020-11-02 13:30", "3 Dec 2020"])).dt.strftime("%d %B").tolist()
    ['02 November', '03 December']
    >>> as_dates(pd.Series(["14.12.2020", "12.14.2020"])) is None  # no order suits both
    True
    """
    texts = cells.str.strip()
    numeric = texts.str.extract(_NUMERIC_DATE)
    is_numeric = numeric[0].notna()
    in_words = texts[~is_numeric]
    if not in_words.str.contains(_OTHER_DATE).all():
        return None

    days = pd.Series(pd.NaT, index=cells.index, dtype="datetime64[ns]")
    if len(in_words):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pd.to_datetime(in_words, errors="coerce", format="mixed", utc=True)
        days[in_words.index] = parsed.dt.tz_localize(None)
    if is_numeric.any():
        numeric_days = _days_of_numbers(numeric[is_numeric])
        if numeric_days is None:
            return None
        days[numeric_days.index] = numeric_days
    if days.isna().any():
        return None
    return days.dt.normalize().astype("datetime64[s]")


def _days_of_numbers(numeric: pd.DataFrame) -> pd.Series | None:
    """Return the days of dates in numbers; None if no order of day and month suits all of them.

    The columns of ``numeric`` are the groups of `_NUMERIC_DATE`: first number, separator, second
    number and year.
    """
    first = numeric[0].astype(int)
    second = numeric[2].astype(int)
    year = numeric[3].astype(int)
    day_must_be_first = bool((first > 12).any())
    month_must_be_first = bool((second > 12).any())
    if day_must_be_first and month_must_be_first:
        return None
    has_dots = bool((numeric[1] == ".").all())
    day, month = second, first
    if day_must_be_first or (has_dots and not month_must_be_first):
        day, month = first, second
    year = year.where(year >= 100, year + np.where(year < _CENTURY, 2000, 1900))
    parts = pd.DataFrame({"year": year, "month": month, "day": day})
    return pd.to_datetime(parts, errors="coerce")
