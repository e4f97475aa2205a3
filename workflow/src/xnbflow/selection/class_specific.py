"""Class-specific selection of features by distances between classes (XNB paper, section 5.2)."""

from dataclasses import dataclass, field

import numpy as np

from xnbflow.density.bandwidth import class_bandwidths
from xnbflow.density.blocks import map_blocks
from xnbflow.density.distances import hellinger
from xnbflow.density.grid import grid_densities
from xnbflow.density.tiles import class_offsets, sorted_classes

__all__ = ["Candidates", "class_pairs", "pair_distances"]

_FIRST_LOOK = 64


def class_pairs(n_classes: int) -> np.ndarray:
    """Return every pair of classes once, shape (n_pairs, 2)."""
    return np.column_stack(np.triu_indices(n_classes, k=1))


def pair_distances(
    features: np.ndarray,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str = "silverman",
    n_grid: int = 50,
    underflow: str = "as_published",
) -> np.ndarray:
    """Return how far apart the densities of two classes are, for each pair and feature.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int
    bandwidth, n_grid, underflow
        As in `xnbflow.naive_bayes.XNB`.

    Returns
    -------
    ndarray of shape (n_pairs, n_features)
        In [0, 1]; the pairs are those of `class_pairs`.
    """
    order, offsets = class_offsets(codes, n_classes)
    pairs = class_pairs(n_classes)
    out = np.empty((len(pairs), len(features)))

    def work(block: slice) -> None:
        tile = sorted_classes(features[block], order, offsets)
        bandwidths = class_bandwidths(tile, offsets, bandwidth)
        densities = np.empty((n_classes, n_grid, tile.shape[1]))
        grid_densities(tile, offsets, bandwidths, underflow == "log", densities)
        hellinger(densities, pairs, out[:, block])

    map_blocks(work, *features.shape)
    return out


@dataclass
class Candidates:
    """The features that may still be selected, after any number of chunks of a series.

    For each pair of classes the selection takes features from the top until
    ``1 - prod(1 - distance)`` reaches the threshold. What is ranked below that point in a part of
    the features is below it in the whole, so every chunk can be forgotten but for a few features.

    Attributes
    ----------
    threshold : float
        Where the selection for a pair stops.
    names : ndarray, shape (n_candidates,)
        By which ties are broken: feature names, or column numbers.
    positions : ndarray of int, shape (n_candidates,)
        Column numbers.
    distances : ndarray, shape (n_pairs, n_candidates)
    total, count : float, int
        Sum and number of all distances seen, for their mean.
    """

    threshold: float
    names: np.ndarray = field(default_factory=lambda: np.empty(0))
    positions: np.ndarray = field(default_factory=lambda: np.empty(0, int))
    distances: np.ndarray | None = None
    total: float = 0.0
    count: int = 0
    n_features: int = 0

    def absorb(self, distances: np.ndarray, names: np.ndarray | None = None) -> None:
        """Take in the next features.

        Parameters
        ----------
        distances : ndarray of shape (n_pairs, n_features)
        names : ndarray of shape (n_features,), optional
            Feature names; column numbers by default.
        """
        positions = self.n_features + np.arange(distances.shape[1])
        names = positions if names is None else names
        self.total += distances.sum()
        self.count += distances.size
        self.n_features += distances.shape[1]
        self._keep(positions, names, distances)

    def _keep(self, positions: np.ndarray, names: np.ndarray, distances: np.ndarray) -> None:
        if self.distances is not None:
            positions = np.concatenate([self.positions, positions])
            names = np.concatenate([self.names, names])
            distances = np.hstack([self.distances, distances])
        prefixes = [ranked_prefix(row, names, self.threshold) for row in distances]
        kept = np.unique(np.concatenate([*prefixes, np.empty(0, int)]))
        self.positions, self.names = positions[kept], np.asarray(names)[kept]
        self.distances = np.ascontiguousarray(distances[:, kept])

    def select(self, min_distance: float | str) -> list[np.ndarray]:
        """Return for each pair the candidates that separate it, in rank order.

        Parameters
        ----------
        min_distance : float or "mean"
            Only greater distances count; "mean" is the mean over all features and pairs.
        """
        cut = min_distance
        if min_distance == "mean":
            cut = self.total / max(1, self.count)
        chosen = []
        for row in self.distances:
            prefix = ranked_prefix(row, self.names, self.threshold)
            chosen.append(prefix[row[prefix] > cut])
        return chosen


def ranked_prefix(distances: np.ndarray, names: np.ndarray, threshold: float) -> np.ndarray:
    """Return the fewest features from the top that together reach the threshold, in rank order.

    Parameters
    ----------
    distances : ndarray of shape (n_features,)
        Features are ranked by distance, descending, ties by name.
    names : ndarray of shape (n_features,)
    threshold : float
        What ``1 - prod(1 - distance)`` has to reach; all features are returned if it never does.
    """
    look = _FIRST_LOOK
    while True:
        order = _top(distances, names, look)
        reached = 1.0 - np.cumprod(1.0 - distances[order]) >= threshold
        if reached.any():
            return order[: np.argmax(reached) + 1]
        if len(order) == len(distances):
            return order
        look *= 8


def _top(distances: np.ndarray, names: np.ndarray, n: int) -> np.ndarray:
    """Return the ``n`` greatest distances in rank order, and all that equal the last of them."""
    found = np.arange(len(distances))
    if n < len(distances):
        found = np.flatnonzero(distances >= np.partition(distances, -n)[-n])
    ties = names[found]
    return found[
        np.lexsort((ties.astype(str) if ties.dtype == object else ties, -distances[found]))
    ]
