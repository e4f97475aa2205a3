"""What the readers of published data sets share: a raw file becomes a frame of clean columns."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.errors import InputError
from xnbflow.sources.dataset import DataSet
from xnbflow.sources.download import Downloads
from xnbflow.sources.files import open_raw

__all__ = ["fetch_frame", "numbers", "sample_rows"]


def fetch_frame(
    dataset: DataSet,
    downloads: Downloads,
    path: str,
    *,
    bases: Sequence[str],
    columns: Sequence[str],
    header: bool,
    separator: str = ",",
) -> pd.DataFrame:
    """Get a published file and read it.

    Parameters
    ----------
    dataset : DataSet
        A row of the sheet; its option ``file`` names another file than ``path``.
    downloads : Downloads
        Where files come from and go to.
    path : str
        The file below the base URLs.
    bases : sequence of str
        Where it is published.
    columns : sequence of str
        The file's columns; where it has a header, those that it must have.
    header : bool
        Whether its first line names the columns.
    separator : str
        What stands between cells.

    Returns
    -------
    DataFrame
        One row per line; what is missing or ``?`` is NaN.

    Raises
    ------
    InputError
        If the file cannot be had or has other columns.
    """
    path = dataset.options.get("file", path)
    local = downloads.fetch(dataset.source, path, default=bases, sha256=dataset.sha256)
    missing = ["", "?", "NA"]
    try:
        with open_raw(local) as stream:
            frame = pd.read_csv(
                stream,
                sep=separator,
                header=0 if header else None,
                na_values=missing,
                keep_default_na=False,
                low_memory=False,
            )
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        msg = f"{local} is not a table: {error}; get it again"
        raise InputError(msg) from error
    _name_columns(frame, columns, str(local), dataset.location, header=header)
    return frame


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
            f"{place}: {len(frame.columns)} columns, but {location} has {len(columns)}; "
            "get the original file"
        )
        raise InputError(msg)
    frame.columns = list(columns)


def numbers(dataset: DataSet, frame: pd.DataFrame, *, allow_missing: bool = False) -> np.ndarray:
    """Return a frame's columns as float64, shape (n_columns, n_rows).

    Raises
    ------
    InputError
        If a cell is no number, or missing where that is not allowed.
    """
    values = np.empty((len(frame.columns), len(frame)))
    for row, column in enumerate(frame.columns):
        values[row] = pd.to_numeric(frame[column], errors="coerce")
        bad = ~np.isfinite(values[row])
        if allow_missing:
            bad &= frame[column].notna().to_numpy()
        if bad.any():
            first = int(np.argmax(bad))
            cell = frame[column].iloc[first]
            what = "missing" if pd.isna(cell) else f"{cell!r}, which is no finite number"
            msg = (
                f"data set {dataset.id}: column {column!r} of row {frame.index[first]} (from 0) is "
                f"{what}; get the original file"
            )
            raise InputError(msg)
    return values


def sample_rows(dataset: DataSet, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the random rows that the options ``rows`` and ``seed`` ask for, in their order."""
    if "rows" not in dataset.options:
        return frame
    n_rows = int(dataset.options["rows"])
    if not 0 < n_rows <= len(frame):
        msg = (
            f"data set {dataset.id}: option rows={n_rows}, but there are {len(frame)} rows; "
            "correct the sheet"
        )
        raise InputError(msg)
    rng = np.random.default_rng(int(dataset.options.get("seed", 0)))
    return frame.iloc[np.sort(rng.choice(len(frame), n_rows, replace=False))]
