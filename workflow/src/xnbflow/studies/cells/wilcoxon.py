"""Wilcoxon's rank-sum test of each type against all other cells, as scanpy ranks genes by it."""

import numpy as np
from scipy.stats import rankdata

__all__ = ["rank_sum_scores"]

_CHUNK_VALUES = 4_000_000


def rank_sum_scores(features: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """Return each class's rank-sum statistic in standard deviations, corrected for ties.

    It is ``scanpy.tl.rank_genes_groups(..., method="wilcoxon", tie_correct=True)``: the normal
    approximation without continuity correction; 0 where all values are equal.

    Parameters
    ----------
    features : ndarray of shape (n_features, n_samples)
    codes : ndarray of int, shape (n_samples,)
        Class of each sample.
    n_classes : int

    Returns
    -------
    ndarray of shape (n_classes, n_features)
        Above 0 where the class is higher than the others.

    References
    ----------
    Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1, 1945. Wolf,
    Angerer, Theis, "SCANPY", Genome Biology 19, 2018.

    Examples
    --------
    >>> rank_sum_scores(np.array([[1.0, 2.0, 3.0, 4.0]]), np.array([0, 0, 1, 1]), 2).round(3)
    array([[-1.549],
           [ 1.549]])
    """
    n_features, n = features.shape
    sizes = np.bincount(codes, minlength=n_classes)[:, None]
    member = np.eye(n_classes)[codes]
    found = np.empty((n_classes, n_features))
    width = max(1, _CHUNK_VALUES // n)
    for start in range(0, n_features, width):
        part = slice(start, start + width)
        ranks = rankdata(features[part], axis=1)
        ties = np.array([_ties(row) for row in ranks])
        deviation = np.sqrt(ties * sizes * (n - sizes) * (n + 1) / 12.0)
        above = (ranks @ member).T - sizes * (n + 1) / 2.0
        found[:, part] = np.divide(above, deviation, out=np.zeros_like(above), where=deviation > 0)
    return found


def _ties(ranks: np.ndarray) -> float:
    """Return ``1 - sum(t³ - t) / (n³ - n)`` over the sizes ``t`` of groups of equal ranks."""
    n = float(len(ranks))
    counts = np.unique(ranks, return_counts=True)[1].astype(float)
    return 1.0 - (counts**3 - counts).sum() / (n**3 - n) if n > 1 else 0.0
