"""Selection of blocks of features by separation score (Pavlenko and von Rosen, sections 3 and 4).

Two classes are compared by the sum over blocks of ``w(u_i) C_i``, the weighted log-likelihood
ratios of Eq. 13; ``docs/methods/separation.md`` derives what is computed here.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from xnbflow.papers.separation.mixing import MixingDistribution, estimate_mixing


class Moments(NamedTuple):
    """Mean E and variance V of a two-class classifier's score on new samples, Eqs. 15 and 16.

    E is the mean in the first class, and minus the mean in the second; V is the same in both.

    Examples
    --------
    >>> moments = Moments(mean=2.0, variance=4.0)
    >>> float(moments.separation), float(moments.risk.round(4))
    (2.0, 0.1587)
    """

    mean: float | np.ndarray
    variance: float | np.ndarray

    @property
    def separation(self) -> np.ndarray:
        """D = 2 E / sqrt(V); 0 where nothing is used."""
        variance = np.asarray(self.variance, dtype=np.float64)
        root = np.sqrt(np.where(variance > 0, variance, 1.0))
        return np.where(variance > 0, 2 * np.asarray(self.mean) / root, 0.0)

    @property
    def risk(self) -> np.ndarray:
        """Misclassification risk ``Phi(-D / 2)`` for equal priors."""
        return ndtr(-self.separation / 2)


@dataclass(frozen=True)
class BlockSelection:
    """The weights (n_blocks,) of log-likelihood ratios for one pair of classes, Eq. 13.

    ``threshold`` (n_blocks,) are the scores below which blocks are left out, 0 where none is;
    ``moments`` those of the classifier with these weights, estimated.
    """

    weights: np.ndarray
    threshold: np.ndarray
    moments: Moments


def effective_class_size(n_first: int, n_second: int) -> float:
    """Return N = 2 n1 n2 / (n1 + n2), the samples per class of two equal classes as informative.

    Examples
    --------
    >>> effective_class_size(30, 60)
    40.0
    """
    return 2 * n_first * n_second / (n_first + n_second)


def _inverse_inflation(size: float | np.ndarray, shrinkage: np.ndarray, dof: float) -> np.ndarray:
    """Return by how much the inverses of estimated covariances are too large on average.

    If a covariance A of p features is estimated with f degrees of freedom, the mean of the inverse
    of the estimate is ``c A^-1``, ``c = f / (f - p - 1)`` (inverse Wishart distribution).

    ``shrinkage`` (n_blocks,) is that of the correlations, 0 to 1: only ``1 - shrinkage`` of the
    features beyond the first count in p, an approximation that is exact at 0 and 1. With fewer than
    p + 2 degrees of freedom the mean does not exist, and the denominator is .5.

    Examples
    --------
    >>> _inverse_inflation(2, np.zeros(1), 28)  # 28 / (28 - 3)
    array([1.12])
    """
    features = 1 + (1 - shrinkage) * (size - 1)
    return dof / np.maximum(dof - features - 1, 0.5)


def null_mean(size: float | np.ndarray, shrinkage: np.ndarray, dof: float) -> np.ndarray:
    """Return the mean score (n_blocks,) of blocks that do not separate, covariances pooled.

    By the definition of J it is the size of the block times the inflation of the inverse of the
    estimated covariance, which has ``dof`` degrees of freedom; see `_inverse_inflation`.

    Examples
    --------
    Hotelling's T² of 2 features with 28 degrees of freedom: 2 * 28 / 25.

    >>> null_mean(2, np.zeros(1), 28)
    array([2.24])
    """
    return size * _inverse_inflation(size, shrinkage, dof)


def null_mean_per_class(
    size: float | np.ndarray,
    shrinkage: tuple[np.ndarray, np.ndarray],
    dof: tuple[float, float],
    n: float,
) -> np.ndarray:
    """Return the same, (n_blocks,), if each of the two classes has its own estimated covariance.

    With the inflations ``c1`` and ``c2`` of both inverses the means contribute ``size (c1 + c2) /
    2`` and the covariances ``n / 4 size (c1 + c2 - 2)``; for many samples together ``size (size +
    3) / 2``, the number of parameters. ``n`` are samples per class, or `effective_class_size`.

    Examples
    --------
    Blocks of 2 features and 10,000 samples per class: 2 means, 2 variances and a covariance.

    >>> none = np.zeros(1)
    >>> null_mean_per_class(2, (none, none), (9999, 9999), 10_000).round(2)
    array([5.])
    """
    first = _inverse_inflation(size, shrinkage[0], dof[0])
    second = _inverse_inflation(size, shrinkage[1], dof[1])
    of_means = size * (first + second) / 2
    of_covariances = n / 4 * size * (first + second - 2)
    return of_means + of_covariances


def weighted_moments(
    scores: np.ndarray, weights: np.ndarray, signal: np.ndarray, n: float
) -> Moments:
    """Return E and V of a weighted classifier, Eqs. 15 and 16 as sums over blocks.

    ``scores`` u, ``weights`` w(u) and ``signal``, ``gamma'T`` or its expectation given u, have
    shape (..., n_blocks); n is the number of samples per class, or `effective_class_size`.

    Examples
    --------
    Eq. 9 at J = 4, m = 12 and rho = 1/12, n = 1200: 100 blocks of gamma² = 24 each.

    >>> ones = np.ones(100)
    >>> float(weighted_moments(36 * ones, ones, 24 * ones, 1200).risk.round(4))
    0.2071
    """
    mean = (weights * signal).sum(axis=-1) / n
    return Moments(mean, 2 * (weights**2 * scores).sum(axis=-1) / n)


def kept_moments(
    scores: np.ndarray,
    degrees: np.ndarray,
    threshold: np.ndarray,
    mixing: MixingDistribution,
    n: float,
) -> Moments:
    """Return E and V of the classifier that keeps blocks from a threshold on: Theorem 1, corrected.

    Theorem 1 lacks the boundary term ``2 t b(t)`` of each block, b being the density of the scores
    under the mixing distribution. Scores, degrees and threshold have shape (n_blocks,).
    """
    is_kept = scores >= threshold
    boundary_term = 0.0
    for m in np.unique(degrees):
        thresholds = threshold[(degrees == m) & (threshold > 0)]
        values, counts = np.unique(thresholds, return_counts=True)
        if len(values):
            boundary_term += (counts * 2 * values * mixing.density(values, m)).sum()
    mean = ((scores - degrees)[is_kept].sum() - boundary_term) / n
    return Moments(max(float(mean), 0.0), 2 * scores[is_kept].sum() / n)


def printed_change(
    distance: np.ndarray,
    excluded: np.ndarray,
    score: np.ndarray,
    *,
    size: int,
    n: float,
    total: int,
) -> np.ndarray:
    """Return the change of D by leaving out blocks, Eq. 19 as it is printed.

    ``eps(D) = eps(rho) 2 J / (J + 2 rho m)² [u (J + 4 rho m) - 2 m (J + 2 rho m)]`` with
    ``eps(rho) = -psi rho``. It lacks the boundary term of Theorem 1 (`kept_moments`), and is by its
    derivation the change of D² = J² / (J + 2 rho m), although the paper adds it to D.

    Parameters
    ----------
    distance : ndarray of shape (n_sets,)
        J, the cross-entropy distance of all blocks.
    excluded : ndarray of shape (n_sets,)
        psi, the share of the blocks that is left out.
    score : ndarray of shape (n_sets,)
        gamma0², here the mean score of the blocks that are left out.
    size, n, total : int, float, int
        m, samples per class, and the number of blocks: rho = total / n.

    Examples
    --------
    J = 4, m = 12, rho = 1/12; a tenth of the blocks is left out at a score of 10: -1/120 * 8 / 36 *
    (10 * 8 - 24 * 6).

    >>> shares, scores = np.array([0.1]), np.array([10.0])
    >>> printed_change(np.array([4.0]), shares, scores, size=12, n=1200, total=100).round(6)
    array([0.118519])
    """
    rho = total / n
    bias = 2 * rho * size
    change_of_rho = -excluded * rho
    bracket = score * (distance + 2 * bias) - 2 * size * (distance + bias)
    return change_of_rho * 2 * distance / (distance + bias) ** 2 * bracket


def printed_cut(scores: np.ndarray, degrees: np.ndarray) -> float:
    """Return the threshold of Eq. 22 as printed, in units of a block's m: 2 S / (S + B).

    S is the sum of the estimated distances and B its bias, on the scale of scores.

    Examples
    --------
    >>> printed_cut(np.array([24.0, 36.0]), np.array([12, 12]))  # 2 * 60 / (60 + 24)
    1.4285714285714286
    """
    total = float(scores.sum())
    return 2 * total / (total + float(degrees.sum()))


def optimal_cut(scores: np.ndarray, degrees: np.ndarray, weights: np.ndarray) -> float:
    """Return the threshold, in units of a block's m, with the greatest estimated E / sqrt(V).

    `weights` are the optimal weights of the scores, so that ``u w(u) = E[gamma'T | u]``. Of all
    prefixes of the blocks by falling u / m that with the greatest ratio of ``sum E[gamma'T | u]``
    to ``sqrt(sum u)`` is kept: the threshold is halfway to the next block, or 0 if there is none.

    Examples
    --------
    >>> scores = np.array([3.0, 5.0, 4.0, 40.0, 50.0])
    >>> optimal_cut(scores, np.full(5, 4), np.array([0.0, 0, 0, 0.9, 1]))
    5.625
    """
    ratio = scores / degrees
    order = np.argsort(-ratio, kind="stable")
    signal = np.cumsum((scores * weights)[order])
    noise = np.sqrt(np.cumsum(scores[order]).clip(1e-300))  # not 0 where all scores are
    last = int(np.argmax(signal / noise))
    if last + 1 == len(scores):
        return 0.0
    return float(ratio[order[last : last + 2]].mean())


#: Rules of a threshold: Eq. 22 as printed, and the best one.
CUTS = ("printed", "optimal")


def select_blocks(
    scores: np.ndarray,
    degrees: np.ndarray,
    n: float,
    selection: str | None,
    cut: str = "printed",
) -> BlockSelection:
    """Weigh the blocks of one pair of classes.

    Scores and their degrees of freedom have shape (n_blocks,); n are samples per class, or
    `effective_class_size`. The selection None keeps every block with weight 1 (risk: Eq. 9 at the
    estimated J). "threshold" keeps those whose score reaches a threshold, Eq. 18 (risk: Theorem 1),
    by `printed_cut` or `optimal_cut`. "weights" gives each its optimal weight, Eq. 17, under the
    estimated distribution of scores.

    Examples
    --------
    >>> select_blocks(np.array([12.0, 30, 10, 15]), np.full(4, 12), 60, "threshold").weights
    array([0., 1., 0., 1.])
    """
    no_threshold = np.zeros(len(scores))
    if selection is None:
        ones = np.ones(len(scores))
        mean, variance = weighted_moments(scores, ones, scores - degrees, n)
        return BlockSelection(ones, no_threshold, Moments(max(float(mean), 0.0), variance))
    mixing = estimate_mixing(scores, degrees)
    if selection == "weights":
        weights = _optimal_weights(scores, degrees, mixing)
        moments = weighted_moments(scores, weights, scores * weights, n)
        return BlockSelection(weights, no_threshold, moments)
    if cut == "optimal":
        level = optimal_cut(scores, degrees, _optimal_weights(scores, degrees, mixing))
    else:
        level = printed_cut(scores, degrees)
    threshold = level * degrees
    selected = (scores >= threshold).astype(np.float64)
    moments = kept_moments(scores, degrees, threshold=threshold, mixing=mixing, n=n)
    return BlockSelection(selected, threshold, moments)


def _optimal_weights(
    scores: np.ndarray, degrees: np.ndarray, mixing: MixingDistribution
) -> np.ndarray:
    """Return the weights of Eq. 17 (n_blocks,), for blocks of several degrees of freedom."""
    weights = np.empty(len(scores))
    for m in np.unique(degrees):
        weights[degrees == m] = mixing.weights(scores[degrees == m], m)
    return weights
