"""The smallest set of features that separates a class from all others (XNB paper, Eq. 10)."""

from typing import NamedTuple

import numpy as np
import scipy  # scipy.optimize, a tenth of a second, is imported where it is used

#: Limit of branches, after which the best set so far is used; results do not depend on time.
_NODES = 500


def smallest_cover(strengths: np.ndarray, n_top: int | None = None) -> tuple[np.ndarray, int]:
    """Return a smallest set of features whose strengths add up to 1 in every row, and a bound.

    This is a covering integer program. Among sets of equal size it takes one with the greatest
    strengths. If all features together do not cover a row, all with a positive strength for it are
    taken. The bound is an upper bound on the excess over the smallest size.

    ``strengths`` (n_rows, n_features) are ``log(1 - distance) / log(1 - threshold)``, 0 or more,
    one row per other class. With ``n_top`` there are more features, but each row's ``n_top``
    strongest are among these.

    Examples
    --------
    >>> smallest_cover(np.array([[0.6, 0.5, 0.0], [0.0, 0.5, 1.0]]))
    (array([0, 1, 2]), 0)
    """
    strengths = np.minimum(strengths, 1.0)
    cannot_be_covered = strengths.sum(axis=1) < 1.0
    forced = (strengths[cannot_be_covered] > 0.0).any(axis=0)
    rows = strengths[~cannot_be_covered]
    if not len(rows):
        return np.flatnonzero(forced), 0
    # A feature that is not among the candidates is at most as strong as the last candidate.
    omitted = None if n_top is None else np.sort(rows, axis=1)[:, -n_top]
    smallest = _smallest_size(rows, forced, omitted)
    size = smallest.size
    if smallest.n_omitted:  # features that may not exist: search again without them
        size = _smallest_size(rows, forced, None).size
    selected = _strongest_of_size(rows, forced, size)
    return selected, len(selected) - smallest.bound


class _SmallestSize(NamedTuple):
    """The result of `_smallest_size`.

    Attributes
    ----------
    size : int
        The number of features of the set.
    bound : int
        No set has fewer features.
    n_omitted : int
        The number of features in the set that are not candidates.
    """

    size: int
    bound: int
    n_omitted: int


def _smallest_size(
    rows: np.ndarray, forced: np.ndarray, omitted: np.ndarray | None
) -> _SmallestSize:
    """Minimise the number of features of a set that covers all rows and has the ``forced`` ones.

    ``omitted`` (n_rows,) are upper bounds on the strengths of features that are not candidates. The
    set may contain any number of such features, so that the bound holds for all features.
    """
    lower = forced.astype(float)
    upper = np.ones(len(forced))
    if omitted is not None:
        rows = np.column_stack([rows, omitted])
        lower = np.append(lower, 0.0)
        upper = np.append(upper, np.inf)
    result = _solve(
        np.ones(len(lower)), [scipy.optimize.LinearConstraint(rows, lb=1.0)], lower, upper
    )
    bound = 0 if result.mip_dual_bound is None else int(np.ceil(result.mip_dual_bound - 1e-6))
    if result.x is None:
        greedy = _greedy_cover(rows) | (lower > 0.0)
        return _SmallestSize(int(greedy.sum()), bound, n_omitted=0)
    solution = np.rint(result.x).astype(int)
    n_omitted = int(solution[len(forced) :].sum())
    return _SmallestSize(int(solution.sum()), bound, n_omitted)


def _strongest_of_size(rows: np.ndarray, forced: np.ndarray, size: int) -> np.ndarray:
    """Return the set of a size that covers all rows with the greatest sum of strengths."""
    constraints = [
        scipy.optimize.LinearConstraint(rows, lb=1.0),
        scipy.optimize.LinearConstraint(np.ones((1, len(forced))), lb=size, ub=size),
    ]
    result = _solve(-rows.mean(axis=0), constraints, forced.astype(float), np.ones(len(forced)))
    if result.x is None:
        return np.flatnonzero(_greedy_cover(rows) | forced)
    return np.flatnonzero(np.rint(result.x))


def _solve(
    cost: np.ndarray,
    constraints: "list[scipy.optimize.LinearConstraint]",
    lower: np.ndarray,
    upper: np.ndarray,
) -> "scipy.optimize.OptimizeResult":
    """Minimise the cost of whole numbers within bounds and constraints."""
    return scipy.optimize.milp(
        cost,
        integrality=np.ones(len(cost), dtype=int),
        bounds=scipy.optimize.Bounds(lower, upper),
        constraints=constraints,
        options={"node_limit": _NODES, "mip_rel_gap": 0.0},
    )


def _greedy_cover(rows: np.ndarray) -> np.ndarray:
    """Return a feasible set, usually not the smallest: the strongest features of each row."""
    cover = np.zeros(rows.shape[1], dtype=bool)
    for row in rows:
        order = np.argsort(-row, kind="stable")
        n_needed = 1 + np.searchsorted(np.cumsum(row[order]), 1.0 - 1e-9)
        cover[order[:n_needed]] = True
    return cover
