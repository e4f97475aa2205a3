"""What a column of the samples contains: categories, numbers, dates, parts, or the class itself.

Names of columns decide nothing. A column of text that differs in nearly every sample names the
samples, and takes part in no test. A time stamp, a well or a position on a chip differs in nearly
every sample as well, and yet contains the order and the place in which samples were processed:
these are columns of their own. A column may be the class in other words: *RCC* and *renal cell
carcinoma*.
"""

import re
import warnings

import numpy as np
import pandas as pd

from xnbflow.core.terms import configured_term, is_batch_column
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
#: A time of the day, at the end of a text: hours, minutes, seconds, half of the day, time zone.
_TIME = re.compile(
    r"(?:^|[ T])(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?"
    r"(?: ?([AaPp])[Mm])?(?:Z|[+-]\d{2}:?\d{2})?$"
)
#: A well of a plate of 96 or 384: its row and its column.
_WELL = re.compile(r"^(?P<row>[A-Pa-p])(?P<column>0?[1-9]|1\d|2[0-4])$")
#: Least number of distinct wells of a column of wells; few are names, such as stages T1 and N2.
_FEWEST_WELLS = 8
#: An array of Illumina: the barcode of its chip, and its row and column or its letter.
_ARRAY = re.compile(r"^(?P<barcode>\d{10,12})_R(?P<row>\d{2})C(?P<column>\d{2})$")
_LETTERED_ARRAY = re.compile(r"^(?P<barcode>\d{10,12})_(?P<position>[A-L])$")
#: Words of one meaning, in the singular, by the first of them.
_MEANINGS = {
    "normal": re.compile("normal|healthy|control|unaffected"),
    "tumour": re.compile("tumou?r|cancer|[a-z]*carcinoma|neoplasm|malignant"),
}
#: Words for where and when samples were processed: beside one, a word of the class names a batch.
_TECHNICAL = re.compile(
    "arrays?|batch|batches|cent(er|re)s?|chips?|dates?|hospitals?|lanes?|plates?|runs?|series|"
    "sites?|slides?"
)
#: Least letters of an abbreviation: a single one may be the initial of anything, as of a hospital.
_SHORTEST_ABBREVIATION = 2
#: Longest text that is an abbreviation.
_LONGEST_ABBREVIATION = 6
#: Least share of the words of a value that are those of its label, for it to be the class.
_LEAST_SHARED = 1 / 3


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


def with_parts(phenotype: pd.DataFrame) -> pd.DataFrame:
    """Return columns of the samples, and after each column its parts, as ``well (row)``.

    Examples
    --------
    >>> wells = [f"{row}{column:02d}" for row in "AB" for column in range(1, 5)]
    >>> table = with_parts(pd.DataFrame({"well": wells}))
    >>> table[["well", "well (row)", "well (column)"]].iloc[5].tolist()
    ['B02', 'B', '2']
    >>> table["well (by rows)"].tolist(), table["well (by columns)"].tolist()
    (['0', '1', '2', '3', '4', '5', '6', '7'], ['0', '2', '4', '6', '1', '3', '5', '7'])
    """
    columns: dict[str, pd.Series] = {}
    for name, cells in phenotype.items():
        columns[str(name)] = cells
        base = configured_term(str(name)) if is_batch_column(str(name)) else str(name)
        for part, part_cells in _parts_of_column(cells).items():
            part_name = f"{base} ({part})"
            if part_name not in phenotype:
                columns[part_name] = part_cells
    if len(columns) == phenotype.shape[1]:
        return phenotype
    return pd.DataFrame(columns, index=phenotype.index)


def _parts_of_column(cells: pd.Series) -> dict[str, pd.Series]:
    """Return the parts of a column by name, missing cells as ""; empty for other columns.

    Wells have a row and a column, and their number in the order of rows and of columns, since
    plates are filled in either. Arrays of Illumina have the barcode of the chip, their place on it,
    and their number in the order of both. Times have the seconds since the first one, across days
    where there are dates. All parts are texts.

    Examples
    --------
    >>> _parts_of_column(pd.Series(["2024-03-04 09:40", "2024-03-04 08:10"]))["time"].tolist()
    ['5400', '0']
    >>> arrays = pd.Series(["203914820001_R03C01", "203914820000_R12C02"])
    >>> for name, part in _parts_of_column(arrays).items():
    ...     print(name, part.tolist())
    barcode ['203914820001', '203914820000']
    row ['3', '12']
    column ['1', '2']
    order ['1', '0']
    """
    texts = cells.astype(str).str.strip()
    texts = texts[~texts.map(is_missing)]
    if texts.empty:
        return {}
    parts = _place_parts(texts) or _time_parts(texts)
    return {name: part.reindex(cells.index, fill_value="") for name, part in parts.items()}


def _place_parts(texts: pd.Series) -> dict[str, pd.Series]:
    """Return the parts of wells or arrays that differ between samples."""
    for pattern in (_WELL, _ARRAY, _LETTERED_ARRAY):
        table = texts.str.extract(pattern)
        if table.isna().to_numpy().any():
            continue
        if pattern is _WELL:
            table["row"] = table["row"].str.upper()
            is_plate = table.nunique().min() > 1 and len(table.drop_duplicates()) >= _FEWEST_WELLS
            if not is_plate:
                return {}
        # Rows and columns in numbers, in which 10 follows 9.
        for name, part in table.items():
            if name != "barcode" and part.str.isdigit().all():
                table[name] = part.astype(int)
        orders = {"order": list(table)}
        if pattern is _WELL:
            orders = {"by rows": ["row", "column"], "by columns": ["column", "row"]}
        parts = {str(name): part for name, part in table.items() if part.nunique() > 1}
        for order, columns in orders.items():
            parts[order] = table.groupby(columns).ngroup()
        return {name: part.astype(str) for name, part in parts.items()}
    return {}


def _time_parts(texts: pd.Series) -> dict[str, pd.Series]:
    """Return the seconds since the first of several times; empty if a cell has no time."""
    table = texts.str.extract(_TIME)
    hours = pd.to_numeric(table[0])
    if hours.isna().any() or (hours > 23).any():
        return {}
    half = table[3].str.lower()
    hours = hours.where(half.isna(), hours % 12 + 12 * (half == "p"))
    seconds = 3600 * hours + 60 * pd.to_numeric(table[1]) + pd.to_numeric(table[2]).fillna(0)
    has_date = ~texts.str.match(r"^\d{1,2}:")
    if has_date.any():
        days = as_dates(texts)
        if days is None or not has_date.all():
            return {}
        seconds += 86400 * (days - days.min()).dt.days
    seconds -= seconds.min()
    return {"time": seconds.astype(int).astype(str)} if seconds.nunique() > 1 else {}


def is_class_in_other_words(labels: pd.Series, cells: pd.Series) -> bool:
    """Return whether a column is the class in other words, by its values.

    Each value occurs in one class only and is like its class: it has a word of the label (or one of
    the same meaning, such as healthy and normal), and no word of another class; or it abbreviates
    the label, or the label abbreviates it by two letters or more. At least a third of the words of
    a value are those of its label: a long description with the name of the tissue describes how
    samples were taken. No value has a word for a batch: *tumour batch* and *control batch* are
    batches. The name of the column decides nothing, and neither does a complete separation: statin
    and untreated are not the words of a disease.

    Examples
    --------
    >>> labels = pd.Series(["normal", "renal cell carcinoma"] * 3)
    >>> is_class_in_other_words(labels, pd.Series(["normal kidney", "RCC"] * 3))
    True
    >>> is_class_in_other_words(labels, pd.Series(["untreated", "statin"] * 3))
    False
    >>> is_class_in_other_words(labels, pd.Series(["normal_batch", "RCC_batch"] * 3))
    False
    >>> taken = ["normal biopsies frozen at once", "carcinoma archived days after surgery"]
    >>> is_class_in_other_words(labels, pd.Series(taken * 3))
    False
    """
    n_classes = labels.nunique()
    n_levels = cells.nunique()
    most = max(n_classes, len(cells) / 3)
    if n_classes < 2 or not n_classes <= n_levels <= most:
        return False
    for level in cells.unique():
        if any(map(_TECHNICAL.fullmatch, re.findall(r"[^\W\d_]+", level.lower()))):
            return False
    pairs = pd.DataFrame({"label": labels, "level": cells}).drop_duplicates()
    if len(pairs) > n_levels:  # a value occurs in several classes
        return False
    names = pairs["label"].unique().tolist()
    common = set.intersection(*map(_words, names))
    words_of = {name: _words(name) - common for name in names}
    for label, level in pairs.itertuples(index=False):
        others = set.union(*(words_of[name] for name in names if name != label))
        words = _words(level)
        shared = words_of[label] & words
        is_alike = len(shared) >= max(1, _LEAST_SHARED * len(words))
        is_alike = is_alike and not (others - words_of[label]) & words
        if not (is_alike or _abbreviates(level, label) or _abbreviates(label, level)):
            return False
    return True


def _words(text: str) -> set[str]:
    """Return the words of a text in one spelling, without plural endings.

    Words of the same meaning become one: those for normal samples, and those for tumours.

    Examples
    --------
    >>> sorted(_words("Healthy controls, adenocarcinomas of 2 colons"))
    ['colon', 'normal', 'tumour']
    """
    words = {word.removesuffix("s") for word in re.findall(r"[^\W\d_]{3,}", text.lower())}
    canonical = set()
    for word in words:
        meaning = next((name for name, stem in _MEANINGS.items() if stem.fullmatch(word)), word)
        canonical.add(meaning)
    return canonical


def _abbreviates(short_text: str, text: str) -> bool:
    """Return whether a text of letters abbreviates another: its initials, or letters of its word.

    The letters are in the order of the initials, or of the letters of the only word, with the same
    first letter. A single letter abbreviates nothing.

    Examples
    --------
    >>> _abbreviates("RCC", "Renal Cell Carcinoma"), _abbreviates("ccRCC", "clear cell RCC")
    (True, False)
    >>> _abbreviates("WT", "wild type"), _abbreviates("ctrl", "control")
    (True, True)
    >>> _abbreviates("Ulm", "tumour"), _abbreviates("2", "2 mg"), _abbreviates("N", "north")
    (False, False, False)
    """
    letters = short_text.strip().lower()
    words = re.findall(r"[^\W\d_]+", text.lower())
    is_short = _SHORTEST_ABBREVIATION <= len(letters) <= _LONGEST_ABBREVIATION
    if not letters.isalpha() or not is_short or not words:
        return False
    source = words[0] if len(words) == 1 else "".join(word[0] for word in words)
    if len(letters) >= len(source) + (len(words) > 1) or letters[0] != source[0]:
        return False
    place = 0
    for letter in letters:
        place = source.find(letter, place) + 1
        if not place:
            return False
    return True
