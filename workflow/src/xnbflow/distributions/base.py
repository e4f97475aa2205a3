"""Densities of many features at once, each alone or all multiplied, evaluated in blocks."""

from abc import ABC, abstractmethod

import numpy as np

from xnbflow.density.blocks import map_blocks

__all__ = ["FeatureDensities"]


class FeatureDensities(ABC):
    """One density for each of several features; a family says how to evaluate a tile of them."""

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
            out[block] = self._evaluate(block, points).T

        map_blocks(work, *points.shape)
        return out

    def log_likelihood(self, points: np.ndarray) -> np.ndarray:
        """Return the sum of the log densities over features, shape (n_points,).

        Parameters
        ----------
        points : ndarray of shape (n_features, n_points)
        """

        def work(block: slice) -> np.ndarray:
            return self._evaluate(block, points).sum(axis=1)

        return np.sum(map_blocks(work, *points.shape), axis=0)

    def _evaluate(self, block: slice, points: np.ndarray) -> np.ndarray:
        tile = np.array(points[block].T, order="C")
        out = np.empty(tile.shape)
        self._log_density(block, tile, out)
        return out

    @abstractmethod
    def _log_density(self, block: slice, tile: np.ndarray, out: np.ndarray) -> None:
        """Write the log densities of a block of features at a tile (n_points, n_features)."""
