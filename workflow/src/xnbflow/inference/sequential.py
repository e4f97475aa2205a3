"""Permutation tests that stop as soon as their decision is certain (Gandy 2009)."""

from collections.abc import Iterable
from functools import cache

import numpy as np

__all__ = ["MOST_PERMUTATIONS", "SequentialTest", "sequential_test"]

#: Permutations at most, and the probability that stopping early changes the decision.
MOST_PERMUTATIONS, ERROR = 999, 0.001
#: Permutations after which half of the error is spent.
_HALF_SPENT = 1000
#: Statistics of the same pairs: equal ones differ by rounding at most.
_ROUNDING = 1e-12


class SequentialTest:
    """A p-value, how many permutations reached the observed value, and how many there were."""

    def __init__(self, at_least: int, permutations: int) -> None:
        self.at_least, self.permutations = at_least, permutations
        self.p_value = (at_least + 1) / (permutations + 1)


def sequential_test(
    observed: float,
    null: Iterable[float],
    level: float,
    most: int = MOST_PERMUTATIONS,
) -> SequentialTest:
    """Return the one-sided p of an observed statistic among those of permuted labels.

    ``null`` yields the statistic of one permutation after another. The test ends when the decision
    at ``level`` is the one that infinitely many permutations give, but for a probability of .001,
    and after ``most`` permutations.

    A. Gandy, "Sequential implementation of Monte Carlo tests with uniformly bounded resampling
    risk", JASA 104 (2009), 1504-1511; the boundaries of section 3.

    Examples
    --------
    >>> found = sequential_test(0.9, iter(np.linspace(0, 0.8, 999)), 0.05)
    >>> found.permutations, round(found.p_value, 4)
    (173, 0.0057)
    """
    lower, upper = _boundaries(level, most)
    at_least = permutation = 0
    for permutation, value in enumerate(null, 1):
        at_least += bool(value >= observed - _ROUNDING)
        at_end = permutation == most
        if at_end or not lower[permutation - 1] < at_least < upper[permutation - 1]:
            break
    return SequentialTest(at_least, permutation)


@cache
def _boundaries(level: float, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the counts at which a test ends after 1, 2, ... permutations, (most,) each.

    If p is the level, the lower and the upper boundary are each reached with a probability of at
    most ``ERROR``, of which n / (n + 1000) is spent by the n-th permutation.
    """
    going_on = np.zeros(most + 2)  # probabilities of the counts of tests that have not ended
    going_on[0] = 1.0
    boundaries, spent = np.zeros((2, most), dtype=int), [0.0, 0.0]
    for n in range(1, most + 1):
        going_on[1:] = going_on[1:] * (1 - level) + going_on[:-1] * level
        going_on[0] *= 1 - level
        allowed = ERROR * n / (n + _HALF_SPENT)
        low = np.searchsorted(spent[0] + going_on[: n + 1].cumsum(), allowed, side="right")
        tail = spent[1] + going_on[n + 1 :: -1].cumsum()  # of the counts n + 1, n, ..., 0
        high = n + 2 - np.searchsorted(tail, allowed, side="right")
        spent[0] += going_on[:low].sum()
        spent[1] += going_on[high:].sum()
        going_on[:low] = going_on[high:] = 0.0
        boundaries[:, n - 1] = low - 1, high
    return boundaries[0], boundaries[1]
