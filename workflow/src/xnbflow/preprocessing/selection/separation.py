"""Selection of blocks of features by separation score (Pavlenko and von Rosen, sections 3 and 4).

Two classes are compared by the sum over blocks of ``w(u_i) C_i``, the weighted log-likelihood
ratios of Eq. 13. This page derives what the paper states, as some of its formulas are misprinted
and one is incomplete. Expectations are to first order in the number of blocks, as in the paper.

**Scores.** Let m be the number of parameters in which the two classes may differ within a block
(the means, and the covariances if each class has its own), and N = 2 n1 n2 / (n1 + n2), which is n
for classes of n samples each. In coordinates in which the Fisher information is the identity, the
estimated difference is ``sqrt(2 / N) T`` with ``T = gamma + Z`` and Z standard normal: its two
estimates have variance 1/n1 and 1/n2, together 2/N. The block's cross-entropy distance is the
squared length, J = 2 gamma² / N, and is estimated by 2 |T|² / N. Hence the score
``u = N J / 2 = |T|²`` is non-central chi-square with m degrees of freedom and ``E u = gamma² + m``
(Eq. 14), and the estimated distances of all blocks sum to J + B, ``B = 2 m kappa / N = 2 m rho``.

**Risk.** Given the estimates, the classifier is normal on new samples of either class, with mean
±E and variance V,

    E = sum of w(u) gamma'T / N,    V = 2 sum of w(u)² u / N,    risk = Phi(-E / sqrt(V)).

By Stein's identity ``E[w(u) gamma'T] = gamma² ∫ w(u) chi(u; m + 2, gamma²) du``, which gives Eqs.
15 and 16. The paper prints the risk as Phi(-D / 2) with D = E / sqrt(V); that needs
D = 2 E / sqrt(V), which is what D means here. All weights 1: E = J / 2 and V = J + B, so that the
risk is ``Phi(-(J / 2) / sqrt(J + B))``, Eq. 9 with ``sqrt(J) / 2`` in front.

**Weights.** E is the sum of ``w(u) E[gamma'T | u] / N``. By the inequality of Cauchy and Schwarz
E / sqrt(V) is greatest for w(u) proportional to ``E[gamma'T | u] / u``; that is Eq. 17. Without a
further factor it makes V = 2 E, as the log-likelihood ratio of two normal densities has: weighted
log odds are calibrated, and priors may be added to them.

**Theorem 1.** With ``gamma'T = |T|² - Z'T`` and Stein's identity for Z,
``E[w(u) gamma'T] = E[w(u) (u - m) - 2 u w'(u)]``, the paper's expression for smooth weights. The
derivative of the indicator of u >= t is a point mass at t, which the paper drops:

    E = (sum of u - m over kept blocks - sum over all blocks of 2 t b(t)) / N

with b the density of u at its threshold (`kept_moments`). Without the last term the gain is
overstated. Eq. 19 is, without that term, the change of D² rather than of D: D² = J² / (J + B), and
a block of score u takes ``2 (u - m) / N`` from J and ``2 u / N`` from J + B.

**Eqs. 20 and 22.** By that derivative, leaving out a block of *known* gamma² raises D if
``gamma² < m J / (J + 2 B)``, that is ``gamma² + m < 2 m (J + B) / (J + 2 B)``: Eq. 20, where its
threshold is on the scale of u. As the estimated distances sum to J + B, Eq. 22 as printed,
``u < 2 m S / (S + B)`` with S that sum, is Eq. 20 at the true J. Removing the bias from S, which
makes it ``u < 2 m (S - B) / S``, is not Eq. 20 but a lower threshold: m instead of 4 m / 3 where
J = B, say. Both take a block's observed score for its true one. What counts is ``E[gamma'T | u]``:
leaving out the blocks at u = t raises D if and only if their optimal weight, Eq. 17, is below half
the ratio of E[gamma'T] to E[u] over the kept ones. Where no block is useless that may hold nowhere,
and Eq. 22 harms; `optimal_cut` follows this rule.

**Estimated covariances.** All this takes the Fisher information as known. A covariance of d degrees
of freedom has an inverse that is on average d / (d - m - 1) too large, and over thousands of blocks
so small a bias looks like separation: `null_mean` gives the mean of a score without separation,
by which scores can be scaled.

References
----------
T. Pavlenko and D. von Rosen, on feature selection by separation score in augmented Bayesian network
classifiers.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from xnbflow.preprocessing.selection.mixing import MixingDistribution, estimate_mixing

__all__ = [
    "CUTS",
    "BlockSelection",
    "Moments",
    "bias_removed_cut",
    "effective_samples",
    "keep_above",
    "keep_all",
    "kept_moments",
    "null_mean",
    "optimal_cut",
    "printed_cut",
    "weigh",
    "weighted_moments",
]


class Moments(NamedTuple):
    """Mean and variance of a two-class classifier's score on new samples, Eqs. 15 and 16.

    Attributes
    ----------
    mean : float or ndarray
        E: the mean in the first class, and minus the mean in the second.
    variance : float or ndarray
        V, in either class.

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
    """What is made of the blocks' scores for one pair of classes.

    Attributes
    ----------
    weights : ndarray of shape (n_blocks,)
        The factor of each block's log-likelihood ratio, Eq. 13.
    threshold : ndarray of shape (n_blocks,)
        The score below which a block is left out; 0 where none is.
    moments : Moments
        Estimated, for the classifier with these weights.
    """

    weights: np.ndarray
    threshold: np.ndarray
    moments: Moments


def effective_samples(n_first: int, n_second: int) -> float:
    """Return N = 2 n1 n2 / (n1 + n2), the samples per class of two equal classes as informative.

    Examples
    --------
    >>> effective_samples(30, 60)
    40.0
    """
    return 2 * n_first * n_second / (n_first + n_second)


def null_mean(
    size: float | np.ndarray,
    spread: tuple[np.ndarray, np.ndarray],
    dof: tuple[float, float],
    n: float,
    *,
    pooled: bool,
) -> np.ndarray:
    """Return the mean score of blocks that do not separate, with their covariances estimated.

    If d estimates a covariance A of p features with f degrees of freedom, the mean of its inverse
    is ``c A^-1``, ``c = f / (f - p - 1)`` (inverse Wishart distribution). By the definition of J
    the mean score is ``size (c1 + c2) / 2`` from the means, and from covariances of each class's
    own ``n / 4 size (c1 + c2 - 2)``: together ``size (size + 3) / 2`` for many samples.

    Parameters
    ----------
    size : float or ndarray of shape (n_blocks,)
        Features per block.
    spread : tuple of ndarray, each of shape (n_blocks,)
        For either class how far the correlations were shrunk, 0 to 1: only ``1 - spread`` of the
        features beyond the first are counted in p, an approximation exact at 0 and 1.
    dof : tuple of float
        Degrees of freedom of either class's covariance; twice the same if pooled.
    n : float
        Samples per class, or `effective_samples`.
    pooled : bool
        Whether the classes share a covariance.

    Returns
    -------
    ndarray of shape (n_blocks,)

    Examples
    --------
    Hotelling's T² of 2 features with 28 degrees of freedom: 2 * 28 / 25.

    >>> null_mean(2, (np.zeros(1), np.zeros(1)), (28, 28), 15, pooled=True)
    array([2.24])
    """
    inflation = np.zeros(())
    for shrinkage, f in zip(spread, dof, strict=True):
        features = 1 + (1 - shrinkage) * (size - 1)
        inflation = inflation + f / np.maximum(f - features - 1, 0.5)
    mean = size * inflation / 2
    return mean if pooled else mean + n / 4 * size * (inflation - 2)


def weighted_moments(
    scores: np.ndarray, weights: np.ndarray, signal: np.ndarray, n: float
) -> Moments:
    """Return E and V of a weighted classifier, Eqs. 15 and 16 as sums over blocks.

    Parameters
    ----------
    scores : ndarray of shape (..., n_blocks)
        Observed scores u.
    weights : ndarray of shape (..., n_blocks)
        w(u).
    signal : ndarray of shape (..., n_blocks)
        ``gamma'T`` of each block, or its expectation given u.
    n : float
        Samples per class, or `effective_samples`.

    Returns
    -------
    Moments
        Of shape (...).

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

    Parameters
    ----------
    scores, degrees, threshold : ndarray of shape (n_blocks,)
        Observed scores, their degrees of freedom m, and the least score that is kept.
    mixing : MixingDistribution
        Gives the density of the scores at the threshold.
    n : float
        Samples per class, or `effective_samples`.

    Returns
    -------
    Moments

    Notes
    -----
    See the module's derivation: the boundary term ``2 t b(t)`` per block is what Theorem 1 lacks.
    """
    kept = scores >= threshold
    boundary = 0.0
    for m in np.unique(degrees):
        cuts = threshold[(degrees == m) & (threshold > 0)]
        values, counts = np.unique(cuts, return_counts=True)
        if len(values):
            boundary += (counts * 2 * values * mixing.density(values, m)).sum()
    mean = ((scores - degrees)[kept].sum() - boundary) / n
    return Moments(max(float(mean), 0.0), 2 * scores[kept].sum() / n)


def printed_cut(scores: np.ndarray, degrees: np.ndarray) -> float:
    """Return the threshold of Eq. 22 as printed, in units of a block's m: 2 S / (S + B).

    S is the sum of the estimated distances and B its bias; both are given here on the scale of
    scores, on which B is the sum of the degrees of freedom.

    Examples
    --------
    >>> printed_cut(np.array([24.0, 36.0]), np.array([12, 12]))  # 2 * 60 / (60 + 24)
    1.4285714285714286
    """
    total = float(scores.sum())
    return 2 * total / (total + float(degrees.sum()))


def bias_removed_cut(scores: np.ndarray, degrees: np.ndarray) -> float:
    """Return the threshold of Eq. 22 with S - B in place of S, in units of a block's m.

    Examples
    --------
    >>> bias_removed_cut(np.array([24.0, 36.0]), np.array([12, 12]))  # 2 * 36 / 60
    1.2
    """
    bias = float(degrees.sum())
    excess = max(float(scores.sum()) - bias, 0.0)
    return 2 * excess / (excess + bias)


def optimal_cut(scores: np.ndarray, degrees: np.ndarray, weights: np.ndarray) -> float:
    """Return the threshold, in units of a block's m, with the greatest estimated E / sqrt(V).

    `weights` are the optimal weights of the scores, so that ``u w(u) = E[gamma'T | u]``.

    Of all prefixes of the blocks by falling u / m that with the greatest ratio of
    ``sum E[gamma'T | u]`` to ``sqrt(sum u)`` is kept: the threshold is halfway to the next block,
    or 0 if there is none.

    Examples
    --------
    >>> scores = np.array([3.0, 5.0, 4.0, 40.0, 50.0])
    >>> optimal_cut(scores, np.full(5, 4), np.array([0.0, 0, 0, 0.9, 1]))
    5.625
    """
    ratio = scores / degrees
    order = np.argsort(-ratio, kind="stable")
    separation = np.cumsum((scores * weights)[order]) / np.sqrt(
        np.cumsum(scores[order]).clip(1e-300)
    )
    last = int(np.argmax(separation))
    return float(ratio[order[last : last + 2]].mean()) if last + 1 < len(scores) else 0.0


#: Rules of a threshold: Eq. 22 as printed, with the bias removed from its sum, and the best one.
CUTS = ("printed", "bias_removed", "optimal")


def keep_all(scores: np.ndarray, degrees: np.ndarray, n: float) -> BlockSelection:
    """Keep every block with weight 1; the risk is that of Eq. 9 at the estimated J.

    Parameters
    ----------
    scores, degrees : ndarray of shape (n_blocks,)
        Observed scores and their degrees of freedom.
    n : float
        Samples per class, or `effective_samples`.
    """
    ones = np.ones(len(scores))
    mean, variance = weighted_moments(scores, ones, scores - degrees, n)
    return BlockSelection(ones, np.zeros(len(scores)), Moments(max(float(mean), 0.0), variance))


def keep_above(
    scores: np.ndarray, degrees: np.ndarray, n: float, *, cut: str = "printed"
) -> BlockSelection:
    """Keep the blocks whose score reaches a threshold, Eq. 18; the risk is Theorem 1's.

    Parameters
    ----------
    scores, degrees : ndarray of shape (n_blocks,)
        Observed scores and their degrees of freedom.
    n : float
        Samples per class, or `effective_samples`.
    cut : {"printed", "bias_removed", "optimal"}
        See `printed_cut`, `bias_removed_cut` and `optimal_cut`.

    Examples
    --------
    >>> keep_above(np.array([12.0, 30, 10, 15]), np.full(4, 12), 60).weights
    array([0., 1., 0., 1.])
    """
    mixing = estimate_mixing(scores, degrees)
    if cut == "optimal":
        level = optimal_cut(scores, degrees, _optimal_weights(scores, degrees, mixing))
    else:
        level = (printed_cut if cut == "printed" else bias_removed_cut)(scores, degrees)
    threshold = level * degrees
    weights = (scores >= threshold).astype(np.float64)
    return BlockSelection(weights, threshold, kept_moments(scores, degrees, threshold, mixing, n))


def weigh(scores: np.ndarray, degrees: np.ndarray, n: float) -> BlockSelection:
    """Give each block its optimal weight, Eq. 17, under the estimated distribution of scores.

    Parameters
    ----------
    scores, degrees : ndarray of shape (n_blocks,)
        Observed scores and their degrees of freedom.
    n : float
        Samples per class, or `effective_samples`.
    """
    weights = _optimal_weights(scores, degrees, estimate_mixing(scores, degrees))
    moments = weighted_moments(scores, weights, scores * weights, n)
    return BlockSelection(weights, np.zeros(len(scores)), moments)


def _optimal_weights(
    scores: np.ndarray, degrees: np.ndarray, mixing: MixingDistribution
) -> np.ndarray:
    weights = np.empty(len(scores))
    for m in np.unique(degrees):
        weights[degrees == m] = mixing.weights(scores[degrees == m], m)
    return weights
