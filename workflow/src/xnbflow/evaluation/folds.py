"""Folds: drawn once per data set and repeat, so that every classifier sees the same ones."""

import io
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from xnbflow.contract import FOLDS_TABLE
from xnbflow.errors import InputError
from xnbflow.seeds import derive_seed
from xnbflow.series import Series, SeriesHeader
from xnbflow.sources.files import open_raw
from xnbflow.tables import read_parquet

__all__ = [
    "draw_folds",
    "folds_of_repeat",
    "leave_one_group_out",
    "read_folds",
    "stratified_splits",
]

#: In a file of predefined folds: a sample that always trains and is never tested.
ALWAYS_TRAIN = "train"


def draw_folds(header: Series | SeriesHeader, n_splits: int | None, n_repeats: int) -> pd.DataFrame:
    """Draw stratified folds; where samples have groups, none is on both sides of a fold.

    Parameters
    ----------
    header : SeriesHeader
        Samples, labels and, where it has them, groups of the data set.
    n_splits : int or None
        Folds per repeat; None leaves out one group of samples in each, see `leave_one_group_out`.
    n_repeats : int
        How often to draw; 1 where groups are left out. A repeat's folds depend on the data set's
        name and the repeat alone.

    Returns
    -------
    DataFrame
        One row per repeat and tested sample, with columns ``repeat``, ``fold`` and ``sample``:
        the fold in which the sample is tested. It trains in all others.

    Raises
    ------
    InputError
        If every class has fewer samples (or groups, where samples have them) than there are folds,
        or groups are so uneven that a fold would test nothing or train without a class.

    Warns
    -----
    UserWarning
        Names the classes with fewer samples (or groups) than folds: they are missing from some test
        folds.
    """
    if n_splits is None:
        return leave_one_group_out(header)
    classes, counts = _class_counts(header)
    what = "samples" if header.groups is None else "groups"
    if counts.max() < n_splits:
        msg = (
            f"{header.name}: {n_splits} folds need a class with at least as many {what}; the "
            f"largest, {str(classes[counts.argmax()])!r}, has {counts.max()}. Use fewer splits"
        )
        raise InputError(msg)
    small = [f"{str(c)!r} ({n})" for c, n in zip(classes, counts, strict=True) if n < n_splits]
    if small:
        msg = (
            f"{header.name}: fewer {what} than folds ({n_splits}) in class {', '.join(small)}; "
            "some folds test none of them"
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    repeats = [_draw(header, n_splits, repeat) for repeat in range(n_repeats)]
    return pd.concat(repeats, ignore_index=True)


def folds_of_repeat(
    series: Series | SeriesHeader,
    n_splits: int | None,
    repeat: int,
    predefined: Sequence[str | Path] = (),
) -> pd.DataFrame:
    """Return the folds of one repeat, as `draw_folds` draws them or as a file has them.

    Parameters
    ----------
    series : Series or SeriesHeader
        The data set.
    n_splits : int or None
        Folds per repeat; None leaves out one group of samples in each.
    repeat : int
        From 0.
    predefined : sequence of path
        The one file of the scheme's folds, if they are not drawn.

    Raises
    ------
    InputError
        If the file is absent or damaged.
    """
    if not predefined:
        if n_splits is None:
            return leave_one_group_out(series)
        return _draw(series, n_splits, repeat)
    (path,) = predefined
    folds = read_parquet(path, FOLDS_TABLE)
    return folds[folds["repeat"] == repeat].reset_index(drop=True)


def _draw(header: Series | SeriesHeader, n_splits: int, repeat: int) -> pd.DataFrame:
    seed = derive_seed(header.name, repeat, "folds")
    splits = stratified_splits(header.labels, header.groups, n_splits, seed)
    if header.groups is not None:
        _refuse_uneven_groups(header, splits)
    tables = [_fold(repeat, fold, header.samples[test]) for fold, (_, test) in enumerate(splits)]
    return pd.concat(tables, ignore_index=True)


def stratified_splits(
    labels: np.ndarray, groups: np.ndarray | None, n_splits: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Split samples into stratified folds, for outer and inner cross-validations alike.

    Parameters
    ----------
    labels : ndarray of str, shape (n_samples,)
    groups : ndarray of str, shape (n_samples,), or None
        Patients or batches; none is on both sides of a split.
    n_splits, seed : int

    Returns
    -------
    list of (train, test)
        Positions of samples.

    Examples
    --------
    >>> labels, groups = np.array(["a", "b"] * 4), np.repeat(["p", "q", "r", "s"], 2)
    >>> train, test = stratified_splits(labels, groups, 2, seed=0)[0]
    >>> len(test), set(groups[train]) & set(groups[test])
    (4, set())
    """
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    splitter = kind(n_splits, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return list(splitter.split(np.zeros(len(labels)), labels, groups))


def leave_one_group_out(header: Series | SeriesHeader) -> pd.DataFrame:
    """Return folds that each test one group: a patient, a batch, a centre.

    Parameters
    ----------
    header : SeriesHeader
        With groups.

    Returns
    -------
    DataFrame
        As `draw_folds`, of one repeat; fold i tests the i-th group in alphabetical order.

    Raises
    ------
    InputError
        If samples have no groups, all have the same, or a class stands in one group only, so that
        it could not be learned without it.
    """
    if header.groups is None:
        msg = (
            f"{header.name}: folds that leave one group out need groups; name the column of "
            "patients or batches by group= in the sheet's options"
        )
        raise InputError(msg)
    names = np.unique(header.groups)
    if len(names) < 2:
        msg = f"{header.name}: all samples are of the group {str(names[0])!r}; none can be left out"
        raise InputError(msg)
    splits = [
        (np.flatnonzero(header.groups != name), np.flatnonzero(header.groups == name))
        for name in names
    ]
    _refuse_uneven_groups(header, splits)
    tables = [_fold(0, fold, header.samples[test]) for fold, (_, test) in enumerate(splits)]
    return pd.concat(tables, ignore_index=True)


def _class_counts(header: Series | SeriesHeader) -> tuple[np.ndarray, np.ndarray]:
    """Return each class with the number of its samples, or of the groups that have any."""
    if header.groups is None:
        return np.unique(header.labels, return_counts=True)
    pairs = pd.DataFrame({"label": header.labels, "group": header.groups}).drop_duplicates()
    return np.unique(pairs["label"].to_numpy(dtype=str), return_counts=True)


def _refuse_uneven_groups(
    header: Series | SeriesHeader, splits: list[tuple[np.ndarray, np.ndarray]]
) -> None:
    classes = set(header.labels)
    n_groups = 0 if header.groups is None else len(set(header.groups))
    for fold, (train, test) in enumerate(splits):
        lacking = sorted(classes - set(header.labels[train]))
        if len(test) and not lacking:
            continue
        what = f"trains without class {str(lacking[0])!r}" if lacking else "tests no sample"
        msg = (
            f"{header.name}: fold {fold} {what}, for groups are kept whole and there are "
            f"{n_groups} of them for {len(header.samples)} samples; use fewer splits, or other "
            "groups"
        )
        raise InputError(msg)


def _refuse_split_groups(
    path: str | Path, folds: pd.DataFrame, header: SeriesHeader, groups: np.ndarray
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


def read_folds(
    path: str | Path, header: SeriesHeader, n_splits: int, n_repeats: int
) -> pd.DataFrame:
    """Read predefined folds.

    Parameters
    ----------
    path : path
        Tab-separated text, gzipped or not, with a header and columns ``sample`` and ``fold`` and,
        if there are several repeats, ``repeat``. A fold is a whole number from 0, or ``train`` for
        a sample that always trains and is never tested. Or, without a header, one number per
        sample in the order of the series: 0 trains, 1 is tested.
    header : SeriesHeader
        Samples of the data set.
    n_splits, n_repeats : int
        How many folds and repeats the configuration announces.

    Returns
    -------
    DataFrame
        As `draw_folds`.

    Raises
    ------
    InputError
        If a column is missing, a sample is unknown, missing or repeated, a fold is no number, the
        numbers of folds and repeats are not the announced ones, or a group of samples is on both
        sides of a fold.
    """
    table = _read_table(path, header)
    for repeat, group in table.groupby("repeat", sort=False):
        _check_samples(path, repeat, group["sample"], header)
    tested = table[table["fold"] != ALWAYS_TRAIN]
    for column in ("repeat", "fold"):
        bad = tested.index[~tested[column].str.fullmatch(r"\d+")]
        if len(bad):
            msg = (
                f"{path}, line {bad[0] + 2}: {column} is {tested.loc[bad[0], column]!r}; "
                f"use a whole number, or {ALWAYS_TRAIN!r} as the fold of a sample that only trains"
            )
            raise InputError(msg)
    folds = tested.astype({"repeat": int, "fold": int})[["repeat", "fold", "sample"]]
    found = set(zip(folds["repeat"], folds["fold"], strict=True))
    if found != {(repeat, fold) for repeat in range(n_repeats) for fold in range(n_splits)}:
        msg = (
            f"{path} holds the (repeat, fold) {sorted(found)[:20]}, the configuration announces "
            f"{n_repeats} repeats of {n_splits} splits, both counted from 0; make them agree"
        )
        raise InputError(msg)
    if header.groups is not None:
        _refuse_split_groups(path, folds, header, header.groups)
    return folds.sort_values(["repeat", "fold"], kind="stable").reset_index(drop=True)


def _read_table(path: str | Path, header: SeriesHeader) -> pd.DataFrame:
    with open_raw(path) as stream:
        content = stream.read()
    words = content.decode().split()
    if words and set(words) <= {"0", "1"}:
        if len(words) != len(header.samples):
            msg = f"{path}: {len(words)} numbers for the {len(header.samples)} samples"
            raise InputError(f"{msg} of {header.name}")
        fold = np.where(np.array(words) == "1", "0", ALWAYS_TRAIN)
        return pd.DataFrame({"sample": header.samples, "fold": fold, "repeat": "0"})
    table = pd.read_csv(io.BytesIO(content), sep="\t", dtype=str, keep_default_na=False)
    missing = {"sample", "fold"} - set(table.columns)
    if missing:
        msg = f"{path}: column {min(missing)!r} is missing; found {', '.join(table.columns)}"
        raise InputError(msg)
    return table if "repeat" in table else table.assign(repeat="0")


def _fold(repeat: int, fold: int, samples: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"repeat": repeat, "fold": fold, "sample": samples})


def _check_samples(path: str | Path, repeat: str, given: pd.Series, header: SeriesHeader) -> None:
    repeated = given[given.duplicated()]
    if len(repeated):
        line = repeated.index[0] + 2
        msg = f"{path}, line {line}: sample {repeated.iloc[0]!r} stands twice in repeat {repeat}"
        raise InputError(msg)
    unknown = given[~given.isin(header.samples)]
    if len(unknown):
        line = unknown.index[0] + 2
        msg = f"{path}, line {line}: {header.name} has no sample {unknown.iloc[0]!r}"
        raise InputError(msg)
    absent = sorted(set(header.samples) - set(given))
    if absent:
        msg = (
            f"{path}: sample {str(absent[0])!r} of {header.name} is missing in repeat {repeat} "
            f"({len(absent)} in all); give it a fold, or {ALWAYS_TRAIN!r}"
        )
        raise InputError(msg)
