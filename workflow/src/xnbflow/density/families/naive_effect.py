"""Naive effects: the log ratio of a feature's two class-conditional densities (Larsen 2005).

A feature is sorted once. All later sums run over its distinct values with their counts. A value
held by more than a tenth of the rows (zeros, mostly) is an *atom*: it tells as much as a category
does, and smoothing it away would lose that. Atoms and categories have a weight of evidence of
their own; neighbourhoods run over the remaining values.

References
----------
K. Larsen, Generalized naive Bayes classifiers, SIGKDD Explorations 7(1), 2005.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.utils.multiclass import type_of_target

from xnbflow.data.errors import InputError
from xnbflow.data.parameters import number, one_of
from xnbflow.density.neighbourhood import QUADRATIC_KERNELS, neighbourhood_sums

__all__ = ["ATOM", "SMOOTHING", "SortedFeature", "check_two_classes", "look_up"]

#: A value held by a larger share of the rows is an atom, a category of its own.
ATOM = 0.1

#: What the parameters of an estimator of naive effects may be.
SMOOTHING = {
    "span": [number(0.0, 1.0, closed="right")],
    "kernel": [one_of(*QUADRATIC_KERNELS)],
    "shrinkage": [number(0.0)],
}


@dataclass(frozen=True)
class SortedFeature:
    """A feature as its distinct values, with the smoother that runs over them.

    Attributes
    ----------
    values : ndarray of float64, shape (n_values,)
        Distinct values, ascending.
    counts : ndarray of float64, shape (n_values,)
        Rows that hold each value.
    rows : ndarray of int32, shape (n_samples,)
        Which of the values each row holds.
    smoothed : ndarray of int, shape (n_smoothed,)
        The values over which neighbourhoods run; the others stand for themselves.
    span : float
        Share of the smoothed rows in a neighbourhood.
    """

    values: np.ndarray
    counts: np.ndarray
    rows: np.ndarray
    smoothed: np.ndarray
    span: float

    @classmethod
    def of(cls, feature: np.ndarray, span: float, *, categorical: bool) -> "SortedFeature":
        """Sort a feature.

        Parameters
        ----------
        feature : ndarray of float64, shape (n_samples,)
            The feature's value in every row.
        span : float
            Share of the smoothed rows in a neighbourhood, in (0, 1].
        categorical : bool
            Whether every value stands for itself.

        Examples
        --------
        >>> feature = SortedFeature.of(np.array([0, 0, 0, *range(1, 28)]), 0.6, categorical=False)
        >>> feature.counts[0], feature.smoothed[0]
        (np.float64(3.0), np.int64(0))
        >>> feature = SortedFeature.of(np.array([0, 0, 0, *range(1, 20)]), 0.6, categorical=False)
        >>> feature.counts[0], feature.smoothed[0]
        (np.float64(3.0), np.int64(1))
        """
        values, rows, counts = np.unique(feature, return_inverse=True, return_counts=True)
        alone = categorical | (counts > ATOM * len(feature))
        return cls(
            values,
            counts.astype(np.float64),
            rows.astype(np.int32),
            np.flatnonzero(~alone),
            span,
        )

    def smooth(self, weights: np.ndarray, kernel: str) -> np.ndarray:
        """Return kernel sums over the neighbourhood of each value.

        Parameters
        ----------
        weights : ndarray of float64, shape (n_kinds, n_values)
            Total weight of the rows that hold each value, for each kind of weight.
        kernel : str
            One of `QUADRATIC_KERNELS`.

        Returns
        -------
        ndarray of float64, shape (n_kinds, n_values)
            For an atom or a category its own weight.
        """
        sums = weights.astype(np.float64)
        if len(self.smoothed):
            # Scaled by a power of two, the square of no distance overflows.
            exponent = np.frexp(np.abs(self.values[[0, -1]]).max())[1]
            sums[:, self.smoothed] = neighbourhood_sums(
                np.ldexp(self.values[self.smoothed], -exponent),
                self.counts[self.smoothed],
                np.take(sums, self.smoothed, axis=1),
                self.span,
                QUADRATIC_KERNELS[kernel],
            )
        return sums

    def naive_effect(self, events: np.ndarray, kernel: str, shrinkage: float) -> np.ndarray:
        """Return ``log f(x | 1) - log f(x | 0)`` at each value.

        ``shrinkage`` pseudo-observations with the events' overall share stand at every value, so
        that the effect is bounded by about ``log(n / shrinkage)`` where one class is absent, and 0
        where nothing is known.

        Parameters
        ----------
        events : ndarray of int, shape (n_samples,)
            1 for an event, 0 otherwise; both occur.
        kernel : str
            One of `QUADRATIC_KERNELS`. Negative sums, which a kernel with negative weights can
            give, count as 0.
        shrinkage : float
            Number of pseudo-observations, above 0.

        Returns
        -------
        ndarray of float64, shape (n_values,)
        """
        share = events.mean()
        of_events = np.bincount(self.rows, weights=events, minlength=len(self.values))
        sums = self.smooth(np.stack([of_events, self.counts - of_events]), kernel).clip(min=0.0)
        prior = shrinkage * np.array([share, 1.0 - share])
        logs = np.log(sums + prior[:, None]) - np.log(prior)[:, None]
        return logs[0] - logs[1]


def look_up(
    values: np.ndarray, effects: np.ndarray, feature: np.ndarray, *, categorical: bool
) -> np.ndarray:
    """Return effects at new values: interpolated linearly, constant beyond the ends.

    Parameters
    ----------
    values, effects : ndarray of float64, shape (n_values,)
        The look-up table, ascending in ``values``.
    feature : ndarray of float64, shape (n_samples,)
        New values.
    categorical : bool
        Whether to take exact matches only. An unknown category has effect 0.

    Returns
    -------
    ndarray of float64, shape (n_samples,)

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


def check_two_classes(classes: np.ndarray) -> None:
    """Refuse a target that has not two classes.

    Raises
    ------
    InputError
        If ``classes``, the distinct labels, are not two.
    """
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
