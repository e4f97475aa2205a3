"""Reading of samples from a file or an accession, for training or prediction."""

import re
import shlex
import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.models.agreement import labels_of_texts
from xnbflow.models.scale_of_samples import ValuesOfSamples, needed_transform
from xnbflow.sources.acquire import acquire
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.dataset_entry import (
    DatasetEntry,
    is_accession,
    location_of_argument,
    read_entry,
)
from xnbflow.sources.formats.cell_texts import is_missing, is_number
from xnbflow.sources.formats.files import format_of, open_raw
from xnbflow.sources.formats.opening import suffix_of
from xnbflow.sources.formats.text_table import TextTable
from xnbflow.sources.geo import fetch as fetch_geo
from xnbflow.sources.geo import read_geo
from xnbflow.sources.infer.column_keys import add_names, columns_named, set_aside
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.completed_entry import complete_entry
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.proposal.scale import propose_scale
from xnbflow.sources.registry import known_sources
from xnbflow.sources.series.class_labels import IGNORE
from xnbflow.sources.series.feature_names import without_version
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.inferred_keys import KeyInference
from xnbflow.sources.series.plausibility import Meaning, meaning_of
from xnbflow.sources.series.samples import Samples
from xnbflow.sources.table import load as load_table
from xnbflow.sources.table import series_of_texts
from xnbflow.sources.table_files import TableTexts, fetch_table, read_texts

#: Sources whose series are read without labels.
_UNLABELLED = ("geo", "table")

#: Number of rows by which columns of text are recognised.
_ROWS_OF_TEXT = 20
#: Characters by which the form of a file is recognised.
_FIRST_CHARACTERS = 4096


def described_entry(location: str, settings: Mapping[str, Any] | None = None) -> DatasetEntry:
    """Return the entry of a data set that a command names, with the keys that it has.

    Parameters
    ----------
    location : str
        A path, a URL, an accession of GEO, or ``source:name``. A file with the name of an accession
        is a file if it exists.
    settings : mapping, optional
        Keys of the entry with their values, as in the configuration. Keys that a source needs may
        be absent.

    Raises
    ------
    InputError
        If the source has no such key, or a value is not valid.

    Examples
    --------
    >>> described_entry("GSE4107", {"label": "title"}).source
    'geo'
    >>> described_entry("bundled:wine").location
    'wine'
    """
    location = location_of_argument(location)
    source, _, rest = location.partition(":")
    if source in known_sources() and rest:
        place = known_sources()[source].places[0]
        location = rest
    elif is_accession(location):
        source, place = "geo", "accession"
    else:
        source = "geo" if _is_geo_file(location) else "table"
        place = "url" if "://" in location else "file"
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(location).name.partition(".")[0]).strip("-")[:60]
    entry_settings = {"source": source, place: location, **(settings or {})}
    return read_entry(name or "table", entry_settings, location, is_complete=False)


def recorded_entry(series: Mapping[str, Any]) -> DatasetEntry | None:
    """Return the entry of a model's training data; None where the model has none.

    ``series`` is the description of the series, `xnbflow.models.trained.TrainedModel.series`.
    """
    settings = series.get("entry")
    if not settings:
        return None
    return read_entry("model", settings, "the model's entry", is_complete=False)


def _is_geo_file(location: str) -> bool:
    """Return whether a path or URL names a series matrix or SOFT file of GEO."""
    if Path(location).is_file():
        with open_raw(location) as stream:
            return format_of(stream.read(_FIRST_CHARACTERS)) in ("series matrix", "SOFT")
    return "series_matrix.txt" in location or location.endswith((".soft", ".soft.gz"))


def read_training(
    dataset: DatasetEntry, downloads: str | Path | None = None
) -> tuple[DatasetEntry, DataSet]:
    """Read samples with their labels, and complete their entry by what the table shows.

    The entry has the keys of `complete_entry`. A table is read once. What is downloaded is kept in
    the folder ``downloads``.
    """
    if dataset.source in _UNLABELLED and not dataset.label:
        msg = f"{dataset.location}: name the column of the class labels, as --label diagnosis"
        raise InputError(msg)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(downloads or temporary)
        if dataset.source != "table":
            return dataset, acquire(dataset, downloads=str(folder))
        texts = complete_entry(read_request(dataset, Downloads(folder)))
        load = partial(load_table, texts=texts)
        return texts.entry, acquire(texts.entry, downloads=str(folder), load=load)


@dataclass(frozen=True)
class SamplesToPredict:
    """Samples to predict.

    ``frame`` (n_samples, n_features) is indexed by the samples' names; ``labels`` are None where
    the table has no column of labels, with None for a sample without one; ``notes`` are about how
    they were read.
    """

    frame: pd.DataFrame
    labels: list[str | None] | None = None
    notes: tuple[str, ...] = ()


def read_samples(
    dataset: DatasetEntry,
    training: DatasetEntry | None = None,
    downloads: str | Path | None = None,
    features: Iterable[str] = (),
) -> pd.DataFrame:
    """Read samples to predict, (n_samples, n_features); the index names them.

    Labels are not needed and are ignored; the model handles missing values. The columns ``label``
    and ``id_column`` of the training data, ``known``, have the same meaning here; a table without
    that column of names is searched for another, as for training. A table without any of the
    model's ``features`` in its header has samples in columns. Columns of text that are not features
    are left out.
    """
    return read_labelled_samples(dataset, training, downloads=downloads, features=features).frame


def read_labelled_samples(
    dataset: DatasetEntry,
    training: DatasetEntry | None = None,
    downloads: str | Path | None = None,
    features: Iterable[str] = (),
    quartiles: np.ndarray | None = None,
    classes: Sequence[str] = (),
) -> SamplesToPredict:
    """Read samples to predict with their labels, where the table has them; see `read_samples`.

    The training ``quartiles`` (3, n_features) show whether the model has logarithms: a table on
    another scale is transformed as the training data were, or refused. Labels are made as those of
    the training data, and spelled as the ``classes`` of the model.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(downloads or temporary)
        notes: tuple[str, ...] = ()
        if dataset.source not in _UNLABELLED:
            series = acquire(dataset, downloads=str(folder))
        else:
            series, notes = _read_unlabelled(
                dataset,
                training,
                model_features=list(features),
                quartiles=quartiles,
                downloads=Downloads(folder),
            )
    labels = None
    texts = _texts_of_labels(series, dataset, training)
    if texts is not None:
        rule = training or dataset
        rule = replace(rule, map=dataset.map) if dataset.map else rule
        labels, label_notes = labels_of_texts(texts, classes, rule)
        notes = (*notes, *label_notes)
    return SamplesToPredict(series.frame(), labels, notes)


def _texts_of_labels(
    series: DataSet, dataset: DatasetEntry, training: DatasetEntry | None
) -> list[str] | None:
    """Return the column of labels of samples to predict; None without one.

    Its name is that of the training data, unless the command names another one.
    """
    name = dataset.label or (training.label if training else None)
    metadata = series.sample_metadata
    if metadata is not None and name in metadata:
        return [str(text) for text in metadata[name]]
    if dataset.label and dataset.source in _UNLABELLED:
        msg = f"{dataset.location} has no column {quoted(dataset.label)}, which label names"
        raise InputError(msg, file=dataset.location, key="label")
    return None


def _read_unlabelled(
    dataset: DatasetEntry,
    training: DatasetEntry | None,
    *,
    model_features: Sequence[str],
    quartiles: np.ndarray | None,
    downloads: Downloads,
) -> tuple[DataSet, tuple[str, ...]]:
    """Read samples that need no labels, on the scale of the training data; return notes on it."""
    dataset = _without_demands(dataset)
    of_training = None
    if quartiles is not None:
        of_training = ValuesOfSamples(values=quartiles.T, features=model_features)
    inferred = _TransformOfModel(training, of_training)
    if dataset.source == "geo":
        dataset = fetch_annotation(dataset, downloads)
        series = read_geo(fetch_geo(dataset, downloads), dataset, inferred)
    else:
        features = set(model_features)
        texts = _texts_to_predict(dataset, training, features=features, downloads=downloads)
        texts = replace(texts, entry=fetch_annotation(texts.entry, downloads))
        with about_file(texts.table.path):
            series = series_of_texts(texts, inferred=inferred)
    return series, tuple(inferred.notes)


@dataclass
class _TransformOfModel(KeyInference):
    """The transform of the training data, which values on another scale than the model's need.

    ``quartiles`` are those of the training data, if the model has them. The ``notes`` get a
    sentence on the transform.
    """

    training: DatasetEntry | None
    quartiles: ValuesOfSamples | None
    notes: list[str] = field(default_factory=list)

    def of_scale(
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


def _without_demands(dataset: DatasetEntry) -> DatasetEntry:
    """Return the entry of samples that may lack values and labels, and have control probes."""
    dataset = dataset.with_defaults(controls="keep", missing="impute", unlabelled=IGNORE)
    return dataset.with_defaults(label="title") if dataset.source == "geo" else dataset


def symbols_of(series: DataSet, column: str = "symbol") -> dict[str, str]:
    """Return the gene symbol, or another ``column``, of each feature that has one."""
    table = series.feature_metadata
    if table is None or column not in table:
        return {}
    pairs = zip(series.features, table[column], strict=True)
    return {str(feature): symbol for feature, symbol in pairs if symbol}


def proposed_transform(dataset: DatasetEntry, series: DataSet) -> str:
    """Return the sentence that proposes a transform of training data, as a study does.

    It is empty for values that need none, or if the entry has one.
    """
    if dataset.source not in _UNLABELLED:
        return ""
    proposed = propose_scale(dataset, series)
    if not proposed.entry.transform or proposed.entry.transform == dataset.transform:
        return ""
    assignment = f"transform={flow_yaml(proposed.entry.transform)}"
    return f"{proposed.sentence} Fit the model again with --set {shlex.quote(assignment)}."


def _texts_to_predict(
    dataset: DatasetEntry,
    training: DatasetEntry | None,
    *,
    features: Collection[str],
    downloads: Downloads,
) -> TableTexts:
    """Read a table, and fill in its orientation, its columns of labels, samples and texts.

    The columns of labels and of samples are those of the training data, if the table has them. The
    column of labels becomes one of the phenotype.
    """
    path = fetch_table(downloads, dataset.location, dataset.id, dataset.sha256)
    if suffix_of(path) == ".h5ad":
        return read_texts(path, dataset)
    texts = read_request(dataset, downloads)
    header = texts.table.header
    training = training or DatasetEntry("none", "table")
    label = texts.entry.label or training.label
    entry = replace(texts.entry, label=None)
    names = {*header, *(without_version(header) or ())}
    if features and not names & set(features):
        # No column has the name of a feature of the model: features are in rows.
        return complete_entry(replace(texts, entry=replace(entry, samples="columns")), features)
    if training.id_column in header:
        entry = entry.with_defaults(id_column=training.id_column)
    if label in header:
        entry = set_aside(entry, [label])
    # The columns that describe samples in the training data are not those of names: two samples
    # have distinct values of ``sex``, which are not their names.
    of_training = [name for name in columns_named(training) if isinstance(name, str)]
    descriptions = [
        name for name in [*of_training, label] if name and Meaning.SAMPLE not in meaning_of(name)
    ]
    texts = complete_entry(replace(texts, entry=entry), features, descriptions)
    if not features:
        return texts
    exceptions = {*features, *entry.phenotype_columns, texts.entry.id_column}
    unused = _columns_of_text(texts.table, exceptions)
    return replace(texts, entry=add_names(texts.entry, "drop", unused))


def _columns_of_text(table: TextTable, exceptions: Collection[str | None]) -> list[str]:
    """Return the columns, except ``exceptions``, that contain text in the first rows."""
    rows = [table.cells(row) for row in range(min(_ROWS_OF_TEXT, len(table)))]
    columns = zip(table.header, *rows, strict=True)
    text_columns = []
    for name, *cells in columns:
        if name and name not in exceptions and _has_text(cells, table.decimal):
            text_columns.append(name)
    return text_columns


def _has_text(cells: Iterable[str], decimal: str) -> bool:
    """Return whether one of the cells is neither missing nor a number."""
    texts = (cell.strip().replace(decimal, ".", 1) for cell in cells)
    return any(not is_number(text) for text in texts if not is_missing(text))
