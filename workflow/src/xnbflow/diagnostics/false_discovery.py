"""P-values of many tests at once, as of every feature of a series."""

import numpy as np

__all__ = ["benjamini_hochberg"]


def benjamini_hochberg(p: np.ndarray) -> np.ndarray:
    """Adjust p-values for the false discovery rate along the last axis.

    Parameters
    ----------
    p : ndarray of shape (..., n_tests)
        P-values; rows of NaN, as of classes too small to test, stay NaN.

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
    from scipy.stats import false_discovery_control  # noqa: PLC0415  half a second; few jobs adjust

    adjusted = np.full(p.shape, np.nan)
    tested = ~np.isnan(p).any(axis=-1)
    if tested.any():
        adjusted[tested] = false_discovery_control(p[tested], axis=-1)
    return adjusted
