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

from xnbflow.core.errors import InputError, about_file
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
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
from xnbflow.sources.proposal.completed_entry import column_of_samples, complete_entry
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.proposal.scale import propose_scale
from xnbflow.sources.registry import known_sources
from xnbflow.sources.series.class_labels import IGNORE
from xnbflow.sources.series.feature_names import without_version
from xnbflow.sources.series.features import Features
from xnbflow.sources.series.inferred_keys import KeyInference
from xnbflow.sources.series.plausibility import Meaning, meaning_of
from xnbflow.sources.series.samples import Samples
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM, RecognisedScale
from xnbflow.sources.table import load as load_table
from xnbflow.sources.table import series_of_texts
from xnbflow.sources.table_files import TableTexts, fetch_table, read_texts

#: Sources whose series are read without labels.
_UNLABELLED = ("geo", "table")

#: Least number of features, unless they are a panel of genes, of a table whose scale is compared
#: with the model's.
_FEWEST_FEATURES = 100
#: Number of rows by which columns of text are recognised.
_ROWS_OF_TEXT = 20
#: Characters by which the form of a file is recognised.
_FIRST_CHARACTERS = 4096
#: Scales (`recognise_scale`) that are left as they are.
_LOGGED = (
    RecognisedScale.LOGARITHMS,
    RecognisedScale.CYCLES,
    RecognisedScale.LOGGED_TWICE,
    RecognisedScale.MIXED,
)


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

    ``frame`` (n_samples, n_features) is indexed by the samples' names; ``labels`` are the texts of
    the column of labels, None where the table has none; ``notes`` are about how they were read.
    """

    frame: pd.DataFrame
    labels: list[str] | None = None
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
) -> SamplesToPredict:
    """Read samples to predict with their labels, where the table has them; see `read_samples`.

    The training ``quartiles`` (3, n_features) show whether the model has logarithms: a table on
    another scale is transformed as the training data were, or refused.
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
    frame = series.frame()
    labels = None
    if series.sample_metadata is not None:
        metadata = series.sample_metadata
        label = training.label if training else None
        if label in metadata:
            labels = [str(text) for text in metadata[label]]
    return SamplesToPredict(frame, labels, notes)


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
    inferred = _TransformOfModel(training, model_features, quartiles)
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

    ``features`` are those of the model, whose training ``quartiles`` have the shape (3,
    n_features). The ``notes`` get a sentence on the transform.
    """

    training: DatasetEntry | None
    features: Sequence[str]
    quartiles: np.ndarray | None
    notes: list[str] = field(default_factory=list)

    def of_scale(
        self, values: np.ndarray, features: Features, samples: Samples, entry: DatasetEntry
    ) -> DatasetEntry:
        """Return the entry with the transform, if the values need it."""
        transform = _needed_transform(
            entry,
            self.training,
            values,
            features=features.names,
            samples=samples.names,
            model_features=self.features,
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


def _needed_transform(
    dataset: DatasetEntry,
    training: DatasetEntry | None,
    values: np.ndarray,
    *,
    features: np.ndarray,
    samples: np.ndarray,
    model_features: Sequence[str],
    quartiles: np.ndarray | None,
) -> Any:
    """Return the transform of the training data that values still need; empty where none.

    ``values`` are (n_features, n_samples). ``model_features`` are those of the model, whose
    training ``quartiles`` have the shape (3, n_features).

    Raises an `InputError` for logarithms where the model has values that are not logged, and for
    values that are not logged where it has logarithms and the transform of its training data is
    unknown.
    """
    if quartiles is None or dataset.transform:
        return ""
    of_model = recognise_scale(quartiles.T, features=model_features)
    if len(features) < _FEWEST_FEATURES and not of_model.is_certain:
        return ""
    recognised = recognise_scale(
        values,
        samples=samples,
        features=features,
        file_name=Path(dataset.location).name,
        is_array=dataset.source == "geo",
    ).kind
    if of_model.is_unlogged:
        if recognised is RecognisedScale.LOGARITHMS:
            low, median, high = np.nanmedian(quartiles, axis=1)
            msg = (
                f"{dataset.location} has logarithms, but the model was fitted to values that are "
                f"not logged (quartiles of a typical feature {low:.4g}, {median:.4g}, {high:.4g}). "
                "Give the values on the scale of the training data"
            )
            raise InputError(msg, file=dataset.location, key="transform")
        return ""
    if recognised in _LOGGED:
        return ""
    if training and training.transform:
        return training.transform
    description = str(recognised)
    if recognised is RecognisedScale.NOT_LOGGED:
        description = "values that are not logged"
    msg = (
        f"{dataset.location} has {description}, "
        "but the model was fitted to logarithms. Transform them as the training data were, by "
        "--set transform=log2 (intensities), transform=log2p1 (TPM, FPKM) or "
        f"transform={PROPOSED_COUNT_TRANSFORM} (counts)"
    )
    raise InputError(msg, file=dataset.location, key="transform")


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
    request = read_request(dataset, downloads)
    table = request.table
    dataset = request.entry
    training = training or DatasetEntry("none", "table")
    label = dataset.label or training.label
    id_column = dataset.id_column or training.id_column
    header = table.header
    phenotype = [name for name in header if name == label]
    names = {*header, *(without_version(header) or ())}
    # If no column has the name of a feature of the model, features are in rows.
    samples_in_columns = bool(features) and not names & set(features)
    texts: list[str] = []
    if features and not samples_in_columns:
        texts = _columns_of_text(table, {*features, *phenotype, id_column})
    if samples_in_columns:
        in_columns = replace(dataset, samples="columns", label=None)
        return complete_entry(replace(request, entry=in_columns), features)
    if id_column not in header:
        id_column = dataset.id_column
    if dataset.samples == "rows":
        if not id_column and header[0]:
            # The columns that describe samples in the training data are not those of names: two
            # samples have distinct values of ``sex``, which are not their names.
            settled = [name for name in columns_named(training) if isinstance(name, str)]
            described_columns = {name for name in settled if Meaning.SAMPLE not in meaning_of(name)}
            exceptions = {*features, *phenotype, *described_columns}
            unlabelled = replace(request, entry=replace(dataset, label=None))
            id_column = column_of_samples(unlabelled, exceptions)
        texts = [name for name in texts if name != id_column]
        dataset = add_names(dataset, "drop", texts)
        dataset = replace(set_aside(dataset, phenotype), label=None)
    return replace(request, entry=replace(dataset, id_column=id_column))


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
