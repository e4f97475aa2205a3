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
    The row is returned unchanged if the table does not have its label.
    """
    layout = recognise_layout(sheet_row, downloads)
    fields = layout.fields.map(str.strip)
    is_sample_name = sheet_row.label == SAMPLE_NAMES
    if sheet_row.label and not is_sample_name and sheet_row.label not in fields:
        return sheet_row
    completed = layout.sheet_row
    if suffix_of(completed.location) == ".h5ad":
        return completed
    id_column = name_column(completed, fields, [completed.label])
    completed = replace(completed, id_column=id_column)
    if "phenotype" in completed.options or "features" in completed.options:
        return completed

    # Texts of the samples that no option names are no features.
    named = list(chain.from_iterable(map(completed.names, OPTIONS_OF_COLUMNS)))
    texts = [str(name) for name in fields if name not in (completed.label, id_column, "")]
    unnamed = [name for name in texts if not matches(name, named)]
    return set_aside(completed, unnamed) if unnamed else completed


def column_of_samples(
    sheet_row: SheetRow, downloads: Downloads, exceptions: Collection[str]
) -> str | None:
    """Return the column that names samples in rows, None without one; never an exception."""
    layout = recognise_layout(sheet_row, downloads)
    return name_column(layout.sheet_row, layout.fields.map(str.strip), exceptions)
