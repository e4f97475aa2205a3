"""Distances between the densities of two classes on a grid (XNB paper, Eq. 9)."""

import numpy as np
from numba import njit

__all__ = ["hellinger"]


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def hellinger(densities: np.ndarray, pairs: np.ndarray, out: np.ndarray) -> None:
    """Write the Hellinger distance ``sqrt(1 - sum(sqrt(p q)))`` of each class pair and feature.

    Parameters
    ----------
    densities : ndarray of shape (n_classes, n_grid, n_features)
        Each sums to one, or is zero everywhere. Overwritten by square roots.
    pairs : ndarray of int, shape (n_pairs, 2)
        The classes to compare.
    out : ndarray of shape (n_pairs, n_features)
    """
    flat = densities.reshape(-1)
    for i in range(len(flat)):
        flat[i] = np.sqrt(flat[i])
    overlap = np.empty(densities.shape[2])
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        overlap[:] = 0.0
        for g in range(len(p)):
            for f in range(len(overlap)):
                overlap[f] += p[g, f] * q[g, f]
        for f in range(len(overlap)):
            out[pair, f] = np.sqrt(max(0.0, 1.0 - overlap[f]))
