"""Published data sets: a raw file is downloaded, and cleaned as its paper describes."""

import io
import warnings
import zipfile
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError, quoted
from xnbflow.core.nouns import counted, either
from xnbflow.data.dataset import DataSet
from xnbflow.sources.dataset_entry import DatasetEntry
from xnbflow.sources.formats.arff import arff_frame
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.places.downloads import Downloads

_NO_TABLE = (
    pd.errors.ParserError,
    pd.errors.ParserWarning,
    pd.errors.EmptyDataError,
    UnicodeDecodeError,
)
_BROKEN_ZIP = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, kw_only=True)
class Published:
    """The place of a published data set, and the cleaning of its file.

    Attributes
    ----------
    path : str
        The file below the base URLs.
    columns : sequence of str
        The columns that are read. Without a ``header`` the file has exactly these.
    clean : callable
        Takes the entry of the data set and the file's columns. Returns a frame of features (in
        radians, numbers and codes) with the column ``label`` and samples as its index, and the
        kind of each feature.
    bases : sequence of str
        Base URLs; none for a file that the user has.
    text : collection of str
        Columns of text; the others are numbers.
    header : bool
        Whether the first row has the names of the columns.
    member : str
        The ARFF file in a ZIP archive, where the file is one. Its attributes are the columns in
        their order.
    """

    path: str
    columns: Sequence[str]
    clean: Callable[[DatasetEntry, pd.DataFrame], tuple[pd.DataFrame, Mapping[str, str]]]
    bases: Sequence[str] = ()
    text: Collection[str] = ()
    header: bool = True
    member: str = ""


def load_published(
    dataset: DatasetEntry, downloads: Downloads, known: Mapping[str, Published]
) -> DataSet:
    """Get the data set that the entry's ``name`` names.

    Its keys are ``rows`` and ``seed`` (a random sample of that many samples) and ``file``
    (another name of the raw file below the base URLs or in a folder).
    """
    if dataset.location not in known:
        msg = (
            f"data set {dataset.id}: source {dataset.source} has no data set "
            f"{quoted(dataset.location)}; use one of {', '.join(known)}, or source 'table'"
        )
        raise InputError(msg, key="name")
    entry = known[dataset.location]
    path = dataset.options.get("file", entry.path)
    local = downloads.fetch(dataset.source, path, default=entry.bases, sha256=dataset.sha256)

    # Read the columns of an entry; what is missing or ``?`` is NaN.
    if entry.member and zipfile.is_zipfile(local):
        frame = _read_member(entry, local)
    else:
        frame = _read_delimited(entry, local)
    if absent := [column for column in entry.columns if column not in frame]:
        msg = (
            f"{local}: {dataset.location} has {len(entry.columns)} columns, but of "
            f"{counted(len(frame.columns), 'column')} no column of the file is {absent[0]!r}; get "
            "the original file"
        )
        raise InputError(msg, file=str(local), key=absent[0])
    typed = {}
    for column in entry.columns:
        if column in entry.text:
            typed[column] = frame[column].map(str, na_action="ignore").astype(object)
        else:
            typed[column] = numbers(dataset, frame[[column]], allow_missing=True)[0]
    columns = pd.DataFrame(typed, index=frame.index)

    frame, kinds = entry.clean(dataset, columns)
    refuse_empty(dataset, frame)
    frame = _draw_rows(dataset, frame)
    values = numbers(dataset, frame[list(kinds)])
    return DataSet(
        name=dataset.id,
        values=values,
        features=list(kinds),
        samples=frame.index,
        labels=frame["label"],
        kinds=list(kinds.values()),
    )


def _read_delimited(entry: Published, local: Path) -> pd.DataFrame:
    """Read a file of text, with its columns named as in the entry if it has no header."""
    try:
        with open_raw(local) as stream, warnings.catch_warnings():
            # Rows longer than the header are an error.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            frame = pd.read_csv(
                stream,
                sep="\t" if ".tsv" in entry.path else ",",
                header=0 if entry.header else None,
                na_values=["", "?", "NA"],
                keep_default_na=False,
                low_memory=False,
                index_col=False,
            )
    except _NO_TABLE as error:
        msg = f"{local} is not a table: {str(error).strip()[:200]}; get it again"
        raise InputError(msg, file=str(local)) from error
    if not entry.header and len(frame.columns) == len(entry.columns):
        frame.columns = list(entry.columns)
    return frame


def _read_member(entry: Published, local: Path) -> pd.DataFrame:
    """Read the ARFF file in an archive; its columns have the names of the entry."""
    try:
        with zipfile.ZipFile(local) as archive:
            content = io.BytesIO(archive.read(entry.member))
            frame = arff_frame(Path(f"{local}/{entry.member}"), content)
    except (KeyError, *_BROKEN_ZIP) as error:
        msg = f"{local} has no file {entry.member}, or is damaged ({error}); get it again"
        raise InputError(msg, file=str(local)) from error
    if len(frame.columns) == len(entry.columns):
        frame.columns = list(entry.columns)
    return frame


def numbers(
    dataset: DatasetEntry, frame: pd.DataFrame, *, allow_missing: bool = False
) -> np.ndarray:
    """Return a frame's columns as float64, shape (n_columns, n_rows)."""
    values = np.empty((len(frame.columns), len(frame)))
    for row, column in enumerate(frame.columns):
        cells = frame[column]
        if cells.dtype == object:
            # A whole number of hundreds of digits has no float.
            cells = cells.map(str, na_action="ignore")
        values[row] = pd.to_numeric(cells, errors="coerce")
        bad = ~np.isfinite(values[row])
        if allow_missing:
            bad &= frame[column].notna().to_numpy()
        if bad.any():
            first = int(np.argmax(bad))
            cell = frame[column].iloc[first]
            what = "missing" if pd.isna(cell) else f"{quoted(cell)}, which is not a finite number"
            msg = (
                f"data set {dataset.id}: column {column!r} of row {frame.index[first]} (from 0) is "
                f"{what}; get the original file"
            )
            raise InputError(msg, key=column)
    return values


def refuse_empty(dataset: DatasetEntry, frame: pd.DataFrame) -> None:
    """Raise an `InputError` if no row of a file can be used."""
    if frame.empty:
        msg = f"data set {dataset.id}: no row of the file can be used; get the original file"
        raise InputError(msg)


def _draw_rows(dataset: DatasetEntry, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the random rows that the keys ``rows`` and ``seed`` ask for, in their order."""
    n_rows = dataset.options.get("rows", len(frame))
    if not 0 < n_rows <= len(frame):
        msg = (
            f"data set {dataset.id}: rows is {n_rows}, but there "
            f"{either(len(frame), 'is', 'are')} {counted(len(frame), 'row')}; correct the key"
        )
        raise InputError(msg, key="rows")
    if "rows" not in dataset.options:
        return frame
    rng = np.random.default_rng(dataset.options.get("seed", 0))
    return frame.iloc[np.sort(rng.choice(len(frame), n_rows, replace=False))]
