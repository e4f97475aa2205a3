"""Class-specific selection of features by distances between classes (XNB paper, section 5.2)."""

from typing import Any

import numpy as np

from xnbflow.density.class_tiles import ClassTile, map_class_tiles
from xnbflow.density.distances import density_distances, set_zero_densities_uniform
from xnbflow.density.grid import DEFAULT_N_GRID
from xnbflow.preprocessing.selection.covering import smallest_cover

#: The probability of distinguishing two classes that a selection reaches (XNB paper, Eq. 11).
DEFAULT_THRESHOLD = 0.999

#: Number of strongest features that are sorted first; most pairs of classes need fewer.
_FIRST_SORTED = 64

#: Number of candidate features per pair of classes in the integer program.
_CANDIDATES = 300


def pairs_of_codes(n_classes: int) -> np.ndarray:
    """Return every pair of classes once, shape (n_pairs, 2)."""
    return np.column_stack(np.triu_indices(n_classes, k=1))


def pairs_with(code: int, n_classes: int) -> np.ndarray:
    """Return the positions of a class's pairs in `pairs_of_codes`, shape (n_classes - 1,)."""
    others = np.delete(np.arange(n_classes), code)
    first = np.minimum(others, code)
    second = np.maximum(others, code)
    # Rows of the upper triangle have n - 1, n - 2, ... pairs.
    start_of_row = first * (2 * n_classes - first - 1) // 2
    return start_of_row + second - first - 1


def pair_distances(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str = "silverman",
    kernel: str | int = "gaussian",
    n_grid: int = DEFAULT_N_GRID,
    distance: str = "hellinger",
    underflow: str = "as_published",
    min_bandwidth: float = 0.0,
) -> np.ndarray:
    """Return the distance of the densities of two classes, for each pair and feature.

    Features are an array or `Rows` (n_features, n_samples); the other parameters are those of
    `xnbflow.naive_bayes.XNB`. Distances (n_pairs, n_features) are in [0, 1], for the pairs of
    `pairs_of_codes`.

    Examples
    --------
    >>> features = np.array([[0.0, 1.0, 2.0, 8.0, 9.0, 10.0], [0.0, 5.0, 9.0, 1.0, 5.0, 8.0]])
    >>> pair_distances(features, np.array([0, 0, 0, 1, 1, 1]), 2).round(2)
    array([[1.  , 0.02]])
    """
    pairs = pairs_of_codes(n_classes)
    distances = np.empty((len(pairs), features.shape[0]))

    def work(tile: ClassTile, strip: slice) -> None:
        widths = tile.bandwidths(bandwidth, min_bandwidth)
        factors = tile.factors(widths, rule=bandwidth, kernel=kernel, min_bandwidth=min_bandwidth)
        densities = tile.densities(
            widths, kernel=kernel, n_grid=n_grid, underflow=underflow, factors=factors
        )
        if underflow == "uniform":
            set_zero_densities_uniform(densities)
        distances[:, strip] = density_distances(densities, pairs, distance)

    map_class_tiles(work, features, codes, n_classes, rule=bandwidth)
    return distances


class PairSelection:
    """The features that `xnbflow.naive_bayes.XNB` selects.

    For each pair of classes these are the features with the greatest distance, until ``1 - prod(1 -
    distance)`` reaches the ``threshold``. A class gets the union over its pairs. Only features with
    a distance greater than ``min_distance`` are selected; "mean" is the mean of all ``distances``
    (n_pairs, n_features). Ties are broken by the ``names`` (n_features,).

    The ``selection`` "joint" ranks the features of a class once, by one product over all other
    classes (Eq. 11 as printed). "minimal" is the smallest set of a class that reaches the threshold
    for every pair (Eq. 10); ``gaps`` are upper bounds on the excess over the smallest size.
    """

    def __init__(
        self,
        distances: np.ndarray,
        names: np.ndarray,
        n_classes: int,
        threshold: float,
        min_distance: float | str,
        selection: str = "greedy",
    ) -> None:
        self._distances = distances
        self._names = names
        self._n_classes = n_classes
        self._threshold = threshold
        self.mean_distance = float(distances.sum()) / max(1, distances.size)
        self._cut = self.mean_distance if min_distance == "mean" else float(min_distance)
        self.gaps = [0] * n_classes
        class_pair_rows = [pairs_with(code, n_classes) for code in range(n_classes)]
        # The rankings, each (n_features,), and for each class the positions of its rankings.
        self._rankings = distances
        self._rankings_of_class = class_pair_rows
        if selection == "minimal":
            # The smallest set of each class, which has no ranking.
            self._rankings_of_class = [np.empty(0, dtype=int)] * n_classes
            strengths = np.where(distances > self._cut, distances, 0.0)
            self._selected = []
            for code, rows in enumerate(class_pair_rows):
                selected, gap = _smallest_cover_of(strengths[rows], names, threshold)
                self._selected.append(selected)
                self.gaps[code] = gap
            return
        if selection == "joint":
            joint = [1.0 - np.prod(1.0 - distances[rows], axis=0) for rows in class_pair_rows]
            self._rankings = np.array(joint)
            self._rankings_of_class = [np.array([code]) for code in range(n_classes)]

        # Select from the top of each ranking; a class gets the union over its rankings.
        self._tops = []
        above_cut = []
        for ranking in self._rankings:
            top = ranked_prefix(ranking, self._names, self._threshold)
            self._tops.append(top)
            above_cut.append(top[ranking[top] > self._cut])
        self._selected = []
        for positions in self._rankings_of_class:
            union = [above_cut[position] for position in positions]
            union.append(np.empty(0, dtype=int))  # a single class has no ranking
            self._selected.append(np.unique(np.concatenate(union)))

    def share(self) -> None:
        """Give every class the union of the features of all classes."""
        union = np.unique(np.concatenate(self._selected))
        self._selected = [union] * self._n_classes

    def ranked(self, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a class's features by their greatest distance to another class, ties by name.

        Also returns their distances to each other class, shape (n_classes - 1, n_selected).
        """
        selected = self._selected[code]
        distances = self._distances[np.ix_(pairs_with(code, self._n_classes), selected)]
        names = _sortable(self._names[selected])
        order = np.lexsort((names, -distances.max(axis=0, initial=0.0)))
        return selected[order], distances[:, order]

    def ties(self, code: int) -> list[list[Any]]:
        """Return the names of features that tie at the end of a ranking, if only some are selected.

        There is a list, in the order of names, for each ranking of the class with such a tie.
        """
        ties = []
        for position in self._rankings_of_class[code]:
            ranking = self._rankings[position]
            top = self._tops[position]
            last = ranking[top[-1]]
            if not _reaches(ranking[top], self._threshold).any() or last <= self._cut:
                continue
            tied = self._names[ranking == last]
            n_selected = (ranking[top] == last).sum()
            if n_selected < len(tied):
                ties.append(tied[np.argsort(_sortable(tied), kind="stable")].tolist())
        return ties


def _smallest_cover_of(
    distances: np.ndarray, names: np.ndarray, threshold: float
) -> tuple[np.ndarray, int]:
    """Return a class's smallest set of features, ascending, and a bound on its excess.

    ``distances`` (n_classes - 1, n_features) are those to each other class, 0 for a feature that
    must not be selected. The set is searched among the 300 best features of each pair, or more if
    the threshold needs more; the bound holds for all features.
    """
    with np.errstate(divide="ignore"):
        strengths = np.log1p(-distances) / np.log1p(-threshold)
    best = [ranked_prefix(row, names, threshold, _CANDIDATES) for row in distances]
    candidates = np.unique(np.concatenate([np.empty(0, dtype=int), *best]))
    n_top = _CANDIDATES if len(candidates) < len(names) else None
    selected, gap = smallest_cover(strengths[:, candidates], n_top)
    return candidates[selected], gap


def ranked_prefix(
    distances: np.ndarray, names: np.ndarray, threshold: float, least: int = 1
) -> np.ndarray:
    """Return the fewest features from the top that together reach the threshold, in rank order.

    Features are ranked by distance (n_features,), descending, ties by name. All are returned if ``1
    - prod(1 - distance)`` never reaches the threshold; ``least`` is a lower limit of their number.
    Only the strongest features are sorted, eight times as many in every further attempt.

    Examples
    --------
    >>> ranked_prefix(np.array([0.2, 0.9, 0.99, 0.9]), np.array(["d", "c", "b", "a"]), 0.998)
    array([2, 3])
    """
    n_sorted = max(_FIRST_SORTED, least)
    while True:
        order = np.arange(len(distances))
        if n_sorted < len(distances):  # with all features that tie with the last one
            last = np.partition(distances, -n_sorted)[-n_sorted]
            order = np.flatnonzero(distances >= last)
        order = order[np.lexsort((_sortable(names[order]), -distances[order]))]
        reached = _reaches(distances[order], threshold)
        if reached.any():
            return order[: max(least, np.argmax(reached) + 1)]
        if len(order) == len(distances):
            return order
        n_sorted *= 8


def _reaches(distances: np.ndarray, threshold: float) -> np.ndarray:
    """Return for each prefix of distances whether it reaches the threshold (Eq. 11)."""
    return 1.0 - np.cumprod(1.0 - distances) >= threshold


def _sortable(names: np.ndarray) -> np.ndarray:
    return names.astype(str) if names.dtype == object else names
