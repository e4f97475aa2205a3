"""Distances and strengths of sparse features: those of the dense ones, for what is stored.

A strip of features whose bandwidths depend on pairs of samples is made dense; so few features are
in it that memory does not grow.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

from xnbflow.density.distances import DISTANCES
from xnbflow.density.matrices import as_dense
from xnbflow.density.sparse_grid import sparse_grid_densities, sparse_separation
from xnbflow.density.sparse_tiles import SPARSE_FACTORS, SparseTile, classes_of_samples
from xnbflow.density.tiles import map_parts

__all__ = ["map_sparse_strips", "sparse_distances", "sparse_strengths", "sparse_without_spikes"]

_STRIP = 32
_NS_PER_VALUE = 100.0


def map_sparse_strips(
    features: sparse.csr_array,
    rule: str,
    dense: Callable[[np.ndarray], np.ndarray],
    stored: Callable[[slice], np.ndarray],
) -> np.ndarray:
    """Return what is computed of all features, strip by strip, shape (..., n_features).

    Parameters
    ----------
    features : CSR array of shape (n_features, n_samples)
    rule : str
        The rule for bandwidths.
    dense : callable
        Computes it of a strip's dense features, where the rule needs all samples.
    stored : callable
        Computes it of a strip by its stored values.
    """
    n_features = features.shape[0]
    strips = [slice(at, min(at + _STRIP, n_features)) for at in range(0, n_features, _STRIP)]

    def work(strip: slice) -> np.ndarray:
        return stored(strip) if rule in SPARSE_FACTORS else dense(as_dense(features[strip]))

    found = map_parts(work, strips, max(features.nnz, n_features) * _NS_PER_VALUE)
    return np.concatenate(found, axis=-1)


def sparse_distances(
    features: sparse.csr_array,
    codes: np.ndarray,
    pairs: np.ndarray,
    dense: Callable[[np.ndarray], np.ndarray],
    *,
    bandwidth: str,
    kernel: str,
    n_grid: int,
    distance: str,
    underflow: str,
    min_bandwidth: float,
) -> np.ndarray:
    """Return `xnbflow.preprocessing.selection.class_specific.pair_distances` of sparse features.

    Parameters
    ----------
    features : CSR array of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
    pairs : ndarray of int, shape (n_pairs, 2)
    dense : callable
        See `map_sparse_strips`.
    bandwidth, kernel, n_grid, distance, underflow, min_bandwidth
        As there.
    """
    n_classes = int(codes.max()) + 1

    def stored(strip: slice) -> np.ndarray:
        tile = SparseTile.gather(features, strip, codes, n_classes)
        widths = tile.bandwidths(bandwidth, min_bandwidth)
        densities = sparse_grid_densities(
            tile, widths, kernel=kernel, n_grid=n_grid, underflow=underflow
        )
        return _compare(densities, pairs, distance)

    return map_sparse_strips(features, bandwidth, dense, stored)


def sparse_without_spikes(
    features: sparse.csr_array,
    codes: np.ndarray,
    pairs: np.ndarray,
    dense: Callable[[np.ndarray], np.ndarray],
    *,
    least_bandwidth: float,
    spike: float,
    bandwidth: str,
    kernel: str,
    n_grid: int,
    distance: str,
    min_bandwidth: float,
) -> np.ndarray:
    """Return `xnbflow.preprocessing.selection.class_specific.distances_without_spikes` of sparse features.

    Parameters
    ----------
    features, codes, pairs, dense, bandwidth, kernel, n_grid, distance, min_bandwidth
        See `sparse_distances`.
    least_bandwidth, spike : float
        The least bandwidth, and the share of it below which a class is a spike.

    Returns
    -------
    ndarray of shape (2, n_pairs, n_features)
        Distances, and 1 for spikes.
    """
    n_classes = int(codes.max()) + 1
    alone = np.bincount(codes, minlength=n_classes)[:, None] == 1

    def stored(strip: slice) -> np.ndarray:
        tile = SparseTile.gather(features, strip, codes, n_classes)
        n = len(codes)
        widths = tile.bandwidths(bandwidth, min_bandwidth)
        deviation = tile.spreads()[1] * np.sqrt((n - 1) / n)
        least = least_bandwidth * deviation * tile.sizes[:, None] ** -0.2
        densities = sparse_grid_densities(
            tile,
            np.maximum(widths, np.maximum(least, np.finfo(float).tiny)),
            kernel=kernel,
            n_grid=n_grid,
            underflow="log",
        )
        distances = _compare(densities, pairs, distance)
        distances[alone[pairs].any(axis=1)[:, 0]] = 0.0
        spikes = (widths < spike * least) | alone
        return np.array([distances, spikes[pairs].any(axis=1)])

    return map_sparse_strips(features, bandwidth, dense, stored)


def sparse_strengths(
    features: sparse.csr_array,
    codes: np.ndarray,
    samples: np.ndarray | None,
    pairs: np.ndarray,
    dense: Callable[[np.ndarray], np.ndarray],
    combine: Callable[[Callable[[], np.ndarray], Callable[[str], np.ndarray]], np.ndarray],
    *,
    bandwidth: str,
    min_bandwidth: float,
    kernel: str,
    n_grid: int,
) -> np.ndarray:
    """Return `xnbflow.preprocessing.selection.pair_strengths.pair_strengths` of sparse features.

    Parameters
    ----------
    features, codes, pairs, dense, bandwidth, min_bandwidth, kernel, n_grid
        See `sparse_distances`; codes are those of ``samples`` where these are given.
    samples : ndarray of int, shape (n_chosen,), optional
        The samples to use.
    combine : callable
        Given two functions, that return the separation and, by its name, the distance of the
        densities on a grid, returns the strengths.
    """
    n_classes = int(codes.max()) + 1
    class_of = classes_of_samples(codes, samples, features.shape[1])

    def stored(strip: slice) -> np.ndarray:
        tile = SparseTile.gather(features, strip, class_of, n_classes).standardised()
        widths = tile.bandwidths(bandwidth, min_bandwidth)

        def on_grid(distance: str) -> np.ndarray:
            densities = sparse_grid_densities(
                tile, widths, kernel=kernel, n_grid=n_grid, underflow="log"
            )
            return _compare(densities, pairs, distance)

        return combine(lambda: sparse_separation(tile, widths, pairs), on_grid)

    return map_sparse_strips(features, bandwidth, dense, stored)


def _compare(densities: np.ndarray, pairs: np.ndarray, distance: str) -> np.ndarray:
    found = np.empty((len(pairs), densities.shape[2]))
    DISTANCES[distance](densities, pairs, found)
    return found
