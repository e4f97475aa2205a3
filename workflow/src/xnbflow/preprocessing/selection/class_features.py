"""Class-specific selection of features by distances between classes (XNB paper, section 5.2)."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from xnbflow.data.matrices import some_rows
from xnbflow.density.class_tiles import ClassTile, map_class_tiles
from xnbflow.density.distances import hellinger

__all__ = [
    "SELECTIONS",
    "Candidates",
    "FeatureDistances",
    "KeptFeatures",
    "class_pairs",
    "pair_distances",
    "pairs_with",
    "ranked_prefix",
]

SELECTIONS = ("greedy", "joint")

_FIRST_LOOK = 64


def class_pairs(n_classes: int) -> np.ndarray:
    """Return every pair of classes once, shape (n_pairs, 2)."""
    return np.column_stack(np.triu_indices(n_classes, k=1))


def pairs_with(code: int, n_classes: int) -> np.ndarray:
    """Return the positions of a class's pairs in `class_pairs`, shape (n_classes - 1,)."""
    others = np.delete(np.arange(n_classes), code)
    first, second = np.minimum(others, code), np.maximum(others, code)
    return first * (2 * n_classes - first - 1) // 2 + second - first - 1


def pair_distances(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str = "silverman",
    kernel: str = "gaussian",
    n_grid: int = 50,
    underflow: str = "as_published",
    min_bandwidth: float = 0.0,
) -> np.ndarray:
    """Return Hellinger's distance of the densities of two classes, for each pair and feature.

    Features are an array or CSR (n_features, n_samples); the other parameters are those of
    `xnbflow.naive_bayes.XNB`. Distances (n_pairs, n_features) are in [0, 1], for the pairs of
    `class_pairs`.

    Examples
    --------
    >>> features = np.array([[0.0, 1.0, 2.0, 8.0, 9.0, 10.0], [0.0, 5.0, 9.0, 1.0, 5.0, 8.0]])
    >>> pair_distances(features, np.array([0, 0, 0, 1, 1, 1]), 2).round(2)
    array([[1.  , 0.02]])
    """
    pairs = class_pairs(n_classes)
    found = np.empty((len(pairs), features.shape[0]))

    def work(tile: ClassTile, strip: slice) -> None:
        widths = tile.bandwidths(bandwidth, min_bandwidth)
        densities = tile.densities(widths, kernel=kernel, n_grid=n_grid, underflow=underflow)
        found[:, strip] = hellinger(densities, pairs)

    map_class_tiles(work, features, codes, n_classes)
    return found


@dataclass(frozen=True)
class FeatureDistances:
    """Features with their distances between classes and their training samples.

    ``positions`` in the series and ``names`` (or else positions), by which ties are broken, have
    shape (n_features,), ``distances`` (n_pairs, n_features); ``values`` (n_features, n_samples) are
    an array, `Rows` or a CSR array.
    """

    positions: np.ndarray
    names: np.ndarray
    distances: np.ndarray
    values: Any

    def take(self, kept: np.ndarray) -> "FeatureDistances":
        """Return some of the features, ascending; dense values are not copied."""
        values = some_rows(self.values, kept)
        whole = len(kept) == len(self.positions)  # of many classes all distances: no copy
        distances = self.distances if whole else self.distances[:, kept]
        return FeatureDistances(self.positions[kept], self.names[kept], distances, values)


@dataclass
class KeptFeatures:
    """The candidate features among many; `keep` is called once."""

    n_classes: int
    n_seen: int = field(default=0, init=False)
    features: FeatureDistances = field(init=False)

    def keep(self, distances: np.ndarray, values: Any, names: np.ndarray | None = None) -> None:
        """Keep the candidates among ``values`` by their distances (n_pairs, n_features)."""
        positions = np.arange(values.shape[0])
        self.n_seen = len(positions)
        names = positions if names is None else names
        every = FeatureDistances(positions, names, distances, values)
        self.features = every.take(self._may_be_selected(every))
        self._note(every)

    @abstractmethod
    def _may_be_selected(self, features: FeatureDistances) -> np.ndarray:
        """Return which features may be selected, ascending."""

    def _note(self, features: FeatureDistances) -> None:
        """Use statistics of all features before candidates are chosen."""


@dataclass
class Candidates(KeptFeatures):
    """The features that `xnbflow.naive_bayes.XNB` may select.

    The selection stops where ``1 - prod(1 - distance)`` reaches the ``threshold``. Only distances
    greater than ``min_distance`` count, "mean" being `mean_distance`.
    """

    threshold: float = 0.999
    selection: str = "greedy"
    min_distance: float | str = 0.5

    def __post_init__(self) -> None:
        self._total = 0.0
        self._at_cut: dict[int, tuple[float, np.ndarray]] = {}

    @property
    def mean_distance(self) -> float:
        """Mean of all distances seen."""
        return self._total / max(1, len(class_pairs(self.n_classes)) * self.n_seen)

    @property
    def _cut(self) -> float:
        return self.mean_distance if self.min_distance == "mean" else float(self.min_distance)

    def _note(self, features: FeatureDistances) -> None:
        """Keep the names of all features at the distance at which a ranking is cut."""
        self._total = float(features.distances.sum())
        for r, row in enumerate(self._rankings(features.distances)):
            top = ranked_prefix(row, features.names, self.threshold)
            if _reaches(row[top], self.threshold).any():
                cut = row[top[-1]]
                self._at_cut[r] = cut, features.names[row == cut]

    def _may_be_selected(self, features: FeatureDistances) -> np.ndarray:
        rankings = self._rankings(features.distances)
        tops = [ranked_prefix(row, features.names, self.threshold) for row in rankings]
        return _union(tops)

    def _rankings(self, distances: np.ndarray) -> np.ndarray:
        """Return the distances to rank: of pairs, or of each class from all others at once."""
        if self.selection != "joint":
            return distances
        mine = [pairs_with(code, self.n_classes) for code in range(self.n_classes)]
        return np.array([1.0 - np.prod(1.0 - distances[rows], axis=0) for rows in mine])

    def select(self) -> list[np.ndarray]:
        """Return the candidates that each class takes, not ranked."""
        features, cut = self.features, self._cut
        tops = []
        for row in self._rankings(features.distances):
            top = ranked_prefix(row, features.names, self.threshold)
            tops.append(top[row[top] > cut])
        if self.selection == "joint":
            return tops
        mine = [pairs_with(code, self.n_classes) for code in range(self.n_classes)]
        return [_union([tops[p] for p in pairs]) for pairs in mine]

    def ranked(self, chosen: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Rank a class's candidates by their greatest distance to another class, ties by name.

        Also returns their distances to each other class, shape (n_classes - 1, n_chosen).
        """
        distances = self.features.distances[np.ix_(pairs_with(code, self.n_classes), chosen)]
        names = _sortable(self.features.names[chosen])
        order = np.lexsort((names, -distances.max(axis=0, initial=0.0)))
        return chosen[order], distances[:, order]

    def ties(self) -> list[tuple[int, int | None, float, list[Any], int]]:
        """Return the ties that names decide in the rankings, each for the classes it concerns.

        They are class, other class (None in a ranking against all others), what the tied features
        have in common (their distance), their names in rank order, and how many of them are taken.
        """
        pairs, found = class_pairs(self.n_classes).tolist(), []
        rankings = self._rankings(self.features.distances)
        for r, (distance, tied) in self._at_cut.items():
            names = tied[np.argsort(_sortable(tied), kind="stable")].tolist()
            top = ranked_prefix(rankings[r], self.features.names, self.threshold)
            n_taken = int((rankings[r][top] == distance).sum())
            if distance > self._cut and n_taken < len(names):
                joint = self.selection == "joint"
                for code, other in [(r, None)] if joint else [pairs[r], pairs[r][::-1]]:
                    found.append((code, other, float(distance), names, n_taken))
        return sorted(found, key=lambda tie: tie[0])


def ranked_prefix(distances: np.ndarray, names: np.ndarray, threshold: float) -> np.ndarray:
    """Return the fewest features from the top that together reach the threshold, in rank order.

    Features are ranked by distance (n_features,), descending, ties by name. All are returned if ``1
    - prod(1 - distance)`` never reaches the threshold.

    Examples
    --------
    >>> ranked_prefix(np.array([0.2, 0.9, 0.99, 0.9]), np.array(["d", "c", "b", "a"]), 0.998)
    array([2, 3])
    """
    look = _FIRST_LOOK
    while True:
        order = np.arange(len(distances))
        if look < len(distances):  # the greatest, and all that equal the last of them
            order = np.flatnonzero(distances >= np.partition(distances, -look)[-look])
        order = order[np.lexsort((_sortable(names[order]), -distances[order]))]
        reached = _reaches(distances[order], threshold)
        if reached.any():
            return order[: np.argmax(reached) + 1]
        if len(order) == len(distances):
            return order
        look *= 8


def _reaches(distances: np.ndarray, threshold: float) -> np.ndarray:
    return 1.0 - np.cumprod(1.0 - distances) >= threshold


def _union(parts: list[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, dtype=int), *parts]))


def _sortable(names: np.ndarray) -> np.ndarray:
    return names.astype(str) if names.dtype == object else names
