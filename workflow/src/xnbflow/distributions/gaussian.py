"""Normal densities, one per feature."""

from dataclasses import dataclass

import numpy as np
from numba import njit

from xnbflow.density.blocks import map_blocks

__all__ = ["Gaussians", "class_moments"]


@dataclass(frozen=True)
class Gaussians:
    """A normal density for each of several features.

    Attributes
    ----------
    means, variances : ndarray of shape (n_features,)
    """

    means: np.ndarray
    variances: np.ndarray

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
            _log_density(self.means[block], self.variances[block], points[block], out[block])

        map_blocks(work, *points.shape)
        return out


def class_moments(
    features: np.ndarray, codes: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return mean and variance (ddof=0) of every class and feature.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int

    Returns
    -------
    means, variances : ndarray of shape (n_classes, n_features)
    """
    means, variances = np.empty((2, n_classes, len(features)))
    counts = np.bincount(codes, minlength=n_classes)

    def work(block: slice) -> None:
        _moments(features[block], codes, counts, means[:, block], variances[:, block])

    map_blocks(work, *features.shape)
    return means, variances


@njit(cache=True, nogil=True)
def _moments(
    features: np.ndarray,
    codes: np.ndarray,
    counts: np.ndarray,
    means: np.ndarray,
    variances: np.ndarray,
) -> None:
    """Write means and variances of a block, in two passes over each feature."""
    n_classes = len(counts)
    sums = np.empty(n_classes)
    mean = np.empty(n_classes)
    for f in range(features.shape[0]):
        sums[:] = 0.0
        for i in range(len(codes)):
            sums[codes[i]] += features[f, i]
        for c in range(n_classes):
            mean[c] = sums[c] / counts[c]
            means[c, f] = mean[c]
        sums[:] = 0.0
        for i in range(len(codes)):
            sums[codes[i]] += (features[f, i] - mean[codes[i]]) ** 2
        for c in range(n_classes):
            variances[c, f] = sums[c] / counts[c]


@njit(cache=True, nogil=True)
def _log_density(
    means: np.ndarray, variances: np.ndarray, points: np.ndarray, out: np.ndarray
) -> None:
    for f in range(points.shape[0]):
        log_norm = -0.5 * np.log(2.0 * np.pi * variances[f])
        weight = 0.5 / variances[f]
        for j in range(points.shape[1]):
            d = points[f, j] - means[f]
            out[f, j] = log_norm - weight * d * d
