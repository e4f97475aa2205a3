"""What a column of the samples contains: categories, numbers, or dates as days.

Names of columns decide nothing. A column of text that differs in nearly every sample names the
samples, and takes part in no test.
"""

import re
import warnings

import numpy as np
import pandas as pd

from xnbflow.diagnostics.class_synonyms import is_class_in_other_words
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


def usable(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return cells as numbers or text; None for identifiers, constants and the class itself.

    The class is a column with its labels or with other words for them. A column of text is an
    identifier if its levels have less than two samples in the mean, except if it has as many levels
    as there are classes. Dates are categories, one for each day; with less than two samples a day
    they are numbers, in days.
    """
    n_levels = cells.nunique()
    n_classes = labels.nunique()
    if n_levels < 2 or n_classes < 2 or (cells.str.lower() == labels.str.lower()).all():
        return None
    if is_class_in_other_words(labels, cells):
        return None
    days = as_dates(cells)
    if days is not None:
        dates = days.to_numpy(dtype="datetime64[D]")
        texts = pd.Series(np.datetime_as_string(dates), days.index)
        n_levels = texts.nunique()
        if n_levels < 2:
            return None
        is_category = n_levels <= len(cells) / _MEAN_SIZE or n_levels == n_classes
        return texts if is_category else pd.Series(dates.astype(float), days.index)
    numbers = as_numbers(cells)
    # 12 samples may have up to six levels. A few whole numbers, such as 1 and 2, are codes of them.
    is_category = n_levels <= len(cells) / _MEAN_SIZE or n_levels == n_classes
    if numbers is not None:
        are_codes = numbers.nunique() <= _FEW and bool((numbers == numbers.round()).all())
        if not (is_category and are_codes):
            return numbers
    return cells if is_category else None


def column_levels(labels: pd.Series, cells: pd.Series) -> pd.Series | None:
    """Return the level of each cell, numbers in thirds; None if `usable` is None."""
    values = usable(labels, cells)
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
    other = texts[~is_numeric]
    if not other.str.contains(_OTHER_DATE).all():
        return None
    days = pd.Series(pd.NaT, index=cells.index, dtype="datetime64[ns]")
    if len(other):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = pd.to_datetime(other, errors="coerce", format="mixed", utc=True)
        days[other.index] = parsed.dt.tz_localize(None)
    numeric = numeric[is_numeric]
    if len(numeric):
        first, second, year = (numeric[column].astype(int) for column in (0, 2, 3))
        day_first = bool((first > 12).any())
        month_first = bool((second > 12).any())
        if day_first and month_first:
            return None
        dotted = bool((numeric[1] == ".").all())
        is_day_first = day_first or (dotted and not month_first)
        day, month = (first, second) if is_day_first else (second, first)
        year = year.where(year >= 100, year + np.where(year < _CENTURY, 2000, 1900))
        parts = pd.DataFrame({"year": year, "month": month, "day": day})
        days[numeric.index] = pd.to_datetime(parts, errors="coerce")
    if days.isna().any():
        return None
    return days.dt.normalize().astype("datetime64[s]")
