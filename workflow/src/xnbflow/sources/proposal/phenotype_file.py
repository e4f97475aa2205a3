"""The samples and columns of a phenotype file beside a table."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, NoReturn

import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import listed
from xnbflow.sources.dataset_entry import DatasetEntry, is_accession
from xnbflow.sources.formats.gct import read_classes
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.gene_columns import sample_column_names
from xnbflow.sources.proposal.variables import (
    FIRST_SAMPLES,
)
from xnbflow.sources.proposal.workbook_sheets import phenotype_sheet
from xnbflow.sources.series.phenotype import (
    PhenotypeText,
    naming_column,
    phenotype_of_text,
    read_phenotype_text,
)
from xnbflow.sources.table import fetch_table

#: Number of names of samples that a message shows of each file.
_EXAMPLES = 3
#: The encoding of texts that are not UTF-8: that of Windows in western Europe.
_WINDOWS = "cp1252"


class PhenotypeBeside(NamedTuple):
    """The phenotype file of a table: its columns, the keys that read it, and its text."""

    columns: pd.DataFrame
    entry: DatasetEntry
    text: PhenotypeText | None = None


def read_phenotype_beside(
    path: Path, entry: DatasetEntry, raw: TextTable, downloads: Downloads
) -> PhenotypeBeside:
    """Return the phenotype file of a table, and the entry with the keys that read it.

    The columns of the phenotype are empty if the entry names no file, or an accession of GEO. The
    keys are the encoding, the sheet of a workbook, and the column with the names of the samples.
    """
    location = entry.phenotype
    if not location or is_accession(location):
        return PhenotypeBeside(pd.DataFrame(), entry)
    phenotype_path = fetch_table(downloads, location, f"{entry.id}-phenotype")
    if suffix_of(phenotype_path) == ".cls":
        return PhenotypeBeside(read_classes(phenotype_path, path), entry)
    # The names in the table, of which some are samples: in its header, or in its first column.
    names = [*raw.header, *raw.columns([0])[0][:FIRST_SAMPLES]]
    if suffix_of(phenotype_path) in WORKBOOKS and not entry.phenotype_sheet:
        entry = entry.with_defaults(**phenotype_sheet(phenotype_path, names))
    reading = {"encoding": entry.encoding or _WINDOWS}
    if entry.phenotype_sheet:
        reading["sheet"] = entry.phenotype_sheet
    text = read_phenotype_text(phenotype_path, reading)
    if isinstance(text, TextTable) and text.encoding:
        entry = replace(entry, encoding=text.encoding)
    if not entry.phenotype_id and not entry.id_column:
        column = naming_column(text, [*names, *sample_column_names(raw)])
        if column:
            entry = replace(entry, phenotype_id=column)
    return PhenotypeBeside(phenotype_of_text(phenotype_path, text, entry), entry, text)


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
        f"has {listed(phenotype.index, 3)}; the table has {in_rows}in columns "
        f"{listed(columns, 3)}. Correct the names in one of the files, or name the phenotype "
        "file's column of samples by phenotype.id"
    )
    raise InputError(msg, key="phenotype.id")
