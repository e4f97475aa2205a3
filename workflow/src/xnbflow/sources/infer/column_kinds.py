"""Columns of the samples: their names, patients, batches, and other phenotype."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.formats.cell_texts import is_missing
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.infer.class_keys import label_keys, propose_classes
from xnbflow.sources.infer.column_keys import (
    add_names,
    add_phenotype,
    columns_named,
    name_column,
)
from xnbflow.sources.infer.layout import Layout
from xnbflow.sources.series.column_meaning import (
    Meaning,
    meaning_of,
    suggested_batch,
    suggested_group,
)

#: Samples of one name, on average, in a column of samples; with more it describes them.
_MOST_REPEATS = 4


def propose_columns(layout: Layout) -> Layout:
    """Return the roles of the columns that are not features.

    These are names, patients, the batch, rare classes, and other columns of the samples. Where the
    numbers of a table are too few to recognise its features, all are named as features.
    """
    entry = layout.entry
    label = str(entry.label)
    # An export may have the label beside others.
    others = tuple(name for name in entry.phenotype_columns if name != label)
    entry = replace(entry, phenotype_columns=others)
    fields = layout.fields.map(str.strip) if len(layout.fields) else layout.fields
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    # What describes the samples is in the table, not in a file beside it or in a part of AnnData.
    is_in_table = suffix_of(entry.location) != ".h5ad" and not entry.phenotype

    # The names of the samples. All other columns but the label describe them.
    id_column = name_column(entry, fields, [label])
    is_unnamed = entry.samples == "rows" and not id_column and "" not in fields
    if is_in_table and is_unnamed and not entry.features:
        other_columns = ~unique.columns.isin([label, *_used_columns(entry)])
        _refuse_repeated_names(entry, unique.loc[:, other_columns])
    entry = replace(entry, id_column=id_column)
    no_descriptions = {label, "", id_column}
    descriptions = [str(name) for name in fields if str(name) not in no_descriptions]

    # The classes, without rare ones, of a field or of the names in a header; else empty texts.
    remarks: list[str] = []
    labels = np.full(len(fields), "", dtype=object)
    label_texts = list(fields[label]) if label in unique else []
    if entry.label == SAMPLE_NAMES and not label_texts and entry.samples == "columns":
        label_texts = list(layout.samples)
        labels = np.full(len(label_texts), "", dtype=object)
    if label_texts:
        if any(map(is_missing, label_texts)):
            entry = entry.with_defaults(**label_keys(label_texts))
        samples = range(len(label_texts))
        entry, labelled, remarks = propose_classes(entry, entry.location, samples, label_texts)
        labels[labelled.has_label] = labelled.labels
    layout = replace(layout, entry=entry, remarks=(*layout.remarks, *remarks))

    # What else describes the samples is no feature.
    if descriptions:
        layout = _propose_descriptions(layout, fields, descriptions, labels)

    # Too few numbers to recognise which are features.
    entry = layout.entry
    few_features = [name for name in layout.few_features if name not in (label, id_column)]
    if is_in_table and few_features and not (entry.features or entry.drop):
        remark = (
            f"The table has {counted(len(few_features), 'column')} of numbers, too few to "
            "recognise which are features: all are proposed (features). Leave out those that "
            "describe samples."
        )
        entry = add_names(entry, "features", few_features)
        layout = replace(layout, entry=entry, remarks=(*layout.remarks, remark))
    return layout


def _used_columns(entry: DatasetEntry) -> list[str]:
    """Return the columns that the entry names; patterns name none."""
    return [name for name in columns_named(entry) if isinstance(name, str)]


def _propose_descriptions(
    layout: Layout, fields: pd.DataFrame, descriptions: Sequence[str], labels: np.ndarray
) -> Layout:
    """Return the layout with patients, the batch, and other columns that describe the samples.

    Parameters
    ----------
    layout : Layout
        The layout, with the label and the column of the samples' names.
    fields : DataFrame
        Its fields, without spaces around the texts.
    descriptions : sequence of str
        The fields that are neither the label nor the names of the samples.
    labels : ndarray of str, shape (n_samples,)
        The class of each sample; empty for samples that are left out.
    """
    entry = layout.entry
    unique = fields.loc[:, ~fields.columns.duplicated(keep=False)]
    candidates = unique[[name for name in descriptions if name in unique]]
    entry = entry.with_defaults(**suggested_keys(candidates, labels))
    used = _used_columns(entry)
    remaining = [name for name in descriptions if name not in used]
    if entry.phenotype or suffix_of(entry.location) == ".h5ad":
        # Only numbers of the table itself would be features.
        remaining = [name for name in layout.outside if name in remaining]
    if remaining and not entry.features:
        entry = add_phenotype(entry, remaining)
    remarks = _remarks_on_numbers([name for name in layout.outside if name in descriptions])
    remarks += _remarks_on_patients(fields, descriptions, entry.group)
    return replace(layout, entry=entry, remarks=(*layout.remarks, *remarks))


def _refuse_repeated_names(entry: DatasetEntry, fields: pd.DataFrame) -> None:
    """Refuse names of samples that repeat: a mistake, or the names of patients."""
    for name, cells in repeated_names(fields).items():
        raise InputError(
            f"{entry.location}: the column {name!r} names the samples, but {listed(cells)} "
            f"{either(len(cells), 'occurs', 'occur')} more than once. Make the names unique; or, "
            "if they are patients of whom there are several samples, name the column by "
            f"--set {shlex.quote(f'group={flow_yaml(name)}')}",
            key="id",
        )


def repeated_names(fields: pd.DataFrame) -> dict[str, list[str]]:
    """Return the names that repeat in columns of samples' names, by column.

    In such a column most of the names occur once, or all have digits and occur four times at most
    on average. Other columns describe samples, and patients may repeat.

    Examples
    --------
    >>> table = pd.DataFrame({"sample": list("wxyzx"), "patient": list("pqrsp")})
    >>> repeated_names(table), repeated_names(table.replace("y", "w"))
    ({'sample': ['x']}, {})
    >>> repeated_names(pd.DataFrame({"sample": ["P1", "P1", "P2", "P2"]}))
    {'sample': ['P1', 'P2']}
    """
    columns = {}
    for name in map(str, fields):
        meaning = meaning_of(name)
        if Meaning.SAMPLE not in meaning or Meaning.PATIENT in meaning:
            continue
        counts = Counter(cell for cell in fields[name] if not is_missing(cell))
        repeated = [cell for cell, count in counts.items() if count > 1]
        are_mostly_single = 2 * (len(counts) - len(repeated)) > len(fields)
        are_numbered = all(any(map(str.isdigit, cell)) for cell in counts)
        are_few_repeats = _MOST_REPEATS * len(counts) >= len(fields)
        if repeated and (are_mostly_single or (are_numbered and are_few_repeats)):
            columns[name] = repeated
    return columns


def suggested_keys(fields: pd.DataFrame, labels: np.ndarray) -> dict[str, str]:
    """Return the keys ``group`` and ``batch`` for columns of samples.

    The labels (n_samples,) are empty for samples that are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"plate": list("aabb"), "patient": list("pqpq")})
    >>> suggested_keys(table, np.array(list("tntn")))
    {'batch': 'plate'}
    """
    is_used = labels != ""
    if not is_used.any():  # the label is not among the fields: all samples are used
        is_used = np.ones(len(labels), dtype=bool)
    candidates = fields.loc[is_used]
    proposed = {
        "group": suggested_group(candidates, labels[is_used]),
        "batch": suggested_batch(candidates),
    }
    return {key: name for key, name in proposed.items() if name}


def _remarks_on_numbers(names: Sequence[str]) -> list[str]:
    """Return a sentence on columns of numbers outside the block of features."""
    if not names:
        return []
    verb = either(len(names), "is a number", "are numbers")
    aim = either(len(names), "it describes", "they describe")
    remark = (
        f"{listed(names)} {verb} outside the block of features, by name or by values: {aim} "
        "samples; the key features makes a column a feature."
    )
    return [remark]


def _remarks_on_patients(
    fields: pd.DataFrame, descriptions: Sequence[str], group: str | None
) -> list[str]:
    """Return sentences on columns of patients that are not the ``group``."""
    remarks = []
    unique = fields.loc[:, ~fields.columns.duplicated()]
    for name in descriptions:
        n_values = unique[name].nunique()
        is_patient = Meaning.PATIENT in meaning_of(name)
        if name != group and is_patient and 2 < n_values < len(fields):
            remarks.append(
                f"{name!r} has {n_values} values for {len(fields)} samples and is not proposed as "
                "group: that needs at least five patients, three of each class, and one of every "
                "sample."
            )
    return remarks
