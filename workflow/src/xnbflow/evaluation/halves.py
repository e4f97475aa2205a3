"""Stability of a selection from disjoint halves of the samples.

Training sets of cross-validation share most of their samples; two halves share none, and their
lists agree as those of independent studies of half the size. The halves are the folds of a repeated
two-fold cross-validation: complementary pairs (Shah and Samworth 2013).
"""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
from scipy.stats import norm

from xnbflow.data.errors import InputError
from xnbflow.evaluation.intervals import Estimate
from xnbflow.evaluation.stability import stability_index

__all__ = ["half_stability", "selection_shares"]

Pair = tuple[Collection[str], Collection[str]]


def half_stability(pairs: Sequence[Pair], n_features: int, confidence: float = 0.95) -> Estimate:
    """Return the agreement of the lists of two independent studies of half the size.

    Parameters
    ----------
    pairs : sequence of (features, features)
        What was selected in either half of the samples, for each division into halves.
    n_features : int
        To select from.
    confidence : float

    Returns
    -------
    Estimate
        1 if the lists are equal, 0 if they agree as random ones do. Missing with fewer than two
        pairs that select anything.

    Notes
    -----
    The agreement of a pair is Nogueira's index; its mean over pairs is unbiased for studies of half
    the size. The standard error is the spread over pairs (the delete-half jackknife), which does
    not shrink with their number: the samples are the same. One pair is added to it that shares one
    feature more than the mean: pairs that share none do not vary.

    References
    ----------
    R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at stability
    selection", Journal of the Royal Statistical Society B 75 (2013), 55-80; J. Shao and C. F. J.
    Wu, "A general theory for jackknife variance estimation", Annals of Statistics 17 (1989),
    1176-1197; S. Nogueira, K. Sechidis and G. Brown, "On the stability of feature selection
    algorithms", Journal of Machine Learning Research 18 (2018), no. 174.

    Examples
    --------
    >>> pairs = [({"a", "b"}, {"a", "c"}), ({"a", "b"}, {"a", "b"}), ({"a", "d"}, {"b", "c"})]
    >>> [round(number, 2) for number in half_stability(pairs, 100)]
    [0.49, 0.0, 1.0]
    """
    if not pairs:
        msg = "no pair of halves; at least one must have been fitted"
        raise InputError(msg)
    values = np.array([stability_index(pair, n_features).value for pair in pairs])
    values = values[~np.isnan(values)]
    if len(values) < 2:
        return Estimate(np.nan, np.nan, np.nan)
    value = values.mean()
    size = np.mean([len(set(half)) for pair in pairs for half in pair])
    spread = np.append(values, value + 1 / size).std(ddof=1)
    margin = norm.ppf((1 + confidence) / 2) * spread
    return Estimate(*map(float, np.clip([value, value - margin, value + margin], 0.0, 1.0)))


def selection_shares(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return in which share of the halves each feature is selected; most often first, then by name.

    Examples
    --------
    >>> selection_shares([({"a", "b"}, {"a"}), ({"a"}, {"c"})])
    {'a': 0.75, 'b': 0.25, 'c': 0.25}
    """
    counts = Counter(feature for pair in pairs for half in pair for feature in set(half))
    ordered = sorted(counts, key=lambda feature: (-counts[feature], feature))
    return {feature: counts[feature] / (2 * len(pairs)) for feature in ordered}
