"""Bandwidths by rule of thumb: a robust spread times ``n**(-1/5)`` (XNB paper, section 4.1)."""

from itertools import pairwise

import numpy as np

from xnbflow.jit import njit

__all__ = ["SMALLEST_SPREAD", "rule_of_thumb", "spread"]

#: The spread of a class whose values are all equal, as in the authors' program.
SMALLEST_SPREAD = 1e-7

_TINY = 1e-300


def rule_of_thumb(tile: np.ndarray, offsets: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write ``factor * A * n_c**-0.2`` of each class and feature: Silverman's and Scott's rules."""
    for c, (first, stop) in enumerate(pairwise(offsets.tolist())):
        out[c] = spread(tile[first:stop]) * (factor * (stop - first) ** -0.2)


def spread(rows: np.ndarray) -> np.ndarray:
    """Return ``A``, the smaller of the standard deviation and the interquartile range over 1.349.

    Quartiles are Hazen's. Where they are equal ``A`` is the standard deviation, and where that is
    0 or undefined, `SMALLEST_SPREAD`.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Ascending along the first axis.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    out = np.empty(rows.shape[1])
    _write_spread(rows, out)
    return out


@njit(nogil=True)
def _write_spread(rows: np.ndarray, out: np.ndarray) -> None:
    n = len(rows)
    means = np.empty(len(out))
    for f in range(len(out)):
        means[f] = 0.0
        out[f] = 0.0
    for i in range(n):
        for f in range(len(out)):
            means[f] += rows[i, f]
    for f in range(len(out)):
        means[f] /= n
    for i in range(n):
        for f in range(len(out)):
            d = rows[i, f] - means[f]
            out[f] += d * d
    for f in range(len(out)):
        quartiles = (_hazen_quantile(rows, f, 0.75) - _hazen_quantile(rows, f, 0.25)) / 1.349
        deviation = np.sqrt(out[f] / max(n - 1, 1))
        out[f] = min(deviation, quartiles) if quartiles > 0.0 else deviation
        if rows[0, f] == rows[n - 1, f] or out[f] < _TINY:
            out[f] = SMALLEST_SPREAD


@njit(nogil=True)
def _hazen_quantile(rows: np.ndarray, f: int, p: float) -> float:
    """Return a feature's quantile by Hazen's rule: the i-th of n values is at ``(i - 0.5) / n``."""
    position = min(max(p * len(rows) - 0.5, 0.0), len(rows) - 1.0)
    below = int(position)
    above = min(below + 1, len(rows) - 1)
    return rows[below, f] + (position - below) * (rows[above, f] - rows[below, f])
