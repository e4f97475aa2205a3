"""Reading of samples to predict: their values as a model needs them, and their labels if known.

A table is read as it is for training. What a model has settles what is otherwise inferred: the
names of its features show whether samples are rows, its training data have the columns of labels
and names, and its quartiles the scale.
"""

import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.models.agreement import labels_of_texts
from xnbflow.models.scale_of_samples import ValuesOfSamples, needed_transform
from xnbflow.sources.acquire import acquire
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry, matching
from xnbflow.sources.formats.cell_texts import is_missing, is_number
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.geo import fetch as fetch_geo
from xnbflow.sources.geo import read_geo
from xnbflow.sources.infer.column_keys import add_names, add_phenotype, columns_named, name_column
from xnbflow.sources.infer.layout import recognise_layout
from xnbflow.sources.infer.number_format import propose_decimal
from xnbflow.sources.infer.variables import FIRST_SAMPLES
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.series.class_labels import IGNORE
from xnbflow.sources.series.column_meaning import Meaning, meaning_of
from xnbflow.sources.series.feature_names import TALLY, without_version
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.samples import Samples, column_named
from xnbflow.sources.table import series_of_texts
from xnbflow.sources.table_files import TableTexts, fetch_table, read_texts


@dataclass(frozen=True)
class SamplesToPredict:
    """Samples to predict.

    Attributes
    ----------
    frame : DataFrame of shape (n_samples, n_features)
        Their values; the index has their names.
    labels : list of str or None, optional
        Their labels, None for a sample without one. Absent where the table has no column of labels.
    notes : tuple of str
        Sentences on how they were read.
    """

    frame: pd.DataFrame
    labels: list[str | None] | None = None
    notes: tuple[str, ...] = ()


def read_samples(
    dataset: DatasetEntry,
    training: DatasetEntry | None = None,
    *,
    features: Iterable[str] = (),
    quartiles: np.ndarray | None = None,
    classes: Sequence[str] = (),
) -> SamplesToPredict:
    r"""Read samples to predict, with their labels where the table has them.

    Parameters
    ----------
    dataset : DatasetEntry
        The entry of the samples.
    training : DatasetEntry, optional
        The entry of the training data. Its columns of labels and of names have the same meaning
        here; a table without that column of names is searched for another one, as for training.
    features : iterable of str
        The features of the model. A table without any of them in its header has samples in columns.
    quartiles : ndarray of float64, shape (3, n_features), optional
        Quartiles of the training data: a table on another scale is transformed as the training data
        were, or refused.
    classes : sequence of str
        The classes of the model, whose spelling labels get.

    Raises
    ------
    InputError
        If the samples cannot be read, or are on another scale.

    Examples
    --------
    >>> from xnbflow.models.reading import described_entry
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "new.csv")
    ...     _ = path.write_text("gene;s1;s2\nTP53;7,5;8\nMYC;3,5;4\n")
    ...     samples = read_samples(described_entry(str(path)), features=["MYC", "TP53"])
    >>> samples.frame.to_dict("index")
    {'s1': {'TP53': 7.5, 'MYC': 3.5}, 's2': {'TP53': 8.0, 'MYC': 4.0}}
    """
    model_features = list(features)
    of_training = None
    if quartiles is not None:
        of_training = ValuesOfSamples(values=quartiles.T, features=model_features)
    scale = _TransformOfModel(training, of_training)
    with tempfile.TemporaryDirectory() as temporary:
        downloads = Downloads(Path(temporary))
        # Samples may lack values and labels, and control probes may be features of the model.
        entry = dataset.with_defaults(controls="keep", missing="impute", unlabelled=IGNORE)
        if dataset.source == "geo":
            # With titles as label all other fields are columns of the samples.
            entry = replace(entry, label="title", label_classes=(), label_pattern=None)
            entry = fetch_annotation(entry, downloads)
            series = read_geo(fetch_geo(entry, downloads), entry, scale.complete)
        elif dataset.source == "table":
            texts = _read_table(
                entry,
                training or DatasetEntry("none", "table"),
                features=set(model_features),
                downloads=downloads,
            )
            texts = replace(texts, entry=fetch_annotation(texts.entry, downloads))
            with about_file(texts.table.path):
                series = series_of_texts(texts, infer_transform=scale.complete)
        else:  # a series of another source always has labels
            series = acquire(dataset, downloads=temporary)
    labels, notes = _read_labels(series, dataset, training, classes)
    samples = SamplesToPredict(series.frame(), labels, (*scale.notes, *notes))
    return _without_empty_samples(samples)


def _without_empty_samples(samples: SamplesToPredict) -> SamplesToPredict:
    """Leave out samples without any value, such as a row of remarks below a table, with a note.

    Where no sample has a value, all are kept: the table has none of the features of a model.
    """
    is_empty = samples.frame.isna().all(axis=1).to_numpy()
    if not is_empty.any() or is_empty.all():
        return samples
    names = listed(list(map(str, samples.frame.index[is_empty])))
    n_empty = int(is_empty.sum())
    labels = samples.labels
    if labels is not None:
        labels = [label for label, empty in zip(labels, is_empty, strict=True) if not empty]
    verb = either(n_empty, "has no value and is", "have no value and are")
    note = f"{counted(n_empty, 'sample')} {verb} left out: {names}"
    return SamplesToPredict(samples.frame[~is_empty], labels, (*samples.notes, note))


@dataclass
class _TransformOfModel:
    """The transform of the training data, which values on another scale than the model's need.

    ``quartiles`` are those of the training data, if the model has them. The ``notes`` get a
    sentence on the transform.
    """

    training: DatasetEntry | None
    quartiles: ValuesOfSamples | None
    notes: list[str] = field(default_factory=list)

    def complete(
        self, values: np.ndarray, features: Features, samples: Samples, entry: DatasetEntry
    ) -> DatasetEntry:
        """Return the entry with the transform, if the values need it."""
        if self.quartiles is None or entry.transform:
            return entry
        transform = needed_transform(
            entry,
            ValuesOfSamples(values=values, features=features.names, samples=samples.names),
            training=self.training,
            quartiles=self.quartiles,
        )
        if not transform:
            return entry
        self.notes.append(
            f"transform: {flow_yaml(transform)} was applied to the values of "
            f"{entry.location}, as to the training data"
        )
        return replace(entry, transform=transform)


def _read_labels(
    series: DataSet,
    dataset: DatasetEntry,
    training: DatasetEntry | None,
    classes: Sequence[str],
) -> tuple[list[str | None] | None, list[str]]:
    """Return the labels of samples to predict, None without a column of labels, and notes.

    The column is that of the training data, and texts become labels as there, unless the keys
    ``label`` and ``map`` of the samples name others.
    """
    rule = training or dataset
    if dataset.label:
        rule = replace(
            rule,
            label=dataset.label,
            label_classes=dataset.label_classes,
            label_pattern=dataset.label_pattern,
        )
    if dataset.map:
        rule = replace(rule, map=dataset.map)
    metadata = series.sample_metadata if series.sample_metadata is not None else pd.DataFrame()
    name = rule.label or ""
    if dataset.source == "geo":  # a field may be named with its kind: characteristics:diagnosis
        name = name.rpartition(":")[2].strip()
    name = column_named(metadata, name)
    if rule.label == SAMPLE_NAMES:
        texts = list(map(str, series.samples))
    elif name in metadata:
        texts = list(map(str, metadata[name]))
    elif dataset.label and dataset.source in ("geo", "table"):
        columns = listed(list(map(str, metadata))) or "none"
        msg = (
            f"{dataset.location} has no column {quoted(dataset.label)}, which label names; its "
            f"columns of the samples: {columns}"
        )
        raise InputError(msg, file=dataset.location, key="label")
    else:
        return None, []
    return labels_of_texts(texts, classes, rule)


def _read_table(
    dataset: DatasetEntry,
    training: DatasetEntry,
    *,
    features: Collection[str],
    downloads: Downloads,
) -> TableTexts:
    """Read a table as text, and complete its entry by what is known of the model.

    The columns of labels and of samples are those of the training data, if the table has them. The
    column of labels becomes one of the phenotype. Columns of text that are not among the
    ``features`` of the model are left out.
    """
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    if suffix_of(path) == ".h5ad":
        return read_texts(path, replace(dataset, label=None))
    texts = read_request(dataset, downloads)
    label = dataset.label or training.label
    texts = replace(texts, entry=replace(texts.entry, label=None))
    header = texts.table.header
    names = {*header, *(without_version(header) or ())}
    if features and not names & set(features):
        # No column has the name of a feature of the model: features are in rows.
        return _complete_columns(texts, features, label)
    entry = texts.entry
    if training.id_column in header:
        entry = entry.with_defaults(id_column=training.id_column)
    if label in header:
        entry = add_phenotype(entry, [label])
    # The columns that describe samples in the training data are not those of names: two samples
    # have distinct values of ``sex``, which are not their names.
    of_training = [name for name in columns_named(training) if isinstance(name, str)]
    descriptions = [
        name for name in [*of_training, label] if name and Meaning.SAMPLE not in meaning_of(name)
    ]
    return _complete_rows(replace(texts, entry=entry), features, descriptions)


def _complete_columns(
    texts: TableTexts, features: Collection[str], label: str | None
) -> TableTexts:
    """Return a table with samples in columns, with the keys of its entry that its layout shows.

    These are decimal commas and columns that describe features. Rows that are not among the
    ``features`` of the model may describe samples, as the row ``label`` does.
    """
    entry = replace(texts.entry, samples="columns")
    if label in texts.table.columns([0])[0]:
        entry = add_phenotype(entry, [label])
    layout = recognise_layout(texts.table, entry, texts.phenotype)
    drop = [name for name in layout.entry.drop if name in entry.drop or name not in features]
    entry = replace(layout.entry, drop=tuple(drop))
    if not entry.phenotype and not entry.features:
        rows = [str(name).strip() for name in layout.fields]
        others = [name for name in rows if name and name not in features]
        used = matching(others, columns_named(entry))
        entry = add_phenotype(entry, [name for name in others if name not in used])
    return _with_decimal(replace(texts, entry=entry))


def _complete_rows(
    texts: TableTexts, features: Collection[str], descriptions: Collection[str]
) -> TableTexts:
    """Return a table with samples in rows, with the keys of its entry that other columns need.

    These are decimal commas, the column of the samples' names, which is none of the
    ``descriptions``, and columns of text that are not among the ``features`` of the model. The
    first rows show which these are.
    """
    table = texts.table
    first_rows = table.first_rows(FIRST_SAMPLES)
    entry, _ = propose_decimal(texts.entry, table, first_rows)
    texts = _with_decimal(replace(texts, entry=entry))
    table = texts.table
    others = []
    text_columns = []
    for position, (name, *cells) in enumerate(zip(table.header, *first_rows, strict=True)):
        if not name or name in features:
            continue
        if _has_text(cells, table.decimal):
            text_columns.append(name)
            others.append(position)
        elif Meaning.SAMPLE in meaning_of(name):
            others.append(position)
    if not entry.id_column and table.header[0]:
        names = [table.header[position] for position in others]
        cells = list(zip(*table.columns(others), strict=True))
        fields = pd.DataFrame(cells, columns=names, dtype=object)
        entry = replace(entry, id_column=name_column(entry, fields, descriptions))
    used = {entry.id_column, *entry.phenotype_columns}
    unused = [name for name in text_columns if name not in used]
    unused += [name for name in table.header if TALLY.fullmatch(name)]
    return replace(texts, entry=add_names(entry, "drop", unused))


def _with_decimal(texts: TableTexts) -> TableTexts:
    """Return the texts of a table with the decimal sign that its entry names."""
    decimal = "," if texts.entry.decimal == "comma" else texts.table.decimal
    return replace(texts, table=replace(texts.table, decimal=decimal))


def _has_text(cells: Iterable[str], decimal: str) -> bool:
    """Return whether one of the cells is neither missing nor a number."""
    texts = (cell.strip().replace(decimal, ".", 1) for cell in cells)
    return any(not is_number(text) for text in texts if not is_missing(text))
