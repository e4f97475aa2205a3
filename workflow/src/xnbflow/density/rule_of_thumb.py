"""Bandwidths by rule of thumb: a robust spread times ``n**(-1/5)`` (XNB paper, section 4.1)."""

import numpy as np

from xnbflow.jit import njit

__all__ = ["SMALLEST_SPREAD", "rule_of_thumb", "spread"]

#: The spread of a class whose values are all equal, as in the authors' program.
SMALLEST_SPREAD = 1e-7

_TINY = 1e-300


@njit(nogil=True)
def rule_of_thumb(tile: np.ndarray, offsets: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write ``factor * A * n_c**-0.2`` of each class and feature: Silverman's and Scott's rules."""
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        spread(rows, out[c])
        for f in range(tile.shape[1]):
            out[c, f] *= factor * len(rows) ** -0.2


@njit(nogil=True)
def spread(rows: np.ndarray, out: np.ndarray) -> None:
    """Write ``A``, the smaller of the standard deviation and the interquartile range over 1.349.

    Quartiles are Hazen's. Where they are equal ``A`` is the standard deviation, and where that is
    0 or undefined, `SMALLEST_SPREAD`.

    Parameters
    ----------
    rows : ndarray of shape (n_samples, n_features)
        Ascending along the first axis.
    out : ndarray of shape (n_features,)
    """
    n = len(rows)
    means = np.zeros(len(out))
    squares = np.zeros(len(out))
    for i in range(n):
        for f in range(len(out)):
            means[f] += rows[i, f]
    for f in range(len(out)):
        means[f] /= n
    for i in range(n):
        for f in range(len(out)):
            d = rows[i, f] - means[f]
            squares[f] += d * d
    _hazen_quantile(rows, 0.75, out)
    _hazen_quantile(rows, 0.25, means)
    for f in range(len(out)):
        quartiles = (out[f] - means[f]) / 1.349
        deviation = np.sqrt(squares[f] / max(n - 1, 1))
        out[f] = min(deviation, quartiles) if quartiles > 0.0 else deviation
        if rows[0, f] == rows[n - 1, f] or out[f] < _TINY:
            out[f] = SMALLEST_SPREAD


@njit(nogil=True)
def _hazen_quantile(rows: np.ndarray, p: float, out: np.ndarray) -> None:
    """Write a quantile by Hazen's rule: the i-th of n values stands at ``(i - 0.5) / n``."""
    position = min(max(p * len(rows) - 0.5, 0.0), len(rows) - 1.0)
    below = int(position)
    above = min(below + 1, len(rows) - 1)
    weight = position - below
    for f in range(len(out)):
        out[f] = rows[below, f] + weight * (rows[above, f] - rows[below, f])
