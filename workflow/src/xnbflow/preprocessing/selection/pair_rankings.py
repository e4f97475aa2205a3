"""Rankings of features per pair of classes: ties broken by the data, and a path over sizes.

A ranking is independent of names, of the order of features and samples, and of rounding. Features
are ranked by

1. their strength for the pair (`xnbflow.preprocessing.selection.pair_strengths`), descending;
2. the separation of the class means, in pooled standard deviations, descending;
3. the overlap of the classes' ranges, ascending;
4. their covariance with the squared mean profile of the samples, descending.

Numbers that differ only by rounding are equal. Features equal in 1 to 3 are *interchangeable*; the
fourth criterion chooses between them. Only exact copies are taken in their order.
"""

from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from xnbflow.data.matrices import select_rows
from xnbflow.density.standard import StandardFeatures
from xnbflow.preprocessing.selection.class_features import (
    DEFAULT_THRESHOLD,
    pairs_of_codes,
    pairs_with,
)
from xnbflow.preprocessing.selection.pair_strengths import distance_of_strength

#: Size of the path for a feature that never enters.
_NEVER = np.iinfo(np.int64).max

#: Numbers closer than this, absolutely and relative to their size, are equal up to rounding.
_ROUNDING = 1e-9

#: Range below the last feature of a pair in which ties with it are searched.
_MARGIN = 1e-6

#: Number of strongest features that are sorted first; most pairs of classes need fewer.
_FIRST_SORTED = 64

#: A feature weaker than this many nats does not separate the classes.
_NOTHING = 1e-9


def enough_for(strengths: np.ndarray, n_features: int | None, threshold: float) -> int:
    """Return the number of features that a pair of classes takes.

    It is ``n_features``, or else the least number for which ``1 - prod(1 - H)`` reaches the
    threshold, with ``H`` a feature's distance from 0 to 1. ``strengths`` (n,) are those of the
    strongest features, descending; if all of them are not enough, the number is ``n + 1``.

    Examples
    --------
    >>> enough_for(np.array([2.0, 1.0, 0.5, 0.1]), None, 0.99)
    3
    """
    if n_features is not None:
        return n_features
    with np.errstate(divide="ignore"):  # a distance of 1
        logarithms = -np.log1p(-distance_of_strength(strengths))
    return int(np.searchsorted(np.cumsum(logarithms), -np.log1p(-threshold))) + 1


@dataclass(frozen=True)
class RankedFeatures:
    """Features with their strengths for pairs of classes and their training samples.

    ``positions`` in the series and ``names`` (or else positions) have shape (n_features,),
    ``strengths`` in nats (n_pairs, n_features); ``values`` (n_features, n_samples) are an array,
    `Rows`.
    """

    positions: np.ndarray
    names: np.ndarray
    strengths: np.ndarray
    values: Any


@dataclass
class Shortlist:
    """The features that may be selected among many; `keep` is called once.

    A pair takes ``n_features``; if None, the number that the threshold needs (see `enough_for`).
    ``candidates`` are for each pair the ``features`` that it may take, ascending.
    """

    n_classes: int
    n_features: int | None
    threshold: float = DEFAULT_THRESHOLD
    _: KW_ONLY
    features: RankedFeatures = field(init=False)
    candidates: list[np.ndarray] = field(init=False)

    def keep(self, strengths: np.ndarray, values: Any, names: np.ndarray | None = None) -> None:
        """Keep the features among ``values`` by their strengths (n_pairs, n_features)."""
        may_be_selected = np.zeros(values.shape[0], dtype=bool)
        tops = [self.top(row) for row in strengths]
        for top in tops:
            may_be_selected[top] = True
        positions = np.flatnonzero(may_be_selected)
        if len(positions) < len(may_be_selected):  # with many classes all: avoid the copy
            strengths = strengths[:, positions]
        self.features = RankedFeatures(
            positions=positions,
            names=positions if names is None else names[positions],
            strengths=strengths,
            values=select_rows(values, positions),
        )
        self.candidates = [np.searchsorted(positions, top) for top in tops]

    def top(self, row: np.ndarray) -> np.ndarray:
        """Return the features that a pair may take by strengths (n_features,), ascending.

        All features that tie with the last one are included. Only the strongest features are
        sorted, eight times as many in every further attempt.
        """
        if not len(row):
            return np.empty(0, dtype=np.intp)
        n_sorted = max(_FIRST_SORTED, self.n_features or 0)
        while True:
            n_sorted = min(n_sorted, len(row))
            strongest = np.sort(np.partition(row, -n_sorted)[-n_sorted:])[::-1]
            enough = enough_for(strongest, self.n_features, self.threshold)
            if enough <= n_sorted or n_sorted == len(row):
                break
            n_sorted *= 8
        last = strongest[min(enough, n_sorted) - 1]
        return np.flatnonzero(row > max(last - _MARGIN * (1.0 + last), _NOTHING))


class PairRankings:
    """The rankings of a shortlist's features, one per pair of classes.

    ``codes`` are the classes of all samples, or of the ``samples`` from which the strengths were
    computed.

    Attributes
    ----------
    orders : list of ndarray
        For each pair the features that it takes, and the features that tie with the last, in rank
        order.
    ties : list of ndarray
        For each pair a number per ranked feature, which is the same for interchangeable features.
    enough : list of int
        For each pair the number of features that it takes.
    """

    def __init__(
        self, shortlist: Shortlist, codes: np.ndarray, samples: np.ndarray | None = None
    ) -> None:
        self.strengths = shortlist.features.strengths
        self.n_classes = shortlist.n_classes
        self._pairs = pairs_of_codes(self.n_classes)
        self._values = shortlist.features.values
        self._samples = samples
        self._codes = codes
        self.orders: list[np.ndarray] = []
        self.ties: list[np.ndarray] = []
        self.enough: list[int] = []
        candidates = shortlist.candidates
        for row, pair, useful in zip(self.strengths, self._pairs, candidates, strict=True):
            order, labels = self._rank_pair(row, useful, pair)
            enough = enough_for(row[order], shortlist.n_features, shortlist.threshold)
            self.orders.append(order)
            self.ties.append(labels)
            self.enough.append(min(enough, len(order)))

    def chosen(self, code: int) -> np.ndarray:
        """Return the features of a class: the union over its pairs, ascending."""
        pairs = pairs_with(code, self.n_classes)
        prefixes = [self.orders[pair][: self.enough[pair]] for pair in pairs]
        # A single class has no pair, and `concatenate` needs an array.
        return np.unique(np.concatenate([np.empty(0, dtype=int), *prefixes]))

    def entry_sizes(self) -> np.ndarray:
        """Return at which size of the path each feature enters each class, (n_classes, n_features).

        At size k every pair takes its first k features. A feature that is third for one pair of a
        class and fifth for another enters at size 3; a feature without a rank, at `_NEVER`.
        """
        entry_sizes = np.full((self.n_classes, self.strengths.shape[1]), _NEVER)
        for pair, order in zip(self._pairs, self.orders, strict=True):
            ranks = np.arange(1, len(order) + 1)
            for code in pair:
                entry_sizes[code, order] = np.minimum(entry_sizes[code, order], ranks)
        return entry_sizes

    def interchangeable(self, chosen: np.ndarray, code: int) -> dict[int, np.ndarray]:
        """Return for chosen features of a class the equivalent features that were not chosen.

        Features without equivalents, and equivalents that the class already has, are omitted.
        """
        equivalents: dict[int, set[int]] = {}
        for pair in pairs_with(code, self.n_classes):
            order = self.orders[pair]
            labels = self.ties[pair]
            if len(labels) == labels.max(initial=0):  # no two features are interchangeable
                continue
            has_equal = np.bincount(labels)[labels[: self.enough[pair]]] > 1
            for rank in np.flatnonzero(has_equal):
                equal = order[labels == labels[rank]]
                others = np.setdiff1d(equal, chosen)
                if len(others):
                    equivalents.setdefault(int(order[rank]), set()).update(others.tolist())
        return {feature: np.array(sorted(others)) for feature, others in equivalents.items()}

    def _rank_pair(
        self, row: np.ndarray, useful: np.ndarray, pair: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return useful features in rank order, and labels that interchangeable ones share.

        ``keys`` (4, n_useful) are the four criteria of the module as whole numbers, lower first, in
        which values equal up to rounding are equal. The last three are computed only for features
        that share their strength with another one, since they cannot change other ranks.
        """
        by_strength = levels(-row[useful])
        if by_strength.max(initial=-1) + 1 == len(useful):  # no two are equal, as in most pairs
            return useful[np.argsort(by_strength)], np.arange(1, len(useful) + 1)
        keys = np.zeros((4, len(useful)), dtype=int)
        keys[0] = by_strength
        tied = np.bincount(by_strength)[by_strength] > 1
        parts = [self._criteria(strip, pair) for strip in self._standard.parts(useful[tied])]
        for key, values in zip(keys[1:], np.concatenate(parts, axis=1), strict=True):
            key[tied] = levels(values)
        order = np.lexsort((useful, *keys[::-1]))
        starts = (np.diff(keys[:3, order]) != 0).any(axis=0)
        return useful[order], np.cumsum(np.concatenate([[True], starts]))

    @cached_property
    def _standard(self) -> StandardFeatures:
        values = self._values
        return StandardFeatures(values if self._samples is None else values[:, self._samples])

    @cached_property
    def _profile(self) -> np.ndarray:
        """The squared mean of the standardised features in each sample, (n_samples,).

        The mean itself would not decide between two features: both have the same covariance with
        their sum.
        """
        return self._standard.mean() ** 2

    def _criteria(self, values: np.ndarray, pair: np.ndarray) -> np.ndarray:
        """Return the second to fourth criterion, of which lower is better, (3, n_features).

        The separation is ``d² / (d² + 1)`` with ``d`` the difference of the class means in pooled
        standard deviations, which has the order of ``d`` and is finite where the variance is 0.
        """
        first = values[:, self._codes == pair[0]]
        second = values[:, self._codes == pair[1]]
        squared_gap = (first.mean(axis=1) - second.mean(axis=1)) ** 2
        sum_of_squares = first.var(axis=1) * first.shape[1] + second.var(axis=1) * second.shape[1]
        variance = sum_of_squares / (first.shape[1] + second.shape[1])
        separation = squared_gap / np.maximum(squared_gap + variance, np.finfo(np.float64).tiny)
        end_of_overlap = np.minimum(first.max(axis=1), second.max(axis=1))
        start_of_overlap = np.maximum(first.min(axis=1), second.min(axis=1))
        overlap = end_of_overlap - start_of_overlap
        covariance = values @ self._profile / values.shape[1]
        return np.array([-separation, overlap, -covariance])


def levels(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, ascending from 0; values equal up to rounding share a rank.

    Examples
    --------
    >>> levels(np.array([0.3, 7.0, 0.1 + 0.2, 0.0])).tolist()
    [1, 2, 1, 0]
    """
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    steps = np.diff(ascending) > _ROUNDING * (1.0 + np.abs(ascending[1:]))
    ranks = np.empty(len(values), dtype=int)
    ranks[order] = np.concatenate([np.zeros(min(1, len(values)), int), np.cumsum(steps)])
    return ranks
