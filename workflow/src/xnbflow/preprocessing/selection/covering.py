"""The smallest set of features that separates a class from all others (XNB paper, Eq. 10)."""

import numpy as np
import scipy  # scipy.optimize, a tenth of a second, is imported where it is used

#: Limit of branches, after which the best set so far is used; results do not depend on time.
_NODES = 500


def smallest_cover(strengths: np.ndarray, n_top: int | None = None) -> tuple[np.ndarray, int]:
    """Find a smallest set of features whose strengths add up to 1 in every row.

    This is a covering integer program. Among sets of equal size it takes one with the greatest
    strengths. A row that cannot be covered by all features takes every feature that helps. The
    second result is an upper bound on the excess over the smallest size.

    ``strengths`` (n_rows, n_features) are ``log(1 - distance) / log(1 - threshold)``, 0 or more,
    one row per other class. With ``n_top`` there are more features, but each row's ``n_top``
    strongest are among these.

    Examples
    --------
    >>> smallest_cover(np.array([[0.6, 0.5, 0.0], [0.0, 0.5, 1.0]]))
    (array([0, 1, 2]), 0)
    """
    strengths = np.minimum(strengths, 1.0)
    hopeless = strengths.sum(axis=1) < 1.0
    forced = (strengths[hopeless] > 0.0).any(axis=0)
    rows = strengths[~hopeless]
    if not len(rows):
        return np.flatnonzero(forced), 0
    missing = None if n_top is None else np.sort(rows, axis=1)[:, -n_top]
    size, bound, n_missing = _smallest_size(rows, forced, missing)
    if n_missing:
        size, _, _ = _smallest_size(rows, forced, None)
    chosen = _strongest_of_size(rows, forced, size)
    return chosen, len(chosen) - bound


def _smallest_size(
    rows: np.ndarray, forced: np.ndarray, missing: np.ndarray | None
) -> tuple[int, int, int]:
    """Minimise the number of features, those that are ``forced`` included.

    ``missing`` (n_rows,) are the strengths of a further feature, of which one may take as many as
    one likes. Returns the size of the set found, below which size no set is, and how many of the
    further features are in it.
    """
    lower, upper = forced.astype(float), np.ones(len(forced))
    if missing is not None:
        rows = np.column_stack([rows, missing])
        lower, upper = np.append(lower, 0.0), np.append(upper, np.inf)
    result = _solve(
        np.ones(len(lower)), [scipy.optimize.LinearConstraint(rows, lb=1.0)], lower, upper
    )
    bound = 0 if result.mip_dual_bound is None else int(np.ceil(result.mip_dual_bound - 1e-6))
    if result.x is None:
        return int((_greedy_cover(rows) | (lower > 0.0)).sum()), bound, 0
    solution = np.rint(result.x).astype(int)
    return int(solution.sum()), bound, int(solution[len(forced) :].sum())


def _strongest_of_size(rows: np.ndarray, forced: np.ndarray, size: int) -> np.ndarray:
    """Maximise the strengths of a set of the given size."""
    constraints = [
        scipy.optimize.LinearConstraint(rows, lb=1.0),
        scipy.optimize.LinearConstraint(np.ones((1, len(forced))), lb=size, ub=size),
    ]
    result = _solve(-rows.mean(axis=0), constraints, forced.astype(float), np.ones(len(forced)))
    found = _greedy_cover(rows) | forced if result.x is None else np.rint(result.x)
    return np.flatnonzero(found)


def _solve(
    cost: np.ndarray,
    constraints: "list[scipy.optimize.LinearConstraint]",
    lower: np.ndarray,
    upper: np.ndarray,
) -> "scipy.optimize.OptimizeResult":
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
        cover[order[: 1 + np.searchsorted(np.cumsum(row[order]), 1.0 - 1e-9)]] = True
    return cover
