"""Class-specific selection of features by distances between classes (XNB paper, section 5.2).

The distances of all features need never be in memory at once: `Candidates` takes them in chunk by
chunk and keeps the few features that may still be selected.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from xnbflow.data.errors import InputError
from xnbflow.density.class_tiles import DenseTile, map_class_tiles
from xnbflow.density.distances import compare
from xnbflow.density.matrices import join_rows, some_rows
from xnbflow.density.sparse_tiles import SparseTile
from xnbflow.preprocessing.selection.covering import smallest_cover

__all__ = [
    "SELECTIONS",
    "Candidates",
    "Tie",
    "class_pairs",
    "distances_without_spikes",
    "pair_distances",
    "ranked_prefix",
]

SELECTIONS = ("greedy", "joint", "minimal")

#: How many features per pair of classes the integer program chooses from.
CANDIDATES_PER_PAIR = 300

_FIRST_LOOK = 64

#: A class narrower than a tenth of this is a spike: bandwidths, in standard deviations of the
#: feature over all samples, times n_c**-0.2.
_LEAST_BANDWIDTH = 0.5
_SPIKE = 0.1


def class_pairs(n_classes: int) -> np.ndarray:
    """Return every pair of classes once, shape (n_pairs, 2)."""
    return np.column_stack(np.triu_indices(n_classes, k=1))


def pair_distances(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str = "silverman",
    kernel: str = "gaussian",
    n_grid: int = 50,
    distance: str = "hellinger",
    underflow: str = "as_published",
    min_bandwidth: float = 0.0,
) -> np.ndarray:
    """Return how far apart the densities of two classes are, for each pair and feature.

    Parameters
    ----------
    features : ndarray or CSR array of shape (n_features, n_samples)
        Of a CSR array the zeros of a class are summed as one.
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int
    bandwidth, kernel, n_grid, distance, underflow, min_bandwidth
        As in `xnbflow.naive_bayes.XNB`.

    Returns
    -------
    ndarray of shape (n_pairs, n_features)
        In [0, 1]; the pairs are those of `class_pairs`.

    Examples
    --------
    >>> features = np.array([[0.0, 1.0, 2.0, 8.0, 9.0, 10.0], [0.0, 5.0, 9.0, 1.0, 5.0, 8.0]])
    >>> pair_distances(features, np.array([0, 0, 0, 1, 1, 1]), 2).round(2)
    array([[1.  , 0.02]])
    """
    pairs = class_pairs(n_classes)

    def work(tile: DenseTile | SparseTile) -> np.ndarray:
        widths = tile.bandwidths(bandwidth, kernel, min_bandwidth)
        densities = tile.densities(widths, kernel=kernel, n_grid=n_grid, underflow=underflow)
        return compare(densities, pairs, distance)

    found = map_class_tiles(work, features, codes, n_classes, bandwidth=bandwidth)
    return np.concatenate([np.empty((len(pairs), 0)), *found], axis=1)


def distances_without_spikes(
    features: Any,
    codes: np.ndarray,
    n_classes: int,
    *,
    bandwidth: str = "silverman",
    kernel: str = "gaussian",
    n_grid: int = 50,
    distance: str = "hellinger",
    min_bandwidth: float = 0.0,
) -> tuple[np.ndarray, np.ndarray]:
    """Return what is left of the distances if no class is (almost) constant.

    A class that is, or that has a single sample, gets a density as narrow as a spike, which any
    other density is far from. Here no bandwidth is below half the feature's standard deviation
    over all samples, times ``n_c**-0.2``.

    Parameters
    ----------
    features, codes, n_classes, bandwidth, kernel, n_grid, distance, min_bandwidth
        As for `pair_distances`; for "adaptive" Silverman's rule is taken.

    Returns
    -------
    distances : ndarray of shape (n_pairs, n_features)
        Those of `pair_distances`, with the least bandwidth; 0 where a class has one sample.
    spikes : ndarray of bool, shape (n_pairs, n_features)
        Whether one of the two classes is narrower than a tenth of that.

    Examples
    --------
    A gene that one sample of twelve expresses, and no sample of another class.

    >>> features, codes = np.zeros((1, 24)), np.repeat([0, 1], 12)
    >>> features[0, 20] = 1.0
    >>> pair_distances(features, codes, 2).round(2)
    array([[0.84]])
    >>> distances, spikes = distances_without_spikes(features, codes, 2)
    >>> distances.round(2), spikes
    (array([[0.46]]), array([[ True]]))
    """
    rule = "silverman" if bandwidth == "adaptive" else bandwidth
    pairs = class_pairs(n_classes)
    nothing = np.empty((len(pairs), 0))

    def work(tile: DenseTile | SparseTile) -> tuple[np.ndarray, np.ndarray]:
        sizes = tile.sizes[:, np.newaxis]
        widths = tile.bandwidths(rule, kernel, min_bandwidth)
        least = _LEAST_BANDWIDTH * tile.deviations() * sizes**-0.2
        wide = np.maximum(widths, np.maximum(least, np.finfo(float).tiny))
        densities = tile.densities(wide, kernel=kernel, n_grid=n_grid, underflow="log")
        distances = compare(densities, pairs, distance)
        alone = sizes == 1
        distances[alone[pairs].any(axis=1)[:, 0]] = 0.0
        return distances, ((widths < _SPIKE * least) | alone)[pairs].any(axis=1)

    parts = map_class_tiles(work, features, codes, n_classes, bandwidth=rule)
    distances, spikes = zip((nothing, nothing.astype(bool)), *parts, strict=True)
    return np.concatenate(distances, axis=1), np.concatenate(spikes, axis=1)


@dataclass(frozen=True)
class Tie:
    """Features of equal rank of which a ranking takes some: which ones, their names decide.

    Attributes
    ----------
    row : int
        The ranking: a pair of classes or, where all others are ranked at once, a class.
    distance : float
        What they have in common; 1 - prod(1 - distance) in a ranking against all others.
    names : ndarray of shape (n_tied,)
        In rank order.
    n_taken : int
        How many of them, the first, are taken.
    """

    row: int
    distance: float
    names: np.ndarray
    n_taken: int


@dataclass(frozen=True)
class FeatureDistances:
    """Features with their distances between classes and their training samples.

    Attributes
    ----------
    positions : ndarray of int, shape (n_features,)
        Which features of a series they are.
    names : ndarray of shape (n_features,)
        Their names or, where they have none, their positions; by these ties are broken.
    distances : ndarray of shape (n_pairs, n_features)
    values : ndarray, `Rows` or CSR array of shape (n_features, n_samples)
    """

    positions: np.ndarray
    names: np.ndarray
    distances: np.ndarray
    values: Any

    def take(self, kept: np.ndarray) -> "FeatureDistances":
        """Return some of the features; dense values are not copied."""
        return FeatureDistances(
            self.positions[kept],
            self.names[kept],
            self.distances[:, kept],
            some_rows(self.values, kept),
        )

    def join(self, other: "FeatureDistances") -> "FeatureDistances":
        """Return these features and others."""
        return FeatureDistances(
            np.concatenate([self.positions, other.positions]),
            np.concatenate([self.names, other.names]),
            np.hstack([self.distances, other.distances]),
            join_rows(self.values, other.values),
        )


def kept(features: FeatureDistances | None) -> FeatureDistances:
    """Return what was kept of a series, and refuse one without features."""
    if features is None:
        msg = "there are no features to select from; give at least one"
        raise InputError(msg)
    return features


@dataclass
class Candidates:
    """The features that may still be selected, after any number of chunks of a series.

    The selection takes features from the top of a ranking until ``1 - prod(1 - distance)`` reaches
    the threshold. What ranks below that point among some features ranks below it among all, so
    that of every chunk only a few features have to be kept.

    Parameters
    ----------
    n_classes : int
    threshold : float
        Where ``1 - prod(1 - distance)`` stops the selection.
    selection : {"greedy", "joint", "minimal"}
        See `xnbflow.naive_bayes.XNB`.

    Attributes
    ----------
    features : FeatureDistances
        What was kept.
    n_features : int
        How many features were seen.
    mean_distance : float
        Mean of all distances seen.
    """

    n_classes: int
    threshold: float = 0.999
    selection: str = "greedy"

    def __post_init__(self) -> None:
        self._kept: FeatureDistances | None = None
        self.n_features = 0
        self._pairs = class_pairs(self.n_classes)
        self._total = 0.0
        self._at_cut: dict[int, tuple[float, np.ndarray]] = {}

    @property
    def features(self) -> FeatureDistances:
        """What was kept."""
        return kept(self._kept)

    @property
    def mean_distance(self) -> float:
        """Mean of all distances seen."""
        return self._total / max(1, len(self._pairs) * self.n_features)

    def absorb(self, distances: np.ndarray, values: Any, names: np.ndarray | None = None) -> None:
        """Take in the next features.

        Parameters
        ----------
        distances : ndarray of shape (n_pairs, n_features)
        values : ndarray or CSR array of shape (n_features, n_samples)
        names : ndarray of shape (n_features,), optional
        """
        positions = self.n_features + np.arange(values.shape[0])
        names = positions if names is None else names
        self.n_features += values.shape[0]
        self._total += float(distances.sum())
        chunk = FeatureDistances(positions, names, distances, values)
        features = chunk.take(self._may_be_selected(chunk))
        if self._kept is not None:
            features = self._kept.join(features)
            features = features.take(self._may_be_selected(features))
        self._note_ties(features, chunk)
        self._kept = features

    def _note_ties(self, features: FeatureDistances, chunk: FeatureDistances) -> None:
        """Keep the names of all features at the distance at which a ranking is cut.

        That distance only rises, and what is above an earlier one is still among the candidates.
        """
        if self.selection == "minimal":
            return
        known = [] if self._kept is None else [self._names_and_rankings(self._kept)]
        names, rows = self._names_and_rankings(chunk)
        for r, row in enumerate(self._rankings(features.distances)):
            top = ranked_prefix(row, features.names, self.threshold)
            if not _reaches(row[top], self.threshold).any():
                continue
            cut = row[top[-1]]
            before, tied = self._at_cut.get(r, (None, None))
            found = [tied] if cut == before else [old[ranks[r] == cut] for old, ranks in known]
            self._at_cut[r] = cut, np.concatenate([*found, names[rows[r] == cut]])

    def _names_and_rankings(self, features: FeatureDistances) -> tuple[np.ndarray, np.ndarray]:
        return features.names, self._rankings(features.distances)

    def _may_be_selected(self, features: FeatureDistances) -> np.ndarray:
        least = CANDIDATES_PER_PAIR if self.selection == "minimal" else 1
        found = [
            ranked_prefix(row, features.names, self.threshold, least)
            for row in self._rankings(features.distances)
        ]
        return _union(found)

    def _rankings(self, distances: np.ndarray) -> np.ndarray:
        """Return what is ranked: distances of pairs, or of each class from all others at once."""
        if self.selection != "joint":
            return distances
        mine = [(self._pairs == code).any(axis=1) for code in range(self.n_classes)]
        return np.array([1.0 - np.prod(1.0 - distances[rows], axis=0) for rows in mine])

    def select(self, min_distance: float | str) -> tuple[list[np.ndarray], list[int]]:
        """Choose the features of each class.

        Parameters
        ----------
        min_distance : float or "mean"
            Only greater distances count; "mean" stands for `mean_distance`.

        Returns
        -------
        chosen : list of ndarray of int
            For each class which of the candidates are chosen, not ranked.
        gaps : list of int
            By how many features at most each set is larger than the smallest that would do; empty
            unless the selection is "minimal".
        """
        cut = self.mean_distance if min_distance == "mean" else float(min_distance)
        if self.selection == "minimal":
            return self._select_minimal(cut)
        tops = []
        for row in self._rankings(self.features.distances):
            top = ranked_prefix(row, self.features.names, self.threshold)
            tops.append(top[row[top] > cut])
        if self.selection == "joint":
            return tops, []
        return [_union([tops[p] for p in self._mine(code)]) for code in range(self.n_classes)], []

    def _select_minimal(self, cut: float) -> tuple[list[np.ndarray], list[int]]:
        distances = self.features.distances
        with np.errstate(divide="ignore"):
            strengths = np.where(distances > cut, -np.log1p(-distances), 0.0)
        strengths /= -np.log1p(-self.threshold)
        n_top = CANDIDATES_PER_PAIR if distances.shape[1] < self.n_features else None
        covers = [
            smallest_cover(strengths[self._mine(code)], n_top) for code in range(self.n_classes)
        ]
        return [chosen for chosen, _ in covers], [gap for _, gap in covers]

    def ranked(self, chosen: np.ndarray, code: int) -> tuple[np.ndarray, np.ndarray]:
        """Rank a class's features by their greatest distance to another class, ties by name.

        Parameters
        ----------
        chosen : ndarray of int
            Candidates.
        code : int
            The class.

        Returns
        -------
        ranked : ndarray of int
            The same candidates.
        distances : ndarray of shape (n_classes - 1, n_chosen)
            Their distances to each other class, in the order of the classes.
        """
        distances = self.features.distances[np.ix_(self._mine(code), chosen)]
        names = _sortable(self.features.names[chosen])
        order = np.lexsort((names, -distances.max(axis=0, initial=0.0)))
        return chosen[order], distances[:, order]

    def ties(self, min_distance: float | str) -> list[Tie]:
        """Return the ties that names decide, in the rankings of `select`; none if "minimal"."""
        cut = self.mean_distance if min_distance == "mean" else float(min_distance)
        found = []
        rankings = self._rankings(self.features.distances)
        for r, (distance, names) in self._at_cut.items():
            names = names[np.argsort(_sortable(names), kind="stable")]  # noqa: PLW2901
            top = ranked_prefix(rankings[r], self.features.names, self.threshold)
            n_taken = int((rankings[r][top] == distance).sum())
            if distance > cut and n_taken < len(names):
                found.append(Tie(r, float(distance), names, n_taken))
        return found

    def only_by_spikes(
        self,
        chosen: np.ndarray,
        code: int,
        min_distance: float | str,
        left: tuple[np.ndarray, np.ndarray],
    ) -> np.ndarray:
        """Return which of a class's features only an (almost) constant class tells from others.

        Parameters
        ----------
        chosen : ndarray of int
            Candidates.
        code : int
            The class.
        min_distance : float or "mean"
            As in `select`.
        left : tuple of ndarray, each of shape (n_pairs, n_chosen)
            Their `distances_without_spikes`.

        Returns
        -------
        ndarray of bool, shape (n_chosen,)
            Whether each distance that counts is one of a spike and falls, without it, to a
            distance that does not count, or by half.
        """
        cut = self.mean_distance if min_distance == "mean" else float(min_distance)
        distances = self.features.distances[np.ix_(self._mine(code), chosen)]
        without, spikes = (each[self._mine(code)] for each in left)
        lost = spikes & (without <= np.maximum(cut, distances / 2.0))
        counts = distances > cut
        return counts.any(axis=0) & (lost | ~counts).all(axis=0)

    def _mine(self, code: int) -> np.ndarray:
        """Return which pairs a class belongs to."""
        return np.flatnonzero((self._pairs == code).any(axis=1))


def ranked_prefix(
    distances: np.ndarray, names: np.ndarray, threshold: float, least: int = 1
) -> np.ndarray:
    """Return the fewest features from the top that together reach the threshold, in rank order.

    Parameters
    ----------
    distances : ndarray of shape (n_features,)
        Features are ranked by distance, descending, ties by name.
    names : ndarray of shape (n_features,)
    threshold : float
        What ``1 - prod(1 - distance)`` has to reach; all features are returned if it never does.
    least : int
        At least so many features are returned, if there are.

    Examples
    --------
    >>> ranked_prefix(np.array([0.2, 0.9, 0.99, 0.9]), np.array(["d", "c", "b", "a"]), 0.998)
    array([2, 3])
    """
    look = max(_FIRST_LOOK, least)
    while True:
        order = _top(distances, names, look)
        reached = _reaches(distances[order], threshold)
        if reached.any():
            return order[: max(least, np.argmax(reached) + 1)]
        if len(order) == len(distances):
            return order
        look *= 8


def _reaches(distances: np.ndarray, threshold: float) -> np.ndarray:
    return 1.0 - np.cumprod(1.0 - distances) >= threshold


def _top(distances: np.ndarray, names: np.ndarray, n: int) -> np.ndarray:
    """Return the ``n`` greatest distances in rank order, and all that equal the last of them."""
    found = np.arange(len(distances))
    if n < len(distances):
        found = np.flatnonzero(distances >= np.partition(distances, -n)[-n])
    return found[np.lexsort((_sortable(names[found]), -distances[found]))]


def _union(parts: list[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate([np.empty(0, dtype=int), *parts]))


def _sortable(names: np.ndarray) -> np.ndarray:
    return names.astype(str) if names.dtype == object else names
