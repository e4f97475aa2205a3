"""Stability of selected feature sets, with and without the correlation of features.

Nogueira, Sechidis and Brown (2018); Sechidis, Papangelou, Nogueira, Weatherall and Brown (2020).
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from xnbflow.core.errors import InputError


class Stability(NamedTuple):
    """Agreement of the feature sets of several folds.

    The index is 1 if all sets are equal, and about 0 for random sets. It comes with its variance
    and confidence limits between 0 and 1.
    """

    value: float
    variance: float
    lower: float
    upper: float


#: The index of a single set, and of sets of no or all features.
UNDEFINED = Stability(np.nan, np.nan, np.nan, np.nan)


def stability_index(
    selected: Sequence[Collection[str]], n_features: int, confidence: float = 0.95
) -> Stability:
    """Return Nogueira's stability index of feature sets with its confidence interval.

    ``selected`` are the features selected in each fold out of ``n_features``. The index is
    `UNDEFINED` with a single fold, or if every fold selects nothing or everything. Raises an
    `InputError` if there is no fold, or if more distinct features are selected than there are.

    There are M sets; set i has ``k_i`` of d features, ``kbar`` is the mean of the ``k_i``, ``q =
    kbar / d``, and ``p_f`` is the share of the sets that have feature f. The index ``Phi``
    (Definition 4) and its variance (Theorem 7) are::

        Phi = 1 - M / (M - 1) * mean over all d features of p_f (1 - p_f) / (q (1 - q))

        phi_i = (sum of p_f over the features of set i / d - k_i kbar / d^2
                 + Phi / 2 (2 k_i kbar / d^2 - k_i / d - q + 1)) / (q (1 - q))

        variance = 4 / M^2 * sum over sets of (phi_i - mean phi)^2

    The interval (Corollary 9) is that of a normal distribution. It is limited to [0, 1], because
    the index of many sets is not below 0. The theory takes the sets as independent; training sets
    of a cross-validation overlap, so the interval is too narrow rather than too wide.

    S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms",
    Journal of Machine Learning Research 18 (2018), no. 174.
    """
    if not len(selected):
        msg = "no selected feature sets: at least one fold must have been fitted"
        raise InputError(msg)
    counts = Counter(name for features in selected for name in sorted(set(features)))
    n_sets = len(selected)
    if len(counts) > n_features:
        msg = f"{len(counts)} distinct features are selected out of {n_features}; give their number"
        raise InputError(msg)
    set_share = {feature: count / n_sets for feature, count in counts.items()}  # p_f
    relative_sizes = np.array([len(set(features)) for features in selected]) / n_features  # k_i / d
    mean_size = relative_sizes.mean()  # q
    if n_sets < 2 or mean_size in (0.0, 1.0):
        return UNDEFINED

    # The index. Features that no set has add nothing to the sum over all features.
    chance_variance = mean_size * (1 - mean_size)
    shares = np.array(list(set_share.values()))
    mean_variance = np.sum(shares * (1 - shares)) / n_features
    index = 1 - n_sets / (n_sets - 1) * mean_variance / chance_variance

    # Its variance. Features are sorted, so that the sums do not depend on the order of sets.
    sums_of_shares = np.array(
        [sum(set_share[name] for name in sorted(set(features))) for features in selected]
    )
    expected = relative_sizes * mean_size - index / 2 * (
        2 * mean_size * relative_sizes - relative_sizes - mean_size + 1
    )
    phi = (sums_of_shares / n_features - expected) / chance_variance
    variance = 4 / n_sets * np.var(phi)
    margin = ndtri((1 + confidence) / 2) * np.sqrt(variance)
    lower, upper = np.clip([index - margin, index + margin], 0.0, 1.0)
    return Stability(*map(float, (index, variance, lower, upper)))


def correlated_stability(
    selected: np.ndarray, similarity: np.ndarray, n_features: int, mean_similarity: float
) -> float:
    """Return the stability of sets of features in which similar features replace each other.

    With the indicators ``Z`` of M sets of k_i out of d features, their covariance ``S`` and a
    similarity ``C`` of the features (1 on its diagonal), the index is ``1 - tr(C S) / tr(C S0)``,
    where ``S0`` is the covariance of random sets of the same sizes: ``S0_jj = (kbar / d) (1 - kbar
    / d)`` and ``S0_jl = (mean k_i^2 - kbar) / (d (d - 1)) - (kbar / d)^2``. With ``C`` the identity
    it is the index of `stability_index`. It is 1 for equal sets, about 0 for random ones, and below
    0 for sets that each contain other modules of similar features.

    Parameters
    ----------
    selected : ndarray of bool, shape (n_sets, n_selected)
        The sets, in the features that any of them has.
    similarity : ndarray of shape (n_selected, n_selected)
        Of these features, from 0 to 1.
    n_features : int
        All features, d.
    mean_similarity : float
        The mean similarity of two different features, over all d.

    Returns
    -------
    float
        NaN with fewer than two sets, or if every set has no or all features.

    References
    ----------
    K. Sechidis, K. Papangelou, S. Nogueira, J. Weatherall and G. Brown, "On the stability of
    feature selection in the presence of feature correlations", ECML PKDD 2019, LNCS 11906 (2020),
    327-342, Definition 3.

    Examples
    --------
    Two sets, in which the second features replace each other:

    >>> sets = np.array([[True, True, False], [True, False, True]])
    >>> similar = np.array([[1.0, 0, 0], [0, 1, 1], [0, 1, 1]])
    >>> correlated_stability(sets, similar, n_features=100, mean_similarity=0.0)
    1.0
    >>> round(correlated_stability(sets, np.eye(3), n_features=100, mean_similarity=0.0), 2)
    0.49
    """
    n_sets = len(selected)
    sizes = selected.sum(axis=1)
    share = sizes.mean() / n_features
    if n_sets < 2 or share in (0.0, 1.0):
        return np.nan
    deviations = selected - selected.mean(axis=0)
    varied = np.einsum("ij,jk,ik->", deviations, similarity, deviations) / (n_sets - 1)
    n_pairs = n_features * (n_features - 1)
    covariance = (np.mean(sizes**2) - sizes.mean()) / n_pairs - share**2
    by_chance = n_features * share * (1 - share) + n_pairs * mean_similarity * covariance
    return float(1 - varied / by_chance)
