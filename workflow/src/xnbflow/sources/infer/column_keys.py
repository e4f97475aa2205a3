"""Columns in a proposed entry: those that describe samples, and those that are left out."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern
from xnbflow.sources.formats.cell_texts import is_measured, is_missing, is_text
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.series.column_meaning import Meaning, meaning_of

#: Most words of the name of a sample.
_WORDS_OF_NAME = 3


def add_phenotype(entry: DatasetEntry, names: Sequence[str]) -> DatasetEntry:
    """Return the entry in which some columns are phenotype, so that they are no features.

    A name that occurs twice names no column: such columns are dropped.
    """
    phenotype_columns = [name for name in names if names.count(name) == 1]
    dropped_columns = [name for name in names if names.count(name) > 1]
    entry = add_names(entry, "phenotype_columns", phenotype_columns)
    return add_names(entry, "drop", dropped_columns)


def name_column(
    entry: DatasetEntry, fields: pd.DataFrame, exceptions: Collection[str | None] = ()
) -> str | None:
    """Return the column of the samples' names: of the entry, or one of the fields of its table.

    It is the first of these whose values are distinct:

    1. A column whose name means the names of samples.
    2. A column of values without spaces.
    3. The first column of the table, if its values have a few words.

    Numbers name samples only in a column whose name means names of samples; percentages and limits
    never are. The fields ``exceptions`` are no candidates. The result is None without such a
    column, and if the names are elsewhere: in the header, in a phenotype file, in a first column
    without a name, or in AnnData.

    Examples
    --------
    >>> entry = DatasetEntry("x", "table", "x.csv")
    >>> name_column(entry, pd.DataFrame({"note": ["a", "b"], "sample": ["s1", "s2"]}))
    'sample'
    """
    are_rows = entry.samples == "rows" and suffix_of(entry.location) != ".h5ad"
    if entry.id_column or not are_rows or entry.phenotype or "" in fields:
        return entry.id_column
    first = next(iter(fields), None)
    fields = fields.loc[:, ~fields.columns.isin(list(exceptions))]
    names_of_samples = []
    distinct = []
    few_words = []
    for name, cells in fields.loc[:, ~fields.columns.duplicated(keep=False)].items():
        meaning = meaning_of(str(name))
        is_distinct = cells.nunique() == len(cells)
        if not is_distinct or Meaning.TECHNICAL in meaning or cells.map(is_measured).any():
            continue
        if Meaning.SAMPLE in meaning:  # the reader refuses a sample without a name
            names_of_samples.append(name)
        elif cells.map(is_missing).any() or not cells.map(is_text).any():
            continue
        elif not cells.str.contains(r"\s").any():
            distinct.append(name)
        elif name == first and cells.str.split().str.len().max() <= _WORDS_OF_NAME:
            few_words.append(name)
    column = next(iter([*names_of_samples, *distinct, *few_words]), None)
    return None if column is None else str(column)


def add_names(entry: DatasetEntry, key: str, names: Sequence[str]) -> DatasetEntry:
    """Return the entry with further names in a field that is a list."""
    every_name = dict.fromkeys([*getattr(entry, key), *names])
    changes: dict[str, Any] = {key: tuple(every_name)}
    return replace(entry, **changes)


def columns_named(entry: DatasetEntry) -> list[str | NamePattern]:
    """Return the columns whose use the entry decides, apart from the label and the names."""
    single = [name for name in (entry.group, entry.batch) if name]
    return [*single, *entry.drop, *entry.categorical, *entry.phenotype_columns]
