"""Acquire a data set: from a row of the sheet to a checked canonical series."""

import importlib
import logging
import sys
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.core.nouns import counted, either
from xnbflow.core.refusals import Refusal, fill
from xnbflow.data.dataset import DataSet
from xnbflow.data.note import Note, NoteWarning
from xnbflow.sources.annotation import fetch_annotation
from xnbflow.sources.places.downloads import Downloads, Origin
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.sources.registry import known_sources
from xnbflow.sources.sheet import SheetRow
from xnbflow.tables.contract import DOWNLOADS, NOTES_TABLE
from xnbflow.tables.storage import table_of

_LOG = logging.getLogger(__name__)


def acquire(
    dataset: SheetRow,
    *,
    downloads: str | Path = DOWNLOADS,
    base_urls: Mapping[str, Sequence[str]] | None = None,
    lock: str | Path | None = None,
    origins: list[Origin] | None = None,
    earlier: Mapping[str, Origin] | None = None,
    **retry: Any,
) -> DataSet:
    """Get a data set from its source and check it against the sheet.

    Parameters
    ----------
    dataset : SheetRow
        A row of the sheet.
    downloads : path
        Folder for downloaded files, in which files put there by hand are found, too.
    base_urls : mapping of str to sequence of str, optional
        Per source (cumida, geo, uci, angular, auslan) the places to try in order: ``http(s)://`` or
        ``file://`` URLs, or folders. Each source has its own default.
    lock : path, optional
        A file of checksums of earlier accepted files. A file that differs is refused; new ones are
        added.
    origins : list of Origin, optional
        A list to which the origin of each file is added.
    earlier : mapping of str to Origin, optional
        By the name of a file, where it came from when another job fetched it.
    **retry
        The fields of `xnbflow.sources.places.retries.RetryPolicy`.

    Returns
    -------
    DataSet
        With at least two classes and the expected shape.

    Raises
    ------
    InputError
        If the data cannot be downloaded or read, or contradict the sheet.

    Warns
    -----
    UserWarning
        Each note of the series, constant features, a number of features within its tolerance.

    Examples
    --------
    >>> acquire(SheetRow("wine", "bundled", "wine", samples=178)).values.shape
    (13, 178)
    """
    places = Downloads(
        Path(downloads),
        dict(base_urls or {}),
        RetryPolicy(**retry),
        Path(lock) if lock else None,
        earlier=dict(earlier or {}),
    )
    source = importlib.import_module(known_sources()[dataset.source].module)

    def make() -> tuple[DataSet, list[str]]:
        # The annotation comes first, so that a series without one is not downloaded.
        row = fetch_annotation(dataset, places) if "annotation" in dataset.options else dataset
        series = source.load(row, places)
        return series, _differences(dataset, series)

    series, notes = places.accepted(make)
    for origin in places.origins:
        _LOG.info("data set %s: %s", series.name, origin.sentence())
    _LOG.info(
        "data set %s: %s samples, %s features, %s classes from the source %s",
        *(series.name, series.n_samples, series.n_features, len(series.classes), dataset.source),
    )
    if origins is not None:
        origins += places.origins
    for note in [*notes, *series.notes, *_constant_features(series)]:
        warnings.warn(NoteWarning(series.name, note), stacklevel=2)
    return series


def acquire_noting(dataset: SheetRow, **settings: Any) -> tuple[DataSet, pd.DataFrame]:
    """Acquire a data set; return it and the table ``notes``.

    The notes are the warnings, then where each file came from and which places failed.
    """
    origins = settings.setdefault("origins", [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        series = acquire(dataset, **settings)
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
    rows = []
    for note in notes:
        row = {"code": note.code, "note": note.finding, "advice": note.advice}
        rows.append({"dataset": dataset.id, **row})
    return series, table_of(rows, NOTES_TABLE)


_ONE_CLASS = Refusal(
    code="acquire.one-class",
    sentence=(
        "data set {dataset}: {samples} the label {label!r}; a classifier needs at least two "
        "classes (map= leaves out labels that it does not list)"
    ),
)

_SHAPE = "{number} found, the sheet expects {expected}"

_OTHER_SHAPE = Refusal(
    code="acquire.other-shape",
    sentence=f"data set {{dataset}}: {_SHAPE}; get the right file, or correct the sheet",
    sheet=True,
)


def _differences(dataset: SheetRow, series: DataSet) -> list[str]:
    """Return how the shape differs from the sheet's within its tolerance; refuse other shapes."""
    if len(series.classes) < 2:
        samples = either(
            series.n_samples, "the only sample has", f"all {series.n_samples:,} samples have"
        )
        raise _ONE_CLASS.error(dataset=dataset.id, samples=samples, label=str(series.labels[0]))
    notes = []
    tolerances = {"features": int(dataset.options.get("features_tolerance", 0))}
    counts = {
        "samples": series.n_samples,
        "features": series.n_features,
        "classes": len(series.classes),
    }
    singulars = {"samples": "sample", "features": "feature", "classes": "class"}
    for key, count in counts.items():
        expected = getattr(dataset, key)
        if expected in (None, count):
            continue
        tolerance = tolerances.get(key, 0)
        number = counted(count, singulars[key])
        if abs(count - expected) > tolerance:
            raise _OTHER_SHAPE.error(dataset=dataset.id, number=number, expected=expected, key=key)
        notes.append(f"{fill(_SHAPE, number=number, expected=expected)} (within its tolerance)")
    return notes


def _constant_features(series: DataSet) -> list[str]:
    """Return a note on features with a single value, apart from missing ones."""
    lowest = np.fmin.reduce(series.values, axis=1)
    highest = np.fmax.reduce(series.values, axis=1)
    constant = np.flatnonzero(lowest == highest)
    if not len(constant):
        return []
    names = ", ".join(series.features[constant[:5]])
    if len(constant) > 5:
        names += ", ..."
    note = (
        f"{len(constant)} of {counted(series.n_features, 'feature')} "
        f"{either(len(constant), 'is', 'are')} constant ({names}) and "
        f"{either(len(constant), 'carries', 'carry')} no information about the classes"
    )
    return [note]
