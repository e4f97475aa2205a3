"""Many samples as few: those next to each other are taken as one, with number, mean and variance.

A sum of smooth functions of the samples changes by the third moments within the groups only, where
the second derivative is added in proportion to the variance.
"""

import numpy as np

from xnbflow.density.jit import njit

__all__ = ["merge_samples"]


@njit(nogil=True)
def merge_samples(
    values: np.ndarray, counts: np.ndarray, width: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Merge values that are within ``width`` of the lowest of their group.

    Parameters
    ----------
    values, counts : ndarray of float64, shape (n_values,)
        Values, ascending, and how many samples each stands for.
    width : float
        0 merges equal values only.

    Returns
    -------
    means, counts, variances : ndarray of shape (n_groups,)

    Examples
    --------
    >>> merge_samples(np.array([0.0, 0.0, 1.0, 5.0]), np.ones(4), 1.0)
    (array([0.33333333, 5.        ]), array([3., 1.]), array([0.22222222, 0.        ]))
    """
    means, totals, variances = np.empty((3, len(values)))
    n_groups = i = 0
    while i < len(values):
        lowest = values[i]
        count = first = second = 0.0
        while i < len(values) and values[i] - lowest <= width:
            offset = values[i] - lowest
            count += counts[i]
            first += counts[i] * offset
            second += counts[i] * offset * offset
            i += 1
        first /= count
        means[n_groups] = lowest + first
        totals[n_groups] = count
        variances[n_groups] = max(0.0, second / count - first * first)
        n_groups += 1
    return means[:n_groups].copy(), totals[:n_groups].copy(), variances[:n_groups].copy()
