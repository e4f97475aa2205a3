"""The dependence of features given the class: XNB paper, section 3.2 and Table 1, column P.

The number of pairs grows with the square of the number of features. Up to `ALL_PAIRS_LIMIT`
features all pairs are tested. Above it, a simple random sample of `_SAMPLED_FEATURES` features is
compared with all others, which takes time in proportion to the number of features.

The sampled unit is a feature, not a pair. With d_i the number of features on which feature i
depends, the share of dependent pairs is the mean of d_i / (N - 1) over all N features, and the
share of dependent features the mean of [d_i > 0]. The means over the sample are unbiased estimates
of both. Pairs that share a sampled feature are dependent, but they are summands of the same d_i, so
`_sampling_error` holds. Among the pairs within the sample alone a feature would lose the partners
that were not drawn, and the share of dependent features would be too low.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import betainc, betaincinv

from xnbflow.core.errors import InputError
from xnbflow.core.rounding import ROUNDING
from xnbflow.diagnostics.correlation import normalised_residuals, scan_features, scan_pairs

#: Number of features up to which all pairs are tested: 5 billion pairs.
ALL_PAIRS_LIMIT = 100_000
#: Number of features that are drawn above this limit. A share has a standard error of at most .005.
_SAMPLED_FEATURES = 10_000


@dataclass(frozen=True, kw_only=True)
class ConditionalDependence:
    """Features that depend on another feature given the class.

    Attributes
    ----------
    features : ndarray of int, shape (n_compared,)
        The columns that were compared with all others: all of them, or a random sample.
    dependent : ndarray of bool, shape (n_compared,)
        Whether a feature correlates with at least one other beyond the cut.
    ratio : float
        The share of dependent features, which is column P of Table 1.
    ratio_error : float
        Its standard error due to the sample of features; 0 where all are compared.
    n_pairs : int
        Number of dependent pairs; of a sample, the estimate of this number.
    pair_share, pair_share_error : float
        The share of dependent pairs among all pairs, and its standard error due to the sample.
    max_abs_r : ndarray of float, shape (n_compared,)
        The largest ``|r|`` of a feature; 0 for one that is constant within every class.
    partner : ndarray of int, shape (n_compared,)
        The column with this correlation, the first of equals; -1 where ``max_abs_r`` is 0.
    r : ndarray of float, shape (n_compared,)
        The signed correlation with the partner.
    p : ndarray of float, shape (n_compared,)
        Its two-sided p-value; 1 where there is no partner.
    cut : float
        Dependent means ``|r|`` above this: `min_abs_r`, or the ``|r|`` at which p equals `alpha`.
    dof : int
        Degrees of freedom of the p-values.
    histogram : ndarray of int, shape (50,)
        Counts of ``|r|`` in equal bins from 0 to 1: all pairs of up to about 5,000 features, else
        the pairs of every second, third, ... feature with all later ones; of a sample, pairs
        within it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> samples = rng.normal(size=(40, 3))
    >>> samples[:, 1] += 2 * samples[:, 0]
    >>> dependence = conditional_dependence(samples, np.repeat(["a", "b"], 20))
    >>> dependence.dependent.tolist(), dependence.partner[:2].tolist()
    ([True, True, False], [1, 0])
    """

    features: np.ndarray
    dependent: np.ndarray
    ratio: float
    ratio_error: float
    n_pairs: int
    pair_share: float
    pair_share_error: float
    max_abs_r: np.ndarray
    partner: np.ndarray
    r: np.ndarray
    p: np.ndarray
    cut: float
    dof: int
    histogram: np.ndarray


@dataclass(frozen=True, kw_only=True)
class _Comparison:
    """The compared features, their closest partners, and the dependent pairs.

    The attributes are those of `ConditionalDependence`.
    """

    features: np.ndarray
    partner: np.ndarray
    r: np.ndarray
    n_pairs: int
    pair_share: float
    pair_share_error: float
    histogram: np.ndarray


def _check_options(min_abs_r: float, alpha: float, dof: str) -> None:
    """Refuse options of `conditional_dependence` that are out of their range."""
    if not 0 <= min_abs_r < 1:
        msg = f"min_abs_r is {min_abs_r}; it must be at least 0 and below 1"
        raise InputError(msg)
    if not 0 < alpha <= 1:
        msg = f"alpha is {alpha}; it must be above 0 and at most 1"
        raise InputError(msg)
    if dof not in ("paper", "exact"):
        msg = f"dof is {dof!r}; use 'paper' (n - 2) or 'exact' (n - classes - 1)"
        raise InputError(msg)


def conditional_dependence(
    X: np.ndarray | pd.DataFrame,
    y: np.ndarray,
    *,
    min_abs_r: float = 0.7,
    alpha: float = 1e-6,
    dof: str = "paper",
    seed: int = 0,
) -> ConditionalDependence:
    """Test features for correlation within the classes.

    Two features depend on each other if the Pearson correlation r of their residuals from the class
    means has ``|r| > min_abs_r`` and ``p < alpha``. More than `ALL_PAIRS_LIMIT` features are
    represented by a random sample, each of which is compared with all others.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples. The transpose of a feature-major array costs no copy.
    y : array-like of shape (n_samples,)
        Class labels. A class of one sample contributes nothing.
    min_abs_r, alpha : float
        Least ``|r|``, in [0, 1), and largest p-value of a single pair, in (0, 1].
    dof : {"paper", "exact"}
        Degrees of freedom of p: n - 2 as in the paper, or n - k - 1, because the means of k classes
        are estimated.
    seed : int
        Seed of the sample of features.

    Returns
    -------
    ConditionalDependence

    Raises
    ------
    InputError
        If an option is out of its range, y does not have one label per sample, there are not at
        least 2 more samples than classes, or a value is not finite.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["normal", "tumour"], 30)
    >>> X = rng.normal(size=(60, 4))
    >>> X[:, 3] = -X[:, 1] + 0.1 * rng.normal(size=60)
    >>> result = conditional_dependence(X, y)
    >>> print(result.dependent, result.ratio, result.n_pairs, result.partner[3])
    [False  True False  True] 0.5 1 1
    """
    _check_options(min_abs_r, alpha, dof)
    residuals = normalised_residuals(X, y)
    n_estimated = 2 if dof == "paper" else len(np.unique(y)) + 1
    freedom = residuals.shape[1] - n_estimated
    cut = max(min_abs_r, float(np.sqrt(1 - betaincinv(freedom / 2, 0.5, alpha))))
    if len(residuals) <= ALL_PAIRS_LIMIT:
        compared = _compare_all(residuals, cut)
    else:
        compared = _compare_sample(residuals, cut, np.random.default_rng(seed))

    # Decide which features are dependent. An r that equals the cut up to rounding
    # (`xnbflow.core.rounding.ROUNDING`) is not above it.
    n_features = len(residuals)
    r = compared.r
    dependent = np.abs(r) > cut + ROUNDING
    return ConditionalDependence(
        features=compared.features,
        dependent=dependent,
        ratio=float(dependent.mean()),
        ratio_error=_sampling_error(dependent, n_features),
        n_pairs=compared.n_pairs,
        pair_share=compared.pair_share,
        pair_share_error=compared.pair_share_error,
        max_abs_r=np.abs(r),
        partner=compared.partner,
        r=r,
        p=betainc(freedom / 2, 0.5, 1 - r**2),
        cut=cut,
        dof=freedom,
        histogram=compared.histogram,
    )


def _sampling_error(values: np.ndarray, n_population: int) -> float:
    """Return the standard error of a mean over a simple random sample without replacement.

    ``sqrt((1 - n / N) s² / n)`` with s² the variance within the sample of n of N units: Cochran,
    Sampling Techniques, 3rd edition, 1977, theorem 2.4 and its corollary. Its square is unbiased.

    Examples
    --------
    >>> round(_sampling_error(np.array([0.0, 1.0, 1.0, 0.0]), 100), 4)
    0.2828
    >>> _sampling_error(np.array([0.0, 1.0, 1.0, 0.0]), 4)  # no sample, but all units
    0.0
    """
    n = len(values)
    if n == n_population:
        return 0.0
    return float(np.sqrt((1 - n / n_population) * np.var(values, ddof=1) / n))


def _compare_all(residuals: np.ndarray, cut: float) -> _Comparison:
    """Compare each feature with every other one."""
    n_features = len(residuals)
    pairs = scan_pairs(residuals, cut=cut + ROUNDING)
    return _Comparison(
        features=np.arange(n_features),
        partner=pairs.partner[:, 0],
        r=pairs.r[:, 0],
        n_pairs=pairs.n_pairs,
        pair_share=pairs.n_pairs / max(1, _number_of_pairs(n_features)),
        pair_share_error=0.0,
        histogram=pairs.histogram,
    )


def _compare_sample(residuals: np.ndarray, cut: float, rng: np.random.Generator) -> _Comparison:
    """Compare a random sample of the features with all features."""
    n_features = len(residuals)
    features = np.sort(rng.choice(n_features, _SAMPLED_FEATURES, replace=False))
    scan = scan_features(residuals, features, cut=cut + ROUNDING)
    shares = scan.n_above / (n_features - 1)
    pair_share = float(shares.mean())
    return _Comparison(
        features=features,
        partner=scan.partner,
        r=scan.r,
        n_pairs=round(pair_share * _number_of_pairs(n_features)),
        pair_share=pair_share,
        pair_share_error=_sampling_error(shares, n_features),
        histogram=scan_pairs(residuals[features]).histogram,
    )


def _number_of_pairs(n_features: int) -> int:
    return n_features * (n_features - 1) // 2
