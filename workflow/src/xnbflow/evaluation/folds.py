"""Folds: drawn once per data set and repeat, so that every classifier sees the same ones."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from xnbflow.data.contract import FOLDS_TABLE
from xnbflow.data.counts import counted
from xnbflow.data.dataset import DataSet, DataSetHeader
from xnbflow.data.errors import InputError
from xnbflow.data.seeds import derive_seed
from xnbflow.data.tables import read_parquet

__all__ = [
    "draw_folds",
    "folds_of_repeat",
    "leave_one_group_out",
    "stratified_splits",
]


def draw_folds(
    header: DataSet | DataSetHeader, n_splits: int | None, n_repeats: int
) -> pd.DataFrame:
    """Draw stratified folds; where samples have groups, none is on both sides of a fold.

    Parameters
    ----------
    header : DataSetHeader
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
    _refuse_more_folds_than_samples(header, n_splits)
    classes, counts = _class_counts(header)
    what = "samples" if header.groups is None else "groups"
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
    series: DataSet | DataSetHeader,
    n_splits: int | None,
    repeat: int,
    predefined: Sequence[str | Path] = (),
) -> pd.DataFrame:
    """Return the folds of one repeat, as `draw_folds` draws them or as a file has them.

    Parameters
    ----------
    series : DataSet or DataSetHeader
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
        If the file is absent or damaged, or folds cannot be drawn (see `draw_folds`).
    """
    if not predefined:
        if n_splits is None:
            return leave_one_group_out(series)
        return _draw(series, n_splits, repeat)
    (path,) = predefined
    folds = read_parquet(path, FOLDS_TABLE)
    return folds[folds["repeat"] == repeat].reset_index(drop=True)


def _draw(header: DataSet | DataSetHeader, n_splits: int, repeat: int) -> pd.DataFrame:
    _refuse_more_folds_than_samples(header, n_splits)
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


def leave_one_group_out(header: DataSet | DataSetHeader) -> pd.DataFrame:
    """Return folds that each test one group: a patient, a batch, a centre.

    Parameters
    ----------
    header : DataSetHeader
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


def _class_counts(header: DataSet | DataSetHeader) -> tuple[np.ndarray, np.ndarray]:
    """Return each class with the number of its samples, or of the groups that have any."""
    if header.groups is None:
        return np.unique(header.labels, return_counts=True)
    pairs = pd.DataFrame({"label": header.labels, "group": header.groups}).drop_duplicates()
    return np.unique(pairs["label"].to_numpy(dtype=str), return_counts=True)


def _refuse_more_folds_than_samples(header: DataSet | DataSetHeader, n_splits: int) -> None:
    classes, counts = _class_counts(header)
    if counts.max() < n_splits:
        what = "samples" if header.groups is None else "groups"
        msg = (
            f"{header.name}: {n_splits} folds need a class with at least as many {what}; the "
            f"largest, {str(classes[counts.argmax()])!r}, has {counts.max()}. Use fewer splits"
        )
        raise InputError(msg)


def _refuse_uneven_groups(
    header: DataSet | DataSetHeader, splits: list[tuple[np.ndarray, np.ndarray]]
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
            f"{n_groups} of them for {counted(len(header.samples), 'sample')}; use fewer "
            "splits, or other "
            "groups"
        )
        raise InputError(msg)


def _fold(repeat: int, fold: int, samples: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame({"repeat": repeat, "fold": fold, "sample": samples})
