"""The folds of a cross-validation inside `fit`: stratified, and groups kept together."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.core.parameters import Constraint, Instance, ListOf, satisfies, whole_constraint
from xnbflow.data.canonical_order import canonical_order, numbered
from xnbflow.data.labels import refuse_missing
from xnbflow.data.samples import Labels
from xnbflow.data.stratified import INNER_FOLDS, stratified_folds


def _is_fold(value: Any) -> bool:
    """Return whether a value is a pair of arrays of whole numbers, positions of samples."""
    if not (isinstance(value, (list, tuple)) and len(value) == 2):
        return False
    return all(np.ndim(part) == 1 and np.asarray(part).dtype.kind in "iu" for part in value)


#: One fold of a list of folds.
_FOLD = Constraint("(training, test)", _is_fold)

#: A list of folds, of which there is at least one.
_FOLDS_GIVEN = Constraint(
    "a list of (training, test) samples",
    lambda value: satisfies(value, ListOf(_FOLD)) and bool(value),
)

#: Valid values of the parameter ``cv``, as in scikit-learn.
CV_CONSTRAINTS: list[Any] = [
    whole_constraint(2),
    Instance("split", "get_n_splits"),
    _FOLDS_GIVEN,
    None,
]


def sample_groups(groups: Labels | None, n_samples: int) -> np.ndarray | None:
    """Return the argument ``groups`` of `fit` as an array (n_samples,); None without groups.

    Raises
    ------
    InputError
        If there is not one group per sample, or a group is missing.

    Examples
    --------
    >>> sample_groups(["patient 1", "patient 1", None], 3)
    Traceback (most recent call last):
    xnbflow.core.errors.InputError: 1 of 3 samples has no group: 2. Remove them or give each ...
    """
    if groups is None:
        return None
    if len(groups) != n_samples:
        msg = (
            f"there are {counted(n_samples, 'sample')} and {counted(len(groups), 'group')}; give "
            "the group of each sample"
        )
        raise InputError(msg)
    refuse_missing(groups, what="group", remedy="give each a group of its own")
    return np.asarray(groups)


def inner_folds(
    cv: Any, codes: np.ndarray, groups: np.ndarray | None, features: np.ndarray | None = None
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the training and test samples of each inner fold with test samples.

    Parameters
    ----------
    cv : int, cross-validation splitter, list or None
        An int makes stratified folds in the order of the samples, no more than the largest class
        has samples, or, where samples have ``groups``, than there are groups; fewer than two are
        refused. A list holds training and test samples of each fold. None makes 5 folds in the
        canonical order of the samples, which the order of the rows of a table does not change.
    codes : ndarray of int, shape (n_samples,)
        The class of each sample.
    groups : ndarray of shape (n_samples,), or None
        Samples of one group, for example a patient, stay in one fold.
    features : ndarray of shape (n_features, n_samples), optional
        The values, which decide the canonical order; without them None makes 5 folds in the order
        of the samples.

    Examples
    --------
    >>> [test.tolist() for _, test in inner_folds(2, np.array([0, 1, 0, 1]), None)]
    [[0, 1], [2, 3]]
    """
    if cv is None and features is not None:
        order = canonical_order(features, codes, groups)
        ordered_groups = None if groups is None else numbered(groups[order])
        folds = inner_folds(INNER_FOLDS, codes[order], ordered_groups)
        return [(order[train], order[test]) for train, test in folds]
    if cv is None:
        cv = INNER_FOLDS
    if isinstance(cv, Integral):
        most = np.bincount(codes).max() if groups is None else len(np.unique(groups))
        n_splits = min(int(cv), int(most))
        if n_splits < 2:
            size = "each class has one sample" if groups is None else "there is one group"
            msg = (
                f"cv={cv}, but {size}: an inner cross-validation needs 2 folds at least; give "
                "further samples, or use a classifier without cv"
            )
            raise InputError(msg)
        if groups is None:
            return stratified_folds(codes, n_splits)
        from sklearn.model_selection import StratifiedGroupKFold  # noqa: PLC0415  a third of a second

        cv = StratifiedGroupKFold(n_splits)
    from sklearn.model_selection import check_cv  # noqa: PLC0415  a third of a second

    with warnings.catch_warnings():
        # A class with fewer samples than folds is absent from some folds, which is harmless here.
        warnings.filterwarnings("ignore", "The least populated class")
        splits = check_cv(cv, codes, classifier=True).split(
            np.empty((len(codes), 0)), codes, groups
        )
        folds = [(np.asarray(train), np.asarray(test)) for train, test in splits]
    if any(samples.max(initial=0) >= len(codes) for fold in folds for samples in fold):
        msg = f"cv names a sample beyond the {len(codes)} that there are; number them from 0 on"
        raise InputError(msg)
    return [(train, test) for train, test in folds if len(test)]
