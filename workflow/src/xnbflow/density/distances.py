"""Distances between the densities of two classes on a grid, each from 0 to 1.

The paper uses Hellinger's (Eq. 9) and names the others as future work (section 7). A density that
is zero everywhere, because it underflowed, is at distance 1 from every other.
"""

import numpy as np

from xnbflow.core.jit import njit

__all__ = [
    "DISTANCES",
    "compare",
    "hellinger",
    "jeffreys",
    "jensen_shannon",
    "separation",
    "wasserstein",
]

_TINY = 2.2250738585072014e-308


@njit(nogil=True, fastmath={"contract", "nsz"})
def hellinger(densities: np.ndarray, pairs: np.ndarray, out: np.ndarray) -> None:
    """Write the Hellinger distance ``sqrt(1 - sum(sqrt(p q)))`` of each class pair and feature.

    Densities (n_classes, n_grid, n_features) each sum to one, or are zero everywhere, and are
    overwritten. For ``pairs`` (n_pairs, 2) of classes ``out`` has shape (n_pairs, n_features).
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


@njit(nogil=True)
def jeffreys(densities: np.ndarray, pairs: np.ndarray, out: np.ndarray) -> None:
    """Write ``sqrt(1 - exp(-J / 8))`` with Jeffreys' ``J = sum((p - q) log(p / q))``.

    For two normal densities of equal variance this is their Hellinger distance, so that a
    threshold means the same. Parameters are those of `hellinger`.
    """
    n_grid, width = densities.shape[1:]
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        for f in range(width):
            divergence = 0.0
            for g in range(n_grid):
                ratio = max(p[g, f], _TINY) / max(q[g, f], _TINY)
                divergence += (p[g, f] - q[g, f]) * np.log(ratio)
            out[pair, f] = np.sqrt(max(0.0, -np.expm1(-divergence / 8.0)))


@njit(nogil=True)
def jensen_shannon(densities: np.ndarray, pairs: np.ndarray, out: np.ndarray) -> None:
    """Write the square root of the Jensen-Shannon divergence in bits.

    Parameters are those of `hellinger`.
    """
    n_grid, width = densities.shape[1:]
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        for f in range(width):
            divergence = 0.0
            for g in range(n_grid):
                middle = 0.5 * (p[g, f] + q[g, f])
                if p[g, f] > 0.0:
                    divergence += p[g, f] * np.log2(p[g, f] / middle)
                if q[g, f] > 0.0:
                    divergence += q[g, f] * np.log2(q[g, f] / middle)
            out[pair, f] = np.sqrt(min(max(0.0, 0.5 * divergence), 1.0))


@njit(nogil=True)
def wasserstein(densities: np.ndarray, pairs: np.ndarray, out: np.ndarray) -> None:
    """Write the Wasserstein-1 distance as a share of the feature's range.

    Parameters are those of `hellinger`.
    """
    n_grid, width = densities.shape[1:]
    for pair in range(len(pairs)):
        p, q = densities[pairs[pair, 0]], densities[pairs[pair, 1]]
        for f in range(width):
            moved, distance = 0.0, 0.0
            for g in range(n_grid - 1):
                moved += p[g, f] - q[g, f]
                distance += abs(moved)
            out[pair, f] = distance / (n_grid - 1)


DISTANCES = {
    "hellinger": hellinger,
    "jeffreys": jeffreys,
    "jensen_shannon": jensen_shannon,
    "wasserstein": wasserstein,
}


def compare(densities: np.ndarray, pairs: np.ndarray, distance: str) -> np.ndarray:
    """Return one of `DISTANCES` for each class pair and feature, shape (n_pairs, n_features).

    Parameters are those of `hellinger`; the densities are overwritten.
    """
    out = np.empty((len(pairs), densities.shape[2]))
    DISTANCES[distance](densities, pairs, out)
    if distance != "hellinger":  # which is 1 from nothing by itself
        nothing = np.asarray(~densities.any(axis=1))
        out[nothing[pairs].any(axis=1)] = 1.0
    return out


@njit(nogil=True)
def separation(
    means: np.ndarray, squares: np.ndarray, sizes: np.ndarray, pairs: np.ndarray
) -> np.ndarray:
    """Return ``(m1 - m2)² / (8 v)``, with ``v`` the pooled variance of two classes' densities.

    A kernel density has the variance of its samples (ddof=0) plus its squared bandwidth, so that
    no class, not even one of a single sample, is without variance. ``means`` and ``squares``, sums
    of squares with the bandwidths', have shape (n_classes, n_features), ``sizes`` (n_classes,).
    """
    out = np.empty((len(pairs), means.shape[1]))
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        for f in range(means.shape[1]):
            d = means[i, f] - means[j, f]
            variance = (squares[i, f] + squares[j, f]) / (sizes[i] + sizes[j])
            out[p, f] = d * d / (8.0 * variance)
    return out
