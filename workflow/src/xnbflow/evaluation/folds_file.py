"""The folds of a scheme: drawn, or read from a file that says where each sample is tested."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from xnbflow.data.contract import DOWNLOADS
from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet, DataSetHeader
from xnbflow.data.errors import InputError, quoted
from xnbflow.data.sources.download import Downloads
from xnbflow.data.sources.files import open_raw
from xnbflow.data.sources.patience import Patience
from xnbflow.evaluation.folds import draw_folds

__all__ = ["folds_of_batch", "read_folds", "scheme_folds"]

#: A sample that always trains and is never tested.
ALWAYS_TRAIN = "train"

_NUMBER = re.compile(r"[0-9]{1,6}")
#: A series has a few thousand samples, in some hundred repeats.
_MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class _Row:
    line: int
    repeat: str
    fold: str
    sample: str


def scheme_folds(
    header: DataSet | DataSetHeader,
    scheme: Mapping[str, Any],
    given: str | Path | None,
    download: Mapping[str, Any],
) -> pd.DataFrame:
    """Draw the folds of a scheme, or read predefined ones.

    Parameters
    ----------
    header : DataSet or DataSetHeader
        The data set.
    scheme : mapping
        ``splits``, ``repeats`` and ``file`` of `xnbflow.workflow.config.Folds`.
    given : path or None
        The file, where it is on this machine.
    download : mapping
        The section ``download`` of the configuration, for a file that is a URL.

    Returns
    -------
    DataFrame
        As `xnbflow.evaluation.folds.draw_folds`.

    Raises
    ------
    InputError
        If the folds cannot be drawn, or the file cannot be had or read.
    """
    splits, repeats, file = (scheme[key] for key in ("splits", "repeats", "file"))
    if file is None:
        return draw_folds(header, splits, repeats)
    settings = dict(download)
    downloads = Downloads(Path(DOWNLOADS), settings.pop("base_urls"), Patience(**settings))
    location = str(given or file)

    def read() -> pd.DataFrame:
        path = downloads.fetch_location("folds", location, name=Path(file).name)
        return read_folds(path, header, splits, repeats)

    return downloads.accepted(read)


def folds_of_batch(
    folds: pd.DataFrame, repeats: Sequence[int], folds_of_repeat: Sequence[int] | None
) -> pd.DataFrame:
    """Return the rows of some repeats, and of some folds of each (None: of all).

    Examples
    --------
    >>> folds = pd.DataFrame({"repeat": [0, 0, 1], "fold": [0, 1, 0], "sample": ["a", "b", "a"]})
    >>> folds_of_batch(folds, [0], [1])["sample"].tolist()
    ['b']
    """
    rows = folds["repeat"].isin(repeats)
    if folds_of_repeat is not None:
        rows &= folds["fold"].isin(folds_of_repeat)
    return folds[rows].reset_index(drop=True)


def read_folds(
    path: str | Path, header: DataSet | DataSetHeader, n_splits: int, n_repeats: int
) -> pd.DataFrame:
    """Read predefined folds.

    Parameters
    ----------
    path : path
        Tab-separated text, gzipped or not, with a header and columns ``sample`` and ``fold`` and,
        if there are several repeats, ``repeat``. A fold is a whole number from 0, or ``train`` for
        a sample that always trains and is never tested. Or, without a header, one number per
        sample in the order of the series: 0 trains, 1 is tested.
    header : DataSetHeader
        Samples of the data set.
    n_splits, n_repeats : int
        How many folds and repeats the configuration announces.

    Returns
    -------
    DataFrame
        As `xnbflow.evaluation.folds.draw_folds`.

    Raises
    ------
    InputError
        If the file is no such text, a line has more or fewer cells than the header, a column is
        missing or stands twice, a sample is unknown, missing or repeated, a fold is no number, the
        numbers of folds and repeats are not the announced ones, or a group of samples is on both
        sides of a fold.
    """
    rows = _read_rows(path, header)
    for row in rows:
        cells = {"repeat": row.repeat} | ({} if row.fold == ALWAYS_TRAIN else {"fold": row.fold})
        for name, cell in cells.items():
            if not _NUMBER.fullmatch(cell):
                msg = (
                    f"{path}, line {row.line}: {name} is {quoted(cell)}; use a whole number from 0"
                    f"{', or train for a sample that only trains' if name == 'fold' else ''}"
                )
                raise InputError(msg)
    _check_samples(path, rows, header)
    tested = [(int(r.repeat), int(r.fold), r.sample) for r in rows if r.fold != ALWAYS_TRAIN]
    found = {(repeat, fold) for repeat, fold, _ in tested}
    if found != {(repeat, fold) for repeat in range(n_repeats) for fold in range(n_splits)}:
        msg = (
            f"{path} holds the (repeat, fold) {quoted(sorted(found)[:20])}, the configuration "
            f"announces {counted(n_repeats, 'repeat')} of {counted(n_splits, 'split')}, both "
            "counted from 0; make them "
            "agree"
        )
        raise InputError(msg)
    folds = pd.DataFrame(tested, columns=["repeat", "fold", "sample"])
    if header.groups is not None:
        _refuse_split_groups(path, folds, header, header.groups)
    return folds.sort_values(["repeat", "fold"], kind="stable").reset_index(drop=True)


def _read_rows(path: str | Path, header: DataSet | DataSetHeader) -> list[_Row]:
    with open_raw(path) as stream:
        content = stream.read(_MOST_BYTES + 1)
    if len(content) > _MOST_BYTES:
        msg = f"{path} is larger than {_MOST_BYTES >> 20} MiB: these are no folds of samples"
        raise InputError(msg)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise InputError(msg) from error
    words = text.split()
    if words and set(words) <= {"0", "1"}:
        return _indicator(path, words, header)
    return list(_table(path, text))


def _indicator(path: str | Path, words: list[str], header: DataSet | DataSetHeader) -> list[_Row]:
    if len(words) != len(header.samples):
        msg = (
            f"{path}: {counted(len(words), 'number')} for the "
            f"{counted(len(header.samples), 'sample')}"
        )
        raise InputError(f"{msg} of {header.name}")
    return [
        _Row(line, "0", "0" if word == "1" else ALWAYS_TRAIN, str(sample))
        for line, (word, sample) in enumerate(zip(words, header.samples, strict=True), 1)
    ]


def _table(path: str | Path, text: str) -> Iterator[_Row]:
    reader = csv.reader(text.splitlines(keepends=True), delimiter="\t", strict=True)
    try:
        names = [name.strip() for name in next(reader, [])]
        for name in ("sample", "fold", "repeat"):
            count = names.count(name)
            if count > 1 or (count == 0 and name != "repeat"):
                what = f"stands {counted(count, 'time')}" if count else "is missing"
                msg = f"{path}: column {name!r} {what}; found {quoted(', '.join(names))[1:-1]}"
                raise InputError(msg)
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(names):
                msg = (
                    f"{path}, line {reader.line_num}: {counted(len(cells), 'cell')}, the header has"
                )
                raise InputError(f"{msg} {len(names)}; correct the line")
            row = dict(zip(names, (cell.strip() for cell in cells), strict=True))
            yield _Row(reader.line_num, row.get("repeat", "0"), row["fold"], row["sample"])
    except csv.Error as error:
        msg = f"{path}, line {reader.line_num}: no tab-separated text ({error}); correct it"
        raise InputError(msg) from error


def _check_samples(path: str | Path, rows: list[_Row], header: DataSet | DataSetHeader) -> None:
    """Refuse a repeat that has not each sample of the series once."""
    known = {str(sample) for sample in header.samples}
    given: dict[int, set[str]] = {}
    for row in rows:
        seen = given.setdefault(int(row.repeat), set())
        if row.sample in seen:
            msg = f"sample {quoted(row.sample)} stands twice in repeat {row.repeat}"
            raise InputError(f"{path}, line {row.line}: {msg}")
        if row.sample not in known:
            msg = f"{header.name} has no sample {quoted(row.sample)}"
            raise InputError(f"{path}, line {row.line}: {msg}")
        seen.add(row.sample)
    for repeat, seen in given.items():
        if absent := sorted(known - seen):
            msg = (
                f"{path}: sample {quoted(absent[0])} of {header.name} is missing in repeat "
                f"{repeat} ({len(absent)} in all); give it a fold, or {ALWAYS_TRAIN!r}"
            )
            raise InputError(msg)


def _refuse_split_groups(
    path: str | Path, folds: pd.DataFrame, header: DataSet | DataSetHeader, groups: np.ndarray
) -> None:
    """Refuse predefined folds that test and train samples of one group."""
    group_of = dict(zip(header.samples, groups, strict=True))
    for (repeat, fold), tested in folds.groupby(["repeat", "fold"])["sample"]:
        inside = set(tested)
        tested_groups = {group_of[sample] for sample in inside}
        torn = [s for s in header.samples if s not in inside and group_of[s] in tested_groups]
        if torn:
            msg = (
                f"{path}: repeat {repeat}, fold {fold} trains with sample {str(torn[0])!r} and "
                f"tests another of its group {str(group_of[torn[0]])!r}; keep each group on one "
                "side"
            )
            raise InputError(msg)
