"""Kernel densities, one per feature (XNB paper, Eqs. 3 and 8)."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from xnbflow.density.bandwidth import class_bandwidths
from xnbflow.density.blocks import map_blocks
from xnbflow.density.exponential import exponentiate
from xnbflow.density.tiles import class_offsets, sorted_classes
from xnbflow.distributions.base import FeatureDensities

__all__ = ["KernelDensities", "fit_kernel_densities"]

_LOG_SQRT_2PI = 0.9189385332046727


@dataclass(frozen=True)
class KernelDensities(FeatureDensities):
    """A Gaussian kernel density for each of several features.

    Attributes
    ----------
    samples : ndarray of shape (n_features, n_samples)
        What the densities were fitted on.
    bandwidths : ndarray of shape (n_features,)
    """

    samples: np.ndarray
    bandwidths: np.ndarray

    def _log_density(self, block: slice, tile: np.ndarray, out: np.ndarray) -> None:
        rows = np.ascontiguousarray(self.samples[block].T)
        _log_density(rows, self.bandwidths[block], tile, out)


def fit_kernel_densities(
    features: np.ndarray, codes: np.ndarray, n_classes: int, bandwidth: str
) -> list[KernelDensities]:
    """Fit one `KernelDensities` per class.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int
    bandwidth : str
        Rule for the bandwidths, see `class_bandwidths`.
    """
    order, offsets = class_offsets(codes, n_classes)
    samples = np.empty(features.shape)
    bandwidths = np.empty((n_classes, len(features)))

    def work(block: slice) -> None:
        tile = sorted_classes(features[block], order, offsets)
        samples[block] = tile.T
        bandwidths[:, block] = class_bandwidths(tile, offsets, bandwidth)

    map_blocks(work, *features.shape)
    return [
        KernelDensities(
            np.ascontiguousarray(samples[:, offsets[c] : offsets[c + 1]]), bandwidths[c]
        )
        for c in range(n_classes)
    ]


@njit(cache=True, nogil=True, fastmath={"contract", "nsz"})
def _log_density(
    rows: np.ndarray, bandwidths: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log of the mean kernel at each point, scaled by the nearest sample's kernel.

    All arrays are tiles: ``rows`` (n_samples, n_features), ``points`` and ``out`` (n_points,
    n_features).
    """
    n, width = rows.shape
    terms = np.empty((n, width))
    nearest, total = np.empty(width), np.empty(width)
    log_norm = np.log(n * bandwidths) + _LOG_SQRT_2PI
    for j in range(len(points)):
        x = points[j]
        nearest[:] = np.inf
        total[:] = 0.0
        for i in range(n):
            for f in range(width):
                u = (x[f] - rows[i, f]) / bandwidths[f]
                terms[i, f] = 0.5 * u * u
                nearest[f] = min(nearest[f], terms[i, f])
        for i in range(n):
            for f in range(width):
                terms[i, f] = nearest[f] - terms[i, f]
        exponentiate(terms.reshape(-1))
        for i in range(n):
            for f in range(width):
                total[f] += terms[i, f]
        for f in range(width):
            out[j, f] = np.log(total[f]) - nearest[f] - log_norm[f]
