"""Kernel densities, one per feature (XNB paper, Eqs. 3 and 8)."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from xnbflow.density.bandwidth import class_bandwidths, sort_within_classes
from xnbflow.density.blocks import map_blocks
from xnbflow.density.exponential import exponentiate

__all__ = ["KernelDensities", "fit_kernel_densities"]

_LOG_SQRT_2PI = 0.9189385332046727
_CHUNK = 4096


@dataclass(frozen=True)
class KernelDensities:
    """A Gaussian kernel density for each of several features.

    Attributes
    ----------
    samples : ndarray of shape (n_features, n_samples)
        What the densities were fitted on.
    bandwidths : ndarray of shape (n_features,)
    """

    samples: np.ndarray
    bandwidths: np.ndarray

    def log_density(self, points: np.ndarray) -> np.ndarray:
        """Return the log density of each feature at its points.

        Parameters
        ----------
        points : ndarray of shape (n_features, n_points)

        Returns
        -------
        ndarray of shape (n_features, n_points)
        """
        out = np.empty(points.shape)

        def work(block: slice) -> None:
            _log_density(self.samples[block], self.bandwidths[block], points[block], out[block])

        map_blocks(work, *self.samples.shape)
        return out


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
    order = np.argsort(codes, kind="stable")
    offsets = np.searchsorted(codes[order], np.arange(n_classes + 1))
    samples = np.empty(features.shape)
    bandwidths = np.empty((len(features), n_classes))

    def work(block: slice) -> None:
        sort_within_classes(features[block], order, offsets, samples[block])
        bandwidths[block] = class_bandwidths(samples[block], offsets, bandwidth)

    map_blocks(work, *features.shape)
    return [
        KernelDensities(
            np.ascontiguousarray(samples[:, offsets[c] : offsets[c + 1]]),
            np.ascontiguousarray(bandwidths[:, c]),
        )
        for c in range(n_classes)
    ]


@njit(cache=True, nogil=True, fastmath={"contract", "reassoc", "nsz"})
def _log_density(
    samples: np.ndarray, bandwidths: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    """Write the log of the mean kernel at each point, scaled by the nearest sample's kernel."""
    n = samples.shape[1]
    batch = max(1, _CHUNK // n)
    work = np.empty(batch * n)
    nearest = np.empty(batch)
    for f in range(samples.shape[0]):
        inverse = 1.0 / bandwidths[f]
        log_norm = np.log(n * bandwidths[f]) + _LOG_SQRT_2PI
        for first in range(0, points.shape[1], batch):
            size = min(batch, points.shape[1] - first)
            for j in range(size):
                terms = work[j * n : (j + 1) * n]
                x = points[f, first + j]
                least = np.inf
                for i in range(n):
                    u = (x - samples[f, i]) * inverse
                    terms[i] = 0.5 * u * u
                    least = min(least, terms[i])
                for i in range(n):
                    terms[i] = least - terms[i]
                nearest[j] = least
            exponentiate(work[: size * n])
            for j in range(size):
                total = 0.0
                for term in work[j * n : (j + 1) * n]:
                    total += term
                out[f, first + j] = np.log(total) - nearest[j] - log_norm
