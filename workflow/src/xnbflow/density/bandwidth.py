"""Bandwidths of kernel densities, per class and feature (XNB paper, section 4.1)."""

import numpy as np
from numba import njit

__all__ = ["SMALLEST_SPREAD", "class_bandwidths", "sort_within_classes"]

#: The spread of a class whose values are all equal, as in the authors' program.
SMALLEST_SPREAD = 1e-7

_FACTORS = {"silverman": 0.9, "scott": 1.059}


def class_bandwidths(samples: np.ndarray, offsets: np.ndarray, rule: str) -> np.ndarray:
    """Return the bandwidth of every class and feature.

    Parameters
    ----------
    samples : ndarray of shape (n_features, n_samples)
        Class after class, ascending within each (see `sort_within_classes`).
    offsets : ndarray of int, shape (n_classes + 1,)
        Class ``c`` has the columns ``offsets[c]`` to ``offsets[c + 1]``.
    rule : str
        One of "silverman" and "scott".

    Returns
    -------
    ndarray of shape (n_features, n_classes)
    """
    out = np.empty((len(samples), len(offsets) - 1))
    rule_of_thumb(samples, offsets, _FACTORS[rule], out)
    return out


@njit(cache=True, nogil=True)
def sort_within_classes(
    features: np.ndarray, order: np.ndarray, offsets: np.ndarray, out: np.ndarray
) -> None:
    """Write each feature's samples class after class, ascending within each class.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    order : ndarray of int, shape (n_samples,)
        Samples, class after class.
    offsets : ndarray of int, shape (n_classes + 1,)
        Where each class begins and ends in ``order``.
    out : ndarray of shape (n_features, n_samples)
    """
    for f in range(features.shape[0]):
        for c in range(len(offsets) - 1):
            segment = out[f, offsets[c] : offsets[c + 1]]
            for i in range(len(segment)):
                segment[i] = features[f, order[offsets[c] + i]]
            segment.sort()


@njit(cache=True, nogil=True)
def rule_of_thumb(samples: np.ndarray, offsets: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write ``factor * A * n_c**-0.2`` of each class (Silverman's and Scott's rules).

    ``A`` is the smaller of the standard deviation and the interquartile range over 1.349; where
    the latter is 0, the former; where that is 0 or undefined, `SMALLEST_SPREAD`.
    """
    for f in range(samples.shape[0]):
        for c in range(len(offsets) - 1):
            segment = samples[f, offsets[c] : offsets[c + 1]]
            out[f, c] = factor * spread(segment) * len(segment) ** -0.2


@njit(cache=True, nogil=True)
def spread(ascending: np.ndarray) -> float:
    """Return ``A``, the robust spread of Silverman's rule, of ascending values."""
    n = len(ascending)
    if ascending[n - 1] == ascending[0]:
        return SMALLEST_SPREAD
    mean = ascending.mean()
    squares = 0.0
    for value in ascending:
        squares += (value - mean) ** 2
    deviation = np.sqrt(squares / (n - 1))
    quartiles = (_hazen_quantile(ascending, 0.75) - _hazen_quantile(ascending, 0.25)) / 1.349
    if quartiles > 0.0:
        return min(deviation, quartiles)
    return deviation


@njit(cache=True, nogil=True)
def _hazen_quantile(ascending: np.ndarray, p: float) -> float:
    """Return a quantile by Hazen's rule: the i-th of n values stands at ``(i - 0.5) / n``."""
    n = len(ascending)
    position = min(max(p * n - 0.5, 0.0), n - 1.0)
    below = int(position)
    above = min(below + 1, n - 1)
    return ascending[below] + (position - below) * (ascending[above] - ascending[below])
