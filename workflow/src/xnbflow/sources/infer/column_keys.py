"""Columns in a proposed entry: those that describe samples, and those that are left out."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from xnbflow.sources.dataset_entry import DatasetEntry, NamePattern
from xnbflow.sources.formats.cell_texts import is_measured, is_missing, is_text
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.series.feature_names import read_tallies
from xnbflow.sources.series.plausibility import is_sample_id, is_technical

#: Most words of the name of a sample.
_WORDS_OF_NAME = 3


def set_aside(entry: DatasetEntry, names: Sequence[str]) -> DatasetEntry:
    """Return the entry with some columns as phenotype, which are not features.

    A name that occurs twice names no column: such columns are dropped.
    """
    phenotype_columns = [name for name in names if names.count(name) == 1]
    dropped_columns = [name for name in names if names.count(name) > 1]
    entry = add_names(entry, "phenotype_columns", phenotype_columns)
    return add_names(entry, "drop", dropped_columns)


def _find_id_column(fields: pd.DataFrame) -> str | None:
    """Return the column that names the samples: the first of these whose values are distinct.

    1. A column whose name means the names of samples.
    2. A column of values without spaces that are not all numbers.
    3. The first column, if its values have a few words.

    Percentages and limits are no names. The result is None without such a column.

    Examples
    --------
    >>> _find_id_column(pd.DataFrame({"note": ["a", "b"], "sample": ["s1", "s2"]}))
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
    entry: DatasetEntry, fields: pd.DataFrame, exceptions: Collection[str | None]
) -> str | None:
    """Return the column of the samples' names: of the entry, or one of the fields of its table.

    The fields ``exceptions`` are no candidates. The result is None if the names are elsewhere: in
    the header, in a phenotype file, in a first column without a name, or in AnnData.
    """
    are_rows = entry.samples == "rows" and suffix_of(entry.location) != ".h5ad"
    if entry.id_column or not are_rows or entry.phenotype or "" in fields:
        return entry.id_column
    return _find_id_column(fields.loc[:, ~fields.columns.isin(list(exceptions))])


def drop_tallies(entry: DatasetEntry, names: Iterable[str]) -> DatasetEntry:
    """Return the entry that drops the reads of HTSeq and STAR that belong to no gene."""
    tallies = read_tallies([name.strip() for name in names])
    return add_names(entry, "drop", tallies)


def add_names(entry: DatasetEntry, key: str, names: Sequence[str]) -> DatasetEntry:
    """Return the entry with further names in a field that is a list."""
    every_name = dict.fromkeys([*getattr(entry, key), *names])
    changes: dict[str, Any] = {key: tuple(every_name)}
    return replace(entry, **changes)


def columns_named(entry: DatasetEntry) -> list[str | NamePattern]:
    """Return the columns whose use the entry decides, apart from the label and the names."""
    single = [name for name in (entry.group, entry.batch) if name]
    return [*single, *entry.drop, *entry.categorical, *entry.phenotype_columns]
