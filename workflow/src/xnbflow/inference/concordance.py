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

from xnbflow.inference.sequential import sequential_test

#: Level of the permutation test, and the number of resamples of the interval.
LEVEL, N_RESAMPLES = 0.05, 999
#: Permutations that are computed together, and values of resamples.
_AT_ONCE, _MOST_VALUES = 40, 2_000_000
#: Least score, in nats: that of a class that was absent from training.
LEAST_SCORE = -1e4


@dataclass(frozen=True)
class Concordance:
    """Areas over all pairs of samples of different classes, and within levels.

    ``overall`` and ``within`` are areas under the ROC curve, missing without pairs; ``lower`` and
    ``upper`` limit the 95% interval of ``within``, ``pairs`` is the number of pairs within levels,
    ``p`` the one-sided p of ``within`` against one half after so many ``permutations``.
    """

    overall: float
    within: float
    lower: float
    upper: float
    pairs: int
    permutations: int
    p: float


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
        scores, levels = np.maximum(scores, LEAST_SCORE), np.unique(levels, return_inverse=True)[1]
        self._parts = []
        for one, other in itertools.combinations(range(scores.shape[1]), 2):
            score = scores[:, one] - scores[:, other]
            order = np.lexsort((score, levels))
            new_level = np.diff(levels[order], prepend=-1) != 0
            ties = np.flatnonzero(new_level | (np.diff(score[order], prepend=np.nan) != 0))
            self._parts.append((one, other, order, ties, np.flatnonzero(new_level[ties])))

    def areas(
        self, codes: np.ndarray, weights: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the shares of pairs that are in the order of their classes, and the pairs.

        Equal scores count one half. Of several classes the share is the mean over the pairs of
        classes that share a level; in order is a pair whose sample of the first class has the
        greater difference of the two scores. ``codes`` (n_draws, n_samples) are the classes,
        ``weights`` of the same shape are how often each sample counts; the results have shape
        (n_draws,), NaN without pairs.
        """
        weights = np.ones(codes.shape) if weights is None else weights
        total, n_parts, pairs = np.zeros((3, len(codes)))
        for one, other, order, ties, starts in self._parts:
            own, rest = (
                np.add.reduceat((weights * (codes == c))[:, order], ties, axis=1)
                for c in (one, other)
            )
            of_level = np.add.reduceat(rest, starts, axis=1)
            found = (np.add.reduceat(own, starts, axis=1) * of_level).sum(axis=1)
            earlier = np.repeat(
                of_level.cumsum(axis=1) - of_level, np.diff(starts, append=len(ties)), axis=1
            )
            wins = (own * (rest.cumsum(axis=1) - rest / 2 - earlier)).sum(axis=1)
            total += np.divide(wins, found, out=np.zeros(len(codes)), where=found > 0)
            n_parts += found > 0
            pairs += found
        return np.divide(total, n_parts, np.full(len(codes), np.nan), where=n_parts > 0), pairs


def concordance(
    scores: np.ndarray,
    codes: np.ndarray,
    levels: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    seed: int = 0,
) -> Concordance:
    """Return how well scores order samples by class, over all pairs and within levels.

    For p, labels are exchanged within levels while the scores stay. Where each of the ``groups``
    has one class, whole groups with samples in the same levels exchange it; where a group has
    several classes within a level, labels are exchanged within the group and level. The interval is
    a percentile bootstrap of samples, or of groups, within levels.

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
    >>> found = concordance(np.stack([-5.0 * batch, noise], axis=1), codes, batch)
    >>> round(found.overall, 2), round(found.within, 2), found.pairs
    (0.92, 0.62, 72)
    """
    pairs = StratifiedPairs(scores, levels)
    overall = StratifiedPairs(scores, np.zeros(len(codes), dtype=int)).areas(codes[None])[0]
    areas, n_pairs = pairs.areas(codes[None])
    if not n_pairs[0]:
        return Concordance(float(overall[0]), np.nan, np.nan, np.nan, 0, 0, np.nan)
    rng, n_draws = np.random.default_rng(seed), max(1, _MOST_VALUES // len(codes))
    units, strata = _exchanged(codes, levels, groups)
    first = np.unique(units, return_index=True)[1]
    in_order = np.argsort(strata[first], kind="stable")

    def null() -> Iterator[float]:
        """Yield the areas of permuted labels, one half where no pairs are left."""
        while True:
            keys = rng.random((min(_AT_ONCE, n_draws), len(first)))
            order = np.lexsort((keys, np.broadcast_to(strata[first], keys.shape)))
            exchanged = np.empty_like(order)
            exchanged[:, in_order] = codes[first][order]
            yield from np.nan_to_num(pairs.areas(exchanged[:, units])[0], nan=0.5)

    test = sequential_test(float(areas[0]), null(), LEVEL)
    units, strata = _resampled(levels, groups)
    first = np.unique(units, return_index=True)[1]
    members = [np.flatnonzero(strata[first] == each) for each in np.unique(strata)]
    resampled = []
    for start in range(0, N_RESAMPLES, n_draws):
        times = np.zeros((min(n_draws, N_RESAMPLES - start), len(first)))
        for own in members:
            times[:, own] = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), len(times))
        weights = times[:, units]
        resampled.append(pairs.areas(np.broadcast_to(codes, weights.shape), weights)[0])
    lower, upper = np.nanquantile(np.concatenate(resampled), [0.025, 0.975]).tolist()
    return Concordance(
        float(overall[0]), float(areas[0]), lower, upper, int(n_pairs[0]),
        test.permutations, test.p_value,
    )  # fmt: skip


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
    return float(StratifiedPairs(scores, np.zeros(len(codes), dtype=int)).areas(codes[None])[0][0])


def _resampled(levels: np.ndarray, groups: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the unit of each sample, a sample or group, and its stratum: the unit's levels."""
    if groups is None:
        return np.arange(len(levels)), levels
    units = np.unique(groups, return_inverse=True)[1]
    patterns = pd.Series(levels).groupby(units).agg(lambda own: tuple(sorted(set(own))))
    return units, pd.factorize(patterns)[0][units]


def _exchanged(
    codes: np.ndarray, levels: np.ndarray, groups: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the units that exchange their labels, by sample, and the strata within which."""
    units, strata = _resampled(levels, groups)
    if groups is None or (pd.Series(codes).groupby(units).nunique() == 1).all():
        return units, strata
    cells = pd.DataFrame({"unit": units, "level": levels}).groupby(["unit", "level"]).ngroup()
    if (pd.Series(codes).groupby(cells).nunique() > 1).any():
        return np.arange(len(codes)), cells.to_numpy()
    return cells.to_numpy(), levels
