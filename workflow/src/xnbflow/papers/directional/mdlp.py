"""Discretization by entropy and minimum description length (Fayyad and Irani, IJCAI 1993)."""

from typing import Any

import numpy as np
from scipy.special import xlogy

from xnbflow.core.jit import njit
from xnbflow.density.tiles import map_strips

_LN2 = np.log(2.0)
#: Bits by which code lengths that are equal may differ by rounding.
_ROUNDING = 1e-9


def cut_features(features: np.ndarray, codes: np.ndarray, n_classes: int) -> list[np.ndarray]:
    """Return the ascending cut points of every feature, half-way between the values they separate.

    Each interval is cut at the point of least class entropy, between two of its distinct values,
    the lowest of equally good ones, as long as the gain exceeds the bits that the cut costs.

    Features have shape (n_features, n_samples), codes of the classes (n_samples,).

    Examples
    --------
    >>> features = np.array([[1.0, 2.0, 3.0, 4.0, 7.0, 8.0, 9.0, 10.0]])
    >>> cut_features(features, np.repeat([0, 1], 4), 2)
    [array([5.5])]
    """
    cuts: list[Any] = [None] * len(features)
    counts = np.arange(len(codes) + 1)
    bits = xlogy(counts, counts)

    def work(strip: slice) -> None:
        order = np.argsort(features[strip], axis=1)
        values = np.take_along_axis(features[strip], order, axis=1)
        ordered_codes = codes[order]
        for row in range(len(values)):
            cuts[strip.start + row] = _cut(values[row], ordered_codes[row], n_classes, bits)

    map_strips(work, len(features), features.shape[1], ns_per_value=50.0)
    return cuts


def interval_numbers(features: np.ndarray, cut_points: list[np.ndarray]) -> np.ndarray:
    """Return the number of each value's interval, 0, 1, ..., as floats of the same shape.

    ``features`` (n_features, n_samples) have ascending cut points, which belong to the interval
    below.
    """
    numbers = np.empty(features.shape)
    all_cuts = np.concatenate([np.empty(0), *cut_points])
    # Feature f has the cuts from ends[f] to ends[f + 1].
    ends = np.concatenate([[0], np.cumsum([len(cuts) for cuts in cut_points], dtype=np.int64)])

    def work(strip: slice) -> None:
        values = np.ascontiguousarray(features[strip])
        _number(values, all_cuts, ends[strip.start :], numbers[strip])

    map_strips(work, *features.shape)
    return numbers


@njit(nogil=True)
def _number(features: np.ndarray, all_cuts: np.ndarray, ends: np.ndarray, out: np.ndarray) -> None:
    """Write the interval of each value to ``out``."""
    for f in range(len(features)):
        cuts = all_cuts[ends[f] : ends[f + 1]]
        for i in range(features.shape[1]):
            out[f, i] = np.searchsorted(cuts, features[f, i])


@njit(nogil=True)
def _cut(values: np.ndarray, codes: np.ndarray, n_classes: int, bits: np.ndarray) -> np.ndarray:
    """Return the cut points of one feature, its samples ordered by value.

    ``bits`` (n_samples + 1,) holds ``n log n``.
    """
    cuts = np.empty(len(values))
    n_cuts = 0
    # Intervals that are still to be cut, as a stack of (start, stop) instead of a recursion.
    stack = np.empty((len(values) + 1, 2), np.int64)
    stack[0, 0] = 0
    stack[0, 1] = len(values)
    depth = 1
    counts = np.empty((3, n_classes), np.int64)
    while depth:
        depth -= 1
        start = stack[depth, 0]
        stop = stack[depth, 1]
        n_below = _best_cut(values[start:stop], codes[start:stop], counts, bits)
        if n_below:
            middle = start + n_below
            below = values[middle - 1]
            above = values[middle]
            cuts[n_cuts] = below + (above - below) / 2
            n_cuts += 1
            stack[depth, 0] = start
            stack[depth, 1] = middle
            stack[depth + 1, 0] = middle
            stack[depth + 1, 1] = stop
            depth += 2
    return np.sort(cuts[:n_cuts])


@njit(nogil=True)
def _best_cut(values: np.ndarray, codes: np.ndarray, counts: np.ndarray, bits: np.ndarray) -> int:
    """Return how many samples lie below the interval's best cut; 0 if it costs too much.

    ``counts`` (3, n_classes) is memory for the classes of the interval and of both its parts.
    """
    whole = counts[0]
    left = counts[1]
    right = counts[2]
    whole[:] = 0
    left[:] = 0
    for code in codes:
        whole[code] += 1
    if whole.max() == len(codes):
        return 0
    right[:] = whole
    # A cut between samples i - 1 and i moves one sample at a time from the right part to the left;
    # equal values cannot be cut. The best cut has the shortest code of both parts' classes.
    least = np.inf
    best = 0
    for i in range(1, len(values)):
        left[codes[i - 1]] += 1
        right[codes[i - 1]] -= 1
        if values[i] != values[i - 1]:
            length = _code_length(left, bits) + _code_length(right, bits)
            if length < least - _ROUNDING:
                least = length
                best = i
    if not best:
        return 0
    left[:] = 0
    for i in range(best):
        left[codes[i]] += 1
    right[:] = whole - left
    return best if _pays(whole, left, right, bits) else 0


@njit(nogil=True)
def _pays(whole: np.ndarray, left: np.ndarray, right: np.ndarray, bits: np.ndarray) -> bool:
    """Return whether the gain of a cut exceeds its cost in bits.

    Fayyad and Irani's criterion for n samples S with k classes, cut into parts S1 and S2 with k1
    and k2 classes: ``Gain > (log2(n - 1) + log2(3^k - 2) - (k Ent(S) - k1 Ent(S1) - k2 Ent(S2))) /
    n``.
    """
    n = whole.sum()
    total = _code_length(whole, bits)
    in_left = _code_length(left, bits)
    in_right = _code_length(right, bits)
    k = (whole > 0).sum()
    k_left = (left > 0).sum()
    k_right = (right > 0).sum()
    # k * Ent(S) is k / n times the code length; log2(3^k - 2) without overflow for many classes
    delta = (
        k * np.log2(3.0)
        + np.log2(1.0 - 2.0 * 3.0**-k)
        - (k * total / n - k_left * in_left / left.sum() - k_right * in_right / right.sum())
    )
    return (total - (in_left + in_right)) / n > (np.log2(n - 1.0) + delta) / n


@njit(nogil=True)
def _code_length(counts: np.ndarray, bits: np.ndarray) -> float:
    """Return the class entropy of samples counted per class, times their number, in bits."""
    n = 0
    within = 0.0
    for count in counts:
        n += count
        within += bits[count]
    return (bits[n] - within) / _LN2
