"""Permutation tests that stop as soon as their decision is certain, with p-values that are valid.

A. Gandy, "Sequential implementation of Monte Carlo tests with uniformly bounded resampling risk",
Journal of the American Statistical Association 104 (2009), 1504-1511: when a test stops. M. P. Fay,
H.-J. Kim and M. Hachey, "On using truncated sequential probability ratio test boundaries for Monte
Carlo implementation of hypothesis tests", Journal of Computational and Graphical Statistics 16
(2007), 946-967: its p-value, after J. Besag and P. Clifford, "Sequential Monte Carlo p-values",
Biometrika 78 (1991), 301-304.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np

#: Permutations at most.
MOST_PERMUTATIONS = 999
#: The probability that stopping early changes the decision, below and above the level each.
ERROR = 0.001
#: Permutations before which no test stops, and after which half of the error is spent.
_FEWEST = 99


class SequentialTest(NamedTuple):
    """A p-value, the permutations that reached the observed value, and all permutations."""

    p_value: float
    at_least: int
    permutations: int


def sequential_test(
    observed: float,
    null: Iterable[float],
    level: float,
    most: int = MOST_PERMUTATIONS,
    *,
    rounding: float = 1e-12,
) -> SequentialTest:
    """Return the one-sided p of an observed statistic among those of permuted labels.

    ``null`` yields the statistic of one permutation after another. The test ends, after 99
    permutations at the least and ``most`` at the most, when the decision at ``level`` equals that
    of infinitely many permutations, except with a probability of .001. Statistics that differ by
    ``rounding`` are equal. For p see `_stopping_points`.

    Examples
    --------
    >>> test = sequential_test(0.9, iter(np.linspace(0, 0.8, 999)), 0.05)
    >>> test.permutations, round(test.p_value, 4)
    (145, 0.0068)
    """
    points = _stopping_points(level, most)
    at_least = 0
    for permutations, value in enumerate(null, start=1):
        at_least += bool(value >= observed - rounding)
        point = (permutations, at_least)
        if point in points:
            return SequentialTest(points[point], at_least, permutations)
    msg = f"the permutations ended before the {most} that the test may take"
    raise ValueError(msg)


@cache
def _stopping_points(level: float, most: int) -> dict[tuple[int, int], float]:
    """Return the points at which a test stops, with their p-values.

    Keys are numbers of permutations and how many of these reach the observed statistic. If p is the
    level, the tests that stop below it, and those that stop above it, have a probability of at most
    .001, of which n / (n + 99) is spent by the n-th permutation.

    p orders the points as a test can reach them: first those below the level, the earliest first;
    then those with ``most`` permutations; then those above, the latest first. It is the probability
    of the point or one before it for labels without information, for which the share of
    permutations that reach the statistic is uniform: ``P(p <= a) <= a``. A test that never stops
    early has ``(at_least + 1) / (most + 1)``.

    Examples
    --------
    >>> points = _stopping_points(0.025, 19)  # fewer than 99: no early stop
    >>> points[19, 0], points[19, 4]
    (0.05, 0.25)
    >>> (285, 0) in _stopping_points(0.025, 999)
    True
    """
    # Distributions over at_least, from `first` on, of the tests that have not stopped: if p is the
    # level, and if p is uniform (labels without information).
    first = 0
    at_level = np.ones(1)
    uniform = np.ones(1)
    # probability of having stopped below, and above, if p is the level
    spent_below = 0.0
    spent_above = 0.0
    stops_below: list[tuple[int, int, float]] = []
    stops_at_most: list[tuple[int, int, float]] = []
    stops_above: list[tuple[int, int, float]] = []
    for n in range(1, most + 1):
        # Where p is uniform, a share (k + 1) / (n + 1) of the tests with k of n - 1 rises: Polya's
        # urn.
        rise = (first + 1 + np.arange(len(uniform))) / (n + 1)
        at_level = np.append(at_level * (1 - level), 0.0) + np.append(0.0, at_level * level)
        uniform = np.append(uniform * (1 - rise), 0.0) + np.append(0.0, uniform * rise)
        allowed = ERROR * n / (n + _FEWEST) if n >= _FEWEST else -1.0
        is_below = spent_below + np.cumsum(at_level) <= allowed
        is_above = spent_above + np.cumsum(at_level[::-1])[::-1] <= allowed
        spent_below += at_level[is_below].sum()
        spent_above += at_level[is_above].sum()
        if n == most:
            stops_at_most = _points(n, first, uniform, np.arange(len(uniform)))
            break
        stops_below += _points(n, first, uniform, np.flatnonzero(is_below))
        stops_above += _points(n, first, uniform, np.flatnonzero(is_above))
        continuing = np.flatnonzero(~(is_below | is_above))
        first += int(continuing[0])
        at_level = at_level[continuing]
        uniform = uniform[continuing]
    latest_first = sorted(stops_above, key=lambda point: (-point[0], point[1]))
    ordered = [*stops_below, *stops_at_most, *latest_first]
    masses = [mass for *_, mass in ordered]
    # rounded, so that 1 / 40 is not above .025
    p_values = np.minimum(np.cumsum(masses), 1.0).round(12).tolist()
    return {(n, k): p for (n, k, _), p in zip(ordered, p_values, strict=True)}


def _points(
    n: int, first: int, masses: np.ndarray, positions: np.ndarray
) -> list[tuple[int, int, float]]:
    """Return the points of ``n`` permutations at some positions of their distribution."""
    return [(n, first + position, float(masses[position])) for position in positions.tolist()]
