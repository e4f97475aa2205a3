"""The samples of a table beside their values: names, columns of the phenotype, labels, groups."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, listed
from xnbflow.core.terms import batch_column
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.note import Note
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.formats.cell_texts import is_date, is_missing
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.formats.workbook import WORKBOOKS
from xnbflow.sources.roles import Role
from xnbflow.sources.series.class_labels import UNLABELLED, LabelRule
from xnbflow.sources.series.column_meaning import is_technical, suggested_group
from xnbflow.sources.series.phenotype import names_in_phenotype, refuse_contradictions
from xnbflow.sources.series.sample_names import (
    ALIGNMENTS,
    BARCODE_PATIENT,
    NAME_PATIENT,
    are_alignments,
    barcode_patients,
    name_patients,
    patients_before_class,
    plain_sample_names,
)


@dataclass(frozen=True, kw_only=True)
class Samples:
    """What is known of the samples of a table beside their values.

    Attributes
    ----------
    names : ndarray of str, shape (n_samples,)
        Their names.
    columns : DataFrame
        The columns of the phenotype, a row per sample.
    places : ndarray of int, shape (n_samples,)
        The position of each among the samples of the table.
    labels : ndarray of str, shape (n_samples,)
        The label of each, by `label_samples`; all are `UNLABELLED` before it.
    groups : ndarray of str, shape (n_samples,), optional
        The group of each.
    """

    names: np.ndarray
    columns: pd.DataFrame
    places: np.ndarray
    labels: np.ndarray
    groups: np.ndarray | None = None

    def take(self, positions: np.ndarray) -> "Samples":
        """Return the samples at some positions, before they have groups."""
        return Samples(
            names=self.names[positions],
            columns=self.columns.iloc[positions].reset_index(drop=True),
            places=self.places[positions],
            labels=self.labels[positions],
        )


def find_samples(table: TextTable, roles: Sequence[Role]) -> Samples:
    """Return the samples of a table with their texts, by the roles of its variables."""
    texts = [i for i, role in enumerate(roles) if role is Role.TEXT]
    names = [table.names[i] for i in texts]
    n_samples = len(table.samples)
    return Samples(
        names=np.array(table.samples, dtype=object),
        columns=pd.DataFrame(
            dict(zip(names, table.texts(texts), strict=True)), dtype=object, index=range(n_samples)
        ),
        places=np.arange(n_samples),
        labels=np.full(n_samples, UNLABELLED, dtype=object),
    )


def name_samples(
    table: TextTable,
    samples: Samples,
    entry: DatasetEntry,
    phenotype: pd.DataFrame | None,
    *,
    features: Collection[str],
    notes: list[str],
) -> Samples:
    """Return samples with the names that a data set has, joined with the phenotype.

    Names that are paths of alignments are shortened; with a phenotype, names are those of the
    phenotype. A column of the samples that has the name of one of the ``features`` is left out. The
    ``notes`` get sentences on changed names, and on names that Excel made dates of.
    """
    names = samples.names.tolist()
    if "" in names or not 0 < len(names) == len(set(names)):
        _refuse_names(table, samples)
    may_be_alignments = names[0].lower().endswith(ALIGNMENTS) and phenotype is None
    if may_be_alignments and are_alignments(names):
        plain_names = plain_sample_names(names)
        if len(set(plain_names)) == len(names):
            notes.append(
                "names of samples are paths of alignments and were shortened, as "
                f"{quoted(names[0])} to {quoted(plain_names[0])}"
            )
            names = plain_names
    if suffix_of(Path(table.path)) in WORKBOOKS:  # in text files, samples may be named by days
        days = [name for name in names if is_date(name)]
        if days:
            note = Note(
                f"{counted(len(days), 'sample name', 'is a date', 'are dates')} "
                f"({listed(days)}): Excel makes dates of names such as 1-2",
                advice="correct them",
            )
            notes.append(note)
    columns = samples.columns
    kept = [name for name in columns if name == entry.label or name not in features]
    samples = replace(samples, names=np.array(names, dtype=str), columns=columns[kept])
    if phenotype is None:
        return samples
    where = f"data set {entry.id}: {table.path}"
    return _join_phenotype(where, samples, entry, phenotype, notes)


def _refuse_names(table: TextTable, samples: Samples) -> None:
    """Refuse a table without samples, and names of samples that are missing or repeat."""
    path = str(table.path)
    names = samples.names.tolist()
    if not names:
        msg = f"{path}: there are no samples; check label, id, samples and drop"
        raise InputError(msg, file=path)
    seen: dict[str, int] = {}
    for position, name in enumerate(names):
        place = table.place_of_sample(int(samples.places[position]))
        if not name:
            msg = f"{path}, {place}: the sample has no name; name it, or drop it"
            raise InputError(msg, file=path, key="drop")
        if name in seen:
            first_place = table.place_of_sample(int(samples.places[seen[name]]))
            msg = (
                f"{path}, {place}: sample name {quoted(name)} occurs in {first_place}, too; make "
                "them unique"
            )
            raise InputError(msg, file=path)
        seen[name] = position


def _join_phenotype(
    where: str,
    samples: Samples,
    entry: DatasetEntry,
    phenotype: pd.DataFrame,
    notes: list[str],
) -> Samples:
    """Return the samples that the phenotype has, with its columns.

    Columns of the phenotype replace columns of the table; labels and groups must agree.
    """
    names = names_in_phenotype(where, samples.names, phenotype, notes)
    has_row = pd.Index(names).isin(phenotype.index)
    samples = replace(samples, names=names).take(np.flatnonzero(has_row))
    rows = phenotype.loc[samples.names].reset_index(drop=True)
    refuse_contradictions(
        where=where, dataset=entry, samples=samples.names, table=samples.columns, phenotype=rows
    )
    others = samples.columns.drop(columns=list(rows), errors="ignore")
    return replace(samples, columns=pd.concat([others, rows], axis=1))


def label_samples(
    where: str, samples: Samples, entry: DatasetEntry, *, keep_label: bool, notes: list[str]
) -> Samples:
    """Return the samples that have a label, with their labels.

    The column of the label is left out, unless ``keep_label``.
    """
    rule = LabelRule.parse(entry)
    columns = samples.columns
    texts = samples.labels  # of samples to predict
    has_label_in_names = entry.label == SAMPLE_NAMES and SAMPLE_NAMES not in columns
    if has_label_in_names:
        texts = samples.names.astype(object)
    elif entry.label is not None:
        texts = columns[entry.label].to_numpy(dtype=object)
        columns = columns if keep_label else columns.drop(columns=entry.label)
    if has_label_in_names or samples.names[0].startswith("TCGA"):
        pattern = rule.pattern if has_label_in_names else None
        columns = _with_patients_in_names(columns, samples.names.tolist(), pattern)
    samples = replace(samples, columns=columns)
    labels, has_label, label_notes = rule.apply(
        f"{where}, label {entry.label!r}", samples.names, texts
    )
    notes += label_notes
    if not has_label.all():
        samples = samples.take(np.flatnonzero(has_label))
    samples = replace(samples, labels=labels)

    # Where the key group names no column, patients may be in the names, before the class.
    may_name_patients = not has_label_in_names and entry.group in (None, NAME_PATIENT)
    if may_name_patients and len(labels) and samples.names[0][-1:].isalpha():
        patients = patients_before_class(samples.names.tolist(), labels.tolist())
        if patients is not None:
            columns = samples.columns.assign(**{NAME_PATIENT: patients})
            samples = replace(samples, columns=columns)
    return samples


def _with_patients_in_names(
    columns: pd.DataFrame, names: Sequence[str], pattern: re.Pattern[str] | None
) -> pd.DataFrame:
    """Return columns of samples with the patients that are in the names, where some repeat.

    They are those of TCGA's barcodes, or what names have beside the class that ``pattern`` finds.
    """
    barcoded = barcode_patients(names)
    has_several = barcoded is not None and len(set(barcoded)) < len(barcoded)
    if has_several and BARCODE_PATIENT not in columns:
        columns = columns.assign(**{BARCODE_PATIENT: barcoded})
    if pattern is not None and BARCODE_PATIENT not in columns:
        patients = name_patients(names, pattern)
        if patients is not None:
            columns = columns.assign(**{NAME_PATIENT: patients})
    return columns


def group_samples(where: str, samples: Samples, entry: DatasetEntry, notes: list[str]) -> Samples:
    """Return labelled samples with their groups, and with the name of the column of batches.

    The columns that ``phenotype: {columns: ...}``, ``batch`` and ``group`` name must exist. A batch
    gets a name by which the audit recognises it, as ``batch (x)``. Without ``group`` a column of
    groups has a note.
    """
    columns = samples.columns
    require_columns(where, columns, "phenotype.columns", entry.phenotype_columns)
    groups = None
    if entry.group:
        groups = _groups(where, samples, entry.group)
    elif column := suggested_group(columns, samples.labels, least=(2, 2)):
        note = Note(
            f"{column!r} has {columns[column].nunique()} values for {len(columns)} samples",
            advice=(
                f"if it names patients, set group: {flow_yaml(column)}, so that none is on both "
                "sides of a fold"
            ),
        )
        notes.append(note)
    if entry.batch:
        require_columns(where, columns, "batch", [entry.batch])
        if not is_technical(entry.batch):
            columns = columns.rename(columns={entry.batch: batch_column(entry.batch)})
    return replace(samples, groups=groups, columns=columns)


def _groups(where: str, samples: Samples, column: str) -> np.ndarray:
    """Return the group of each sample by the column of the key ``group``.

    A group that is the class in other words is refused.
    """
    labels = samples.labels
    name = column_named(samples.columns, column)
    require_columns(where, samples.columns, "group", [name])
    unknown = samples.names[samples.columns[name].map(is_missing).to_numpy(dtype=bool)]
    if len(unknown):
        msg = (
            f"{where}: {counted(len(unknown), 'sample', 'has', 'have')} no {quoted(name)}, which "
            f"group names: {listed(unknown)}; fill it in, or leave the samples out"
        )
        raise InputError(msg, key="group")
    groups = samples.columns[name].to_numpy(dtype=str)
    # As many pairs as groups and as classes: each group is one class, and each class one group.
    n_pairs = len(set(zip(groups, labels, strict=True)))
    is_class = n_pairs == len(set(groups)) == len(set(labels))
    if is_class and 1 < n_pairs < len(labels):
        msg = (
            f"{where}: the group {quoted(name)} is the class: each of its values is one "
            "class, so that no fold has a class in training and test. These samples cannot "
            f"show whether a classifier recognises the class or {quoted(name)}; to go on, set "
            f"batch: {name} instead of group: {name}, and the audit will name it"
        )
        raise InputError(msg, key="group")
    return np.asarray(groups)


def column_named(metadata: pd.DataFrame, wanted: str) -> str:
    """Return the column of a name; small and capital letters are alike if no name is equal."""
    columns = {column.lower(): column for column in metadata}
    return wanted if wanted in metadata else columns.get(wanted.lower(), wanted)


def require_columns(where: str, metadata: pd.DataFrame, setting: str, names: Iterable[str]) -> None:
    """Refuse names of a key that are not columns of the samples."""
    for name in names:
        if name not in metadata:
            columns = listed(list(metadata.columns)) or "no further columns"
            msg = (
                f"{where}: there is no {quoted(name)}, which {setting} names; there are "
                f"{columns}. Correct it"
            )
            raise InputError(msg, key=setting)
