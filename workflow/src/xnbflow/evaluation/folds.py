"""Folds: drawn once per data set and repeat, the same for every classifier."""

import warnings
from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.data.canonical_order import numbered, order_of
from xnbflow.data.dataset import DataSet
from xnbflow.data.series_seed import series_seed
from xnbflow.data.stratified import (
    repeated_fold_numbers,
    stratified_folds,
    stratified_group_folds,
)

#: With more samples folds are drawn once, and the default checks (disjoint halves, permuted labels,
#: random genes) are left out.
MOST_REPEATED = 1000

Splits = list[tuple[np.ndarray, np.ndarray]]


def draw_folds(header: DataSet, n_splits: int | None, n_repeats: int) -> pd.DataFrame:
    """Draw stratified folds; where samples have groups, none is on both sides of a fold.

    There are ``n_splits`` folds per repeat; None leaves out one group of samples in each, once, see
    `leave_one_group_out`. A repeat's folds are drawn for the samples in canonical order
    (`xnbflow.data.canonical_order`), and depend on their classes and groups and on the repeat. The
    result has ``repeat``, ``fold`` and ``sample``: the fold of the repeat in which the sample is
    tested; it trains in all others. A warning names the classes that are too small to be tested in
    every fold. It is an `InputError` if every class has fewer samples (or groups, where samples
    have them) than there are folds, or groups are so uneven that a fold would test nothing or train
    without a class.
    """
    if n_splits is None:
        return leave_one_group_out(header)
    repeats = [folds_of_repeat(header, n_splits, repeat) for repeat in range(n_repeats)]
    _warn_of_small_classes(header, n_splits)
    return pd.concat(repeats, ignore_index=True)


def _warn_of_small_classes(header: DataSet, n_splits: int) -> None:
    """Warn of classes that are too small to be tested in every fold."""
    counts = class_counts(header)
    small = [f"{label!r} ({n})" for label, n in counts.items() if n < n_splits]
    if small:
        units = "samples" if header.groups is None else "groups"
        msg = (
            f"{header.name}: fewer {units} than folds ({n_splits}) in class {', '.join(small)}; "
            "some folds test none of them"
        )
        warnings.warn(msg, UserWarning, stacklevel=3)


def _refuse_few(header: DataSet, n_splits: int) -> None:
    """Raise an `InputError` if every class has fewer samples, or groups, than there are folds."""
    counts = class_counts(header)
    if counts.max() < n_splits:
        units = "samples" if header.groups is None else "groups"
        msg = (
            f"{header.name}: {n_splits} folds need a class with at least as many {units}; the "
            f"largest, {counts.idxmax()!r}, has {counts.max()}. Use fewer folds"
        )
        raise InputError(msg)


def folds_of_repeat(header: DataSet, n_splits: int | None, repeat: int) -> pd.DataFrame:
    """Return the folds of one repeat, as `draw_folds` draws them, without its warning."""
    if n_splits is None:
        return leave_one_group_out(header)
    _refuse_few(header, n_splits)
    seed = series_seed(header, repeat, "folds")
    order = order_of(header)
    groups = None if header.groups is None else numbered(header.groups[order])
    splits = [
        (np.sort(order[train]), np.sort(order[test]))
        for train, test in stratified_splits(numbered(header.labels[order]), groups, n_splits, seed)
    ]
    return _table(header, splits, repeat)


def stratified_splits(
    labels: np.ndarray,
    groups: np.ndarray | None,
    n_splits: int,
    seed: int | np.random.RandomState | None,
) -> Splits:
    """Split samples into stratified folds, for outer and inner cross-validations alike.

    The result has the positions of training and test samples. No group (a patient or a batch) is on
    both sides of a split. Without a ``seed`` samples are in the order of the data, not shuffled.

    Examples
    --------
    >>> labels, groups = np.array(["a", "b"] * 4), np.repeat(["p", "q", "r", "s"], 2)
    >>> train, test = stratified_splits(labels, groups, 2, seed=0)[0]
    >>> len(test), set(groups[train]) & set(groups[test])
    (4, set())
    """
    if groups is None:
        return stratified_folds(labels, n_splits, seed)
    return stratified_group_folds(labels, groups, n_splits, seed)


def repeated_folds(
    labels: np.ndarray, groups: np.ndarray | None, n_splits: int, seeds: Sequence[int]
) -> np.ndarray:
    """Return the fold in which each sample is tested, with each of several seeds.

    The result has the shape (n_seeds, n_samples). Without groups, row i has the folds of
    `stratified_splits` with ``seeds[i]``. Groups are kept whole, and dealt to folds as samples are:
    those of one class by their class, those of several classes as a class of their own. Folds then
    have equal numbers of groups, where `stratified_splits` looks for equal numbers of samples,
    which takes a hundred times longer.

    Examples
    --------
    >>> repeated_folds(np.array(["a", "b"] * 4), np.repeat(["p", "q", "r", "s"], 2), 2, [0, 3])
    array([[1, 1, 1, 1, 0, 0, 0, 0],
           [1, 1, 0, 0, 0, 0, 1, 1]])
    """
    if groups is None:
        return repeated_fold_numbers(labels, n_splits, seeds)
    codes = np.unique(labels, return_inverse=True)[1]
    first, group_codes = np.unique(groups, return_index=True, return_inverse=True)[1:]
    group_classes = codes[first]
    has_other_class = codes != group_classes[group_codes]
    group_classes[group_codes[has_other_class]] = codes.max() + 1
    return repeated_fold_numbers(group_classes, n_splits, seeds)[:, group_codes]


def scikit_learn_folds(
    header: DataSet, n_splits: int, n_repeats: int, *, seed: int | None
) -> pd.DataFrame:
    """Return the folds that scikit-learn draws with a seed from the samples in their order.

    They are those of ``StratifiedKFold(n_splits, shuffle=True, random_state=seed)`` or, with
    several repeats, ``RepeatedStratifiedKFold``, whose first repeat is the same. Without a seed
    they are those of ``shuffle=False``, of which there is one repeat. Where samples have groups,
    they are those of ``StratifiedGroupKFold`` with the same arguments. The result, its errors and
    its warning are those of `draw_folds`. Another order of the samples has other folds.
    """
    _refuse_few(header, n_splits)
    _warn_of_small_classes(header, n_splits)
    # One generator for all repeats, as in RepeatedStratifiedKFold.
    generator = None if seed is None else np.random.RandomState(seed)
    tables = []
    for repeat in range(n_repeats):
        splits = stratified_splits(header.labels, header.groups, n_splits, generator)
        tables.append(_table(header, splits, repeat))
    return pd.concat(tables, ignore_index=True)


def leave_one_group_out(header: DataSet) -> pd.DataFrame:
    """Return folds that each test one group: a patient, a batch, a centre.

    They are a table like that of `draw_folds`, of one repeat; fold i tests the i-th group in
    alphabetical order. An `InputError` is raised if samples have no groups, all have the same, or a
    class is in one group only, so that it could not be learned without it.
    """
    if header.groups is None:
        msg = (
            f"{header.name}: folds that leave one group out need groups; name the column of "
            "patients or batches by group"
        )
        raise InputError(msg, key="group")
    names = np.unique(header.groups)
    if len(names) < 2:
        msg = f"{header.name}: all samples are of the group {str(names[0])!r}; none can be left out"
        raise InputError(msg)
    tested = [header.groups == name for name in names]
    splits = [(np.flatnonzero(~in_group), np.flatnonzero(in_group)) for in_group in tested]
    return _table(header, splits, 0)


def class_counts(header: DataSet) -> pd.Series:
    """Return the number of samples, or of groups, of each class."""
    units = header.samples if header.groups is None else header.groups
    pairs = pd.DataFrame({"label": header.labels, "unit": units}).drop_duplicates()
    return pairs.groupby("label").size()


def _table(header: DataSet, splits: Splits, repeat: int) -> pd.DataFrame:
    """Return the folds of a repeat; refuse those in which whole groups make one useless."""
    tables = []
    for fold, (train, test) in enumerate(splits):
        lacking = np.setdiff1d(header.labels, header.labels[train])
        if header.groups is not None and (len(lacking) or not len(test)):
            fault = (
                f"trains without class {str(lacking[0])!r}" if len(lacking) else "tests no sample"
            )
            msg = (
                f"{header.name}: fold {fold} {fault}, for groups are kept whole and there are "
                f"{len(np.unique(header.groups))} for {counted(len(header.samples), 'sample')}; "
                "use other groups, or fewer folds"
            )
            raise InputError(msg)
        samples = header.samples[test]
        tables.append(pd.DataFrame({"repeat": repeat, "fold": fold, "sample": samples}))
    return pd.concat(tables, ignore_index=True)
