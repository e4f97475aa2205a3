"""Symmetric nearest neighbourhoods and quadratic kernels over them (Larsen 2005).

The neighbourhood of an observation holds the ``k`` observations to its left and the ``k`` to its
right, and its width follows from its farthest member. Along sorted values both ends only move
right, and a quadratic kernel needs no more than three moments of a neighbourhood, so that all
kernel sums of a feature cost O(n).

A difference of running moments over the whole feature would lose every digit where a far outlier
meets fine structure. The moments are instead gathered outwards from a *pivot* inside the
neighbourhood: leftwards once, rightwards as the neighbourhood grows. When the left end passes the
pivot, the last value of the neighbourhood becomes the next one. Nothing is ever taken away, all
distances stay within the neighbourhood's width, and each value is visited at most twice.

References
----------
K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.
"""

import numpy as np

from xnbflow.density.jit import njit

__all__ = ["QUADRATIC_KERNELS", "neighbourhood_sums"]

#: Level and curvature of the quadratic kernels ``K(u) = level - curvature * u**2`` on [-1, 1].
QUADRATIC_KERNELS = {"minimum_variance": (9 / 8, 15 / 8), "epanechnikov": (3 / 4, 3 / 4)}

# Ranks are halves, but `span * n / 2` is rounded: a sliver this thin is no part of the window.
_SLIVER = 1e-9
_NOTHING = (0.0, 0.0, 0.0)


@njit()
def neighbourhood_sums(
    values: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    span: float,
    kernel: tuple[float, float],
) -> np.ndarray:
    """Return the kernel sum of each weight over the neighbourhood of each distinct value.

    Parameters
    ----------
    values : ndarray of float64, shape (n_values,)
        Distinct values, ascending.
    counts : ndarray of float64, shape (n_values,)
        Observations of each value.
    weights : ndarray of float64, shape (n_kinds, n_values)
        Total weight of each value's observations, for each kind of weight.
    span : float
        Share of the observations in a neighbourhood, in (0, 1]. It reaches ``span * n / 2``
        observations to either side of the value's mid-rank, always holds the value's own
        observations, counts the ends it cuts by the share it holds, and is truncated at the
        ends of the data.
    kernel : tuple of float
        Level and curvature, one of `QUADRATIC_KERNELS`; ``u`` is the distance divided by that of
        the farthest value in the neighbourhood.

    Returns
    -------
    ndarray of float64, shape (n_kinds, n_values)

    Examples
    --------
    Each value sees half of its neighbours, at ``u = 1``:

    >>> values, ones = np.arange(4.0), np.ones(4)
    >>> neighbourhood_sums(values, ones, ones[None], 0.5, (1.0, 0.5)).tolist()
    [[1.25, 1.5, 1.5, 1.25]]
    """
    windows = _windows(counts, span)
    sums = np.empty_like(weights)
    for kind in range(len(weights)):
        _kernel_sums(values, weights[kind], windows, kernel, sums[kind])
    return sums


@njit()
def _windows(
    counts: np.ndarray, span: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return each window's first and last value and the share of each that it holds."""
    n_values = len(counts)
    first, last = np.empty(n_values, np.int64), np.empty(n_values, np.int64)
    first_share, last_share = np.empty(n_values), np.empty(n_values)
    total = 0.0
    for count in counts:
        total += count
    reach = 0.5 * span * total
    left = right = 0
    left_end, right_end, end = counts[0], counts[0], 0.0
    for i in range(n_values):
        start, end = end, end + counts[i]
        middle = 0.5 * (start + end)
        low = max(0.0, min(middle - reach, start))
        high = min(total, max(middle + reach, end))
        while left_end <= low + _SLIVER:
            left += 1
            left_end += counts[left]
        while right_end < high - _SLIVER:
            right += 1
            right_end += counts[right]
        first[i], last[i] = left, right
        first_share[i] = min(1.0, (left_end - low) / counts[left])
        last_share[i] = min(1.0, 1.0 - (right_end - high) / counts[right])
    return first, last, first_share, last_share


@njit()
def _kernel_sums(
    values: np.ndarray,
    weights: np.ndarray,
    windows: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
    kernel: tuple[float, float],
    sums: np.ndarray,
) -> None:
    """Fill ``sums`` with the kernel sum of each window, moving moments about pivots."""
    first, last, first_share, last_share = windows
    level, curvature = kernel
    left = np.empty((len(values), 3))  # moments from a value up to the pivot
    right = _NOTHING  # moments from beyond the pivot up to the window's end
    pivot = reached = -1
    for i in range(len(values)):
        begin, end = first[i], last[i]
        if begin > pivot:
            pivot = reached = end
            right = _NOTHING
            _gather_left(values, weights, pivot, begin, left)
        while reached < end:
            reached += 1
            right = _add(right, weights[reached], values[reached] - values[pivot])
        offset = values[i] - values[pivot]
        mass = left[begin, 0] + right[0]
        lever = left[begin, 1] + right[1]
        spread = left[begin, 2] + right[2] - 2.0 * offset * lever + offset * offset * mass
        to_first, to_last = values[i] - values[begin], values[end] - values[i]
        if begin < i:
            outside = (1.0 - first_share[i]) * weights[begin]
            mass -= outside
            spread -= outside * to_first * to_first
        if end > i:
            outside = (1.0 - last_share[i]) * weights[end]
            mass -= outside
            spread -= outside * to_last * to_last
        width = max(to_first, to_last)
        sums[i] = level * mass
        if width * width > 0.0:
            sums[i] -= curvature * spread / (width * width)


@njit()
def _gather_left(
    values: np.ndarray, weights: np.ndarray, pivot: int, begin: int, moments: np.ndarray
) -> None:
    """Fill ``moments`` from each of the values ``begin..pivot`` up to the pivot."""
    total = _NOTHING
    for j in range(pivot, begin - 1, -1):
        total = _add(total, weights[j], values[j] - values[pivot])
        moments[j, 0], moments[j, 1], moments[j, 2] = total


@njit()
def _add(
    moments: tuple[float, float, float], weight: float, distance: float
) -> tuple[float, float, float]:
    """Add a weight at a distance from the pivot to the moments of order 0, 1 and 2."""
    first = weight * distance
    return moments[0] + weight, moments[1] + first, moments[2] + first * distance
