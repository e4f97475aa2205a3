"""P-values of many tests at once, as of every feature of a series."""

import numpy as np

__all__ = ["benjamini_hochberg"]


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for the false discovery rate along the last axis.

    Parameters
    ----------
    p : ndarray of shape (..., n_tests)
        P-values. NaN, as of a class too small to test, stays NaN and is no test.

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
        order = np.argsort(p[row])[: np.count_nonzero(~np.isnan(p[row]))]  # NaN are last
        rates = p[row][order] * (len(order) / np.arange(1, len(order) + 1))
        adjusted[row][order] = np.minimum(np.minimum.accumulate(rates[::-1])[::-1], 1.0)
    return adjusted
