"""Adjusted p-values for all pairs of classifiers, after García and Herrera (2008).

With `k` classifiers the `m = k(k-1)/2` hypotheses "i and j are equal" depend on each other: if i
differs from j, then no third classifier equals both. Shaffer's and Bergmann and Hommel's
procedures use that; SciPy, scikit-posthocs, autorank and baycomp have neither.
"""

import itertools
import warnings
from functools import cache

import numpy as np
import pandas as pd

from xnbflow.data.errors import InputError

__all__ = ["MOST_CLASSIFIERS_EXHAUSTIVE", "adjust_pairwise"]

#: Bergmann-Hommel looks at every partition of the classifiers: 678,570 of 11, and six times as
#: many with each further classifier.
MOST_CLASSIFIERS_EXHAUSTIVE = 11


def adjust_pairwise(p_values: np.ndarray, n_classifiers: int) -> pd.DataFrame:
    """Adjust the p-values of all pairs of classifiers for multiple testing.

    Parameters
    ----------
    p_values : array-like of shape (n_pairs,)
        Unadjusted p-values in the order of ``itertools.combinations(range(n_classifiers), 2)``.
    n_classifiers : int
        Number of classifiers.

    Returns
    -------
    DataFrame
        One row per pair, in the order given, with columns ``nemenyi`` (each p-value times the
        number of pairs), ``holm``, ``shaffer`` (static), ``bergmann_hommel`` and
        ``bergmann_hommel_plain``. The last two are missing with more than
        `MOST_CLASSIFIERS_EXHAUSTIVE` classifiers, because the number of partitions to look at
        grows faster than exponentially.

    Notes
    -----
    García and Herrera define Bergmann and Hommel's adjusted p-value of a pair as the largest
    ``|I| min p`` over the exhaustive sets that hold it: ``bergmann_hommel_plain``. A pair can so
    get less than another with a smaller p-value. ``bergmann_hommel``, which this project's reports
    show, adds the running maximum that the step-down procedures have: never less than a pair with
    a smaller p-value gets. It is the larger of the two, and rejects the same or fewer hypotheses.

    Raises
    ------
    InputError
        If there is not one p-value between 0 and 1 per pair.

    Warns
    -----
    UserWarning
        If there are too many classifiers for Bergmann and Hommel's procedure.

    References
    ----------
    S. García and F. Herrera, "An extension on 'Statistical comparisons of classifiers over
    multiple data sets' for all pairwise comparisons", Journal of Machine Learning Research 9
    (2008), 2677-2694.

    Examples
    --------
    >>> adjust_pairwise([0.01, 0.02, 0.6], 3).drop(columns="nemenyi")
       holm  shaffer  bergmann_hommel  bergmann_hommel_plain
    0  0.03     0.03             0.03                   0.03
    1  0.04     0.03             0.03                   0.03
    2  0.60     0.60             0.60                   0.60
    """
    p = np.asarray(p_values, dtype=np.float64)
    n_pairs = n_classifiers * (n_classifiers - 1) // 2
    if p.shape != (n_pairs,) or not ((p >= 0) & (p <= 1)).all():
        msg = (
            f"{n_classifiers} classifiers need {n_pairs} p-values between 0 and 1, one per pair; "
            f"got {p.tolist()}"
        )
        raise InputError(msg)
    remaining = np.arange(n_pairs, 0, -1)
    columns = {
        "nemenyi": n_pairs * p,
        "holm": _step_down(p, remaining),
        "shaffer": _step_down(p, _most_true_at_once(n_classifiers, remaining)),
    }
    plain = _bergmann_hommel(p, n_classifiers)
    columns["bergmann_hommel"] = _never_falling(p, plain)
    columns["bergmann_hommel_plain"] = plain
    return pd.DataFrame({name: np.minimum(column, 1.0) for name, column in columns.items()})


def _step_down(p: np.ndarray, factors: np.ndarray) -> np.ndarray:
    """Multiply the i-th smallest p-value by ``factors[i]`` and never let the product fall."""
    order = np.argsort(p, kind="stable")
    products = np.empty_like(p)
    products[order] = p[order] * factors
    return _never_falling(p, products)


def _never_falling(p: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Raise each adjusted p-value to the largest of those with an equal or smaller p-value."""
    order = np.argsort(p, kind="stable")
    largest = np.maximum.accumulate(adjusted[order])
    return largest[np.searchsorted(p[order], p, side="right") - 1]


def _most_true_at_once(n_classifiers: int, at_most: np.ndarray) -> np.ndarray:
    """Return, for each bound, the largest number of hypotheses up to it that can all be true."""
    counts = np.array(sorted(_numbers_of_true_hypotheses(n_classifiers)))
    return counts[np.searchsorted(counts, at_most, side="right") - 1]


@cache
def _numbers_of_true_hypotheses(n_classifiers: int) -> frozenset[int]:
    """Return how many of the hypotheses can be true at once (García and Herrera's S(k)).

    If exactly `j` classifiers equal the first one, itself included, they make `j(j-1)/2` true
    hypotheses, and the other `k - j` make any number that is possible for them.
    """
    if n_classifiers <= 1:
        return frozenset({0})
    return frozenset(
        size * (size - 1) // 2 + rest
        for size in range(1, n_classifiers + 1)
        for rest in _numbers_of_true_hypotheses(n_classifiers - size)
    )


def _bergmann_hommel(p: np.ndarray, n_classifiers: int) -> np.ndarray:
    """Return, per pair, the largest `|I| min p` over the exhaustive sets `I` that hold the pair.

    An exhaustive set holds the hypotheses that are true if the classifiers fall into groups of
    equals: the pairs within the groups of a partition.
    """
    if n_classifiers > MOST_CLASSIFIERS_EXHAUSTIVE:
        msg = (
            f"Bergmann-Hommel is left out: it needs every partition of {n_classifiers} "
            f"classifiers, feasible for at most {MOST_CLASSIFIERS_EXHAUSTIVE}; use Shaffer's"
        )
        warnings.warn(msg, UserWarning, stacklevel=3)
        return np.full(len(p), np.nan)
    groups = _partitions(n_classifiers)
    pairs = itertools.combinations(range(n_classifiers), 2)
    true = [groups[:, i] == groups[:, j] for i, j in pairs]
    size = np.zeros(len(groups), dtype=np.int64)
    smallest = np.full(len(groups), np.inf)
    for in_set, p_value in zip(true, p, strict=True):
        size += in_set
        np.minimum(smallest, p_value, out=smallest, where=in_set)
    bound = size * np.where(size > 0, smallest, 0.0)
    return np.array([bound[in_set].max() for in_set in true])


def _partitions(n: int) -> np.ndarray:
    """Return all partitions of `n` items, a row each: the number of the group an item is in.

    Rows are restricted growth strings: the next item joins one of the groups or founds a new one.
    """
    rows = np.zeros((1, 1), dtype=np.int8)
    for _ in range(1, n):
        choices = rows.max(axis=1).astype(np.int64) + 2
        ends = np.cumsum(choices)
        last = np.arange(ends[-1]) - np.repeat(ends - choices, choices)
        rows = np.column_stack([np.repeat(rows, choices, axis=0), last.astype(np.int8)])
    return rows
