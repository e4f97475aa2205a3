"""The entry of a table whose label is known, for example by a model."""

from collections.abc import Collection
from dataclasses import replace

from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, matches
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.column_keys import (
    columns_named,
    name_column,
    set_aside,
)
from xnbflow.sources.proposal.layout import InferredRoles, recognise_layout


def complete_entry(
    entry: DatasetEntry,
    downloads: Downloads,
    features: Collection[str] = (),
    raw: TextTable | None = None,
) -> InferredRoles:
    """Return the roles of a table with all that its layout shows, for a command that reads it.

    These are whether samples are rows, the column of their names, and columns that are no features.
    The ``features`` of a model remain features. The entry of the roles is unchanged if the table
    does not have its label. The table is read unless it was read before (``raw``).
    """
    layout = recognise_layout(entry, downloads, raw)
    fields = layout.fields.map(str.strip)
    is_sample_name = entry.label == SAMPLE_NAMES
    if entry.label and not is_sample_name and entry.label not in fields:
        return replace(layout, entry=entry, raw=None)
    completed = layout.entry
    if suffix_of(completed.location) == ".h5ad":
        return layout
    id_column = name_column(completed, fields, [completed.label])
    completed = replace(completed, id_column=id_column)
    if completed.phenotype or completed.features:
        return layout.with_keys(completed)

    # Texts of the samples that no key names are no features.
    named = columns_named(completed)
    texts = [str(name) for name in fields if name not in (completed.label, id_column, "")]
    unnamed = [name for name in texts if name not in features and not matches(name, named)]
    return layout.with_keys(set_aside(completed, unnamed) if unnamed else completed)


def column_of_samples(
    entry: DatasetEntry, downloads: Downloads, exceptions: Collection[str], raw: TextTable
) -> str | None:
    """Return the column that names samples in rows of a table; None without one.

    It is none of the ``exceptions``.
    """
    layout = recognise_layout(entry, downloads, raw)
    return name_column(layout.entry, layout.fields.map(str.strip), exceptions)
