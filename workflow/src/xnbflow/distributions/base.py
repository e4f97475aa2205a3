"""Densities of many features at once, each alone or all multiplied, evaluated in blocks."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from xnbflow.density.blocks import map_blocks

__all__ = ["FeatureDensities", "log_likelihoods"]


class FeatureDensities(ABC):
    """One density for each of several features; a family says how to evaluate a tile of them."""

    @property
    @abstractmethod
    def ns_per_point(self) -> float:
        """Nanoseconds that one log density takes, roughly (see `map_blocks`)."""

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
            out[block] = self._evaluate(block, _tile(points, block)).T

        map_blocks(work, *points.shape, self.ns_per_point)
        return out

    def _evaluate(self, block: slice, tile: np.ndarray) -> np.ndarray:
        out = np.empty(tile.shape)
        self._log_density(block, tile, out)
        return out

    @abstractmethod
    def _log_density(self, block: slice, tile: np.ndarray, out: np.ndarray) -> None:
        """Write the log densities of a block of features at a tile (n_points, n_features)."""


def log_likelihoods(densities: Sequence[FeatureDensities], points: np.ndarray) -> np.ndarray:
    """Return the sums of log densities over independent features.

    Parameters
    ----------
    densities : sequence of FeatureDensities
        Several, say of different classes, of the same features.
    points : ndarray of shape (n_features, n_points)

    Returns
    -------
    ndarray of shape (n_points, n_densities)
    """

    def work(block: slice) -> np.ndarray:
        tile = _tile(points, block)
        return np.column_stack([each._evaluate(block, tile).sum(axis=1) for each in densities])

    effort = sum(each.ns_per_point for each in densities)
    sums = map_blocks(work, *points.shape, effort)
    return np.sum(sums, axis=0) if sums else np.zeros((points.shape[1], len(densities)))


def _tile(points: np.ndarray, block: slice) -> np.ndarray:
    return np.array(points[block].T, order="C")
