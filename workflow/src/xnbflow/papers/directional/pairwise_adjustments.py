"""Adjustments of the p-values of all pairs of classifiers that use the logic among the pairs.

If classifier a equals b and b equals c, then a equals c: not every set of pairs can be the set of
true hypotheses. Of three pairs of three classifiers none, one or all three are true, never two.
Holm's procedure ignores this; Shaffer's uses the possible *numbers* of true hypotheses, Bergmann
and Hommel's the possible *sets* and therefore adjusts least.

Reference: S. García and F. Herrera, "An extension on 'Statistical comparisons of classifiers over
multiple data sets' for all pairwise comparisons", Journal of Machine Learning Research 9 (2008),
2677-2694.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from xnbflow.core.errors import InputError

__all__ = ["MOST_CLASSIFIERS", "bergmann_hommel", "shaffer"]

#: Bergmann and Hommel's procedure visits every partition of the classifiers: 678,570 for 11, and
#: about six times as many with each further classifier.
MOST_CLASSIFIERS = 11


def shaffer(p_values: np.ndarray, n_classifiers: int) -> np.ndarray:
    """Adjust the p-values of all pairs of classifiers by Shaffer's static procedure.

    In ascending order, the i-th of m p-values is multiplied by the largest number of hypotheses
    that can be true at once among the m - i + 1 that remain (Holm multiplies by m - i + 1).

    Parameters
    ----------
    p_values : array-like of shape (n_pairs,)
        One p-value per pair of classifiers, in any order.
    n_classifiers : int

    Returns
    -------
    ndarray of shape (n_pairs,)
        Adjusted p-values, in the order of ``p_values``.

    Raises
    ------
    InputError
        If there is not one p-value between 0 and 1 per pair.

    References
    ----------
    J. P. Shaffer, "Modified sequentially rejective multiple test procedures", Journal of the
    American Statistical Association 81 (1986), 826-831; García and Herrera (2008), section 2.2.

    Examples
    --------
    >>> shaffer([0.01, 0.02, 0.6], n_classifiers=3)  # after a rejection at most one is true
    array([0.03, 0.03, 0.6 ])
    """
    p = _check_p_values(p_values, n_classifiers)
    order = np.argsort(p, kind="stable")
    n_remaining = np.empty(len(p), dtype=np.intp)
    n_remaining[order] = np.arange(len(p), 0, -1)
    possible = np.array(sorted(_numbers_of_true_hypotheses(n_classifiers)))
    largest_possible = possible[np.searchsorted(possible, n_remaining, side="right") - 1]
    return _step_down(p, p * largest_possible)


def bergmann_hommel(
    p_values: np.ndarray, first: Sequence[str], second: Sequence[str]
) -> np.ndarray:
    """Adjust the p-values of all pairs of classifiers by Bergmann and Hommel's procedure.

    A set of pairs is *exhaustive* if exactly its hypotheses can be true: the pairs within the
    groups of a partition of the classifiers. A pair's adjusted p-value is the largest
    ``|I| min_{j in I} p_j`` over the exhaustive sets I that contain the pair. As in step-down
    procedures it is at least that of every pair with a smaller p-value.

    Parameters
    ----------
    p_values : array-like of shape (n_pairs,)
        One p-value per pair of classifiers, in any order.
    first, second : sequence of str, length n_pairs
        The two classifiers of each pair.

    Returns
    -------
    ndarray of shape (n_pairs,)
        Adjusted p-values, in the order of ``p_values``.

    Raises
    ------
    InputError
        If there is not one p-value between 0 and 1 for each pair of the classifiers, or if there
        are more than `MOST_CLASSIFIERS`.

    References
    ----------
    B. Bergmann and G. Hommel, "Improvements of general multiple test procedures for redundant
    systems of hypotheses", in: Multiple Hypotheses Testing (1988), 100-115; García and Herrera
    (2008), section 2.3.

    Examples
    --------
    >>> p_values = np.array([0.01, 0.02, 0.6])
    >>> bergmann_hommel(p_values, first=["a", "a", "b"], second=["b", "c", "c"])
    array([0.03, 0.03, 0.6 ])
    """
    names = sorted({*first, *second})
    p = _check_p_values(p_values, len(names))
    _check_pairs(names, first, second)
    group = _partitions(len(names))
    position = {name: column for column, name in enumerate(names)}
    # For each pair a mask over the exhaustive sets, one per partition: is the pair in the set? The
    # partition {a, b}, {c} has the set {(a, b)}, that of all three has (a, b), (a, c) and (b, c).
    memberships = []
    for one, other in zip(first, second, strict=True):
        memberships.append(group[:, position[one]] == group[:, position[other]])
    size = np.sum(memberships, axis=0)
    smallest_p = np.full(len(group), np.inf)
    for is_in_set, p_value in zip(memberships, p, strict=True):
        np.minimum(smallest_p, p_value, out=smallest_p, where=is_in_set)
    bound = size * np.where(size > 0, smallest_p, 0.0)  # the empty set has no smallest p-value
    adjusted = np.array([bound[is_in_set].max() for is_in_set in memberships])
    return _step_down(p, adjusted)


def _check_p_values(p_values: np.ndarray, n_classifiers: int) -> np.ndarray:
    """Return the p-values as floats; raise unless there is a valid one per pair."""
    p = np.asarray(p_values, dtype=np.float64)
    n_pairs = n_classifiers * (n_classifiers - 1) // 2
    if p.shape != (n_pairs,) or not ((p >= 0) & (p <= 1)).all():
        msg = (
            f"{n_classifiers} classifiers need {n_pairs} p-values between 0 and 1, one per pair; "
            f"got {p.tolist()}"
        )
        raise InputError(msg)
    return p


def _check_pairs(names: Sequence[str], first: Sequence[str], second: Sequence[str]) -> None:
    """Raise unless each pair of the classifiers occurs once, and their partitions are feasible."""
    pairs = {frozenset(pair) for pair in zip(first, second, strict=True)}
    n_pairs = len(names) * (len(names) - 1) // 2
    if len(pairs) < n_pairs or any(len(pair) < 2 for pair in pairs):
        msg = f"each pair of {', '.join(names)} needs one p-value; a pair is repeated or missing"
        raise InputError(msg)
    if len(names) > MOST_CLASSIFIERS:
        msg = (
            f"Bergmann and Hommel's procedure needs every partition of {len(names)} classifiers, "
            f"feasible for at most {MOST_CLASSIFIERS}; use Shaffer's"
        )
        raise InputError(msg)


def _step_down(p: np.ndarray, adjusted: np.ndarray) -> np.ndarray:
    """Return the largest adjusted p-value among pairs with an equal or smaller p, at most 1."""
    order = np.argsort(p, kind="stable")
    largest = np.maximum.accumulate(adjusted[order])
    n_not_larger = np.searchsorted(p[order], p, side="right")
    return np.minimum(largest[n_not_larger - 1], 1.0)


@cache
def _numbers_of_true_hypotheses(n_classifiers: int) -> frozenset[int]:
    """Return the possible numbers of true hypotheses: S(k) of García and Herrera.

    The first classifier is in a group of j equal ones, which makes j (j - 1) / 2 true pairs; the
    other k - j classifiers are an instance of the same problem.

    Examples
    --------
    >>> sorted(_numbers_of_true_hypotheses(4))
    [0, 1, 2, 3, 6]
    """
    if n_classifiers <= 1:
        return frozenset({0})
    numbers: set[int] = set()
    for size in range(1, n_classifiers + 1):
        n_pairs = size * (size - 1) // 2
        numbers |= {n_pairs + n for n in _numbers_of_true_hypotheses(n_classifiers - size)}
    return frozenset(numbers)


def _partitions(n_items: int) -> np.ndarray:
    """Return all partitions of the items, shape (n_partitions, n_items): each item's group.

    A row is a restricted growth string: item 0 is in group 0, and each further item joins one of
    the groups so far or starts the next one.

    Examples
    --------
    >>> _partitions(3).tolist()
    [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [0, 1, 2]]
    """
    rows = [[0]]
    for _ in range(1, n_items):
        rows = [[*row, group] for row in rows for group in range(max(row) + 2)]
    return np.array(rows, dtype=np.int8)
