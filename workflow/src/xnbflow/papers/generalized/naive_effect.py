"""Naive effects: the log ratio of a feature's two class-conditional densities (Larsen 2005).

A feature is sorted once; sums run over its distinct values with their counts. A value that many
rows share (zeros, mostly) may be an *atom*: like a category it has a weight of evidence of its own.
Neighbourhoods (nearest values to the left and to the right) run over the other values.

References
----------
K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target

from xnbflow.core.errors import InputError
from xnbflow.core.jit import njit
from xnbflow.core.parameters import number_constraint, one_of
from xnbflow.data.columns import column_positions

#: Level and curvature of the quadratic kernels ``K(u) = level - curvature * u**2`` on [-1, 1].
QUADRATIC_KERNELS = {"minimum_variance": (9 / 8, 15 / 8), "epanechnikov": (3 / 4, 3 / 4)}

# Ranks are halves, but `span * n / 2` is rounded: differences below this are rounding errors.
_SLIVER = 1e-9
#: Least sum of a class over a neighbourhood, in observations: the logarithm of 0 is infinite.
_LEAST_SUM = 1e-4
#: Moments of order 0, 1 and 2 of no weight at all.
_NO_MOMENTS = (0.0, 0.0, 0.0)

#: Valid parameters of an estimator of naive effects.
SMOOTHING: dict[str, list[Any]] = {
    "span": [number_constraint(0.0, 1.0, closed="right")],
    "kernel": [one_of(*QUADRATIC_KERNELS)],
    "atom": [number_constraint(0.0, 1.0, closed="left"), None],
    "shrinkage": [number_constraint(0.0)],
}


@dataclass(frozen=True, kw_only=True)
class SortedFeature:
    """A feature as its distinct values, with the smoother that runs over them.

    Attributes
    ----------
    values : ndarray of shape (n_values,)
        Distinct values, ascending.
    counts : ndarray of shape (n_values,)
        Number of samples with each value.
    rows : ndarray of int, shape (n_samples,)
        Position of each sample's value among ``values``.
    smoothed : ndarray of int, shape (n_smoothed,)
        Positions of the values that neighbourhoods run over; the others are atoms.
    span : float
        Share of the smoothed samples in a neighbourhood.
    """

    values: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    smoothed: np.ndarray
    span: float

    @classmethod
    def from_values(
        cls, feature: np.ndarray, span: float, *, categorical: bool, atom: float | None = 0.1
    ) -> "SortedFeature":
        """Sort the values of a feature.

        Parameters
        ----------
        feature : ndarray of shape (n_samples,)
        span : float
            Share of the smoothed samples in a neighbourhood, in (0, 1].
        categorical : bool
            Whether every value is an atom.
        atom : float or None
            A value shared by a larger part of the samples is an atom; with None, no value is.

        Examples
        --------
        Three of 22 samples are 0, more than a tenth; three of 30 are not.

        >>> zeros = np.array([0, 0, 0, *range(1, 20)])
        >>> SortedFeature.from_values(zeros, 0.6, categorical=False).smoothed[0]
        np.int64(1)
        >>> SortedFeature.from_values(zeros, 0.6, categorical=False, atom=None).smoothed[0]
        np.int64(0)
        >>> more = np.append(zeros, range(20, 28))
        >>> SortedFeature.from_values(more, 0.6, categorical=False).smoothed[0]
        np.int64(0)
        """
        values, rows, counts = np.unique(feature, return_inverse=True, return_counts=True)
        is_atom = np.full(len(values), categorical)
        if atom is not None:
            is_atom |= counts > atom * len(feature)
        return cls(
            values=values,
            counts=counts.astype(np.float64),
            rows=rows.astype(np.int32),
            smoothed=np.flatnonzero(~is_atom),
            span=span,
        )

    def smooth(self, weights: np.ndarray, kernel: str) -> np.ndarray:
        """Return sums of ``weights`` (n_kinds, n_values) over the neighbourhood of each value.

        ``weights`` are totals over the rows that hold a value, for each kind; ``kernel`` is one of
        `QUADRATIC_KERNELS`. The sum of an atom is its own weight.
        """
        sums = weights.astype(np.float64)
        if len(self.smoothed):
            # Scaled by a power of two, the square of no distance overflows.
            exponent = np.frexp(np.abs(self.values[[0, -1]]).max())[1]
            sums[:, self.smoothed] = _neighbourhood_sums(
                np.ldexp(self.values[self.smoothed], -exponent),
                self.counts[self.smoothed],
                np.take(sums, self.smoothed, axis=1),
                self.span,
                QUADRATIC_KERNELS[kernel],
            )
        return sums

    def naive_effect(
        self, events: np.ndarray, shrinkage: float, kernel: str = "minimum_variance"
    ) -> np.ndarray:
        """Return ``log f(x | 1) - log f(x | 0)`` at each value, shape (n_values,).

        ``shrinkage`` pseudo-observations with the events' overall share are added at every value,
        so that the effect is bounded by about ``log(n / shrinkage)`` where one class is absent.
        With 0 a sum is at least `_LEAST_SUM`. ``events`` (n_samples,) are 1 or 0, and both occur.
        ``kernel`` is one of `QUADRATIC_KERNELS`. Negative sums, which the minimum-variance kernel
        with its negative weights can give, count as 0.
        """
        share = events.mean()
        event_counts = np.bincount(self.rows, weights=events, minlength=len(self.values))
        weights = np.stack([event_counts, self.counts - event_counts])
        sums = self.smooth(weights, kernel).clip(min=0.0)
        shares = np.array([[share], [1.0 - share]])
        logs = np.log(np.maximum(sums + shrinkage * shares, _LEAST_SUM)) - np.log(shares)
        return logs[0] - logs[1]


def look_up(
    values: np.ndarray, effects: np.ndarray, feature: np.ndarray, *, categorical: bool
) -> np.ndarray:
    """Return effects at new values: interpolated linearly, constant beyond the ends.

    The table of ``effects`` (n_values,) is ascending in ``values``. If ``categorical`` only exact
    matches of ``feature`` (n_samples,) are taken: an unknown category has effect 0.

    Examples
    --------
    >>> table = np.array([0.0, 1.0]), np.array([-1.0, 1.0])
    >>> look_up(*table, np.array([0.5, 9.0]), categorical=False)
    array([0., 1.])
    >>> look_up(*table, np.array([0.5, 1.0]), categorical=True)
    array([0., 1.])
    """
    if not categorical:
        return np.interp(feature, values, effects)
    place = np.searchsorted(values, feature).clip(max=len(values) - 1)
    return np.where(values[place] == feature, effects[place], 0.0)


def categorical_mask(columns: Any, names: np.ndarray) -> np.ndarray:
    """Return which features the parameter ``categorical`` names, bool of shape (n_features,)."""
    mask = np.zeros(len(names), dtype=bool)
    mask[column_positions(() if columns is None else columns, names, "categorical")] = True
    return mask


def check_two_classes(classes: np.ndarray) -> None:
    """Raise an `InputError` if ``classes``, the distinct labels, are not two."""
    if len(classes) > 2:
        msg = (
            "Only binary classification is supported. The type of the target is "
            f"{type_of_target(classes)}. It has {len(classes)} classes; "
            "merge them into two, or use another classifier"
        )
        raise InputError(msg)
    if len(classes) < 2:
        msg = f"all samples have one class, {classes[0]}; two classes are needed"
        raise InputError(msg)


@njit()
def _neighbourhood_sums(
    values: np.ndarray,
    counts: np.ndarray,
    weights: np.ndarray,
    span: float,
    kernel: tuple[float, float],
) -> np.ndarray:
    """Return the kernel sum of each weight over the neighbourhood of each distinct value.

    Of ``values`` (n_values,), ascending, each has ``counts`` (n_values,) observations of a total
    weight ``weights`` (n_kinds, n_values) for each kind of weight; so has the result. A
    neighbourhood reaches ``span * n / 2`` observations to either side of the value's mid-rank,
    always holds the value's own observations, counts the ends it cuts by the share it holds, and is
    truncated at the ends of the data. ``kernel`` is one of `QUADRATIC_KERNELS`; ``u`` is the
    distance divided by that of the farthest value in the neighbourhood.
    """
    windows = _windows(counts, span)
    sums = np.empty_like(weights)
    for kind in range(len(weights)):
        _kernel_sums(values, weights[kind], windows, kernel, sums[kind])
    return sums


class _Windows(NamedTuple):
    """The neighbourhoods of all values: positions of their ends, and the shares held of these."""

    first: np.ndarray
    last: np.ndarray
    first_share: np.ndarray
    last_share: np.ndarray


@njit()
def _windows(counts: np.ndarray, span: float) -> _Windows:
    """Return the neighbourhood of each value.

    Both ends move to the right only. Of 10 single values and a span of .3 the neighbourhood of the
    sixth is from 4.0 to 7.0 on the axis of ranks, on which it has the place from 5 to 6.
    """
    n_values = len(counts)
    first = np.empty(n_values, np.int64)
    last = np.empty(n_values, np.int64)
    first_share = np.empty(n_values)
    last_share = np.empty(n_values)
    total = 0.0
    for count in counts:
        total += count
    reach = 0.5 * span * total
    left = 0
    right = 0
    left_end = counts[0]  # ranks up to the value at the left end, and at the right end
    right_end = counts[0]
    end = 0.0
    for i in range(n_values):
        start = end
        end = start + counts[i]
        middle = 0.5 * (start + end)
        low = max(0.0, min(middle - reach, start))
        high = min(total, max(middle + reach, end))
        while left_end <= low + _SLIVER:
            left += 1
            left_end += counts[left]
        while right_end < high - _SLIVER:
            right += 1
            right_end += counts[right]
        first[i] = left
        last[i] = right
        first_share[i] = min(1.0, (left_end - low) / counts[left])
        last_share[i] = min(1.0, 1.0 - (right_end - high) / counts[right])
    return _Windows(first, last, first_share, last_share)


@njit()
def _kernel_sums(
    values: np.ndarray,
    weights: np.ndarray,
    windows: _Windows,
    kernel: tuple[float, float],
    sums: np.ndarray,
) -> None:
    """Fill ``sums`` with the kernel sum of each window, in O(n) over all windows.

    A quadratic kernel needs three moments of a window. Differences of running moments over the
    whole feature lose every digit where a far outlier meets fine structure. The moments are
    gathered outwards from a pivot inside the window instead: leftwards once, rightwards as the
    window grows. When the left end passes the pivot, the window's last value becomes the next one.
    """
    level, curvature = kernel
    left = np.empty((len(values), 3))  # moments from a value up to the pivot
    right = _NO_MOMENTS  # moments from beyond the pivot up to the window's end
    pivot = -1
    reached = -1
    for i in range(len(values)):
        begin = windows.first[i]
        end = windows.last[i]
        if begin > pivot:
            pivot = end
            reached = end
            right = _NO_MOMENTS
            for j in range(pivot, begin - 1, -1):
                right = _add_weight(right, weights[j], values[j] - values[pivot])
                left[j, 0], left[j, 1], left[j, 2] = right
            right = _NO_MOMENTS
        while reached < end:
            reached += 1
            right = _add_weight(right, weights[reached], values[reached] - values[pivot])
        offset = values[i] - values[pivot]
        mass = left[begin, 0] + right[0]
        lever = left[begin, 1] + right[1]
        spread = left[begin, 2] + right[2] - 2.0 * offset * lever + offset * offset * mass
        to_first = values[i] - values[begin]
        to_last = values[end] - values[i]
        if begin < i:
            outside = (1.0 - windows.first_share[i]) * weights[begin]
            mass -= outside
            spread -= outside * to_first * to_first
        if end > i:
            outside = (1.0 - windows.last_share[i]) * weights[end]
            mass -= outside
            spread -= outside * to_last * to_last
        width = max(to_first, to_last)
        sums[i] = level * mass
        if width * width > 0.0:
            sums[i] -= curvature * spread / (width * width)


@njit()
def _add_weight(
    moments: tuple[float, float, float], weight: float, distance: float
) -> tuple[float, float, float]:
    """Add a weight at a distance from the pivot to the moments of order 0, 1 and 2."""
    first = weight * distance
    return moments[0] + weight, moments[1] + first, moments[2] + first * distance
