"""The samples and columns of a phenotype file beside a table with samples in rows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.sources.dataset_entry import DatasetEntry

#: Number of names of samples that a message shows of each file.
_EXAMPLES = 3


def join_phenotype(
    fields: pd.DataFrame, entry: DatasetEntry, phenotype: pd.DataFrame, header: Sequence[str]
) -> tuple[pd.DataFrame, DatasetEntry]:
    """Return the fields of a table with the columns of its phenotype, and the entry.

    They are joined by the column ``id`` of the entry, or by the first field with names of samples
    of the phenotype, which becomes the ``id``.
    """
    keys = [name for name in fields if fields[name].isin(phenotype.index).any()]
    key = entry.id_column or next(iter(keys), None)
    if key not in fields:
        _refuse_other_samples(fields, entry, phenotype, header)
    rows = phenotype.reindex(fields[key])
    joined = pd.concat([fields, rows.reset_index(drop=True).fillna("")], axis=1)
    joined = joined.loc[:, ~joined.columns.duplicated()]
    return joined, replace(entry, id_column=key)


def _refuse_other_samples(
    fields: pd.DataFrame, entry: DatasetEntry, phenotype: pd.DataFrame, header: Sequence[str]
) -> NoReturn:
    """Refuse a table that has the samples of the phenotype neither in rows nor in columns."""
    row_names = list(fields.iloc[:, 0]) if len(fields.columns) else []
    in_rows = f"in rows {listed(row_names, _EXAMPLES)}, " if row_names else ""
    columns = header[1:]
    msg = (
        f"{entry.location}: no sample of the phenotype file is in the table. The phenotype file "
        f"has {listed(phenotype.index, _EXAMPLES)}; the table has {in_rows}in columns "
        f"{listed(columns, _EXAMPLES)}. Correct the names in one of the files, or name the "
        "phenotype file's column of samples by phenotype.id"
    )
    raise InputError(msg, key="phenotype.id")
