"""The dependence of features given the class: XNB paper, section 3.2 and Table 1, column P."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import betainc, betaincinv

from xnbflow.core.errors import InputError
from xnbflow.core.rounding import ROUNDING
from xnbflow.diagnostics.correlation import normalised_residuals, scan_pairs


@dataclass(frozen=True, kw_only=True)
class ConditionalDependence:
    """Features that depend on another feature given the class.

    Attributes
    ----------
    dependent : ndarray of bool, shape (n_features,)
        Whether a feature correlates with at least one other beyond the cut.
    ratio : float
        The share of dependent features, which is column P of Table 1.
    n_pairs : int
        Number of dependent pairs.
    max_abs_r : ndarray of float, shape (n_features,)
        The largest ``|r|`` of a feature; 0 for one that is constant within every class.
    partner : ndarray of int, shape (n_features,)
        The column with this correlation, the first of equals; -1 where ``max_abs_r`` is 0.
    r : ndarray of float, shape (n_features,)
        The signed correlation with the partner.
    p : ndarray of float, shape (n_features,)
        Its two-sided p-value; 1 where there is no partner.
    cut : float
        Dependent means ``|r|`` above this: `min_abs_r`, or the ``|r|`` at which p equals `alpha`.
    dof : int
        Degrees of freedom of the p-values.
    histogram : ndarray of int, shape (50,)
        Counts of ``|r|`` in equal bins from 0 to 1: all pairs of up to about 5,000 features, else
        the pairs of every second, third, ... feature with all later ones.
    """

    dependent: np.ndarray
    ratio: float
    n_pairs: int
    max_abs_r: np.ndarray
    partner: np.ndarray
    r: np.ndarray
    p: np.ndarray
    cut: float
    dof: int
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
) -> ConditionalDependence:
    """Test every pair of features for correlation within the classes.

    The class means are subtracted from each feature. Two features depend on each other if the
    Pearson correlation r of their residuals has ``|r| > min_abs_r`` and ``p < alpha``. Because p
    decreases with ``|r|``, both conditions together are one cut on ``|r|``. An r that equals the
    cut up to rounding (`xnbflow.core.rounding.ROUNDING`) is not above it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Samples. The transpose of a feature-major array costs no copy.
    y : array-like of shape (n_samples,)
        Class labels. A class of one sample contributes nothing.
    min_abs_r : float
        Least ``|r|``, in [0, 1).
    alpha : float
        Largest p-value of a single pair, in (0, 1].
    dof : {"paper", "exact"}
        Degrees of freedom of p: n - 2 as in the paper, or n - k - 1, because the means of k classes
        are estimated.

    Returns
    -------
    ConditionalDependence

    Raises
    ------
    InputError
        If an option is out of its range, y does not have one label per sample, there are not at
        least 2 more samples than classes, or a value is not finite.

    References
    ----------
    Aguilar-Ruiz, Romero, Cicconardi, "XNB: Explainable Class-Specific Naive-Bayes Classifier",
    2024, section 3.2 and Table 1.

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
    # p is the incomplete beta function of 1 - r² with parameters freedom / 2 and 1/2, as for
    # Student's t. Its inverse is the |r| at which p equals alpha.
    r_at_alpha = float(np.sqrt(1 - betaincinv(freedom / 2, 0.5, alpha)))
    cut = max(min_abs_r, r_at_alpha)
    pairs = scan_pairs(residuals, cut=cut + ROUNDING)
    r = pairs.r[:, 0]
    dependent = np.abs(r) > cut + ROUNDING
    return ConditionalDependence(
        dependent=dependent,
        ratio=float(dependent.mean()),
        n_pairs=pairs.n_pairs,
        max_abs_r=np.abs(r),
        partner=pairs.partner[:, 0],
        r=r,
        p=betainc(freedom / 2, 0.5, 1 - r**2),
        cut=cut,
        dof=freedom,
        histogram=pairs.histogram,
    )
