"""The entry of a table whose label is known, for example by a model."""

from collections.abc import Collection
from dataclasses import replace

from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, matches
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.infer.column_keys import (
    columns_named,
    name_column,
    set_aside,
)
from xnbflow.sources.infer.layout import Layout, recognise_layout
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.reading_keys import read_request


def complete_entry(
    entry: DatasetEntry, downloads: Downloads, features: Collection[str] = ()
) -> DatasetEntry:
    """Return the entry of a table with all that its layout shows, for a command that reads it.

    These are whether samples are rows, the column of their names, and columns that are no features.
    The ``features`` of a model remain features. The entry is returned unchanged if the table does
    not have its label.
    """
    layout = layout_of_file(entry, downloads)
    fields = layout.fields.map(str.strip)
    is_sample_name = entry.label == SAMPLE_NAMES
    if entry.label and not is_sample_name and entry.label not in fields:
        return entry
    completed = layout.entry
    if suffix_of(completed.location) == ".h5ad":
        return completed
    id_column = name_column(completed, fields, [completed.label])
    completed = replace(completed, id_column=id_column)
    if completed.phenotype or completed.features:
        return completed

    # Texts of the samples that no key names are no features.
    named = columns_named(completed)
    texts = [str(name) for name in fields if name not in (completed.label, id_column, "")]
    unnamed = [name for name in texts if name not in features and not matches(name, named)]
    return set_aside(completed, unnamed) if unnamed else completed


def column_of_samples(
    entry: DatasetEntry, downloads: Downloads, exceptions: Collection[str]
) -> str | None:
    """Return the column that names samples in rows, None without one; never an exception."""
    layout = layout_of_file(entry, downloads)
    return name_column(layout.entry, layout.fields.map(str.strip), exceptions)


def layout_of_file(entry: DatasetEntry, downloads: Downloads) -> Layout:
    """Return the layout of the table of an entry; a table at a URL is downloaded."""
    texts = read_request(entry, downloads)
    layout = recognise_layout(texts.table, texts.entry, texts.phenotype)
    return replace(layout, remarks=(*texts.remarks, *layout.remarks))
