"""Stability of selected feature sets over folds, after Nogueira, Sechidis and Brown (2018)."""

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
    `UNDEFINED` with a single fold, or if every fold selects nothing or everything. It is an
    `InputError` if there is no fold, or more distinct features are selected than there are.

    With `M` sets of `k_i` out of `d` features, `kbar` their mean size and `p_f` the share of sets
    that hold feature `f`, the index is ``1 - M/(M-1) mean_f[p_f (1 - p_f)] / [kbar/d (1 -
    kbar/d)]`` (Definition 4). Its variance (Theorem 7) is ``4/M² sum_i (phi_i - mean phi)²``, and
    the interval (Corollary 9) is normal, cut to [0, 1], where the index of many sets lies. The
    theory takes the sets as independent; training sets of cross-validation overlap, so the interval
    is too narrow rather than too wide.

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
    share = {feature: count / n_sets for feature, count in counts.items()}
    sizes = np.array([len(set(features)) for features in selected]) / n_features
    mean_size = sizes.mean()
    if n_sets < 2 or mean_size in (0.0, 1.0):
        return UNDEFINED
    by_chance = mean_size * (1 - mean_size)
    p = np.array(list(share.values()))
    index = 1 - n_sets / (n_sets - 1) * np.sum(p * (1 - p)) / n_features / by_chance
    agreement = np.array([sum(map(share.__getitem__, sorted(set(names)))) for names in selected])
    chance = sizes * mean_size - index / 2 * (2 * mean_size * sizes - sizes - mean_size + 1)
    phi = (agreement / n_features - chance) / by_chance
    variance = 4 / n_sets * np.var(phi)
    margin = ndtri((1 + confidence) / 2) * np.sqrt(variance)
    lower, upper = np.clip([index - margin, index + margin], 0.0, 1.0)
    return Stability(*map(float, (index, variance, lower, upper)))
