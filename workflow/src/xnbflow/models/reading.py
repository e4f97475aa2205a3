"""Reading of samples with labels from a file or an accession, to train a model."""

import re
import shlex
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from xnbflow.core.errors import InputError
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import NoteWarning
from xnbflow.sources.acquire import acquire
from xnbflow.sources.dataset_entry import (
    DatasetEntry,
    is_accession,
    location_of_argument,
    read_entry,
)
from xnbflow.sources.formats.files import GEO_FORMATS, HEAD_BYTES, format_of, open_raw
from xnbflow.sources.infer.table_roles import infer
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.proposal.geo_summary import summarise_series
from xnbflow.sources.proposal.reading_keys import read_request
from xnbflow.sources.proposal.scale import propose_scale
from xnbflow.sources.proposal.series_keys import propose_series
from xnbflow.sources.registry import known_sources
from xnbflow.sources.series.scales import RecognisedScale

#: Sources whose series have no label unless the entry names it.
_UNLABELLED = ("geo", "table")


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
            return format_of(stream.read(HEAD_BYTES)) in GEO_FORMATS
    return "series_matrix.txt" in location or location.endswith((".soft", ".soft.gz"))


@dataclass(frozen=True, kw_only=True)
class TrainingSamples:
    """Samples to train a model with.

    Attributes
    ----------
    entry : DatasetEntry
        Their entry, with all keys by which they were read.
    series : DataSet
        Their values and labels.
    remarks : tuple of str
        The reasons of keys that were inferred, as sentences.
    """

    entry: DatasetEntry
    series: DataSet
    remarks: tuple[str, ...] = ()


def read_training(dataset: DatasetEntry, downloads: str | Path | None = None) -> TrainingSamples:
    r"""Read samples with their labels, and complete their entry as a proposed study does.

    A table is read once. Its values are not transformed unless ``dataset`` has a transform; the
    remarks propose one, as a study does. What is downloaded is kept in the folder ``downloads``.

    Warns
    -----
    UserWarning
        Each note of the series, as `xnbflow.sources.acquire.acquire` does.

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     rows = [f"s{i},{'tn'[i % 2]},{i}.5,{9 - i}\n" for i in range(8)]
    ...     _ = path.write_text("".join(["sample,type,TP53,MYC\n", *rows]))
    ...     training = read_training(described_entry(str(path), {"label": "type"}))
    >>> training.entry.id_column, training.series.features.tolist()
    ('sample', ['TP53', 'MYC'])
    """
    if dataset.source in _UNLABELLED and not dataset.label:
        msg = f"{dataset.location}: name the column of the class labels, as --label diagnosis"
        raise InputError(msg)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(downloads or temporary)
        fetcher = Downloads(folder)
        if dataset.source == "geo":
            entry, remarks = _with_keys_of_samples(dataset, fetcher)
            series = acquire(entry, downloads=folder)
            remarks += _remarks_on_keys(dataset, entry) + _remarks_on_scale(entry, series)
            return TrainingSamples(entry=entry, series=series, remarks=remarks)
        if dataset.source != "table":
            return TrainingSamples(entry=dataset, series=acquire(dataset, downloads=folder))
        texts = read_request(dataset, fetcher)
        inferred = infer(texts.table, texts.entry, texts.phenotype, complete=True)
        if not inferred.entry.label:
            msg = f"{dataset.location}: the names of the samples contain no class; name a column"
            raise InputError(msg, key="label")
        proposed = propose_series(inferred, texts, fetcher)
    entry = proposed.entry
    series = proposed.series
    for note in proposed.notes:
        warnings.warn(NoteWarning(series.name, note), stacklevel=2)
    remarks = (*texts.remarks, *inferred.remarks, *proposed.remarks)
    remarks += _remarks_on_keys(dataset, entry) + _remarks_on_scale(entry, series)
    return TrainingSamples(entry=entry, series=series, remarks=remarks)


def _with_keys_of_samples(
    dataset: DatasetEntry, downloads: Downloads
) -> tuple[DatasetEntry, tuple[str, ...]]:
    """Return the entry of a series of GEO with the keys of its samples, and their reasons.

    They are those that a study proposes, unless ``dataset`` has them: patients, and which samples
    have which class.
    """
    # Gene symbols are no key of the samples: without a platform their file is not sought.
    summary = summarise_series(dataset.with_defaults(annotation="none"), downloads)
    entry = dataset
    remarks = []
    if summary.entry is not None and summary.entry.source == "geo":
        for key in ("group", "map", "literal", "unlabelled", "missing"):
            value = getattr(summary.entry, key)
            if value and not getattr(dataset, key):
                entry = replace(entry, **{key: value})
                setting = f"{key}: {flow_yaml(value)}"
                remarks.append(f"The proposal is {setting}: {summary.reasons[key]}.")
    return entry, tuple(remarks)


def _remarks_on_keys(request: DatasetEntry, entry: DatasetEntry) -> tuple[str, ...]:
    """Return a sentence on the keys that were inferred, beside where the samples' names are."""
    requested = {*request.settings(), "id", "samples"}
    keys = [key for key in entry.settings() if key not in requested]
    if not keys:
        return ()
    names = ", ".join(keys)
    return (f"The samples were read with proposed keys ({names}); --set KEY=VALUE changes one.",)


def _remarks_on_scale(dataset: DatasetEntry, series: DataSet) -> tuple[str, ...]:
    """Return a sentence on a transform that training data need, as a study proposes it.

    There is none if the entry has a transform, or if the values can be used as they are.
    """
    proposed = propose_scale(dataset, series)
    transform = proposed.entry.transform
    if transform and transform != dataset.transform:
        setting = f"transform={flow_yaml(transform)}"
        return (f"{proposed.sentence} Fit the model again with --set {shlex.quote(setting)}.",)
    scale = proposed.scale
    is_unlogged = scale is not None and scale.kind is RecognisedScale.NOT_LOGGED
    return (proposed.sentence,) if is_unlogged and proposed.sentence else ()


def symbols_of(series: DataSet, column: str = "symbol") -> dict[str, str]:
    """Return the gene symbol, or another ``column``, of each feature that has one."""
    table = series.feature_metadata
    if table is None or column not in table:
        return {}
    pairs = zip(series.features, table[column], strict=True)
    return {str(feature): symbol for feature, symbol in pairs if symbol}
