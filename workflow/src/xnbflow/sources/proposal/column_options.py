"""Options that name columns in a proposed row: phenotype, and columns that are left out."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

import pandas as pd

from xnbflow.sources.formats.cell_texts import is_measured, is_missing, is_text
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.series.plausibility import is_sample_id, is_technical
from xnbflow.sources.series.sequencing import read_tallies, tally_pattern
from xnbflow.sources.sheet import SheetRow, escape_name

#: Options that name columns and decide what these are used for.
OPTIONS_OF_COLUMNS = ("group", "batch", "drop", "categorical", "phenotype_columns")
#: Most words of the name of a sample.
_WORDS_OF_NAME = 3


def set_aside(sheet_row: SheetRow, names: Sequence[str]) -> SheetRow:
    """Return the row with some columns as phenotype, which are not features.

    A name that occurs twice names no column: such columns are dropped.
    """
    phenotype_columns = [name for name in names if names.count(name) == 1]
    dropped_columns = [name for name in names if names.count(name) > 1]
    sheet_row = add_names(sheet_row, "phenotype_columns", phenotype_columns)
    return add_names(sheet_row, "drop", dropped_columns)


def find_id_column(fields: pd.DataFrame) -> str | None:
    """Return the column that names the samples: the first of these whose values are distinct.

    1. A column whose name means the names of samples.
    2. A column of values without spaces that are not all numbers.
    3. The first column, if its values have a few words.

    Percentages and limits are no names. The result is None without such a column.

    Examples
    --------
    >>> find_id_column(pd.DataFrame({"note": ["a", "b"], "sample": ["s1", "s2"]}))
    'sample'
    """
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    distinct = []
    few_words = []
    for name in map(str, unique):
        cells = unique[name]
        is_complete = cells.nunique() == len(cells) and not cells.map(is_missing).any()
        if not is_complete or is_technical(name) or cells.map(is_measured).any():
            continue
        are_numbers = not cells.map(is_text).any()
        if is_sample_id(name) or not (are_numbers or cells.str.contains(r"\s").any()):
            distinct.append(name)
        elif name == fields.columns[0] and cells.str.split().str.len().max() <= _WORDS_OF_NAME:
            few_words.append(name)
    names_of_samples = [name for name in distinct if is_sample_id(name)]
    return next(iter([*names_of_samples, *distinct, *few_words]), None)


def name_column(
    sheet_row: SheetRow, fields: pd.DataFrame, exceptions: Collection[str | None]
) -> str | None:
    """Return the column of the samples' names: of the row, or one of the fields of its table.

    The fields ``exceptions`` are no candidates. The result is None if the names are elsewhere: in
    the header, in a phenotype file, in a first column without a name, or in AnnData.
    """
    are_rows = sheet_row.orientation == "rows" and suffix_of(sheet_row.location) != ".h5ad"
    if sheet_row.id_column or not are_rows or "phenotype" in sheet_row.options or "" in fields:
        return sheet_row.id_column
    return find_id_column(fields.loc[:, ~fields.columns.isin(list(exceptions))])


def drop_tallies(sheet_row: SheetRow, names: Iterable[str]) -> SheetRow:
    """Return the row that drops the reads of HTSeq and STAR that belong to no gene."""
    tallies = read_tallies([name.strip() for name in names])
    if not tallies:
        return sheet_row
    names_before = sheet_row.options.get("drop", "").split(",")
    patterns = dict.fromkeys([*filter(None, names_before), *tally_pattern(tallies).split(",")])
    return replace(sheet_row, options=sheet_row.options | {"drop": ",".join(patterns)})


def add_names(sheet_row: SheetRow, option: str, names: Sequence[str]) -> SheetRow:
    """Return the row with further names in an option that is a list."""
    if not names:
        return sheet_row
    every_name = dict.fromkeys([*sheet_row.names(option), *names])
    joined = ",".join(escape_name(name) for name in every_name)
    return replace(sheet_row, options=sheet_row.options | {option: joined})
