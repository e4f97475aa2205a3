"""The row of the sheet of a table whose label is known, for example by a model."""

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_options import (
    OPTIONS_OF_COLUMNS,
    name_column,
    set_aside,
)
from xnbflow.sources.proposal.layout import recognise_layout
from xnbflow.sources.roles import SAMPLE_NAMES, matches
from xnbflow.sources.sheet import SheetRow


def complete_row(sheet_row: SheetRow, downloads: Downloads) -> SheetRow:
    """Return the row of a table with all that its layout shows, for a command that reads it.

    These are the orientation, the column of the samples' names, and columns that are no features.
    The row is returned as it is where the table has no such label.
    """
    layout = recognise_layout(sheet_row, downloads)
    row, fields = layout.sheet_row, layout.fields.map(str.strip)
    is_sample_name = sheet_row.label == SAMPLE_NAMES
    if sheet_row.label and not is_sample_name and sheet_row.label not in fields:
        return sheet_row
    if suffix_of(row.location) == ".h5ad":
        return row
    id_column = name_column(row, fields, [row.label])
    row = replace(row, id_column=id_column)
    if "phenotype" in row.options or "features" in row.options:
        return row
    settled = list(chain.from_iterable(map(row.names, OPTIONS_OF_COLUMNS)))
    others = [str(name) for name in fields if name not in (row.label, id_column, "")]
    rest = [name for name in others if not matches(name, settled)]
    return set_aside(row, rest) if rest else row


def column_of_samples(
    sheet_row: SheetRow, downloads: Downloads, exceptions: Collection[str]
) -> str | None:
    """Return the column that names samples in rows, None without one; never an exception."""
    layout = recognise_layout(sheet_row, downloads)
    return name_column(layout.sheet_row, layout.fields.map(str.strip), exceptions)
