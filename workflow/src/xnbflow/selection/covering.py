"""The smallest set of features that separates a class from all others (XNB paper, Eq. 10)."""

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

__all__ = ["smallest_cover"]

_NODES = 2000


def smallest_cover(strengths: np.ndarray, n_top: int | None = None) -> tuple[np.ndarray, int]:
    """Find a smallest set of features whose strengths add up to 1 in every row.

    A covering integer program. Of sets of equal size one with the greatest strengths is taken. A
    row that all features together cannot cover takes all that help.

    Parameters
    ----------
    strengths : ndarray of shape (n_rows, n_features)
        ``log(1 - distance) / log(1 - threshold)``, one row per other class; 0 or more.
    n_top : int, optional
        Given if there are more features, but each row's ``n_top`` strongest are among these: that
        bounds what the others could do.

    Returns
    -------
    chosen : ndarray of int
        Columns.
    gap : int
        By how many features at most the set is larger than the smallest of all.

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
    missing = np.zeros(len(rows)) if n_top is None else np.sort(rows, axis=1)[:, -n_top]
    chosen, n_missing, bound = _solve(rows, forced, missing)
    if n_missing:
        chosen, _, _ = _solve(rows, forced, np.zeros(len(rows)))
    return chosen, max(0, len(chosen) - bound)


def _solve(
    rows: np.ndarray, forced: np.ndarray, missing: np.ndarray
) -> tuple[np.ndarray, int, int]:
    """Solve the program with as many further features as one likes, each as strong as ``missing``.

    Returns
    -------
    chosen : ndarray of int
        Columns.
    n_missing : int
        How many of the further features the solution has.
    bound : int
        No solution has fewer features than this.
    """
    columns = np.column_stack([rows, missing])
    lower = np.append(forced.astype(float), 0.0)
    most = _greedy_cover(rows) | forced
    limit = len(rows) + most.sum() if missing.any() else 0
    cost = 1.0 - 0.5 / max(1, most.sum()) * columns.mean(axis=0)
    result = milp(
        cost,
        integrality=np.ones(len(cost)),
        bounds=Bounds(lower, np.append(np.ones(rows.shape[1]), limit)),
        constraints=LinearConstraint(columns, lb=1.0),
        options={"node_limit": _NODES, "mip_rel_gap": 0.0},
    )
    bound = 0 if result.mip_dual_bound is None else int(np.ceil(result.mip_dual_bound - 1e-6))
    if result.x is None:
        return np.flatnonzero(most), 0, bound
    solution = np.rint(result.x).astype(int)
    return np.flatnonzero(solution[:-1]), int(solution[-1]), bound


def _greedy_cover(rows: np.ndarray) -> np.ndarray:
    """Return a set that will do, though hardly the smallest: the strongest of each row."""
    cover = np.zeros(rows.shape[1], dtype=bool)
    for row in rows:
        order = np.argsort(-row, kind="stable")
        cover[order[: 1 + np.searchsorted(np.cumsum(row[order]), 1.0 - 1e-9)]] = True
    return cover
