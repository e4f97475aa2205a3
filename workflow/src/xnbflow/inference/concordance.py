"""Whether a classifier orders samples by class within the levels of a column, as a batch.

A classifier that has learnt the batch orders samples of different batches correctly, and those of
one batch at random. The statistic is Mann and Whitney's over pairs of samples of the same level
(P. van Elteren, Bulletin of the International Statistical Institute 37, 1960, 351-361).
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from xnbflow.core.significance import TEST_LEVEL
from xnbflow.inference.label_exchange import label_exchange
from xnbflow.inference.sequential import sequential_test

#: Resamples for the interval.
N_RESAMPLES = 999
#: Permutations that are computed together.
_AT_ONCE = 40
#: Most values (resamples times samples) that are in memory together.
_MOST_VALUES = 2_000_000
#: Least score, in nats: that of a class that was absent from training.
LEAST_SCORE = -1e4


@dataclass(frozen=True, kw_only=True)
class Concordance:
    """Areas over all pairs of samples of different classes, and within levels.

    ``overall`` and ``within`` are areas under the ROC curve, missing without pairs; ``lower`` and
    ``upper`` limit the 95% interval of ``within``. Resamples of pairs that all have one order show
    no interval: its limits are missing where ``within`` is 0 or 1. ``pairs`` is the number of pairs
    within levels, ``p`` the one-sided p of ``within`` against one half, and ``permutations`` the
    number of permutations for it.
    """

    overall: float
    within: float
    lower: float
    upper: float
    pairs: int
    permutations: int
    p: float


@dataclass(frozen=True, kw_only=True, eq=False)
class _SortedPair:
    """The samples in order of level and score of two classes, ``first`` and ``second``.

    ``ties`` are the places in ``order`` where a level or score begins, ``levels`` those in ``ties``
    where a level begins.
    """

    first: int
    second: int
    order: np.ndarray
    ties: np.ndarray
    levels: np.ndarray

    def count(self, weights: np.ndarray) -> np.ndarray:
        """Return the sums of weights (n_draws, n_samples) over ties, (n_draws, n_ties)."""
        return np.asarray(np.add.reduceat(weights[:, self.order], self.ties, axis=1))


class StratifiedPairs:
    """The pairs of samples of different classes that share a level.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Logarithms of probabilities, or anything whose differences order samples between two
        classes.
    levels : ndarray of shape (n_samples,)

    Examples
    --------
    >>> scores = np.array([[0.9, 0.1], [0.2, 0.8], [0.4, 0.6], [0.3, 0.7]])
    >>> pairs = StratifiedPairs(scores, np.array([0, 0, 1, 1]))
    >>> areas, n_pairs = pairs.areas(np.array([[0, 1, 1, 0]]))  # one of the two is in order
    >>> areas.tolist(), n_pairs.tolist()
    ([0.5], [2.0])
    """

    def __init__(self, scores: np.ndarray, levels: np.ndarray) -> None:
        scores = np.maximum(scores, LEAST_SCORE)
        levels = np.unique(levels, return_inverse=True)[1]
        self._pairs = []
        for first, second in itertools.combinations(range(scores.shape[1]), 2):
            difference = scores[:, first] - scores[:, second]
            self._pairs.append(self._sort(difference, levels, first, second))

    @staticmethod
    def _sort(score: np.ndarray, levels: np.ndarray, first: int, second: int) -> _SortedPair:
        """Return the samples in order of level and score, with the limits of ties and levels."""
        order = np.lexsort((score, levels))
        new_level = np.diff(levels[order], prepend=-1) != 0
        new_score = np.diff(score[order], prepend=np.nan) != 0
        ties = np.flatnonzero(new_level | new_score)
        return _SortedPair(
            first=first,
            second=second,
            order=order,
            ties=ties,
            levels=np.flatnonzero(new_level[ties]),
        )

    def areas(
        self, codes: np.ndarray, weights: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of pairs that are in the order of their classes, and the pairs.

        Equal scores count one half. With several classes the share is the mean over the pairs of
        classes that share a level. A pair of samples is in order if its sample of the first class
        has the greater difference of the two scores. ``codes`` (n_draws, n_samples) are the
        classes, ``weights`` of the same shape are how often each sample counts; the results have
        shape (n_draws,), NaN without pairs.

        In a level a sample of the first class wins against the samples of the second class with
        lower scores: these are counted by cumulative sums over ties in order of the scores, less
        those of earlier levels.
        """
        weights = np.ones(codes.shape) if weights is None else weights
        total, n_class_pairs, n_pairs = np.zeros((3, len(codes)))
        for pair in self._pairs:
            of_first = pair.count(weights * (codes == pair.first))
            of_second = pair.count(weights * (codes == pair.second))
            first_in_level = np.add.reduceat(of_first, pair.levels, axis=1)
            second_in_level = np.add.reduceat(of_second, pair.levels, axis=1)
            in_level = (first_in_level * second_in_level).sum(axis=1)
            ties_in_level = np.diff(pair.levels, append=len(pair.ties))
            before_level = second_in_level.cumsum(axis=1) - second_in_level
            before_level = np.repeat(before_level, ties_in_level, axis=1)
            below = of_second.cumsum(axis=1) - of_second / 2 - before_level
            wins = (of_first * below).sum(axis=1)
            total += np.divide(wins, in_level, out=np.zeros(len(codes)), where=in_level > 0)
            n_class_pairs += in_level > 0
            n_pairs += in_level
        missing = np.full(len(codes), np.nan)
        return np.divide(total, n_class_pairs, missing, where=n_class_pairs > 0), n_pairs


def concordance(
    scores: np.ndarray,
    codes: np.ndarray,
    levels: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    seed: int = 0,
) -> Concordance:
    """Return how well scores order samples by class, over all pairs and within levels.

    For p, labels are exchanged within levels (and ``groups``, see
    `xnbflow.inference.label_exchange`) while the scores stay. The interval is a percentile
    bootstrap of samples, or of groups, within levels.

    Parameters
    ----------
    scores : ndarray of shape (n_samples, n_classes)
        Of each sample outside the training samples; see `StratifiedPairs`.
    codes, levels : ndarray of int, shape (n_samples,)
        Class and level of each sample.
    groups : ndarray of shape (n_samples,), optional
        The group of each sample, for example its patient.

    Examples
    --------
    >>> batch = np.repeat([0, 1], 20)
    >>> codes = np.where(np.arange(40) % 10 == 0, 1 - batch, batch)
    >>> noise = np.random.default_rng(0).normal(size=40)
    >>> areas = concordance(np.stack([-5.0 * batch, noise], axis=1), codes, batch)
    >>> round(areas.overall, 2), round(areas.within, 2), areas.pairs
    (0.92, 0.62, 72)
    """
    pairs = StratifiedPairs(scores, levels)
    overall = area_of_all_pairs(scores, codes)
    areas, n_pairs = pairs.areas(codes[None])
    if not n_pairs[0]:
        return Concordance(
            overall=overall, within=np.nan, lower=np.nan, upper=np.nan, pairs=0, permutations=0,
            p=np.nan,
        )  # fmt: skip
    rng = np.random.default_rng(seed)
    exchange = label_exchange(codes, groups, levels)
    n_together = min(_AT_ONCE, max(1, _MOST_VALUES // len(codes)))

    def null() -> Iterator[float]:
        """Yield the areas of permuted labels, one half where no pairs are left."""
        while True:
            exchanged = exchange.draws(codes, n_together, rng)
            yield from np.nan_to_num(pairs.areas(exchanged)[0], nan=0.5)

    test = sequential_test(float(areas[0]), null(), TEST_LEVEL)
    resampled = _resampled_areas(pairs, codes, levels=levels, groups=groups, rng=rng)
    lower, upper = np.nanquantile(resampled, [0.025, 0.975]).tolist()
    if lower == upper:  # each resample of pairs that all have one order has this order
        lower = upper = np.nan
    return Concordance(
        overall=overall,
        within=float(areas[0]),
        lower=lower,
        upper=upper,
        pairs=int(n_pairs[0]),
        permutations=test.permutations,
        p=test.p_value,
    )


def area_of_all_pairs(scores: np.ndarray, codes: np.ndarray) -> float:
    """Return the area over all pairs of samples of different classes."""
    pairs = StratifiedPairs(scores, np.zeros(len(codes), dtype=int))
    return float(pairs.areas(codes[None])[0][0])


def _resampled_areas(
    pairs: StratifiedPairs,
    codes: np.ndarray,
    levels: np.ndarray,
    groups: np.ndarray | None,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the areas of resamples of samples, or groups, within levels, (N_RESAMPLES,)."""
    unit, unit_levels = _resampled_units(levels, groups)
    members = [np.flatnonzero(unit_levels == level) for level in np.unique(unit_levels)]
    n_together = max(1, _MOST_VALUES // len(codes))
    areas = []
    for start in range(0, N_RESAMPLES, n_together):
        times = np.zeros((min(n_together, N_RESAMPLES - start), len(unit_levels)))
        for units in members:
            equal = np.full(len(units), 1 / len(units))
            times[:, units] = rng.multinomial(len(units), equal, len(times))
        weights = times[:, unit]
        areas.append(pairs.areas(np.broadcast_to(codes, weights.shape), weights)[0])
    return np.concatenate(areas)


def level_area(codes: np.ndarray, levels: np.ndarray) -> float:
    """Return the area of the column alone: of the share of each class in the level of a sample.

    Examples
    --------
    >>> round(level_area(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 1, 1, 1, 1])), 3)
    0.833
    """
    counts = pd.crosstab(levels, codes).reindex(columns=range(codes.max() + 1), fill_value=0)
    shares = counts.div(counts.sum(axis=1), axis=0).loc[levels].to_numpy()
    scores = np.log(np.maximum(shares, np.finfo(float).tiny))
    return area_of_all_pairs(scores, codes)


def _resampled_units(
    levels: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit of each sample, itself or its group, and the levels of each unit as one."""
    if groups is None:
        return np.arange(len(levels)), levels
    unit = np.unique(groups, return_inverse=True)[1]
    by_unit = pd.Series(levels).groupby(unit)
    patterns = by_unit.agg(lambda column: tuple(sorted(set(column))))
    return unit, pd.factorize(patterns)[0]
