"""Parts of a column of the samples: row and column of a well, position on a chip, time of the day.

A time stamp, a well or a position on a chip differs in nearly every sample, as a name does, and yet
contains the order and the place in which samples were processed. Its parts are columns of their
own, which are tested like any other (`xnbflow.diagnostics.columns`).
"""

import re

import pandas as pd

from xnbflow.core.terms import configured_term, is_batch_column
from xnbflow.diagnostics.columns import as_dates
from xnbflow.sources.formats.cell_texts import is_missing

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
