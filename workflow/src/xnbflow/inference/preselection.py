"""Preselection of features: standard units, and the largest of many values."""

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
