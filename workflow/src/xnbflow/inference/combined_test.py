"""Several statistics of the same permutations, combined by their least weighted p.

*Idea.* Classes can differ in a few features, in many, or in their spread, and one statistic has
power for one of these. If every statistic is computed for the same orders of the labels, the rank
of an order in each of them is known, and the best weighted rank is itself a statistic, whose rank
among all orders is the p of the combination. No assumption on the dependence of the statistics is
made.

*Steps*, for statistics T_i with weights w_i and B orders of the labels, the true one included:

1. the p of order b by statistic i alone: ``p_i(b) = #{b' : T_i(b') >= T_i(b)} / B``;
2. the combined statistic: ``M(b) = min over i of p_i(b) / w_i``;
3. the p of the true order 0: ``#{b : M(b) <= M(0)} / B``.

*Exactness.* ``M(b)`` is a function of the set of all orders' statistics and of those of b, and does
not depend on which order is the true one. If the orders are equally probable under the null
hypothesis, the rank of the true one is uniform or, with ties, larger:
``P(p <= a) <= a`` for any weights.

P. H. Westfall and S. S. Young, *Resampling-Based Multiple Testing*, Wiley, 1993, section 2.3
(min-P); B. Phipson and G. K. Smyth, "Permutation p-values should never be zero", Statistical
Applications in Genetics and Molecular Biology 9 (2010), article 39: the true order is counted.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv

#: Scores that differ by at most this much are equal: sums in single precision differ by rounding.
SCORE_ROUNDING = 1e-6
#: Probability on each side of a 95% interval.
_TAIL = 0.025


@dataclass(frozen=True, kw_only=True)
class CombinedTest:
    """The combined test of the first of several orders of the labels.

    Attributes
    ----------
    statistic : str
        The statistic with the least weighted p, the first of equal ones.
    at_least : int
        Orders whose combined statistic is as good as that of the true one, which is one of them.
    n_orders : int
        All orders, the true one included.
    p_values : dict of str to float
        The p of each statistic alone.
    """

    statistic: str
    at_least: int
    n_orders: int
    p_values: dict[str, float]

    @property
    def p_value(self) -> float:
        """The p of the combination: ``at_least / n_orders``."""
        return self.at_least / self.n_orders


def combined_test(scores: Mapping[str, np.ndarray], shares: Mapping[str, int]) -> CombinedTest:
    """Test the first of several orders of the labels by several statistics.

    Parameters
    ----------
    scores : mapping of str to ndarray of shape (n_orders,)
        The scores of each statistic, larger for a better prediction of the labels. The first are
        those of the true labels.
    shares : mapping of str to int
        The weights of the statistics, as whole numbers in any unit.

    Examples
    --------
    >>> scores = {"means": np.array([0.9, 0.5, 0.4, 0.3]), "spread": np.array([0.1, 0.2, 0.3, 0.4])}
    >>> test = combined_test(scores, {"means": 3, "spread": 1})
    >>> test.statistic, test.at_least, test.p_value, test.p_values
    ('means', 1, 0.25, {'means': 0.25, 'spread': 1.0})
    """
    counts = {name: _counts_at_least(values) for name, values in scores.items()}
    weighted = _weighted_counts(counts, shares)
    least = np.min(list(weighted.values()), axis=0)
    n_orders = len(least)
    return CombinedTest(
        statistic=min(weighted, key=lambda name: int(weighted[name][0])),
        at_least=int(np.sum(least <= least[0])),
        n_orders=n_orders,
        p_values={name: float(count[0] / n_orders) for name, count in counts.items()},
    )


def _weighted_counts(
    counts: Mapping[str, np.ndarray], shares: Mapping[str, int]
) -> dict[str, np.ndarray]:
    """Return counts over shares in a common unit of whole numbers, so that equal ones are equal."""
    unit = math.lcm(*(shares[name] for name in counts))
    return {name: count * (unit // shares[name]) for name, count in counts.items()}


def _counts_at_least(scores: np.ndarray, rounding: float = SCORE_ROUNDING) -> np.ndarray:
    """Return, for each score, how many of all scores are at least as large, itself included.

    Of sorted scores neighbours that differ by at most ``rounding`` are equal, and equal scores have
    the count of the least of them. Scores that are equal but for rounding cannot be on two sides of
    a limit, whatever their order.

    Examples
    --------
    >>> _counts_at_least(np.array([0.5, 0.7, 0.5 + 1e-9, 0.1])).tolist()
    [3, 1, 3, 4]
    """
    ascending = np.argsort(scores, kind="stable")
    is_larger = np.diff(scores[ascending]) > rounding
    # the position of the first score that is equal to a score
    starts = np.concatenate([[0], np.where(is_larger, np.arange(1, len(scores)), 0)])
    counts = np.empty(len(scores), dtype=np.int64)
    counts[ascending] = len(scores) - np.maximum.accumulate(starts)
    return counts


def limits_of_p(
    scores: Mapping[str, np.ndarray],
    shares: Mapping[str, int],
    margins: Mapping[str, float],
    *,
    is_complete: bool = False,
) -> tuple[float, float]:
    """Return the least and greatest p that other permutations and draws of folds may give.

    They are the limits of the 95% interval (Clopper and Pearson) of the share of permutations that
    are as good as the true order, with the scores of the true order higher and lower by their
    ``margins``. Where the orders are all there are (``is_complete``), only the margins count.

    C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the
    case of the binomial", Biometrika 26 (1934), 404-413.

    Examples
    --------
    >>> scores = {"means": np.array([0.5] + [0.1] * 90 + [0.9] * 10)}
    >>> lower, upper = limits_of_p(scores, {"means": 1}, {"means": 0.0})
    >>> round(lower, 3), round(upper, 3)
    (0.049, 0.176)
    """
    fewest = combined_test(_shifted(scores, margins, 1.0), shares).at_least
    most = combined_test(_shifted(scores, margins, -1.0), shares).at_least
    n_orders = len(next(iter(scores.values())))
    if is_complete:
        return fewest / n_orders, most / n_orders
    # Quantiles of beta distributions of the permutations alone, without the true order;
    # scipy.stats.binomtest has the same, and imports in .8 s.
    n = n_orders - 1
    lower = betaincinv(fewest - 1, n - fewest + 2, _TAIL) if fewest > 1 else 0.0
    upper = betaincinv(most, n - most + 1, 1 - _TAIL) if most <= n else 1.0
    return float(lower), float(upper)


def _shifted(
    scores: Mapping[str, np.ndarray], margins: Mapping[str, float], sign: float
) -> dict[str, np.ndarray]:
    """Return the scores with those of the true order moved by their margins."""
    shifted = {}
    for name, values in scores.items():
        shifted[name] = values.copy()
        shifted[name][0] += sign * margins[name]
    return shifted
