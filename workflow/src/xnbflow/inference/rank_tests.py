"""Tests on the average ranks of classifiers over data sets, after Demšar (2006), section 3.2.

Friedman's statistic is computed here, because SciPy takes neither two classifiers nor ranks that
are all tied.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import scipy  # scipy.stats, half a second, is imported where it is used
from scipy.special import factorial, ndtr

from xnbflow.core.errors import InputError
from xnbflow.core.rounding import ROUNDING
from xnbflow.diagnostics.false_discovery import holm

__all__ = [
    "OmnibusTest",
    "RankDiagram",
    "average_ranks",
    "critical_difference",
    "critical_difference_diagram",
    "friedman_test",
    "iman_davenport_test",
    "pairwise_rank_tests",
]


class OmnibusTest(NamedTuple):
    """Test of whether any of several classifiers differs from the others.

    Attributes
    ----------
    statistic, p_value : float
    degrees_of_freedom : tuple of int
        One number for chi-square, two for F.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [1, 1, 1, 2], "fnb": [2, 2, 2, 1], "xnb": [3, 3, 3, 3]})
    >>> friedman_test(scores).degrees_of_freedom, iman_davenport_test(scores).degrees_of_freedom
    ((2,), (2, 6))
    """

    statistic: float
    p_value: float
    degrees_of_freedom: tuple[int, ...]


def average_ranks(scores: pd.DataFrame) -> pd.Series:
    """Rank the classifiers on each data set and average the ranks over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        Higher is better (negate a loss). A missing one, or a single classifier: `InputError`.

    Returns
    -------
    Series
        Average rank by classifier, best first; 1 is the best rank, ties share their mean rank.

    Examples
    --------
    >>> average_ranks(pd.DataFrame({"nb": [0.8, 0.7], "xnb": [0.9, 0.7]})).to_dict()
    {'xnb': 1.25, 'nb': 1.75}
    """
    ranks = pd.Series(_ranks(scores).mean(axis=0), index=scores.columns, name="average_rank")
    return ranks.sort_values(kind="stable")


def friedman_test(scores: pd.DataFrame) -> OmnibusTest:
    """Test whether all classifiers have the same average rank; ties are allowed for.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        Higher is better. A missing one, a single classifier or data set: `InputError`.

    Returns
    -------
    OmnibusTest
        Statistic 0 and p-value 1 if the classifiers are tied on every data set.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7 (2006), 1-30, section 3.2.2, without the correction for ties; W. J.
    Conover, *Practical Nonparametric Statistics*, 3rd edition (1999), section 5.8, with it.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [1, 1, 1, 2], "fnb": [2, 2, 2, 1], "xnb": [3, 3, 3, 3]})
    >>> friedman_test(scores).statistic
    6.5
    """
    ranks = _ranks(scores)
    n, k = ranks.shape
    if n < 2:
        msg = f"a test over data sets needs at least two of them, got {n}"
        raise InputError(msg)
    centre = (k + 1) / 2
    between = n * np.sum((ranks.mean(axis=0) - centre) ** 2)
    total = np.sum((ranks - centre) ** 2)
    statistic = float(n * (k - 1) * between / total) if between > 0 else 0.0
    return OmnibusTest(statistic, float(scipy.stats.chi2.sf(statistic, k - 1)), (k - 1,))


def iman_davenport_test(scores: pd.DataFrame) -> OmnibusTest:
    """Test whether all classifiers have the same average rank, less conservatively.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        Higher is better. The same input is refused as by `friedman_test`.

    Returns
    -------
    OmnibusTest
        The statistic is infinite if all data sets rank the classifiers alike; the p-value is then
        exact: ``(prod(t!) / k!) ** (n - 1)``, where ``t`` classifiers share a rank (without ties:
        Conover, section 5.8).

    References
    ----------
    R. L. Iman and J. M. Davenport, "Approximations of the critical region of the Friedman
    statistic", Communications in Statistics A9 (1980), 571-595; Demšar (2006), section 3.2.2.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [1, 1, 1, 2], "fnb": [2, 2, 2, 1], "xnb": [3, 3, 3, 3]})
    >>> round(iman_davenport_test(scores).statistic, 2)
    13.0
    """
    n, k = scores.shape
    friedman = friedman_test(scores).statistic
    degrees = (k - 1, (k - 1) * (n - 1))
    left = n * (k - 1) - friedman
    if left <= ROUNDING * n * k:
        tied = np.unique(_ranks(scores)[0], return_counts=True)[1]
        arrangements = float(factorial(k) / np.prod(factorial(tied)))
        return OmnibusTest(np.inf, arrangements ** (1.0 - n), degrees)
    statistic = (n - 1) * friedman / left
    return OmnibusTest(statistic, float(scipy.stats.f.sf(statistic, *degrees)), degrees)


def pairwise_rank_tests(average_ranks: Mapping[str, float], n_datasets: int) -> pd.DataFrame:
    """Compare every pair of classifiers by their average ranks.

    Parameters
    ----------
    average_ranks : mapping of str to float, or Series
    n_datasets : int
        Number of data sets behind the averages. None, or no average ranks: `InputError`.

    Returns
    -------
    DataFrame
        One row per pair, smallest p-value first, with columns ``first`` and ``second`` (the
        classifier with the better and with the worse rank), ``z`` (not negative), ``p``
        (two-sided, unadjusted) and its adjustments for the number of pairs: ``nemenyi`` (p times
        that number, at most 1) and ``holm``.

    Examples
    --------
    >>> tests = pairwise_rank_tests({"nb": 2.9, "fnb": 1.9, "xnb": 1.2}, n_datasets=10)
    >>> tests[["first", "second", "holm"]].round(4)
      first second    holm
    0   xnb     nb  0.0004
    1   fnb     nb  0.0507
    2   xnb    fnb  0.1175
    """
    ranks = pd.Series(dict(average_ranks), dtype=np.float64).sort_values(kind="stable")
    k = len(ranks)
    if k < 2 or n_datasets < 1:
        msg = f"ranks of two classifiers on one data set are needed; got {k} on {n_datasets}"
        raise InputError(msg)
    if not abs(ranks.sum() - k * (k + 1) / 2) < 0.01 * k:
        msg = (
            f"average ranks of {k} classifiers add up to {k * (k + 1) / 2:g}, these to "
            f"{ranks.sum():g}: {ranks.to_dict()}"
        )
        raise InputError(msg)
    first, second = np.array(list(itertools.combinations(range(k), 2))).T
    names = ranks.index.to_numpy()
    values = ranks.to_numpy()
    z = (values[second] - values[first]) / _standard_error(k, n_datasets)
    table = pd.DataFrame(
        {"first": names[first], "second": names[second], "z": z, "p": 2 * ndtr(-z)}
    )
    table["nemenyi"] = np.minimum(1.0, len(table) * table["p"])
    table["holm"] = holm(table["p"].to_numpy())
    return table.sort_values("p", kind="stable", ignore_index=True)


def _standard_error(n_classifiers: int, n_datasets: int) -> float:
    """Return the standard error of a difference of two average ranks, without ties."""
    return float(np.sqrt(n_classifiers * (n_classifiers + 1) / (6 * n_datasets)))


def _ranks(scores: pd.DataFrame) -> np.ndarray:
    """Return ranks within each row, (n_datasets, n_classifiers); the highest score has rank 1."""
    values = scores.to_numpy(dtype=np.float64)
    if values.shape[1] < 2 or not len(values):
        msg = f"ranks need two classifiers and a data set; the scores have shape {values.shape}"
        raise InputError(msg)
    if np.isnan(values).any():
        row, column = np.argwhere(np.isnan(values))[0]
        msg = (
            f"{scores.columns[column]} has no score on {scores.index[row]}; "
            "leave out the classifier or the data set"
        )
        raise InputError(msg)
    return scipy.stats.rankdata(-values, axis=1)


class RankDiagram(NamedTuple):
    """The contents of a critical-difference diagram.

    Attributes
    ----------
    ranks : Series
        Average rank by classifier, best first.
    critical_difference : float
        Length of the yardstick in ranks.
    cliques : tuple of tuple of str
        The bars: classifiers next to each other in rank, no two of them significantly different.
        Only those of two and more classifiers that are not part of a longer bar.

    Examples
    --------
    >>> diagram = critical_difference_diagram({"nb": 2.9, "fnb": 1.9, "xnb": 1.2}, n_datasets=10)
    >>> diagram.ranks.to_dict(), round(diagram.critical_difference, 2)
    ({'xnb': 1.2, 'fnb': 1.9, 'nb': 2.9}, 1.05)
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
        root of 2. The ``nemenyi`` column of `pairwise_rank_tests` is the Bonferroni form of
        García and Herrera (Journal of Machine Learning Research 9, 2008, 2677-2694), and finds
        slightly less.

    References
    ----------
    Demšar (2006), section 3.2.2 and Table 5.

    Examples
    --------
    >>> round(critical_difference(4, 14), 2)
    1.25
    """
    q = scipy.stats.studentized_range.ppf(1 - alpha, n_classifiers, np.inf) / np.sqrt(2)
    return float(q * _standard_error(n_classifiers, n_datasets))


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

    Returns
    -------
    RankDiagram

    Examples
    --------
    >>> ranks = {"nb": 2.9, "fnb": 1.9, "xnb": 1.2}
    >>> diagram = critical_difference_diagram(ranks, n_datasets=10)
    >>> round(diagram.critical_difference, 2), diagram.cliques
    (1.05, (('xnb', 'fnb'), ('fnb', 'nb')))
    """
    ranks = pd.Series(dict(average_ranks), dtype=np.float64).sort_values(kind="stable")
    difference = critical_difference(len(ranks), n_datasets, alpha)
    names = list(ranks.index)
    values = ranks.to_numpy()
    bars = []
    reached = 0
    for start in range(len(names)):
        end = int(np.sum(values - values[start] < difference))  # values ascend
        if end - start > 1 and end > reached:
            bars.append(tuple(names[start:end]))
            reached = end
    return RankDiagram(ranks, difference, tuple(bars))
