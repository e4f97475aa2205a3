"""Tests of one classifier against another: over data sets, and over the folds of one data set.

Wilcoxon's distribution is computed here because SciPy's is exact only without ties, or with ties
up to 13 pairs; equal accuracies, hence ties and zeros, are the rule between classifiers.
"""

from typing import Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from xnbflow.core.errors import InputError, require_choice

__all__ = [
    "CorrectedTTest",
    "SignedRankTest",
    "corrected_resampled_t_test",
    "sorted_runs_test",
    "wilcoxon_signed_rank_test",
]

Alternative = Literal["two-sided", "less", "greater"]

#: Differences of scores are compared at this many decimals, so that differences by rounding errors
#: are ties.
_DECIMALS = 12


class SignedRankTest(NamedTuple):
    """Outcome of Wilcoxon's signed-rank test.

    Attributes
    ----------
    statistic : float
        Sum of the ranks of the positive differences.
    p_value : float
        Exact.
    n_pairs : int
        Number of differences that are not zero.

    Examples
    --------
    >>> test = wilcoxon_signed_rank_test([0.9, 0.8, 0.7, 0.9], [0.8, 0.8, 0.4, 0.5])
    >>> test.n_pairs, test.p_value
    (3, 0.25)
    """

    statistic: float
    p_value: float
    n_pairs: int


class CorrectedTTest(NamedTuple):
    """Outcome of the corrected resampled t-test.

    Attributes
    ----------
    statistic : float
        t, with one degree of freedom less than there are differences.
    p_value : float
        Two-sided.
    mean, lower, upper : float
        Mean difference, first minus second, with its confidence limits.

    Examples
    --------
    >>> test = corrected_resampled_t_test([0.9, 0.8, 0.9], [0.8, 0.8, 0.7], 1 / 2)
    >>> round(test.mean, 2), round(test.lower, 2), round(test.upper, 2)
    (0.1, -0.29, 0.49)
    """

    statistic: float
    p_value: float
    mean: float
    lower: float
    upper: float


def wilcoxon_signed_rank_test(
    first: np.ndarray, second: np.ndarray, alternative: Alternative = "two-sided"
) -> SignedRankTest:
    """Compare paired scores by Wilcoxon's signed-rank test; exact, also with ties.

    Parameters
    ----------
    first, second : array-like of shape (n_pairs,)
        Scores of two classifiers on the same data sets or folds. No such pairs: `InputError`.
    alternative : {"two-sided", "less", "greater"}
        Whether first is different from, less than or greater than second.

    Returns
    -------
    SignedRankTest
        The p-value is 1 if no pair differs. It comes from all `2**n` equally likely choices of
        signs; differences of zero are left out, equal ones share their mean rank.

    References
    ----------
    F. Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1 (1945), 80-83;
    Demšar (2006), section 3.1.3.

    Examples
    --------
    >>> wilcoxon_signed_rank_test([0.9, 0.8, 0.7, 0.9], [0.8, 0.6, 0.4, 0.5], "greater")
    SignedRankTest(statistic=10.0, p_value=0.0625, n_pairs=4)
    """
    return _signed_rank_test(_differences(first, second), alternative)


def sorted_runs_test(
    first: np.ndarray, second: np.ndarray, alternative: Alternative = "two-sided"
) -> SignedRankTest:
    """Compare two classifiers on one data set by repeated cross-validation.

    Within each run the differences are sorted, and the i-th smallest are averaged over runs;
    `wilcoxon_signed_rank_test` is applied to these averages, as many as there are folds.

    Parameters
    ----------
    first, second : array-like of shape (n_runs, n_folds)
        Scores of two classifiers on the same folds. Other shapes, no numbers: `InputError`.
    alternative : {"two-sided", "less", "greater"}
        As for `wilcoxon_signed_rank_test`.

    Returns
    -------
    SignedRankTest

    References
    ----------
    R. R. Bouckaert, "Estimating replicability of classifier learning experiments", ICML 2004
    (with a t-test); P. L. López-Cruz, C. Bielza and P. Larrañaga, "Directional naive Bayes
    classifiers", Pattern Analysis and Applications (2015), Table 5 (with Wilcoxon's, on
    differences).

    Examples
    --------
    >>> first = [[0.8, 0.9, 0.7], [0.9, 0.8, 0.8]]
    >>> second = [[0.7, 0.9, 0.6], [0.8, 0.7, 0.8]]
    >>> sorted_runs_test(first, second, "greater")
    SignedRankTest(statistic=3.0, p_value=0.25, n_pairs=2)
    """
    if np.ndim(first) != 2:
        msg = f"sorted runs need scores of shape (runs, folds), got {np.shape(first)}"
        raise InputError(msg)
    averaged = np.sort(_differences(first, second), axis=1).mean(axis=0)
    return _signed_rank_test(averaged, alternative)


def corrected_resampled_t_test(
    first: np.ndarray, second: np.ndarray, test_train_ratio: float, confidence: float = 0.95
) -> CorrectedTTest:
    """Compare two classifiers on one data set, allowing for training sets that overlap.

    Parameters
    ----------
    first, second : array-like
        Scores of two classifiers on the same folds of all runs. Fewer than 2: `InputError`.
    test_train_ratio : float
        Test samples of a fold per training sample: 1/9 for ten-fold cross-validation.
    confidence : float
        Coverage of the confidence limits.

    Returns
    -------
    CorrectedTTest
        If all differences are equal, t is 0 if they are zero; else it is infinite, and p is that of
        the sign test over the folds of one run, the smallest that there can be. The limits are
        missing then: without variance the uncertainty of the mean cannot be estimated.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003),
    239-281; R. R. Bouckaert and E. Frank, "Evaluating the replicability of significance
    tests for comparing learning algorithms", PAKDD 2004.

    Examples
    --------
    >>> test = corrected_resampled_t_test([0.9, 0.8, 0.9], [0.8, 0.8, 0.7], 1 / 2)
    >>> round(test.statistic, 4), round(test.p_value, 4)
    (1.0954, 0.3876)
    """
    differences = _differences(first, second).ravel()
    n = len(differences)
    if n < 2:
        msg = f"a t-test needs two folds or more, got {n}"
        raise InputError(msg)
    mean = float(differences.mean())
    error = np.sqrt((1 / n + test_train_ratio) * differences.var(ddof=1))
    if np.round(np.ptp(differences), _DECIMALS) == 0:
        error = 0.0
    statistic = mean / error if error > 0 else np.copysign(np.inf, mean) if mean else 0.0
    margin = stdtrit(n - 1, (1 + confidence) / 2) * (error if error > 0 else np.nan)
    p_value = 2 * stdtr(n - 1, -abs(statistic))
    if np.isinf(statistic):  # only the common sign of the differences is known
        p_value = 2.0 ** (1 - np.shape(first)[-1])
    return CorrectedTTest(*map(float, (statistic, p_value, mean, mean - margin, mean + margin)))


def _differences(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the differences of paired scores, all of which are finite."""
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if first.shape != second.shape or not first.size:
        msg = f"paired scores must have the same shape, got {first.shape} and {second.shape}"
        raise InputError(msg)
    differences = first - second
    if not np.isfinite(differences).all():
        n = np.count_nonzero(~np.isfinite(differences))
        msg = f"{n} of {differences.size} pairs of scores are missing or infinite; leave them out"
        raise InputError(msg)
    return differences


def _signed_rank_test(differences: np.ndarray, alternative: Alternative) -> SignedRankTest:
    """Return Wilcoxon's exact signed-rank test of differences."""
    require_choice("alternative", alternative, get_args(Alternative))
    differences = np.round(differences, _DECIMALS)
    differences = differences[differences != 0]
    # mean ranks are multiples of one half: their doubles are whole numbers
    doubled = np.rint(2 * pd.Series(np.abs(differences)).rank().to_numpy()).astype(np.int64)
    observed = doubled[differences > 0].sum()
    probability = np.zeros(doubled.sum() + 1)  # of each sum of ranks, half of which count
    probability[0] = 1.0
    for rank in doubled:
        counted = np.zeros_like(probability)
        counted[rank:] = probability[: len(probability) - rank]
        probability = (probability + counted) / 2
    at_most = probability[: observed + 1].sum()
    at_least = probability[observed:].sum()
    both = 2 * min(at_most, at_least)
    p_value = {"less": at_most, "greater": at_least, "two-sided": both}[alternative]
    return SignedRankTest(float(observed / 2), float(min(p_value, 1.0)), len(differences))
