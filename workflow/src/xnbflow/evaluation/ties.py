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
    tied: Mapping[Any, Sequence[Any]],
    selected: Mapping[Any, Sequence[Any]],
    rename: Mapping[Any, Any] | None = None,
) -> pd.DataFrame:
    """Return the ties of one fit as a table.

    Parameters
    ----------
    tied : mapping
        For each class label the groups of interchangeable features: sequences of names. A plain
        sequence of names is one group.
    selected : mapping
        For each class label the features selected, as they shall be called.
    rename : mapping, optional
        What the features of ``tied`` shall be called, where not as they are.

    Returns
    -------
    DataFrame
        One row per class and feature of a group, with columns ``class``, ``group`` (number of the
        group within its class), ``feature``, ``selected``, and ``exchangeable``: whether another
        feature of the group was left out.

    Examples
    --------
    >>> ties_of({"tumour": [["g1", "g7"]]}, {"tumour": ["g1", "g3"]})
        class  group feature  selected  exchangeable
    0  tumour      0      g1      True          True
    1  tumour      0      g7     False          True
    """
    rows, rename = [], rename or {}
    for label, groups in tied.items():
        chosen = {str(feature) for feature in selected.get(label, ())}
        plain = len(groups) and all(np.ndim(feature) == 0 for feature in groups)
        for number, group in enumerate([groups] if plain else groups):
            names = [str(rename.get(feature, feature)) for feature in group]
            left_out = not chosen.issuperset(names)
            rows += [(str(label), number, name, name in chosen, left_out) for name in names]
    table = pd.DataFrame(rows, columns=list(TIES))
    return table.astype({"group": int, "selected": bool, "exchangeable": bool})


def ties_as_one(
    sets: Sequence[AbstractSet[str]], groups: Sequence[Sequence[AbstractSet[str]]]
) -> list[set[str]]:
    """Return the sets that folds would have selected, had they broken ties alike.

    Parameters
    ----------
    sets : sequence of sets of str
        The features selected in each fold.
    groups : sequence of sequences of sets of str
        Of each fold the groups of interchangeable features.

    Returns
    -------
    list of set of str
        Where ``s`` features of a group were selected, the ``s`` of it that the most folds select
        or could select; among these, by name. Which of them a fold's own rule took, and so the
        features' names, changes nothing.

    Examples
    --------
    >>> sets = [{"g1"}, {"g2"}, {"g7"}]
    >>> ties_as_one(sets, [[{"g1", "g7"}], [{"g2", "g7"}], []])
    [{'g7'}, {'g7'}, {'g7'}]
    """
    possible = Counter(
        feature
        for chosen, tied in zip(sets, groups, strict=True)
        for feature in set(chosen).union(*tied)
    )
    result = []
    for chosen, tied in zip(sets, groups, strict=True):
        kept = set(chosen).difference(*tied)
        for group in tied:
            preferred = sorted(group, key=lambda feature: (-possible[feature], feature))
            kept.update(preferred[: len(group & chosen)])
        result.append(kept)
    return result
