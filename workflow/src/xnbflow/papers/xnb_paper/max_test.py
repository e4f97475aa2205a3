"""Several alternatives against one baseline over data sets: one test for all of them.

If an alternative is as good as the baseline, the sign of its difference on a data set is random.
The signs of all alternatives on a data set are exchanged together, because they share its samples:
the distribution of the greatest statistic over alternatives takes their dependence into account,
where Bonferroni's and Holm's corrections assume the worst. An alternative that repeats another one
costs nothing.

References
----------
.. [1] Westfall, Young, "Resampling-based multiple testing", 1993, section 2.
.. [2] Nichols, Holmes, "Nonparametric permutation tests for functional neuroimaging: a primer with
   examples", Human Brain Mapping 15, 2002.
"""

import itertools

import numpy as np

#: Number of data sets up to which all exchanges of signs are counted, 2**14 = 16,384.
_MOST_EXACT = 14
#: Random exchanges of signs with more data sets.
_DRAWS = 20_000

#: Statistics this close are equal: sums of the same differences in another order.
_ROUNDING = 1e-9


def sign_flip_max_test(differences: np.ndarray, seed: int = 0) -> np.ndarray:
    """Return the adjusted two-sided p value of each alternative, shape (n_alternatives,).

    Parameters
    ----------
    differences : ndarray of shape (n_alternatives, n_datasets)
        Score of the alternative minus that of the baseline on each data set.
    seed : int, default=0
        Of the random exchanges, with more than `_MOST_EXACT` data sets.

    Returns
    -------
    ndarray
        Share of the exchanges of signs in which the greatest absolute t statistic over all
        alternatives is at least that of the alternative. The smallest possible value is ``2/2**n``
        with ``n`` data sets. An alternative without a difference has p = 1.

    Examples
    --------
    >>> better = [0.02, 0.01, 0.03, 0.02, 0.04, 0.01]
    >>> mixed = [0.02, -0.01, 0.0, 0.01, -0.03, 0.0]
    >>> sign_flip_max_test(np.array([better, mixed])).round(3).tolist()
    [0.031, 1.0]
    """
    n_datasets = differences.shape[1]
    if n_datasets <= _MOST_EXACT:
        signs = np.array(list(itertools.product([1.0, -1.0], repeat=n_datasets)))
    else:
        drawn = np.random.default_rng(seed).choice([1.0, -1.0], size=(_DRAWS, n_datasets))
        signs = np.vstack([np.ones(n_datasets), drawn])
    observed = _t_statistics(differences)
    greatest = np.zeros(len(signs))
    for alternative in differences:
        greatest = np.maximum(greatest, np.abs(_t_statistics(signs * alternative)))
    reached = greatest >= np.abs(observed)[:, np.newaxis] * (1.0 - _ROUNDING)
    return np.asarray(reached.mean(axis=1))


def _t_statistics(differences: np.ndarray) -> np.ndarray:
    """Return the mean over its standard error of each row; 0 where all differences are 0.

    Equal differences have a standard error of 0 and an infinite statistic.
    """
    n = differences.shape[1]
    means = differences.mean(axis=1)
    errors = differences.std(axis=1, ddof=1) / np.sqrt(n) if n > 1 else np.zeros(len(means))
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = means / errors
    rounded = np.abs(differences - means[:, np.newaxis]).max(axis=1) <= 1e-15
    statistics = np.where(rounded, np.copysign(np.inf, means), statistics)
    return np.where(np.abs(differences).max(axis=1) == 0.0, 0.0, statistics)
