"""How strongly every feature tells two classes apart, in a way that knows no unit.

A feature's *strength* for a pair of classes is a Bhattacharyya distance in nats, ``-log(1 - H²)``
with ``H`` the Hellinger distance: 0 for equal densities, and without bound, so that strong features
do not tie at 1. All is computed in standard units (`xnbflow.density.standard`).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.distances import DISTANCES
from xnbflow.density.grid import grid_densities
from xnbflow.density.jit import njit
from xnbflow.density.matrices import is_sparse
from xnbflow.density.standard import StandardUnits
from xnbflow.density.tiles import class_offsets, map_strips, sorted_classes
from xnbflow.preprocessing.selection.class_specific import class_pairs
from xnbflow.preprocessing.selection.sparse_distances import sparse_strengths

__all__ = ["PAIR_DISTANCES", "distance_of_strength", "pair_strengths"]

#: "separation" compares means and variances of the kernel densities; "combined" is the geometric
#: mean of its strength and Hellinger's; the others compare the densities on a grid.
PAIR_DISTANCES = ("combined", "separation", *DISTANCES)

#: Distances on a grid are not known closer to 1 than by rounding.
_LEAST_AFFINITY = np.finfo(np.float64).eps


def pair_strengths(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    samples: np.ndarray | None = None,
    distance: str = "combined",
    bandwidth: str = "silverman",
    min_bandwidth: float = 0.3,
    kernel: str = "gaussian",
    n_grid: int = 50,
) -> np.ndarray:
    """Return the strength of every feature for each pair of classes.

    Parameters
    ----------
    features : ndarray or CSR array of shape (n_features, n_samples)
        Of a CSR array the zeros of a class are summed as one.
    codes : ndarray of int, shape (n_samples,) or (n_chosen,)
        Class of each sample, or of each of the chosen ones.
    n_classes : int
    samples : ndarray of int, shape (n_chosen,), optional
        The samples to use, say those that train in a fold; by default all.
    distance : str
        One of `PAIR_DISTANCES`. "separation": the Bhattacharyya distance of two normal densities
        with the means of the two kernel densities and the variance of both, pooled:
        ``d² / 8`` with ``d`` the difference of means in pooled standard deviations. "hellinger":
        ``-log(1 - H²)`` of the kernel densities on a grid. "combined": the geometric mean of the
        two: the densities overlap little *and* lie apart, rather than being of different width.
    bandwidth, min_bandwidth, kernel, n_grid
        As in `xnbflow.naive_bayes.ClassSpecificNB`.

    Returns
    -------
    ndarray of shape (n_pairs, n_features)
        In nats, from 0; the pairs are those of `xnbflow.preprocessing.selection.class_specific.class_pairs`.
        A feature that is constant over all samples has strength 0.

    Examples
    --------
    >>> features = np.array([[0.0, 1.0, 2.0, 8.0, 9.0, 10.0], [0.0, 5.0, 9.0, 1.0, 5.0, 8.0]])
    >>> codes = np.array([0, 0, 0, 1, 1, 1])
    >>> pair_strengths(features, codes, 2, distance="separation").round(2)
    array([[4.38, 0.  ]])
    """
    pairs = class_pairs(n_classes)
    density: dict[str, Any] = {
        "bandwidth": bandwidth,
        "min_bandwidth": min_bandwidth,
        "kernel": kernel,
        "n_grid": n_grid,
    }
    if is_sparse(features):
        dense = partial(
            pair_strengths,
            codes=codes,
            n_classes=n_classes,
            samples=samples,
            distance=distance,
            **density,
        )
        combine = partial(_combined, distance)
        return sparse_strengths(features, codes, samples, pairs, dense, combine, **density)
    order, offsets = class_offsets(codes, n_classes)
    order = order if samples is None else samples[order]
    out = np.empty((len(pairs), len(features)))

    def work(strip: slice) -> None:
        tile = sorted_classes(features[strip], order, offsets)
        standard = StandardUnits.of(tile)
        tile = standard.apply(tile)
        widths = bandwidths_of(tile, offsets, bandwidth, kernel, min_bandwidth, standard.spreads)

        def apart() -> np.ndarray:
            found = np.empty((len(pairs), tile.shape[1]))
            separation(tile, offsets, widths, pairs, found)
            return found

        def on_grid(name: str) -> np.ndarray:
            densities = grid_densities(
                tile, offsets, widths, kernel=kernel, n_grid=n_grid, underflow="log"
            )
            found = np.empty((len(pairs), tile.shape[1]))
            DISTANCES[name](densities, pairs, found)
            return found

        out[:, strip] = _combined(distance, apart, on_grid)

    map_strips(work, len(features), len(order))
    return out


def _combined(
    distance: str, apart: Callable[[], np.ndarray], on_grid: Callable[[str], np.ndarray]
) -> np.ndarray:
    """Return the strengths by one of `PAIR_DISTANCES`, (n_pairs, n_features)."""
    if distance == "separation":
        return apart()
    far = on_grid("hellinger" if distance == "combined" else distance)
    strengths = -np.log(np.maximum(1.0 - far * far, _LEAST_AFFINITY))
    return np.sqrt(apart() * strengths) if distance == "combined" else strengths


def distance_of_strength(strengths: np.ndarray) -> np.ndarray:
    """Return the Hellinger distance ``sqrt(1 - exp(-strength))``, from 0 to 1.

    Examples
    --------
    >>> distance_of_strength(np.array([0.0, 0.5, 40.0])).round(3).tolist()
    [0.0, 0.627, 1.0]
    """
    return np.sqrt(-np.expm1(-strengths))


@njit(nogil=True)
def separation(
    tile: np.ndarray, offsets: np.ndarray, widths: np.ndarray, pairs: np.ndarray, out: np.ndarray
) -> None:
    """Write ``(m1 - m2)² / (8 v)``, with ``v`` the pooled variance of two classes' densities.

    A kernel density has the variance of its samples (ddof=0) plus its squared bandwidth, so that
    no class, not even one of a single sample, is without variance.

    Parameters
    ----------
    tile : ndarray of shape (n_samples, n_features)
        Class after class.
    offsets : ndarray of int, shape (n_classes + 1,)
    widths : ndarray of shape (n_classes, n_features) or (n_samples, n_features)
        Bandwidths per class or per sample.
    pairs : ndarray of int, shape (n_pairs, 2)
    out : ndarray of shape (n_pairs, n_features)
    """
    n_classes, width = len(offsets) - 1, tile.shape[1]
    means, squares = np.zeros((n_classes, width)), np.zeros((n_classes, width))
    for c in range(n_classes):
        a, b = offsets[c], offsets[c + 1]
        for i in range(a, b):
            for f in range(width):
                means[c, f] += tile[i, f] / (b - a)
        for i in range(a, b):
            h = widths[c] if len(widths) == n_classes else widths[i]
            for f in range(width):
                d = tile[i, f] - means[c, f]
                squares[c, f] += d * d + h[f] * h[f]
    for p in range(len(pairs)):
        i, j = pairs[p, 0], pairs[p, 1]
        n = offsets[i + 1] - offsets[i] + offsets[j + 1] - offsets[j]
        for f in range(width):
            d = means[i, f] - means[j, f]
            variance = (squares[i, f] + squares[j, f]) / n
            out[p, f] = d * d / (8.0 * variance)
