"""Distances between the densities of two classes on a grid, each from 0 to 1.

The XNB paper uses Hellinger's (Eq. 9) and names the others as future work (section 7). Each is
scaled to [0, 1], so that ``1 - prod(1 - distance)`` and its threshold have a meaning:

================== ==================================================== ==========================
name               distance of ``p`` and ``q``                          scaled
================== ==================================================== ==========================
hellinger          ``sqrt(1 - sum(sqrt(p q)))``                         is in [0, 1]
jeffreys           ``J = sum((p - q) log(p / q))``                      ``sqrt(1 - exp(-J / 8))``
kullback_leibler   ``J / 2``, the mean of ``KL(p, q)`` and ``KL(q, p)`` ``1 - exp(-J / 2)``
jensen_shannon     square root of the Jensen-Shannon divergence         in bits
wasserstein        Wasserstein-1 (earth mover's)                        by the range of the feature
================== ==================================================== ==========================

Two normal densities of equal variance have the same distance by Hellinger and by Jeffreys.
Jeffreys' divergence is the sum of the two Kullback-Leibler divergences, so both rank features of a
pair of classes alike; they differ in how many features reach the threshold. Wasserstein's is the
only one that measures how far the densities are apart once they do not overlap.
"""

import numpy as np

from xnbflow.core.jit import njit

#: Densities below are taken as this one, the least normal number, in ratios that would be infinite.
_TINY = 2.2250738585072014e-308


@njit(nogil=True, fastmath={"contract", "nsz"})
def hellinger(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance ``sqrt(1 - sum(sqrt(p q)))`` of each class pair and feature.

    Densities (n_classes, n_grid, n_features) each sum to one, and are overwritten. A density that
    underflowed to zero everywhere has distance 1 from every other. For ``pairs`` (n_pairs, 2) of
    classes the result has shape (n_pairs, n_features).
    """
    # Roots are taken once per class, not once per pair: sqrt(p q) = sqrt(p) sqrt(q).
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
def jeffreys(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return ``sqrt(1 - exp(-J / 8))`` with Jeffreys' divergence ``J = sum((p - q) log(p / q))``.

    Parameters and result are those of `hellinger`. The densities stay as they are.
    """
    divergence = _jeffreys_divergence(densities, pairs)
    return np.sqrt(-np.expm1(-divergence / 8.0))


@njit(nogil=True)
def kullback_leibler(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return ``1 - exp(-K)`` with ``K`` the mean of the two Kullback-Leibler divergences.

    Parameters and result are those of `hellinger`. The densities stay as they are.
    """
    return -np.expm1(-0.5 * _jeffreys_divergence(densities, pairs))


@njit(nogil=True)
def _jeffreys_divergence(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return ``sum (p - q) log(p / q)`` over the grid, (n_pairs, n_features)."""
    n_grid, width = densities.shape[1:]
    out = np.zeros((len(pairs), width))
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        for g in range(n_grid):
            for f in range(width):
                ratio = max(p[g, f], _TINY) / max(q[g, f], _TINY)
                out[pair, f] += (p[g, f] - q[g, f]) * np.log(ratio)
    return np.maximum(out, 0.0)


@njit(nogil=True)
def jensen_shannon(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the square root of the Jensen-Shannon divergence in bits.

    Parameters and result are those of `hellinger`. The densities stay as they are.
    """
    n_grid, width = densities.shape[1:]
    out = np.zeros((len(pairs), width))
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        for g in range(n_grid):
            for f in range(width):
                both = p[g, f] + q[g, f]  # half of it, the mean, may underflow
                if p[g, f] > 0.0:
                    out[pair, f] += 0.5 * p[g, f] * (1.0 + np.log2(p[g, f] / both))
                if q[g, f] > 0.0:
                    out[pair, f] += 0.5 * q[g, f] * (1.0 + np.log2(q[g, f] / both))
    return np.sqrt(np.minimum(np.maximum(out, 0.0), 1.0))


@njit(nogil=True)
def wasserstein(densities: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    """Return the Wasserstein-1 distance as a share of the feature's range.

    It is the area between the two distribution functions. Parameters and result are those of
    `hellinger`. The densities stay as they are.
    """
    n_grid, width = densities.shape[1:]
    out = np.zeros((len(pairs), width))
    moved = np.empty(width)
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        moved[:] = 0.0
        for g in range(n_grid - 1):
            for f in range(width):
                moved[f] += p[g, f] - q[g, f]
                out[pair, f] += abs(moved[f]) / (n_grid - 1)
    return np.minimum(out, 1.0)


DISTANCES = {
    "hellinger": hellinger,
    "jeffreys": jeffreys,
    "jensen_shannon": jensen_shannon,
    "kullback_leibler": kullback_leibler,
    "wasserstein": wasserstein,
}


def density_distances(densities: np.ndarray, pairs: np.ndarray, distance: str) -> np.ndarray:
    """Return one of `DISTANCES` for each class pair and feature, shape (n_pairs, n_features).

    Densities (n_classes, n_grid, n_features) each sum to one, or are zero everywhere because they
    underflowed: their distance to every other class is 1. They may be overwritten.
    """
    if distance == "hellinger":  # an overlap of 0 is a distance of 1
        return hellinger(densities, pairs)
    underflowed = np.logical_not(np.any(densities, axis=1))
    distances = DISTANCES[distance](densities, pairs)
    distances[underflowed[pairs].any(axis=1)] = 1.0
    return distances


def set_zero_densities_uniform(densities: np.ndarray) -> None:
    """Set densities that underflowed at every point of the grid to the uniform one, in place.

    Densities have shape (n_classes, n_grid, n_features). The authors' program of the XNB paper did
    so until 23 July 2024, and has left them zero since.

    Examples
    --------
    >>> densities = np.array([[[0.5], [0.5]], [[0.0], [0.0]]])
    >>> set_zero_densities_uniform(densities)
    >>> densities[1].ravel().tolist()
    [0.5, 0.5]
    """
    n_grid = densities.shape[1]
    is_zero = np.logical_not(np.any(densities, axis=1, keepdims=True))
    np.copyto(densities, 1.0 / n_grid, where=is_zero)


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
