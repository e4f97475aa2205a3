"""Stability of selected feature sets over folds, after Nogueira, Sechidis and Brown (2018)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm

from xnbflow.data.errors import InputError

__all__ = ["Stability", "stability_index"]


class Stability(NamedTuple):
    """How alike the feature sets of several folds are.

    Attributes
    ----------
    value : float
        The index: 1 if all sets are equal, about 0 if they are as alike as random ones.
    variance : float
        Estimated variance of the index.
    lower, upper : float
        Confidence limits of what the index estimates, between 0 and 1.
    """

    value: float
    variance: float
    lower: float
    upper: float


_UNDEFINED = Stability(np.nan, np.nan, np.nan, np.nan)


def stability_index(
    selected: Sequence[Collection[str]],
    n_features: int,
    confidence: float = 0.95,
    *,
    tied: Iterable[Collection[str]] = (),
) -> Stability:
    """Return Nogueira's stability index of feature sets with its confidence interval.

    Parameters
    ----------
    selected : sequence of collections of str
        The features selected in each fold.
    n_features : int
        Number of features there were to select from.
    confidence : float
        Coverage of the confidence interval.
    tied : iterable of collections of str, optional
        Features that were interchangeable in a fold, as `XNB.tied_features_` lists them. They
        count as one feature, and groups that share a feature as one group: what then is unstable
        is not the accident of names.

    Returns
    -------
    Stability
        All missing where the index is not defined: with a single fold, or if every fold selects
        nothing or everything, since random sets of such sizes would be equal as well.

    Raises
    ------
    InputError
        If there is no fold, or more distinct features are selected than there are.

    Notes
    -----
    With `M` sets of `k_i` out of `d` features, `kbar` their mean size and `p_f` the share of sets
    that hold feature `f`, the index is ``1 - M/(M-1) mean_f[p_f (1 - p_f)] / [kbar/d (1 -
    kbar/d)]`` (Definition 4). Its variance (Theorem 7) is ``4/M² sum_i (phi_i - mean phi)²``, and
    the interval (Corollary 9) is normal, cut to [0, 1], where the index of many sets lies. The
    theory takes the sets as independent; training sets of cross-validation overlap, so the interval
    is too narrow rather than too wide.

    References
    ----------
    S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection algorithms",
    Journal of Machine Learning Research 18 (2018), no. 174.

    Examples
    --------
    >>> stability = stability_index([{"g1", "g2"}, {"g1", "g2"}, {"g1", "g3"}], n_features=100)
    >>> round(stability.value, 3), round(stability.lower, 3), round(stability.upper, 3)
    (0.66, 0.478, 0.841)

    Where ``g2`` and ``g3`` are interchangeable, nothing is unstable:

    >>> stability_index([{"g1", "g2"}, {"g1", "g3"}], n_features=100, tied=[["g2", "g3"]]).value
    1.0
    """
    one_for = _representatives(tied)
    selected = [{one_for.get(name, name) for name in features} for features in selected]
    n_features -= len(one_for) - len(set(one_for.values()))
    counts = _counts(selected)
    n_sets = len(selected)
    if len(counts) > n_features:
        msg = f"{len(counts)} distinct features are selected out of {n_features}; give their number"
        raise InputError(msg)
    share = {feature: count / n_sets for feature, count in counts.items()}
    sizes = np.array([len(set(features)) for features in selected]) / n_features
    mean_size = sizes.mean()
    if n_sets < 2 or mean_size in (0.0, 1.0):
        return _UNDEFINED
    by_chance = mean_size * (1 - mean_size)
    p = np.array(list(share.values()))
    index = 1 - n_sets / (n_sets - 1) * np.sum(p * (1 - p)) / n_features / by_chance
    agreement = np.array([sum(share[name] for name in sorted(set(names))) for names in selected])
    chance = sizes * mean_size - index / 2 * (2 * mean_size * sizes - sizes - mean_size + 1)
    phi = (agreement / n_features - chance) / by_chance
    variance = 4 / n_sets * np.var(phi)
    margin = norm.ppf((1 + confidence) / 2) * np.sqrt(variance)
    lower, upper = np.clip([index - margin, index + margin], 0.0, 1.0)
    return Stability(*map(float, (index, variance, lower, upper)))


def _representatives(tied: Iterable[Collection[str]]) -> dict[str, str]:
    """Return, for each tied feature, the one that stands for its group: the first by name."""
    group_of: dict[str, set[str]] = {}
    for names in tied:
        group = set(names).union(*(group_of.get(name, ()) for name in names))
        group_of.update(dict.fromkeys(group, group))
    return {name: min(group) for name, group in group_of.items()}


def _counts(selected: Sequence[Collection[str]]) -> Counter[str]:
    if not len(selected):
        msg = "no selected feature sets: at least one fold must have been fitted"
        raise InputError(msg)
    return Counter(feature for features in selected for feature in sorted(set(features)))
