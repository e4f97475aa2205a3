"""Features that a selection could exchange: sets of several folds with ties taken as one."""

from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pandas as pd

__all__ = ["TIES", "ties_as_one", "ties_of"]

#: Columns of `ties_of` and their types.
TIES = {"class": str, "group": int, "feature": str, "selected": bool, "exchangeable": bool}


def ties_of(
    tied: Mapping[Any, Any] | pd.DataFrame,
    selected: Mapping[Any, Sequence[Any]],
    rename: Mapping[Any, Any] | None = None,
) -> pd.DataFrame:
    """Return the ties of one fit as a table.

    Parameters
    ----------
    tied : mapping or DataFrame
        What a classifier says in ``tied_features_``. For each class label the groups of
        interchangeable features, sequences of names; or one sequence of names, a single group; or
        a mapping from a selected feature to those that could replace it. Or a table with columns
        ``class``, ``feature`` and ``taken`` (whether it was, of its group) in which a group are
        the rows of a class, and of an ``other_class`` if it has that column.
    selected : mapping
        For each class label the features selected, as they shall be called.
    rename : mapping, optional
        What the features of ``tied`` shall be called, where not as they are.

    Returns
    -------
    DataFrame
        One row per class and feature of a group, with columns ``class``, ``group`` (number of the
        group within its class), ``feature``, ``selected`` (of its group where that is told, else
        at all), and ``exchangeable``: whether another feature of the group was left out.

    Examples
    --------
    >>> ties_of({"tumour": [["g1", "g7"]]}, {"tumour": ["g1", "g3"]})
        class  group feature  selected  exchangeable
    0  tumour      0      g1      True          True
    1  tumour      0      g7     False          True
    """
    rows, rename = [], rename or {}
    by_class = _by_class(tied) if isinstance(tied, pd.DataFrame) else tied
    for label, groups in by_class.items():
        chosen = {str(feature) for feature in selected.get(label, ())}
        for number, (group, taken) in enumerate(_groups(groups)):
            names = [str(rename.get(feature, feature)) for feature in group]
            kept = [name in chosen for name in names] if taken is None else taken
            rows += [
                (str(label), number, name, one, not all(kept))
                for name, one in zip(names, kept, strict=True)
            ]
    table = pd.DataFrame(rows, columns=list(TIES))
    return table.astype({"group": int, "selected": bool, "exchangeable": bool})


def _by_class(tied: pd.DataFrame) -> dict[Any, list[tuple[list[Any], list[bool]]]]:
    """Return the groups of each class of a table, with what was taken of each."""
    group = [column for column in ("class", "other_class") if column in tied]
    found: dict[Any, list[tuple[list[Any], list[bool]]]] = {}
    for key, rows in tied.groupby(group, sort=False, dropna=False):
        found.setdefault(key[0], []).append((rows["feature"].tolist(), rows["taken"].tolist()))
    return found


def _groups(groups: Any) -> list[tuple[Sequence[Any], list[bool] | None]]:
    """Return a class's groups, each with which of its features were taken, None if untold."""
    if isinstance(groups, Mapping):
        return [
            ([feature, *others], [True, *[False] * len(others)])
            for feature, others in groups.items()
        ]
    if len(groups) and isinstance(groups[0], tuple):
        return groups
    if len(groups) and all(np.ndim(feature) == 0 for feature in groups):
        return [(groups, None)]
    return [(group, None) for group in groups]


def ties_as_one(
    sets: Sequence[AbstractSet[str]],
    groups: Sequence[Sequence[tuple[AbstractSet[str], AbstractSet[str]]]],
) -> list[set[str]]:
    """Return the sets that folds would have selected, had they broken ties alike.

    Parameters
    ----------
    sets : sequence of sets of str
        The features selected in each fold.
    groups : sequence of sequences of (set of str, set of str)
        Of each fold the groups of interchangeable features, and what was taken of each.

    Returns
    -------
    list of set of str
        Where ``s`` features of a group were taken, the ``s`` of it that the most folds select or
        could select; among these, by name. Which of them a fold's own rule took, and so the
        features' names, changes nothing.

    Examples
    --------
    >>> sets = [{"g1"}, {"g2"}, {"g7"}]
    >>> ties_as_one(sets, [[({"g1", "g7"}, {"g1"})], [({"g2", "g7"}, {"g2"})], []])
    [{'g7'}, {'g7'}, {'g7'}]
    """
    possible = Counter(
        feature
        for chosen, tied in zip(sets, groups, strict=True)
        for feature in set(chosen).union(*(group for group, _ in tied))
    )
    result = []
    for chosen, tied in zip(sets, groups, strict=True):
        kept = set(chosen).difference(*(taken for _, taken in tied))
        for group, taken in tied:
            preferred = sorted(group, key=lambda feature: (-possible[feature], feature))
            kept.update(preferred[: len(taken)])
        result.append(kept)
    return result
