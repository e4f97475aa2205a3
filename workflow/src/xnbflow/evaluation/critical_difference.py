"""Critical-difference diagrams: which classifiers a bar joins, after Demšar (2006), Figure 1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.stats import studentized_range

from xnbflow.evaluation.rank_tests import rank_standard_error

__all__ = [
    "RankDiagram",
    "critical_difference",
    "critical_difference_diagram",
]


@dataclass(frozen=True)
class RankDiagram:
    """What a critical-difference diagram shows.

    Attributes
    ----------
    ranks : Series
        Average rank by classifier, best first.
    critical_difference : float
        Length of the yardstick in ranks.
    cliques : tuple of tuple of str
        The bars: classifiers next to each other in rank, no two of them significantly different.
        Only those of two and more classifiers that are not part of a longer bar.
    """

    ranks: pd.Series
    critical_difference: float
    cliques: tuple[tuple[str, ...], ...]


def critical_difference(n_classifiers: int, n_datasets: int, alpha: float = 0.05) -> float:
    """Return the difference of average ranks that Nemenyi's test finds significant.

    Parameters
    ----------
    n_classifiers, n_datasets : int
        Number of classifiers, at least 2, and of data sets.
    alpha : float
        Probability of finding any difference where there is none.

    Returns
    -------
    float
        ``q sqrt(k (k + 1) / (6 N))``, `q` the quantile of the studentized range over the square
        root of 2. This is Nemenyi's test as Demšar gives it; the ``nemenyi`` column of
        `pairwise_rank_tests` is its Bonferroni form, as García and Herrera give it, and
        finds slightly less.

    References
    ----------
    Demšar (2006), section 3.2.2 and Table 5.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = studentized_range.ppf(1 - alpha, n_classifiers, np.inf) / np.sqrt(2)
    return float(q * rank_standard_error(n_classifiers, n_datasets))


def critical_difference_diagram(
    average_ranks: Mapping[str, float], n_datasets: int, alpha: float = 0.05
) -> RankDiagram:
    """Join classifiers whose average ranks differ by less than Nemenyi's critical difference.

    Parameters
    ----------
    average_ranks : mapping of str to float, or Series
        Average rank of each classifier.
    n_datasets : int
        Number of data sets behind the averages.
    alpha : float
        Significance level.

    Examples
    --------
    >>> ranks = {"nb": 2.9, "fnb": 1.9, "xnb": 1.2}
    >>> diagram = critical_difference_diagram(ranks, n_datasets=10)
    >>> round(diagram.critical_difference, 2), diagram.cliques
    (1.05, (('xnb', 'fnb'), ('fnb', 'nb')))
    """
    ranks = _best_first(average_ranks)
    difference = critical_difference(len(ranks), n_datasets, alpha)
    values = ranks.to_numpy()
    bars = _bars(ranks, lambda i, j: values[j] - values[i] < difference)
    return RankDiagram(ranks, difference, bars)


def _best_first(average_ranks: Mapping[str, float]) -> pd.Series:
    ranks = pd.Series(dict(average_ranks), dtype=np.float64, name="average_rank")
    return ranks.sort_values(kind="stable")


def _bars(ranks: pd.Series, equal: Callable[[int, int], bool]) -> tuple[tuple[str, ...], ...]:
    """Return the longest runs of classifiers, best rank first, all pairs of which are equal."""
    names, bars, reached = list(ranks.index), [], 0
    for start in range(len(names)):
        end = start + 1
        while end < len(names) and all(equal(i, end) for i in range(start, end)):
            end += 1
        if end - start > 1 and end > reached:
            bars.append(tuple(names[start:end]))
            reached = end
    return tuple(bars)
