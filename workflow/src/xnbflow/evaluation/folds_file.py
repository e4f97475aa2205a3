"""The folds of a scheme: drawn, or read from a file with the test fold of each sample."""

import csv
import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from xnbflow.core.errors import InputError, about_file, quoted
from xnbflow.core.nouns import counted
from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds, scikit_learn_folds
from xnbflow.sources.formats.files import open_raw
from xnbflow.sources.places.downloads import Downloads
from xnbflow.sources.places.retries import RetryPolicy
from xnbflow.tables.contract import DOWNLOADS

#: A sample that always trains and is never tested.
_ALWAYS_TRAIN = "train"


def scheme_folds(
    header: DataSet,
    scheme: Mapping[str, Any],
    local_file: str | Path | None,
    download: Mapping[str, Any],
) -> pd.DataFrame:
    """Draw the folds of a scheme, or read predefined ones.

    ``scheme`` is a `xnbflow.running.config.Folds` as a mapping, ``local_file`` its file where it is
    on this machine, ``download`` the section of the configuration for a file that is a URL. See
    `xnbflow.evaluation.folds.draw_folds` and `_read_folds` for the result and errors.
    """
    splits = scheme["splits"]
    repeats = scheme["repeats"]
    file = scheme["file"]
    if file is None:
        try:
            if scheme.get("shuffle") is None:
                return draw_folds(header, splits, repeats)
            return scikit_learn_folds(header, splits, repeats, seed=scheme["seed"])
        except InputError as error:
            msg = f"{error} (`splits` of the study's `folds` in the configuration)"
            raise InputError(msg, key="splits") from error
    settings = dict(download)
    downloads = Downloads(Path(DOWNLOADS), settings.pop("base_urls"), RetryPolicy(**settings))
    location = str(local_file or file)
    while True:
        try:
            path = downloads.fetch_location("folds", location, name=Path(file).name)
            folds = _read_folds(path, header, splits, repeats)
        except InputError as error:
            downloads.leave_out_places(error)
        else:
            downloads.keep_checksums()
            return folds


def _read_folds(path: str | Path, header: DataSet, n_splits: int, n_repeats: int) -> pd.DataFrame:
    """Read predefined folds, as `xnbflow.evaluation.folds.draw_folds` returns them.

    The file is tab-separated text, gzipped or not, with a header and columns ``sample`` and
    ``fold`` and, if there are several repeats, ``repeat``. A fold is a whole number from 0, or
    ``train`` for a sample that always trains and is never tested. Or, without a header, one number
    per sample in the order of the series: 0 trains, 1 is tested. It is an `InputError` if the file
    has another format, does not test or train each sample once in each repeat, has other folds than
    the ``n_splits`` and ``n_repeats`` that the configuration announces, or a group of samples is on
    both sides of a fold.
    """
    with about_file(path):
        rows = _rows(path, header)
        is_tested = rows["fold"] != _ALWAYS_TRAIN
        for name, cells in (("repeat", rows["repeat"]), ("fold", rows.loc[is_tested, "fold"])):
            wrong = cells[~cells.str.fullmatch("[0-9]{1,6}").astype(bool)]
            if len(wrong):
                line = rows["line"][wrong.index[0]]
                cell = wrong.iloc[0]
                more = ", or train for a sample that only trains" if name == "fold" else ""
                msg = f"{name} is {quoted(cell)}; use a whole number from 0{more}"
                raise InputError(f"{path}, line {line}: {msg}")
        rows = rows.astype({"repeat": int})
        _check_samples(path, rows, header)
        folds = rows.loc[is_tested, ["repeat", "fold", "sample"]].astype({"fold": int})
        present = sorted(set(zip(folds["repeat"].tolist(), folds["fold"].tolist(), strict=True)))
        if present != list(itertools.product(range(n_repeats), range(n_splits))):
            msg = (
                f"{path} holds the (repeat, fold) {quoted(present[:20])}, the configuration "
                f"announces {counted(n_repeats, 'repeat')} of {counted(n_splits, 'split')}, both "
                "counted from 0; make them agree"
            )
            raise InputError(msg)

        # All samples of a group are on one side of a fold.
        if header.groups is not None:
            groups = pd.Series(header.groups, index=header.samples)
            for (repeat, fold), tested in folds.groupby(["repeat", "fold"])["sample"]:
                training = groups.drop(tested)
                torn = training[training.isin(groups[tested])]
                if len(torn):
                    msg = (
                        f"{path}: repeat {repeat}, fold {fold} trains with sample "
                        f"{str(torn.index[0])!r} and tests another of its group "
                        f"{str(torn.iloc[0])!r}; keep each group on one side"
                    )
                    raise InputError(msg)

    return folds.sort_values(["repeat", "fold"], kind="stable", ignore_index=True)


def _rows(path: str | Path, header: DataSet) -> pd.DataFrame:
    """Return the line, repeat, fold and sample of each row, as text except the line."""
    with open_raw(path) as stream:
        content = stream.read()
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        msg = f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        raise InputError(msg) from error
    words = text.split()
    if not words or not set(words) <= {"0", "1"}:
        return pd.DataFrame(_read_rows(path, text), columns=["line", "repeat", "fold", "sample"])
    if len(words) != len(header.samples):
        msg = (
            f"{path}: {counted(len(words), 'number')} for the "
            f"{counted(len(header.samples), 'sample')} of {header.name}"
        )
        raise InputError(msg)
    folds = ["0" if word == "1" else _ALWAYS_TRAIN for word in words]
    lines = range(1, len(words) + 1)
    samples = [str(sample) for sample in header.samples]
    return pd.DataFrame({"line": lines, "repeat": "0", "fold": folds, "sample": samples})


def _read_rows(path: str | Path, text: str) -> list[dict[str, Any]]:
    """Return the rows of a file of folds by column name, with their cells as text."""
    reader = csv.reader(text.splitlines(keepends=True), delimiter="\t", strict=True)
    rows = []
    try:
        names = [name.strip() for name in next(reader, [])]
        for name in ("sample", "fold", "repeat"):
            count = names.count(name)
            if count > 1 or (count == 0 and name != "repeat"):
                fault = f"is listed {counted(count, 'time')}" if count else "is missing"
                msg = f"{path}: column {name!r} {fault}; found {quoted(', '.join(names))[1:-1]}"
                raise InputError(msg)
        for cells in filter(None, reader):
            if len(cells) != len(names):
                msg = (
                    f"{path}, line {reader.line_num}: {counted(len(cells), 'cell')}, the header "
                    f"has {len(names)}; correct the line"
                )
                raise InputError(msg)
            row = dict(zip(names, (cell.strip() for cell in cells), strict=True))
            rows.append({"repeat": "0", **row, "line": reader.line_num})
    except csv.Error as error:
        msg = f"{path}, line {reader.line_num}: not tab-separated text ({error}); correct it"
        raise InputError(msg) from error
    return rows


def _check_samples(path: str | Path, rows: pd.DataFrame, header: DataSet) -> None:
    """Refuse a repeat unless it has each sample of the series once."""
    is_repeated = rows.duplicated(["repeat", "sample"])
    is_unknown = ~rows["sample"].isin(header.samples)
    if (is_repeated | is_unknown).any():
        row = rows[is_repeated | is_unknown].iloc[0]
        msg = f"{header.name} has no sample {quoted(row['sample'])}"
        if not is_unknown[row.name]:
            msg = f"sample {quoted(row['sample'])} is listed twice in repeat {row['repeat']}"
        raise InputError(f"{path}, line {row['line']}: {msg}")
    for repeat, samples in rows.groupby("repeat")["sample"]:
        if absent := sorted({str(sample) for sample in header.samples} - set(samples)):
            msg = (
                f"{path}: sample {quoted(absent[0])} of {header.name} is missing in repeat "
                f"{repeat} ({len(absent)} in all); give it a fold, or {_ALWAYS_TRAIN!r}"
            )
            raise InputError(msg)
