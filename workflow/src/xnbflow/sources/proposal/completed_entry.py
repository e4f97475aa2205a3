"""The entry of a table whose label is known, for example by a model."""

from collections.abc import Collection
from dataclasses import replace

from xnbflow.sources.dataset_entry import SAMPLE_NAMES, matching
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.infer.column_keys import (
    columns_named,
    name_column,
    set_aside,
)
from xnbflow.sources.infer.layout import recognise_layout
from xnbflow.sources.series.class_labels import label_keys
from xnbflow.sources.table_files import TableTexts


def complete_entry(
    texts: TableTexts,
    features: Collection[str] = (),
    descriptions: Collection[str] = (),
) -> TableTexts:
    """Return the texts of a table with all keys of its entry that its layout shows.

    These are whether samples are rows, decimal commas, the column of the samples' names, which is
    none of the ``descriptions``, columns that are no features, and what becomes of samples without
    a label, such as a row of remarks below the table. The ``features`` of a model remain features.
    The entry is unchanged if the table does not have its label.
    """
    entry = texts.entry
    layout = recognise_layout(texts.table, entry, texts.phenotype)
    fields = layout.fields.map(str.strip)
    is_sample_name = entry.label == SAMPLE_NAMES
    if entry.label and not is_sample_name and entry.label not in fields:
        return texts
    completed = layout.entry
    kept = [name for name in completed.drop if name in entry.drop or name not in features]
    completed = replace(completed, drop=tuple(kept))
    if completed.decimal == "comma":
        texts = replace(texts, table=replace(texts.table, decimal=","))
    if entry.label in fields:
        cells = fields.loc[:, ~fields.columns.duplicated()][entry.label]
        completed = completed.with_defaults(**label_keys(cells))
    if suffix_of(completed.location) == ".h5ad":
        return replace(texts, entry=completed)
    id_column = name_column(completed, fields, [completed.label, *features, *descriptions])
    completed = replace(completed, id_column=id_column)
    if not completed.phenotype and not completed.features:
        # Texts of the samples that no key names are no features.
        columns = [str(name) for name in fields if name not in (completed.label, id_column, "")]
        used = {*features, *matching(columns, columns_named(completed))}
        unnamed = [name for name in columns if name not in used]
        completed = set_aside(completed, unnamed) if unnamed else completed
    return replace(texts, entry=completed)
