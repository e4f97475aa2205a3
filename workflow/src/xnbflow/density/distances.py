"""Distances between the densities of two classes: Hellinger's (XNB paper, Eq. 9), separation."""

import numpy as np

from xnbflow.core.jit import njit


@njit(nogil=True, fastmath={"contract", "nsz"})
def hellinger(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance ``sqrt(1 - sum(sqrt(p q)))`` of each class pair and feature.

    Densities (n_classes, n_grid, n_features) each sum to one, and are overwritten. A density that
    underflowed to zero everywhere has distance 1 from every other. For ``pairs`` (n_pairs, 2) of
    classes the result has shape (n_pairs, n_features).
    """
    out = np.empty((len(pairs), densities.shape[2]))
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
    return out


@njit(nogil=True)
def separation(
    means: np.ndarray, squares: np.ndarray, sizes: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Return ``(m1 - m2)² / (8 v)``, with ``v`` the pooled variance of two classes' densities.

    A kernel density has the variance of its samples (ddof=0) plus its squared bandwidth, so every
    class has a variance, even one of a single sample. ``means`` and ``squares``, sums of squares
    with the bandwidths', have shape (n_classes, n_features), ``sizes`` (n_classes,).
    """
    out = np.empty((len(pairs), means.shape[1]))
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        for f in range(means.shape[1]):
            d = means[i, f] - means[j, f]
            variance = (squares[i, f] + squares[j, f]) / (sizes[i] + sizes[j])
            out[p, f] = d * d / (8.0 * variance)
    return out
