"""Normal densities, one per feature."""

from dataclasses import dataclass

import numpy as np

from xnbflow.density.blocks import map_blocks
from xnbflow.density.tiles import class_offsets, gather
from xnbflow.distributions.base import FeatureDensities
from xnbflow.errors import InputError
from xnbflow.jit import njit

__all__ = ["Gaussians", "added_variance", "class_moments"]


@dataclass(frozen=True)
class Gaussians(FeatureDensities):
    """A normal density for each of several features.

    Attributes
    ----------
    means, variances : ndarray of shape (n_features,)

    Examples
    --------
    >>> density = Gaussians(np.array([0.0, 3.0]), np.array([1.0, 4.0]))
    >>> density.log_density(np.array([[0.0], [3.0]])).round(4).tolist()
    [[-0.9189], [-1.6121]]
    """

    means: np.ndarray
    variances: np.ndarray

    ns_per_point = 1.0

    def _log_density(self, block: slice, tile: np.ndarray, out: np.ndarray) -> None:
        _log_density(tile, self.means[block], self.variances[block], out)


def added_variance(var_smoothing: float, largest: float) -> float:
    """Return what smoothing adds to every variance.

    Parameters
    ----------
    var_smoothing : float
        Share of the largest variance.
    largest : float
        The largest variance of all features; 1 is taken where it is 0.

    Raises
    ------
    InputError
        If the largest variance overflows.

    Examples
    --------
    >>> added_variance(0.1, 4.0)
    0.4
    """
    if not np.isfinite(largest):
        msg = "a feature is so large that its variance overflows; scale the features down"
        raise InputError(msg)
    return float(var_smoothing * (largest if largest > 0 else 1.0))


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
    order, offsets = class_offsets(codes, n_classes)
    means, variances = np.empty((2, n_classes, len(features)))

    def work(block: slice) -> None:
        tile = gather(features[block], order)
        moments = np.empty((2, n_classes, tile.shape[1]))
        _moments(tile, offsets, moments)
        means[:, block], variances[:, block] = moments

    map_blocks(work, *features.shape, ns_per_value=1.0)
    return means, variances


@njit(nogil=True)
def _moments(tile: np.ndarray, offsets: np.ndarray, out: np.ndarray) -> None:
    """Write mean and variance of each class, one after the other in a tile, in two passes."""
    width = tile.shape[1]
    total, mean = np.empty(width), np.empty(width)
    for c in range(len(offsets) - 1):
        rows = tile[offsets[c] : offsets[c + 1]]
        total[:] = 0.0
        for i in range(len(rows)):
            for f in range(width):
                total[f] += rows[i, f]
        for f in range(width):
            mean[f] = total[f] / len(rows)
        total[:] = 0.0
        for i in range(len(rows)):
            for f in range(width):
                d = rows[i, f] - mean[f]
                total[f] += d * d
        for f in range(width):
            out[0, c, f] = mean[f]
            out[1, c, f] = total[f] / len(rows)


@njit(nogil=True)
def _log_density(
    tile: np.ndarray, means: np.ndarray, variances: np.ndarray, out: np.ndarray
) -> None:
    """Write log densities at a tile (n_points, n_features)."""
    log_norm = -0.5 * np.log(2.0 * np.pi * variances)
    weight = -0.5 / variances
    for j in range(len(tile)):
        for f in range(len(means)):
            d = tile[j, f] - means[f]
            out[j, f] = weight[f] * d * d + log_norm[f]
