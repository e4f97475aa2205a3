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

#: Permutations at most, and the probability that stopping early changes the decision.
MOST_PERMUTATIONS, ERROR = 999, 0.001
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
    ``rounding`` are equal. For p see `stopping_points`.

    Examples
    --------
    >>> found = sequential_test(0.9, iter(np.linspace(0, 0.8, 999)), 0.05)
    >>> found.permutations, round(found.p_value, 4)
    (145, 0.0068)
    """
    points = stopping_points(level, most)
    at_least = 0
    for permutation, value in enumerate(null, 1):
        at_least += bool(value >= observed - rounding)
        if (permutation, at_least) in points:
            return SequentialTest(points[permutation, at_least], at_least, permutation)
    msg = f"the permutations ended before the {most} that the test may take"
    raise ValueError(msg)


@cache
def stopping_points(level: float, most: int) -> dict[tuple[int, int], float]:
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
    >>> points = stopping_points(0.025, 19)  # fewer than 99: no early stop
    >>> points[19, 0], points[19, 4]
    (0.05, 0.25)
    >>> (285, 0) in stopping_points(0.025, 999)
    True
    """
    first, at_level, uniform = 0, np.ones(1), np.ones(1)  # of the tests that continue, by at_least
    spent = np.zeros(2)  # below and above the level
    below: list[tuple[int, int, float]] = []
    last, above = below.copy(), below.copy()
    for n in range(1, most + 1):
        rise = (first + 1 + np.arange(len(uniform))) / (n + 1)  # Polya's urn
        at_level = np.append(at_level * (1 - level), 0.0) + np.append(0.0, at_level * level)
        uniform = np.append(uniform * (1 - rise), 0.0) + np.append(0.0, uniform * rise)
        allowed = ERROR * n / (n + _FEWEST) if n >= _FEWEST else -1.0
        low = spent[0] + np.cumsum(at_level) <= allowed
        high = spent[1] + np.cumsum(at_level[::-1])[::-1] <= allowed
        spent += at_level[low].sum(), at_level[high].sum()
        for points, stops in ((below, low), (above, high)) if n < most else ((last, low | True),):
            points += [(n, first + int(k), float(uniform[k])) for k in np.flatnonzero(stops)]
        going_on = np.flatnonzero(~(low | high))
        first += int(going_on[0])
        at_level, uniform = at_level[going_on], uniform[going_on]
    ordered = [*below, *last, *sorted(above, key=lambda point: (-point[0], point[1]))]
    # rounded, so that 1 / 40 is not above .025
    p_values = np.minimum(np.cumsum([mass for *_, mass in ordered]), 1.0).round(12).tolist()
    return {(n, k): p for (n, k, _), p in zip(ordered, p_values, strict=True)}
