"""Samples compared within strata: the strata of columns, the area within them, its exact test.

A classifier that has learnt a batch orders samples of different batches correctly, and those of
one batch at random. The area within strata counts the pairs of samples of two classes that share a
stratum (P. van Elteren, Bulletin of the International Statistical Institute 37, 1960, 351-361). Its
p-value is exact: given the strata, all orders of the labels within a stratum have the same
probability without information on the class.

Two columns that explain the class together explain it within the levels of each of them. The
strata are therefore the combinations of the columns' levels. Numbers are divided into strata of
about `STRATUM` samples: in wider ones, as thirds, a number still goes with the class. Several
numbers would leave a sample alone in its combination; they are combined into one number, the linear
discriminant of the two classes, as strata of a balancing score balance all columns that it is
made of (P. R. Rosenbaum and D. B. Rubin, "Reducing bias in observational studies using
subclassification on the propensity score", Journal of the American Statistical Association 79
(1984), 516-524).
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from xnbflow.inference.label_exchange import LabelExchange, label_exchange

#: Samples of a stratum of numbers.
STRATUM = 4
#: Least log posterior, in nats: that of a class that was absent from training.
LEAST_SCORE = -1e4
#: Most additions for the exact distribution of one stratum, which are those of about 120 samples.
_MOST_ADDITIONS = 40_000_000
#: Orders of the labels, the true one included, where the distribution is not computed.
_MOST_ORDERS = 1000
#: Areas that differ by less are equal.
_ROUNDING = 1e-12


class AreaWithin(NamedTuple):
    """The share of pairs of samples of two classes that are in order, and the number of pairs.

    The share is missing without pairs.
    """

    area: float
    pairs: int


def score_of_pair(scores: np.ndarray, first: int, second: int) -> np.ndarray:
    """Return the score by which samples are ordered between two classes, (n_samples,).

    It is the difference of two columns of ``scores`` (n_samples, n_classes), which are log
    posteriors or shares of predictions.

    Examples
    --------
    >>> score_of_pair(np.array([[-0.1, -2.3], [-np.inf, 0.0]]), 0, 1).tolist()
    [2.1999999999999997, -10000.0]
    """
    bounded = np.maximum(scores[:, [first, second]], LEAST_SCORE)
    return np.asarray(bounded[:, 0] - bounded[:, 1])


def area_within(score: np.ndarray, is_first: np.ndarray, strata: np.ndarray) -> AreaWithin:
    """Return the area under the ROC curve over the pairs of samples that share a stratum.

    A pair is in order if its sample of the first class has the greater score; equal scores count
    one half.

    Parameters
    ----------
    score : ndarray of shape (n_samples,)
    is_first : ndarray of bool, shape (n_samples,)
        Whether a sample is of the first of the two classes.
    strata : ndarray of shape (n_samples,)

    Examples
    --------
    >>> score, is_first = np.array([0.8, -0.6, -0.2, -0.4]), np.array([True, False, False, True])
    >>> area_within(score, is_first, np.array([0, 0, 1, 1]))  # one of the two pairs is in order
    AreaWithin(area=0.5, pairs=2)
    """
    strata = pd.factorize(strata)[0]
    areas, n_pairs = _areas_of_orders(_ranks_within(score, strata), strata, is_first[None])
    return AreaWithin(float(areas[0]), int(n_pairs[0]))


def p_within(
    score: np.ndarray,
    is_first: np.ndarray,
    strata: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    seed: int = 0,
) -> float:
    """Return the one-sided p of an area within strata: of an area as large without information.

    Labels are exchanged within strata, and by ``groups`` as in `xnbflow.inference.label_exchange`,
    while scores stay. The distribution of the area over all orders is computed exactly, by
    generating functions of the rank sums of the strata, where all units that exchange their labels
    have as many samples in each stratum: always without groups. With units of unequal size, and in
    strata of more than about 120 samples, p is that of all orders up to 1,000, and otherwise that
    of 999 drawn orders and the true one, which is exact as well. It is missing without pairs.

    Examples
    --------
    Thirteen samples of a class below the only one of the other: one of 14 orders.

    >>> score = np.arange(14.0)
    >>> round(p_within(score, score == 13, np.zeros(14)), 4), round(1 / 14, 4)
    (0.0714, 0.0714)
    """
    strata = pd.factorize(strata)[0]
    ranks = _ranks_within(score, strata)
    if not _areas_of_orders(ranks, strata, is_first[None])[1][0]:
        return np.nan
    exchange = label_exchange(is_first, groups, strata)
    if _keeps_class_sizes(exchange, strata):
        distributions = _rank_sum_distributions(ranks, is_first, exchange)
        if distributions is not None:
            return _tail(distributions)
    return _p_of_orders(ranks, strata, is_first, exchange, np.random.default_rng(seed))


def _ranks_within(score: np.ndarray, strata: np.ndarray) -> np.ndarray:
    """Return twice the mid-rank of each sample in its stratum: whole numbers, (n_samples,)."""
    ranks = pd.Series(score).groupby(strata).rank(method="average")
    return np.asarray((2 * ranks).round().astype(np.int64))


def _areas_of_orders(
    ranks: np.ndarray, strata: np.ndarray, orders: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the area within strata, and the number of pairs, of each order of the labels.

    ``ranks`` (n_samples,) are twice the ranks within strata, ``orders`` (n_orders, n_samples) which
    samples are of the first class. The pairs of a stratum that are in order are the rank sum of its
    samples of the first class, less its smallest possible value (Mann and Whitney's U).
    """
    members = np.eye(strata.max() + 1)[strata]
    is_first = orders.astype(float)
    n_first = is_first @ members
    n_second = members.sum(axis=0) - n_first
    in_order = (is_first * ranks) @ members / 2 - n_first * (n_first + 1) / 2
    n_pairs = (n_first * n_second).sum(axis=1)
    missing = np.full(len(orders), np.nan)
    areas = np.divide(in_order.sum(axis=1), n_pairs, out=missing, where=n_pairs > 0)
    return areas, n_pairs


def _keeps_class_sizes(exchange: LabelExchange, strata: np.ndarray) -> bool:
    """Return whether an exchange never changes how many samples of a class a stratum has.

    This is so if units that exchange their labels have as many samples in each stratum. The pairs
    within strata are then constant, and the area is a sum over units.
    """
    samples = pd.DataFrame({"unit": exchange.unit, "stratum": strata})
    counts = samples.groupby(["unit", "stratum"]).size().unstack(fill_value=0)
    by_exchange = counts.groupby(exchange.stratum[counts.index])
    return bool((by_exchange.nunique() == 1).to_numpy().all())


class _RankSums(NamedTuple):
    """The distribution of a rank sum: ``probabilities`` of 0, 1, ...; ``observed`` is its value."""

    probabilities: np.ndarray
    observed: int


def _rank_sum_distributions(
    ranks: np.ndarray, is_first: np.ndarray, exchange: LabelExchange
) -> list[_RankSums] | None:
    """Return the distribution of the rank sum of each stratum of units; None for large strata."""
    of_units = np.bincount(exchange.unit, weights=ranks).astype(np.int64)
    if (of_units % 2 == 0).all():  # no half ranks, as of ties
        of_units //= 2
    unit_is_first = is_first[exchange.first]
    distributions = []
    for stratum in np.unique(exchange.stratum):
        members = exchange.stratum == stratum
        distribution = _rank_sums(of_units[members], unit_is_first[members])
        if distribution is None:
            return None
        distributions.append(distribution)
    return distributions


def _rank_sums(ranks: np.ndarray, is_first: np.ndarray) -> _RankSums | None:
    """Return the distribution of the sum of as many ranks as there are units of the first class.

    All choices have the same probability. The generating function is the product of
    ``1 + x y**rank`` over units, in which the coefficient of ``x**n_first`` counts the choices by
    their sum. Ranks are counted from the smallest. The result is None where more than
    `_MOST_ADDITIONS` are needed.

    Examples
    --------
    >>> sums = _rank_sums(np.array([1, 2, 3, 4]), np.array([False, False, True, True]))
    >>> (6 * sums.probabilities).round(6).tolist(), sums.observed
    ([0.0, 1.0, 1.0, 2.0, 1.0, 1.0], 5)
    """
    n_first = int(is_first.sum())
    ranks = ranks - ranks.min()
    largest = int(np.sort(ranks)[len(ranks) - n_first :].sum())
    if (n_first + 1) * (largest + 1) * len(ranks) > _MOST_ADDITIONS:
        return None
    # choices[n, s] is in how many ways n of the units so far have the sum s. Each further unit is
    # chosen or not: the factor 1 + x y**rank.
    choices = np.zeros((n_first + 1, largest + 1))
    choices[0, 0] = 1.0
    for rank in ranks.tolist():
        if rank <= largest:
            choices[1:, rank:] += choices[:-1, : largest + 1 - rank]
    of_all = choices[n_first]
    return _RankSums(of_all / of_all.sum(), int(ranks[is_first].sum()))


def _tail(distributions: Sequence[_RankSums]) -> float:
    """Return the probability that the sum of independent rank sums is at least the observed one."""
    joint = np.ones(1)
    observed = 0
    for distribution in distributions:
        joint = np.convolve(joint, distribution.probabilities)
        observed += distribution.observed
    # rounded, so that 1 / 20 is not above .05
    return min(1.0, round(float(joint[observed:].sum()), 12))


def _p_of_orders(
    ranks: np.ndarray,
    strata: np.ndarray,
    is_first: np.ndarray,
    exchange: LabelExchange,
    rng: np.random.Generator,
) -> float:
    """Return the share of orders of the labels with at least the area of the true one.

    An order that leaves no pairs within strata has an area of one half.
    """
    if exchange.n_orders(is_first) <= _MOST_ORDERS:
        orders = exchange.distinct_orders(is_first)  # the true one is the first
    else:
        orders = np.vstack([is_first, exchange.draws(is_first, _MOST_ORDERS - 1, rng)])
    areas = np.nan_to_num(_areas_of_orders(ranks, strata, orders)[0], nan=0.5)
    return float(np.mean(areas >= areas[0] - _ROUNDING))


def level_area(is_first: np.ndarray, levels: np.ndarray) -> float:
    """Return the area of a column alone: of the share of the first class in the level of a sample.

    Examples
    --------
    >>> is_first = np.array([True, True, True, False, False, False])
    >>> round(level_area(is_first, np.array([0, 0, 1, 1, 1, 1])), 3)
    0.833
    """
    share = pd.Series(is_first.astype(float)).groupby(levels).transform("mean").to_numpy()
    return area_within(share, is_first, np.zeros(len(is_first))).area


def numeric_strata(numbers: np.ndarray) -> np.ndarray:
    """Return strata of about `STRATUM` samples in the order of the numbers, equal ones in one.

    Examples
    --------
    >>> numeric_strata(np.array([3.0, 1.0, 2.0, 9.0, 8.0, 7.0, 6.0, 5.0])).tolist()
    [0, 0, 0, 1, 1, 1, 1, 0]
    >>> numeric_strata(np.array([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 2.0])).tolist()
    [0, 0, 0, 0, 0, 0, 0, 1]
    """
    n_samples = len(numbers)
    n_strata = max(1, round(n_samples / STRATUM))
    below = pd.Series(numbers).rank(method="min").to_numpy() - 1
    return np.asarray(below * n_strata // n_samples, dtype=int)


def crossed_strata(
    is_first: np.ndarray, categories: Sequence[np.ndarray], numbers: Sequence[np.ndarray]
) -> np.ndarray:
    """Return the stratum of each sample of two classes in the combinations of several columns.

    Parameters
    ----------
    is_first : ndarray of bool, shape (n_samples,)
        Whether a sample is of the first of the two classes.
    categories, numbers : sequences of ndarray of shape (n_samples,)
        Columns, none missing.

    Examples
    --------
    >>> plates, sites = np.array(list("ppqqpq")), np.array(list("uvuvuv"))
    >>> crossed_strata(np.array([True, False] * 3), [plates, sites], []).tolist()
    [0, 1, 2, 3, 0, 3]
    """
    cells = combined_levels(categories, len(is_first))
    if not numbers:
        return cells
    if len(numbers) == 1:
        return strata_within(cells, np.asarray(numbers[0]))
    return strata_within(cells, _discriminant(is_first, numbers))


def combined_levels(categories: Sequence[np.ndarray], n_samples: int) -> np.ndarray:
    """Return the number of each sample's combination of levels; 0 without categories.

    Examples
    --------
    >>> combined_levels([np.array(list("ppqq")), np.array(list("uvuu"))], 4).tolist()
    [0, 1, 2, 2]
    """
    cells = np.zeros(n_samples, dtype=int)
    for column in categories:
        combinations = pd.DataFrame({"cell": cells, "level": pd.factorize(column)[0]})
        cells = pd.factorize(pd.MultiIndex.from_frame(combinations))[0]
    return cells


def strata_within(cells: np.ndarray, score: np.ndarray) -> np.ndarray:
    """Return the `numeric_strata` of a score within each cell of categories."""
    strata = np.zeros(len(cells), dtype=int)
    n_strata = 0
    for cell in np.unique(cells):
        members = np.flatnonzero(cells == cell)
        strata[members] = n_strata + numeric_strata(score[members])
        n_strata = strata[members].max() + 1
    return strata


def _discriminant(is_first: np.ndarray, numbers: Sequence[np.ndarray]) -> np.ndarray:
    """Return Fisher's linear discriminant of two classes, as fitted values of least squares."""
    columns = np.column_stack([np.ones(len(is_first)), *numbers])
    centred = columns[:, 1:] - columns[:, 1:].mean(axis=0)
    columns[:, 1:] = centred / np.maximum(centred.std(axis=0), np.finfo(float).tiny)
    coefficients = np.linalg.lstsq(columns, is_first.astype(float))[0]
    return np.asarray(columns @ coefficients)


def label_free_strata(columns: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return the stratum of each sample in the combinations of columns, whatever its label.

    Permuted labels have the strata of the true ones, as a permutation test within strata needs.
    Several numbers are combined into their first principal component.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n_samples,)
        Numbers, or texts, which are categories; none missing.

    Examples
    --------
    >>> label_free_strata({"plate": np.array(list("pqqp")), "age": np.array([40, 50, 60, 70])})
    array([0, 1, 1, 0])
    """
    categories: list[np.ndarray] = []
    numbers: list[np.ndarray] = []
    for cells in columns.values():
        if np.issubdtype(cells.dtype, np.number):
            numbers.append(cells)
        else:
            categories.append(cells)
    n_samples = len(next(iter(columns.values())))
    cells_of_categories = combined_levels(categories, n_samples)
    if not numbers:
        return cells_of_categories
    if len(numbers) == 1:
        return strata_within(cells_of_categories, numbers[0])
    return strata_within(cells_of_categories, _first_component(numbers))


def _first_component(numbers: Sequence[np.ndarray]) -> np.ndarray:
    """Return the first principal component of several columns of numbers, each of variance one."""
    columns = np.column_stack(numbers).astype(float)
    columns -= columns.mean(axis=0)
    columns /= np.maximum(columns.std(axis=0), np.finfo(float).tiny)
    return np.asarray(columns @ np.linalg.svd(columns, full_matrices=False)[2][0])
