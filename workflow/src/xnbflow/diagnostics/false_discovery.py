"""Adjustment of the p-values of many tests, for example of all features of a series."""

import numpy as np

from xnbflow.core.errors import InputError


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for the false discovery rate along the last axis.

    Parameters
    ----------
    p : ndarray of shape (..., n_tests)
        P-values. A missing one (NaN) remains missing, and is not counted as a test.

    Returns
    -------
    ndarray of the same shape
        The smallest false discovery rate at which each test is rejected.

    References
    ----------
    Benjamini Y., Hochberg Y. (1995), J. R. Statist. Soc. B 57, 289-300.

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03, 0.5]))
    array([0.04      , 0.05333333, 0.05333333, 0.5       ])
    """
    adjusted = np.full(p.shape, np.nan)
    for row in np.ndindex(p.shape[:-1]):
        n_tests = np.count_nonzero(~np.isnan(p[row]))
        order = np.argsort(p[row])[:n_tests]  # NaN are last
        rates = p[row][order] * (n_tests / np.arange(1, n_tests + 1))
        # A test is also rejected if one with a larger p-value is: the least rate from it on.
        least_rates = np.minimum.accumulate(rates[::-1])[::-1]
        adjusted[row][order] = np.minimum(least_rates, 1.0)
    return adjusted


def holm(p_values: np.ndarray) -> np.ndarray:
    """Return p-values adjusted for multiple testing by Holm's step-down procedure.

    Missing p-values are not counted as tests and remain missing; a value below 0 or above 1 is an
    `InputError`.

    S. Holm, "A simple sequentially rejective multiple test procedure", Scandinavian Journal of
    Statistics 6 (1979), 65-70.
    """
    p = np.asarray(p_values, dtype=np.float64)
    if ((p < 0) | (p > 1)).any():
        msg = f"p-values must lie between 0 and 1, got {np.nanmin(p):g} to {np.nanmax(p):g}"
        raise InputError(msg)
    n_tests = np.count_nonzero(~np.isnan(p))
    order = np.argsort(p, kind="stable")[:n_tests]  # NaN are last
    products = p[order] * np.arange(n_tests, 0, -1)
    adjusted = np.full(p.shape, np.nan)
    adjusted[order] = np.minimum(np.maximum.accumulate(products), 1.0)
    return adjusted
