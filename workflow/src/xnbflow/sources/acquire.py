"""Acquire a data set: from an entry of the configuration to a checked canonical series."""

import importlib
import logging
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.findings import Finding
from xnbflow.core.nouns import counted, either
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note, NoteWarning
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.places.downloads import Downloads, Origin
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.registry import known_sources
from xnbflow.tables.contract import DOWNLOADS

_LOG = logging.getLogger(__name__)
#: Constant features that a note names.
_NAMED_FEATURES = 5


def acquire(
    dataset: DatasetEntry,
    *,
    downloads: str | Path = DOWNLOADS,
    base_urls: Mapping[str, Sequence[str]] | None = None,
    lock: str | Path | None = None,
    origins: list[Origin] | None = None,
    unresolved: str | Path | None = None,
    **retry: Any,
) -> DataSet:
    """Get a data set from its source and check it against its entry.

    Parameters
    ----------
    dataset : DatasetEntry
        Its entry in the configuration.
    downloads : path
        Folder for downloaded files, in which files put there by hand are found, too.
    base_urls : mapping of str to sequence of str, optional
        Per source (cumida, geo, uci, angular, auslan) the places to try in order: ``http(s)://`` or
        ``file://`` URLs, or folders. Each source has its own default.
    lock : path, optional
        A file of checksums of earlier accepted files. A file that differs is refused; new ones are
        added.
    origins : list of Origin, optional
        A list to which the place of each file, and the places that failed, are added.
    unresolved : path, optional
        A file of hosts whose names other jobs of this run could not resolve: none is tried again.
    **retry
        The fields of `xnbflow.sources.places.retries.RetryPolicy`: how often and how long a
        download is tried.

    Returns
    -------
    DataSet
        With at least two classes and the expected shape.

    Raises
    ------
    InputError
        If the data cannot be downloaded or read, or contradict the entry.

    Warns
    -----
    UserWarning
        Each note of the series, constant features, a number of features within its tolerance.

    Examples
    --------
    >>> from xnbflow.sources.dataset_entry import Shape
    >>> acquire(DatasetEntry("wine", "bundled", "wine", shape=Shape(samples=178))).values.shape
    (13, 178)
    """
    fetcher = Downloads(
        Path(downloads),
        dict(base_urls or {}),
        RetryPolicy(**retry),
        Path(lock) if lock else None,
        unresolved=Path(unresolved) if unresolved else None,
    )
    # The module of a source has a function `load`, which returns the series of an entry.
    source = importlib.import_module(known_sources()[dataset.source].module)

    # A file that is refused, such as a page of a server instead of the data, is fetched from
    # another place, until the files are accepted or no place is left.
    while True:
        try:
            # The annotation comes first, so that a series without one is not downloaded.
            entry = fetch_annotation(dataset, fetcher) if dataset.annotation else dataset
            series: DataSet = source.load(entry, fetcher)
            differences = check_shape(dataset, series)
            break
        except InputError as error:
            fetcher.leave_out_places(error)
    if fetcher.origins:
        fetcher.keep_checksums()

    for origin in fetcher.origins:
        _LOG.info("data set %s: %s", series.name, origin.sentence())
    _LOG.info(
        "data set %s: %s samples, %s features, %s classes from the source %s",
        series.name,
        series.n_samples,
        series.n_features,
        len(series.classes),
        dataset.source,
    )
    if origins is not None:
        origins += fetcher.origins
    for note in [*differences, *series.notes, *notes_on_constants(series)]:
        warnings.warn(NoteWarning(series.name, note), stacklevel=2)
    return series


def acquire_with_findings(dataset: DatasetEntry, **settings: Any) -> tuple[DataSet, list[Finding]]:
    """Acquire a data set; return it and the findings of its reader, nearly all notices.

    They are the warnings, then where each file came from and which places failed. The ``settings``
    are the keyword arguments of `acquire`.
    """
    origins: list[Origin] = settings.pop("origins", [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        series = acquire(dataset, origins=origins, **settings)
    messages = {str(warning.message): warning.message for warning in caught}  # each once
    notes = []
    for text, message in messages.items():
        _LOG.warning(text)
        sys.stderr.write(f"Warning: {text}\n")
        notes.append(message.note if isinstance(message, NoteWarning) else Note(text))
    for origin in origins:
        notes.append(Note(origin.sentence()))
        if origin.failures:
            sys.stderr.write(f"Note: data set {dataset.id}: {origin.sentence()}\n")
    return series, [_finding_of_note(dataset, note) for note in notes]


def _finding_of_note(dataset: DatasetEntry, note: Note) -> Finding:
    """Return the finding of a note of a reader.

    It is a notice on the platform, the processing, or the file; but a warning on the direction of
    the values, by which each gene of the page would be read the wrong way round.
    """
    if note.code == "direction":
        return Finding(
            code="values",
            kind="direction",
            dataset=dataset.id,
            detail=note.finding,
        )
    return Finding(
        code="reading",
        kind=note.code if note.code in ("platform", "processing") else "file",
        dataset=dataset.id,
        severity="notice",
        detail=note.finding,
        other=note.advice,
    )


def check_shape(dataset: DatasetEntry, series: DataSet) -> list[str]:
    """Refuse a series of one class, or of another shape than the entry's.

    Returns notes on differences within the tolerance of the entry.
    """
    if len(series.classes) < 2:
        samples = either(
            series.n_samples, "the only sample has", f"all {series.n_samples:,} samples have"
        )
        msg = (
            f"data set {dataset.id}: {samples} the label {quoted(str(series.labels[0]))}; a "
            "classifier needs at least two classes (the key map leaves out labels that it does "
            "not list)"
        )
        raise InputError(msg, key="label")
    counts = {
        "samples": series.n_samples,
        "features": series.n_features,
        "classes": len(series.classes),
    }
    singulars = {"samples": "sample", "features": "feature", "classes": "class"}
    notes = []
    for key, count in counts.items():
        expected = getattr(dataset.shape, key)
        if expected in (None, count):
            continue
        sentence = f"{counted(count, singulars[key])} found, shape has {expected}"
        tolerance = dataset.shape.features_tolerance if key == "features" else 0
        if abs(count - expected) > tolerance:
            msg = f"data set {dataset.id}: {sentence}; get the right file, or correct the key shape"
            raise InputError(msg, key=key)
        notes.append(f"{sentence} (within its tolerance)")
    return notes


def notes_on_constants(series: DataSet) -> list[str]:
    """Return a note on features with a single value, apart from missing ones."""
    lowest = np.fmin.reduce(series.values, axis=1)
    highest = np.fmax.reduce(series.values, axis=1)
    constant = np.flatnonzero(lowest == highest)
    if not len(constant):
        return []
    names = ", ".join(series.features[constant[:_NAMED_FEATURES]])
    if len(constant) > _NAMED_FEATURES:
        names += ", ..."
    note = (
        f"{len(constant)} of {counted(series.n_features, 'feature')} "
        f"{either(len(constant), 'is', 'are')} constant ({names}) and "
        f"{either(len(constant), 'carries', 'carry')} no information about the classes"
    )
    return [note]
