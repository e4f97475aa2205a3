"""Bandwidths by rule of thumb: a robust spread times ``n**(-1/5)`` (XNB paper, section 4.1)."""

import numpy as np

from xnbflow.density.jit import njit

__all__ = ["SMALLEST_SPREAD", "rule_of_thumb", "spread"]

#: The spread of a class whose values are all equal, as in the authors' program.
SMALLEST_SPREAD = 1e-7

_TINY = 1e-300


def rule_of_thumb(tile: np.ndarray, offsets: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write ``factor * A * n_c**-0.2`` of each class and feature: Silverman's and Scott's rules."""
    _write_spreads(tile, offsets, factor, -0.2, out)


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
    out = np.empty((1, rows.shape[1]))
    _write_spreads(rows, np.array([0, len(rows)]), 1.0, 0.0, out)
    return out[0]


@njit(nogil=True)
def _write_spreads(
    tile: np.ndarray, offsets: np.ndarray, factor: float, power: float, out: np.ndarray
) -> None:
    """Write ``factor * A * n_c**power``."""
    width = tile.shape[1]
    means, squares = np.empty(width), np.empty(width)
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        means[:] = 0.0
        squares[:] = 0.0
        for i in range(len(rows)):
            for f in range(width):
                means[f] += rows[i, f]
        for f in range(width):
            means[f] /= len(rows)
        for i in range(len(rows)):
            for f in range(width):
                d = rows[i, f] - means[f]
                squares[f] += d * d
        _write_robust(rows, squares, factor * len(rows) ** power, out[c])


@njit(nogil=True, inline="always")
def _write_robust(rows: np.ndarray, squares: np.ndarray, factor: float, out: np.ndarray) -> None:
    """Write each feature's spread, times a factor, from its sum of squares."""
    n = len(rows)
    below_first, first, share_first = _hazen(n, 0.25)
    below_third, third, share_third = _hazen(n, 0.75)
    for f in range(len(out)):
        low = rows[below_first, f] + share_first * (rows[first, f] - rows[below_first, f])
        high = rows[below_third, f] + share_third * (rows[third, f] - rows[below_third, f])
        quartiles, deviation = (high - low) / 1.349, np.sqrt(squares[f] / max(n - 1, 1))
        spread = min(deviation, quartiles) if quartiles > 0.0 else deviation
        constant = rows[0, f] == rows[n - 1, f]
        out[f] = factor * (SMALLEST_SPREAD if constant | (spread < _TINY) else spread)


@njit(nogil=True, inline="always")
def _hazen(n: int, p: float) -> tuple[int, int, float]:
    """Return between which of n values Hazen's quantile is, and how far from the lower one.

    The i-th of n values is at ``(i - 0.5) / n``.
    """
    position = min(max(p * n - 0.5, 0.0), n - 1.0)
    below = int(position)
    return below, min(below + 1, n - 1), position - below
