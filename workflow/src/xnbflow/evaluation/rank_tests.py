"""Tests on the average ranks of classifiers over data sets, after Demšar (2006), section 3.2.

Friedman's statistic is computed here and not by SciPy, because published values (Demšar's, KEEL's)
ignore ties where SciPy corrects for them, and because two classifiers or ranks that are all tied
need a defined result.
"""

import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import factorial
from scipy.stats import chi2, f, norm, rankdata

from xnbflow.data.errors import InputError
from xnbflow.evaluation.multiple_testing import adjust_pairwise

__all__ = [
    "OmnibusTest",
    "average_ranks",
    "friedman_test",
    "iman_davenport_test",
    "pairwise_rank_tests",
    "rank_standard_error",
]


class OmnibusTest(NamedTuple):
    """Whether any of several classifiers differs from the others.

    Attributes
    ----------
    statistic : float
        The test statistic.
    p_value : float
        Its p-value.
    degrees_of_freedom : tuple of int
        One number for chi-square, two for F.
    """

    statistic: float
    p_value: float
    degrees_of_freedom: tuple[int, ...]


def average_ranks(scores: pd.DataFrame) -> pd.Series:
    """Rank the classifiers on each data set and average the ranks over data sets.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        One row per data set, one column per classifier; higher is better (negate a loss).

    Returns
    -------
    Series
        Average rank by classifier, best first; 1 is the best rank, ties share their mean rank.

    Raises
    ------
    InputError
        If a score is missing or there are fewer than two classifiers.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [0.8, 0.7], "xnb": [0.9, 0.7]}, index=["wine", "digits"])
    >>> average_ranks(scores).to_dict()
    {'xnb': 1.25, 'nb': 1.75}
    """
    ranks = pd.Series(_ranks(scores).mean(axis=0), index=scores.columns, name="average_rank")
    return ranks.sort_values(kind="stable")


def friedman_test(scores: pd.DataFrame, *, tie_correction: bool = True) -> OmnibusTest:
    """Test whether all classifiers have the same average rank.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        One row per data set, one column per classifier; higher is better.
    tie_correction : bool
        Whether to allow for ties, as SciPy and R do. Demšar (2006) and KEEL do not, which makes
        the test conservative.

    Returns
    -------
    OmnibusTest
        Statistic 0 and p-value 1 if the classifiers are tied on every data set.

    Raises
    ------
    InputError
        If a score is missing, or there are fewer than two classifiers or two data sets.

    References
    ----------
    J. Demšar, "Statistical comparisons of classifiers over multiple data sets", Journal of
    Machine Learning Research 7 (2006), 1-30, section 3.2.2. With ties: W. J. Conover, *Practical
    Nonparametric Statistics*, 3rd edition (1999), section 5.8.

    Examples
    --------
    >>> scores = pd.DataFrame({"nb": [1, 1, 1, 2], "fnb": [2, 2, 2, 1], "xnb": [3, 3, 3, 3]})
    >>> friedman_test(scores).statistic
    6.5
    """
    ranks = _ranks(scores)
    n, k = ranks.shape
    _need_two_data_sets(n)
    centre = (k + 1) / 2
    between = n * np.sum((ranks.mean(axis=0) - centre) ** 2)
    untied = n * k * (k + 1) * (k - 1) / 12
    total = np.sum((ranks - centre) ** 2) if tie_correction else untied
    statistic = float(n * (k - 1) * between / total) if between > 0 else 0.0
    return OmnibusTest(statistic, float(chi2.sf(statistic, k - 1)), (k - 1,))


def iman_davenport_test(scores: pd.DataFrame, *, tie_correction: bool = True) -> OmnibusTest:
    """Test whether all classifiers have the same average rank, less conservatively.

    Parameters
    ----------
    scores : DataFrame of shape (n_datasets, n_classifiers)
        As for `friedman_test`.
    tie_correction : bool
        As for `friedman_test`.

    Returns
    -------
    OmnibusTest
        The statistic is infinite if all data sets rank the classifiers alike; the p-value is then
        exact: ``(1 / k!) ** (n - 1)`` (Conover, section 5.8), and where ``t`` classifiers share a
        rank ``(prod(t!) / k!) ** (n - 1)``, as ties leave fewer distinct arrangements of ranks.

    Raises
    ------
    InputError
        As for `friedman_test`.

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
    friedman = friedman_test(scores, tie_correction=tie_correction).statistic
    degrees = (k - 1, (k - 1) * (n - 1))
    left = n * (k - 1) - friedman
    if left <= 1e-9 * n * k:
        return OmnibusTest(np.inf, _arrangements(scores) ** (1.0 - n), degrees)
    statistic = (n - 1) * friedman / left
    return OmnibusTest(statistic, float(f.sf(statistic, *degrees)), degrees)


def _arrangements(scores: pd.DataFrame) -> float:
    """Return in how many distinct ways the first row's ranks can be given to the classifiers."""
    ranks = _ranks(scores)[0]
    tied = np.unique(ranks, return_counts=True)[1]
    return float(factorial(len(ranks)) / np.prod(factorial(tied)))


def pairwise_rank_tests(average_ranks: Mapping[str, float], n_datasets: int) -> pd.DataFrame:
    """Compare every pair of classifiers by their average ranks.

    Parameters
    ----------
    average_ranks : mapping of str to float, or Series
        Average rank of each classifier.
    n_datasets : int
        Number of data sets behind the averages.

    Returns
    -------
    DataFrame
        One row per pair, smallest p-value first, with columns ``first`` and ``second`` (the
        classifier with the better and with the worse rank), ``z`` (not negative), ``p``
        (two-sided, unadjusted) and the adjusted p-values ``nemenyi``, ``holm``, ``shaffer`` and
        ``bergmann_hommel`` (see `adjust_pairwise`).

    Raises
    ------
    InputError
        If there are fewer than two classifiers, no data set, or numbers that cannot be average
        ranks: those add up to ``k (k + 1) / 2``.

    Warns
    -----
    UserWarning
        If there are too many classifiers for Bergmann and Hommel's procedure.

    References
    ----------
    Demšar (2006), section 3.2.2; García and Herrera (2008).

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
    _check_ranks(ranks, n_datasets)
    first, second = np.array(list(itertools.combinations(range(len(ranks)), 2))).T
    values = ranks.to_numpy()
    z = (values[second] - values[first]) / rank_standard_error(len(ranks), n_datasets)
    names = ranks.index.to_numpy()
    table = pd.DataFrame(
        {"first": names[first], "second": names[second], "z": z, "p": 2 * norm.sf(z)}
    )
    table = table.join(adjust_pairwise(table["p"], len(ranks)))
    return table.sort_values("p", kind="stable", ignore_index=True)


def rank_standard_error(n_classifiers: int, n_datasets: int) -> float:
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
    return rankdata(-values, axis=1)


def _need_two_data_sets(n_datasets: int) -> None:
    if n_datasets < 2:
        msg = f"a test over data sets needs at least two of them, got {n_datasets}"
        raise InputError(msg)


def _check_ranks(ranks: pd.Series, n_datasets: int) -> None:
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
