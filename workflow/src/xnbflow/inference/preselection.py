"""Preselection of the features that separate classes best in training sets, for fast fits."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from xnbflow.core.jit import njit

#: Values of a block, which is searched only if one of them is large enough to be kept.
_BLOCK = 64


def standardised(values: np.ndarray) -> np.ndarray:
    """Return features (n_features, n_samples) of mean 0 and variance 1, in single precision.

    Constant features are 0.
    """
    spread = values.std(axis=1, keepdims=True)
    centred = values - values.mean(axis=1, keepdims=True)
    standard = np.divide(centred, spread, out=centred, where=spread > 0)
    return standard.astype(np.float32)  # sums and products take half the time


class Preselection:
    """Features that separate classes best in training sets, for any labels.

    ``values``, of shape (n_features, n_samples), are standardised once; for each training set and
    labels, means and deviations of the classes are then matrix products.

    Examples
    --------
    >>> values, codes = np.random.default_rng(0).normal(size=(100, 40)), np.repeat([0, 1], 20)
    >>> values[7, 20:] += 5
    >>> (kept,) = Preselection(values).best(codes, [np.arange(0, 40, 2)], 4)
    >>> 7 in kept
    True
    """

    def __init__(self, values: np.ndarray) -> None:
        self._standard = standardised(values)
        self._squares = self._standard**2

    def best(
        self, codes: np.ndarray, training_sets: Sequence[np.ndarray], n_kept: int
    ) -> Iterator[np.ndarray]:
        """Yield, for each training set, at most ``n_kept`` features per pair of classes, ascending.

        Half of them have the greatest difference of means, the other half of standard deviations;
        the first of equal ones are kept. ``codes`` are the classes of all samples, the training
        sets positions of samples.
        """
        n_features = len(self._standard)
        n_classes = codes.max() + 1
        if n_kept >= n_features:
            for _ in training_sets:
                yield np.arange(n_features)
            return
        # (n_sets, n_classes, n_samples): rows whose products with features are means of classes
        weights = np.zeros((len(training_sets), n_classes, len(codes)), dtype=np.float32)
        for position, train in enumerate(training_sets):
            weights[position, codes[train], train] = 1.0
        weights /= np.maximum(weights.sum(axis=2, keepdims=True), 1.0)
        # one product for all training sets reads the values once
        rows = weights.reshape(-1, len(codes))
        shape = (*weights.shape[:2], n_features)
        means = (rows @ self._standard.T).reshape(shape)
        squares = (rows @ self._squares.T).reshape(shape)
        deviations = np.sqrt(np.maximum(squares - means**2, 0.0))
        for position in range(len(training_sets)):
            is_best = np.zeros(n_features, dtype=bool)
            present = np.flatnonzero(weights[position].any(axis=1))
            for i, j in itertools.combinations(present, 2):
                for moment in (means[position], deviations[position]):
                    differences = np.abs(moment[i] - moment[j])
                    largest = np.full(n_kept // 2, -1.0, dtype=np.float32)
                    positions = np.zeros(n_kept // 2, dtype=np.int64)
                    keep_largest(differences, 0, largest, positions)
                    is_best[positions] = True
            yield np.flatnonzero(is_best)


@njit(nogil=True)
def keep_largest(
    values: np.ndarray, first: int, largest: np.ndarray, positions: np.ndarray
) -> None:
    """Replace the least of the largest values so far by larger ones of ``values``.

    ``largest``, of shape (n_kept,), is a heap whose first entry is the least, and ``positions`` are
    the positions of its values; those of ``values`` count from ``first``, which must be larger than
    earlier positions. Of equal values the earlier ones stay.
    """
    for start in range(0, len(values), _BLOCK):
        block = values[start : start + _BLOCK]
        if _n_above(block, largest[0]):
            for f in range(len(block)):
                if block[f] > largest[0]:
                    _replace_least(block[f], first + start + f, largest, positions)


@njit(nogil=True)
def _n_above(values: np.ndarray, limit: float) -> int:
    """Return how many values are above a limit; vector instructions compare many at once."""
    n_above = 0
    for f in range(len(values)):
        n_above += values[f] > limit
    return n_above


@njit(nogil=True)
def _replace_least(
    value: float, value_position: int, largest: np.ndarray, positions: np.ndarray
) -> None:
    """Replace the first entry of the heap of `keep_largest` by a larger value."""
    position = 0
    while 2 * position + 1 < len(largest):
        below = 2 * position + 1
        if below + 1 < len(largest):
            difference = largest[below] - largest[below + 1]
            later = positions[below] < positions[below + 1]
            below += difference > 0 or (difference == 0 and later)
        if largest[below] >= value:
            break
        largest[position] = largest[below]
        positions[position] = positions[below]
        position = below
    largest[position] = value
    positions[position] = value_position
