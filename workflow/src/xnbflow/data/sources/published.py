"""What the readers of published data sets share: a raw file becomes a frame of clean columns."""

import warnings
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from xnbflow.data.counts import counted, either
from xnbflow.data.errors import InputError, quoted
from xnbflow.data.sources.downloads import Downloads
from xnbflow.data.sources.files import open_raw
from xnbflow.data.sources.sheet import SheetRow

__all__ = ["fetch_frame", "numbers", "refuse_empty", "sample_rows"]

_NO_TABLE = (
    pd.errors.ParserError,
    pd.errors.ParserWarning,
    pd.errors.EmptyDataError,
    UnicodeDecodeError,
)


def fetch_frame(
    dataset: SheetRow,
    downloads: Downloads,
    path: str,
    *,
    bases: Sequence[str],
    columns: Sequence[str],
    text: Collection[str] = (),
    header: bool,
    separator: str = ",",
) -> pd.DataFrame:
    """Get a published file and read it.

    Parameters
    ----------
    dataset : SheetRow
        A row of the sheet; its option ``file`` names another file than ``path``.
    downloads : Downloads
        Where files come from and go to.
    path : str
        The file below the base URLs.
    bases : sequence of str
        Where it is published.
    columns : sequence of str
        The file's columns; where it has a header, those that it must have.
    text : collection of str
        Those of them that hold text; the others hold numbers.
    header : bool
        Whether its first line names the columns.
    separator : str
        What stands between cells.

    Returns
    -------
    DataFrame
        One row per line, and these columns alone; what is missing or ``?`` is NaN.

    Raises
    ------
    InputError
        If the file cannot be had or has other columns, or a cell that should be a number is none.
    """
    path = dataset.options.get("file", path)
    local = downloads.fetch(dataset.source, path, default=bases, sha256=dataset.sha256)
    missing = ["", "?", "NA"]
    try:
        with open_raw(local) as stream, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # rows longer than the header
            frame = pd.read_csv(
                stream,
                sep=separator,
                header=0 if header else None,
                na_values=missing,
                keep_default_na=False,
                low_memory=False,
                index_col=False,
            )
    except _NO_TABLE as error:
        msg = f"{local} is not a table: {str(error).strip()[:200]}; get it again"
        raise InputError(msg) from error
    _name_columns(frame, columns, str(local), dataset.location, header=header)
    typed = {}
    for column in columns:
        if column in text:
            typed[column] = frame[column].map(str, na_action="ignore").astype(object)
        else:
            (typed[column],) = numbers(dataset, frame[[column]], allow_missing=True)
    return pd.DataFrame(typed, index=frame.index)


def _name_columns(
    frame: pd.DataFrame, columns: Sequence[str], place: str, location: str, *, header: bool
) -> None:
    """Name the columns of a file without a header; refuse others than the published ones."""
    if header:
        absent = [column for column in columns if column not in frame.columns]
        if absent:
            msg = f"{place}, line 1: there is no column {absent[0]!r}; get the original file"
            raise InputError(msg)
        return
    if len(frame.columns) != len(columns):
        msg = (
            f"{place}: {counted(len(frame.columns), 'column')}, but {location} has {len(columns)}; "
            "get the original file"
        )
        raise InputError(msg)
    frame.columns = list(columns)


def numbers(dataset: SheetRow, frame: pd.DataFrame, *, allow_missing: bool = False) -> np.ndarray:
    """Return a frame's columns as float64, shape (n_columns, n_rows).

    Raises
    ------
    InputError
        If a cell is no number, or missing where that is not allowed.
    """
    values = np.empty((len(frame.columns), len(frame)))
    for row, column in enumerate(frame.columns):
        cells = frame[column]
        if cells.dtype == object:  # a whole number of hundreds of digits has no float
            cells = cells.map(str, na_action="ignore")
        values[row] = pd.to_numeric(cells, errors="coerce")
        bad = ~np.isfinite(values[row])
        if allow_missing:
            bad &= frame[column].notna().to_numpy()
        if bad.any():
            first = int(np.argmax(bad))
            cell = frame[column].iloc[first]
            what = "missing" if pd.isna(cell) else f"{quoted(cell)}, which is no finite number"
            msg = (
                f"data set {dataset.id}: column {column!r} of row {frame.index[first]} (from 0) is "
                f"{what}; get the original file"
            )
            raise InputError(msg)
    return values


def refuse_empty(dataset: SheetRow, frame: pd.DataFrame) -> None:
    """Refuse a file of which no row can be used.

    Raises
    ------
    InputError
    """
    if frame.empty:
        msg = f"data set {dataset.id}: no row of the file can be used; get the original file"
        raise InputError(msg)


def sample_rows(dataset: SheetRow, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the random rows that the options ``rows`` and ``seed`` ask for, in their order."""
    if "rows" not in dataset.options:
        return frame
    n_rows = int(dataset.options["rows"])
    if not 0 < n_rows <= len(frame):
        msg = (
            f"data set {dataset.id}: option rows={n_rows}, but there "
            f"{either(len(frame), 'is', 'are')} {counted(len(frame), 'row')}; "
            "correct the sheet"
        )
        raise InputError(msg)
    rng = np.random.default_rng(int(dataset.options.get("seed", 0)))
    return frame.iloc[np.sort(rng.choice(len(frame), n_rows, replace=False))]
