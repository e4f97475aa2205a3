"""Which selected features depend on one another given the class (XNB paper, section 3.2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.dataset import DataSet
from xnbflow.diagnostics.correlation import normalised_residuals

__all__ = ["dependent_groups", "dependent_pairs"]


def dependent_pairs(series: DataSet, features: Sequence[str], cut: float) -> pd.DataFrame:
    """Return the pairs of features whose correlation within the classes exceeds a cut.

    Parameters
    ----------
    series : DataSet
        The data set.
    features : sequence of str
        Those to look at, some of the series' features.
    cut : float
        Dependent means |r| above this.

    Returns
    -------
    DataFrame
        ``feature``, ``other``, ``r``; strongest first.
    """
    names = np.asarray(features, dtype=str)
    rows = np.flatnonzero(np.isin(series.features, names))
    if len(rows) < 2 or series.n_samples < len(series.classes) + 2:
        return pd.DataFrame(columns=["feature", "other", "r"])
    residuals = normalised_residuals(series.values[rows].T, series.labels)
    r = residuals @ residuals.T
    first, second = np.nonzero(np.triu(np.abs(r) > cut, k=1))
    found = series.features[rows]
    table = pd.DataFrame({"feature": found[first], "other": found[second], "r": r[first, second]})
    return table.sort_values("r", key=np.abs, ascending=False, kind="stable", ignore_index=True)


def dependent_groups(pairs: pd.DataFrame, features: Sequence[str]) -> list[str]:
    """Return a letter per feature, the same for those joined by dependent pairs; '' for the others.

    Examples
    --------
    >>> pairs = pd.DataFrame({"feature": ["g1", "g4"], "other": ["g3", "g5"], "r": [0.9, 0.8]})
    >>> dependent_groups(pairs, ["g1", "g2", "g3", "g4", "g5"])
    ['a', '', 'a', 'b', 'b']
    """
    joined = {name: frozenset([name]) for name in features}
    for first, second in zip(pairs["feature"], pairs["other"], strict=True):
        if first in joined and second in joined:
            together = joined[first] | joined[second]
            joined |= dict.fromkeys(together, together)
    letters: dict[frozenset[str], str] = {}
    return [
        letters.setdefault(group, _letter(len(letters))) if len(group) > 1 else ""
        for group in (joined[name] for name in features)
    ]


def _letter(number: int) -> str:
    """Return a, b, ..., z, aa, ab, ... for 0, 1, ..."""
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else _letter(number // 26 - 1) + letter
