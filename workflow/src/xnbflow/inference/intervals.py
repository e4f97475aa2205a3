"""Intervals of accuracies and AUCs, by the effective number of independent samples.

**The idea.** Samples of one patient are right or wrong together: the *design effect*. Predictions
of a cross-validation share training samples: the *inflation*. Both make n samples count as fewer
independent ones, for which the literature has intervals.

**The formula.** n samples count as

    n* = n · f / (d · v)

====== ========================================================================================
``d``  the design effect of groups, at least 1 (`_design_effect`); 1 without groups
``f``  the share of few groups that counts (`_few_groups_factor`); 1 without groups, and if no
       group has two samples of a class
``v``  the inflation of a cross-validation, for lower and upper limits separately; 1 for one
       fixed classifier
====== ========================================================================================

`share_interval` has Jeffreys' limits of n* samples, `area_interval` Newcombe's limits, and
`balanced_interval` combines the limits of the recalls after Zou and Donner. The classifier on new
samples is trained on all samples, and those of a cross-validation on fewer: its errors are too
many, so that with few samples upper limits are further from the estimate.

**The constants** were found by simulation (docs/methods/verdicts-evidence.md; `python -m
benchmarks.verdicts designs`):

===================== ====== ======================================================================
constant              value  use, and its simulation
===================== ====== ======================================================================
`CROSS_VALIDATED`     2      ``v`` of upper limits, and of both limits of an AUC: the variance of a
                             cross-validated accuracy about the accuracy on new samples, in
                             binomial variances
`TUNED_INFLATION`     2.5    the same of a classifier that chooses its own parameters by an inner
                             cross-validation
`BELOW`               1.75   ``v`` of lower limits of shares. A cross-validation errs on the low
                             side: of 1, 1.25, 1.5, 1.75, 2 and 2.5 this is the least value at
                             which lower limits are above the truth no more often than nominally.
                             Those of AUCs would be so in 4% of studies without an effect (3%
                             with ``v`` of upper limits)
`_MOST_ERRORS_OF_ONE` 1      effective errors up to which the upper limit of a share is 1
`_SMALL_CLASS`        8      the recalls of classes with ``k`` samples or groups on average have
                             at least the correlation ``8 / k`` in upper limits. Without these two
                             rules intervals of 12 to 20 samples covered 69 to 91%, and all misses
                             were above them
`_SMALL_CLASS_AREA`   16     the part of an interval above an AUC is ``sqrt(1 + 16 / k)`` times as
                             long, ``k`` the samples or groups of the smaller class: coverage .92
                             to 1.00 in 21 designs and effects
===================== ====== ======================================================================

**The result.** 95% intervals of balanced accuracies held the value on new samples in 93 to 100% of
the simulated studies of two to ten classes, with genes in correlated blocks of ten. With
correlations of .5 in blocks of 200 genes it was 77 to 98%, and with all genes correlated 67 to 90%;
in every miss of studies with an effect the true value was above the interval.

**An example.** Of 40 samples 30 are right in a cross-validation, without groups. The lower limit is
the .025 quantile of 17.1 right ones of 40 / 1.75 = 22.9 samples, .550; the upper limit is the .975
quantile of 15 right ones of 40 / 2 = 20 samples, .898.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # scipy.special and scipy.optimize, a tenth of a second, are imported where used

from xnbflow.core.rounding import ROUNDING
from xnbflow.evaluation.methods import known_methods

# The table of the module has the use of each of these constants, and its simulation.

#: Inflation of upper limits in a cross-validation.
CROSS_VALIDATED = 2.0
#: The same of a classifier that chooses its own parameters.
TUNED_INFLATION = 2.5
#: Inflation of lower limits of shares in either.
BELOW = 1.75
#: Effective errors up to which an upper limit is 1.
_MOST_ERRORS_OF_ONE = 1.0
#: Samples or groups of a class at which upper limits of recalls are combined as of equal errors.
_SMALL_CLASS = 8
#: Samples or groups of the smaller class at which the variance of an AUC above it is doubled.
_SMALL_CLASS_AREA = 16
#: The area and the balanced accuracy of two classes without information.
_CHANCE = 0.5

#: Areas that differ less are one.
_NEAR = 1e-9


class Estimate(NamedTuple):
    """A number with its 95% interval."""

    value: float
    lower: float
    upper: float


#: The estimate without data.
UNKNOWN = Estimate(np.nan, np.nan, np.nan)


def share_interval(
    right: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    inflation: float = 1.0,
    confidence: float = 0.95,
    below: float = BELOW,
) -> Estimate:
    """Return a share of samples with Jeffreys' interval at the effective number of samples.

    The parameters are those of `effective_samples`; all is missing without a sample. The lower
    limit has the inflation ``below``, if this is less. The upper limit of a cross-validation with
    at most one effective error is 1: its training sets are smaller than all samples, with which the
    classifier on new samples is trained.

    Examples
    --------
    The example of the module.

    >>> interval = share_interval(np.arange(40) >= 10, inflation=CROSS_VALIDATED)
    >>> [round(number, 3) for number in interval]
    [0.75, 0.55, 0.898]
    """
    if not len(right):
        return UNKNOWN
    value = float(np.mean(right))
    n = effective_samples(right, groups)
    if n == 0:
        return Estimate(value, 0.0, 1.0)
    lower, upper = _share_limits(value, n, inflation=inflation, below=below, confidence=confidence)
    if _has_upper_limit_one((1 - value) * n, inflation):
        upper = 1.0
    return Estimate(value, lower, upper)


def _share_limits(
    value: float, n: float, *, inflation: float, below: float, confidence: float
) -> tuple[float, float]:
    """Return Jeffreys' limits of a share of ``n`` samples, each with the inflation of its side."""
    n_below = n / min(inflation, below)
    n_above = n / inflation
    lower = proportion_interval(value * n_below, n_below, confidence)[0]
    upper = proportion_interval(value * n_above, n_above, confidence)[1]
    return float(lower), float(upper)


def _has_upper_limit_one(n_errors: float, inflation: float) -> bool:
    """Return whether a share has so few errors in a cross-validation that its upper limit is 1."""
    return inflation > 1 and n_errors / inflation <= _MOST_ERRORS_OF_ONE + ROUNDING


def area_interval(
    area: float,
    n: float,
    m: float,
    *,
    inflation: float = 1.0,
    confidence: float = 0.95,
    balanced: Estimate = UNKNOWN,
) -> Estimate:
    """Return an area under the ROC curve with its interval; missing without samples.

    ``n`` and ``m`` are the numbers of samples (or groups) of the class and of the others, which in
    a cross-validation are divided by the ``inflation``. Its training sets are smaller than all
    samples, so that with few of them the area is too low: the part above the estimate is multiplied
    by ``sqrt(1 + 16 / k)``, ``k`` the smaller of ``n`` and ``m``.

    ``balanced`` is the balanced accuracy of the same predictions, the mean of sensitivity and
    specificity at one threshold. The area under a concave ROC curve is at least that of the two
    lines from (0, 0) to the point of this threshold and on to (1, 1), which is this mean (D. M.
    Green and J. A. Swets, "Signal detection theory and psychophysics", Wiley, New York 1966). Where
    the estimates agree with that, the lower limit of the area is at least that of the balanced
    accuracy. Scores of several folds are compared for the area, which may make its estimate the
    smaller one; if the balanced accuracy is above chance, one half, the lower limit is then lower
    by the difference of the estimates.

    R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic. Part 2: asymptotic methods and evaluation", Statistics in Medicine 25 (2006),
    559-573, method 5.

    Examples
    --------
    >>> [round(number, 2) for number in area_interval(1.0, 10, 10)]
    [1.0, 0.8, 1.0]
    >>> balanced = Estimate(1.0, 0.81, 1.0)  # 20 of 20 samples are right
    >>> area_interval(1.0, 10, 10, inflation=CROSS_VALIDATED, balanced=balanced)
    Estimate(value=1.0, lower=0.81, upper=1.0)
    >>> round(area_interval(0.96, 10, 10, inflation=CROSS_VALIDATED, balanced=balanced).lower, 2)
    0.77
    """
    if np.isnan(area) or not n or not m:
        return UNKNOWN
    lower, upper = _area_limits(area, n / inflation, m / inflation, confidence)
    if inflation > 1:
        widening = np.sqrt(1 + _SMALL_CLASS_AREA / min(n, m))
        upper = min(1.0, area + (upper - area) * widening)
    if balanced.value <= area:  # never if it is missing
        lower = max(lower, balanced.lower)
    elif balanced.lower > _CHANCE:
        lower = max(lower, balanced.lower - (balanced.value - area))
    return Estimate(area, float(lower), float(upper))


def _area_limits(area: float, n: float, m: float, confidence: float) -> tuple[float, float]:
    """Return Newcombe's limits of an area of ``n`` and ``m`` independent samples."""
    z = scipy.special.ndtri((1 + confidence) / 2)
    n_star = max(0.0, (n + m) / 2 - 1)

    def beyond(true: float) -> float:
        """Return how far the area is beyond the limit of an interval around a true area."""
        spread = 1 + n_star * ((1 - true) / (2 - true) + true / (1 + true))
        return float((area - true) ** 2 - z**2 * true * (1 - true) * spread / (n * m))

    # an area of 0 or 1 itself solves the equation, beside its limit
    lower = scipy.optimize.brentq(beyond, 0.0, area - _NEAR) if area > _NEAR else 0.0
    upper = scipy.optimize.brentq(beyond, area + _NEAR, 1.0) if area < 1.0 - _NEAR else 1.0
    return float(lower), float(upper)


def balanced_interval(
    right: np.ndarray,
    classes: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    inflation: float = 1.0,
    confidence: float = 0.95,
    by_size: bool = False,
    below: float = BELOW,
) -> Estimate:
    """Return the mean over classes of the shares that are right, the balanced accuracy.

    ``classes`` are of the samples, all else is as in `share_interval`. ``by_size`` weighs classes
    by their samples: the mean is then the accuracy.

    Where no group has samples of several classes the recalls are independent, and their limits are
    combined by `mean_of`; if the classes have equal sizes, the interval is that of the accuracy
    (`accuracy_interval`). Otherwise (tumour and normal tissue of a patient) limits are
    those of Jeffreys' interval with the design effect of groups on the weighted mean; the upper
    limit is at least that of recalls with the correlation of `_correlations`. Both are at most as
    far from the mean as limits of recalls that are right and wrong in the same groups, so that no
    limit of a mean is outside the limits of all recalls.

    In a cross-validation with few samples all classes have too many errors, because training sets
    are smaller than all samples. Upper limits are therefore combined with a correlation of at least
    8 over the mean number of samples (or groups) of a class (`_shared_correlation`).
    """
    labels, codes = np.unique(classes, return_inverse=True)
    sizes = np.bincount(codes)
    weights = sizes if by_size else np.ones(len(labels))
    weights = weights / weights.sum()
    options = {"inflation": inflation, "confidence": confidence, "below": below}

    # Groups with samples of several classes have correlated recalls.
    if groups is not None and have_several_classes(groups, classes):
        interval = _interval_of_shared_groups(right, codes, groups, weights=weights, **options)
        # With few errors the correlation is estimated, and could be less than that of samples all
        # right, whose lower limit is no lower.
        all_right = np.ones(len(right))
        perfect = _interval_of_shared_groups(all_right, codes, groups, weights=weights, **options)
        return interval._replace(lower=min(interval.lower, perfect.lower))

    # Independent recalls; the balanced accuracy of equal classes has the interval of the accuracy.
    recalls = _class_recalls(right, codes, groups, **options)
    least_correlation = _shared_correlation(codes, groups, inflation)
    mean = mean_of(recalls, least_above=least_correlation, weights=weights)
    if not (sizes == sizes[0]).all():
        return mean
    accuracy = share_interval(right, groups, **options)
    return _accuracy_of_recalls(accuracy, mean, inflation)


def _class_recalls(
    right: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray | None,
    *,
    inflation: float,
    confidence: float,
    below: float,
) -> list[Estimate]:
    """Return the recall of each class with its interval; the parameters are as above."""
    recalls = []
    for code in range(codes.max() + 1):
        members = codes == code
        recall = share_interval(
            right[members],
            None if groups is None else groups[members],
            inflation=inflation,
            confidence=confidence,
            below=below,
        )
        recalls.append(recall)
    return recalls


def _shared_correlation(codes: np.ndarray, groups: np.ndarray | None, inflation: float) -> float:
    """Return the least correlation of recalls in upper limits: by errors that all classes share.

    It is 8 over the mean number of samples (or groups) of a class, at most 1; 0 of one fixed
    classifier. ``codes`` (n_samples,) are those of the classes.

    Examples
    --------
    >>> _shared_correlation(np.repeat([0, 1], 16), None, inflation=CROSS_VALIDATED)
    0.5
    """
    if inflation <= 1:
        return 0.0
    n_units = []
    for code in range(codes.max() + 1):
        members = codes == code
        n_units.append(members.sum() if groups is None else len(np.unique(groups[members])))
    return min(1.0, float(_SMALL_CLASS / np.mean(n_units)))


def _interval_of_shared_groups(
    right: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray,
    *,
    weights: np.ndarray,
    inflation: float,
    confidence: float,
    below: float,
) -> Estimate:
    """Return the mean recall of classes that share groups, such as tissues of a patient.

    ``codes`` (n_samples,) are those of the classes; the parameters are as in `balanced_interval`.
    """
    recalls = _class_recalls(
        right, codes, groups, inflation=inflation, confidence=confidence, below=below
    )
    least_correlation = _shared_correlation(codes, groups, inflation)

    # Limits of the weighted mean with its design effect.
    correlation = _correlations(right, codes, groups)
    correlated = mean_of(recalls, correlation, least_above=least_correlation, weights=weights)
    value = correlated.value
    n = effective_samples(right, groups, classes=codes, weights=weights)
    lower, upper = _share_limits(value, n, inflation=inflation, below=below, confidence=confidence)
    if _has_upper_limit_one((1 - value) * len(np.unique(groups)), inflation):
        upper = 1.0  # a group counts once

    # They are between those of correlated recalls and of recalls right in the same groups.
    same_groups = mean_of(recalls, np.ones_like(correlation), weights=weights)
    lower = max(lower, same_groups.lower)
    upper = min(max(upper, correlated.upper), same_groups.upper)
    return Estimate(value, lower, upper)


def _correlations(right: np.ndarray, classes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the correlations of shares of classes: the identity if no group has several classes.

    Otherwise it is the correlation over groups of the deviations ``d_gc`` (right samples of group
    ``g`` in class ``c``, less the expected number): ``sum_g d_gc d_gd / sqrt(sum_g d_gc² sum_g
    d_gd²)``, at most 1, and 0 where negative, with half a group that is right and half a group that
    is wrong as in `_design_effect`. The effective samples of a class contain the factor of few
    groups; the correlation does not.
    """
    sizes, totals = _sums_by_group(right, classes, groups)
    if (np.count_nonzero(sizes, axis=1) == 1).all():
        return np.eye(sizes.shape[1])
    share = totals.sum(axis=0) / sizes.sum(axis=0)
    deviations = totals - share * sizes
    halves = (np.outer(share, share) + np.outer(1 - share, 1 - share)) / (2 * len(sizes))
    products = deviations.T @ deviations + halves * (sizes.T @ sizes)
    spread = np.sqrt(np.diag(products))
    return np.clip(products / np.outer(spread, spread), 0.0, 1.0)


def have_several_classes(groups: np.ndarray, classes: np.ndarray) -> bool:
    """Return whether any group has samples of several classes.

    Examples
    --------
    >>> have_several_classes(np.array([1, 1, 2]), np.array(["tumour", "normal", "normal"]))
    True
    """
    sizes, _ = _sums_by_group(np.ones(len(groups)), classes, groups)
    return bool((np.count_nonzero(sizes, axis=1) > 1).any())


def accuracy_interval(
    right: np.ndarray,
    classes: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    inflation: float = 1.0,
    confidence: float = 0.95,
) -> Estimate:
    """Return the accuracy, the mean of the recalls by size, with its interval.

    The parameters are those of `balanced_interval`. If groups have samples of several classes it is
    that interval with the classes' sizes as weights. Otherwise it is that of `share_interval`, with
    an upper limit of a cross-validation that is at least the one that follows from the recalls.
    """
    by_size = balanced_interval(
        right, classes, groups, inflation=inflation, confidence=confidence, by_size=True
    )
    if groups is not None and have_several_classes(groups, classes):
        return by_size
    accuracy = share_interval(right, groups, inflation=inflation, confidence=confidence)
    return _accuracy_of_recalls(accuracy, by_size, inflation)


def _accuracy_of_recalls(accuracy: Estimate, of_recalls: Estimate, inflation: float) -> Estimate:
    """Return the interval of an accuracy from the intervals of all samples and of the recalls.

    The upper limit of a cross-validation is the higher one: that of the recalls takes account of
    errors that all classes have because training sets are small.
    """
    if inflation > 1:
        return accuracy._replace(upper=max(accuracy.upper, of_recalls.upper))
    return accuracy


def share_p(
    right: np.ndarray, limit: float, groups: np.ndarray | None = None, *, inflation: float = 1.0
) -> float:
    """Return the one-sided p of a share against a limit, as the share of the largest class.

    It is the posterior probability that the share is at most ``limit``: .025 where the limit is the
    lower one of `share_interval`.

    Examples
    --------
    >>> right = np.arange(40) >= 8
    >>> round(share_p(right, share_interval(right, inflation=2.0).lower, inflation=2.0), 3)
    0.025
    """
    n = effective_samples(right, groups, inflation=min(inflation, BELOW))
    if n == 0:
        return 1.0
    hits = float(np.mean(right)) * n
    return float(scipy.special.betainc(hits + 0.5, n - hits + 0.5, limit))


def proportion_interval(
    right: np.ndarray | float, n: np.ndarray | float, confidence: float = 0.95
) -> tuple[np.ndarray, np.ndarray]:
    """Return the Bayesian interval, with Jeffreys' prior, of a proportion.

    ``right`` of the ``n`` independent samples are right; a mean over repeats may be fractional. The
    limits are quantiles of a beta distribution with parameters ``right + 1/2`` and ``n
    - right + 1/2``, widened to the share itself. Their least coverage over all shares is .87. They
    are missing where ``n`` is 0.

    L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion",
    Statistical Science 16 (2001), 101-133, section 4.3.
    """
    right, n = np.broadcast_arrays(np.asarray(right, dtype=float), np.asarray(n, dtype=float))
    tail = (1 - confidence) / 2
    share = np.divide(right, n, out=np.full(n.shape, np.nan), where=n > 0)
    alpha = right + 0.5
    beta = n - right + 0.5
    lower = np.minimum(scipy.special.betaincinv(alpha, beta, tail), share)  # 0 where none is right
    upper = np.maximum(scipy.special.betaincinv(alpha, beta, 1 - tail), share)
    return lower, upper


def mean_of(
    shares: Sequence[Estimate],
    correlation: np.ndarray | None = None,
    *,
    least_above: float = 0.0,
    weights: Sequence[float] | np.ndarray | None = None,
) -> Estimate:
    """Return the mean of shares, which are independent unless they have a ``correlation``.

    ``correlation`` is a matrix (n_shares, n_shares), ``least_above`` the least correlation with
    which the distances to upper limits are combined; ``weights`` are equal by default. With the
    distance ``d_i`` of share ``i`` to its lower limit and the weight ``w_i`` the lower limit of the
    mean is ``sqrt(sum_ij w_i d_i r_ij w_j d_j)`` below it.

    G. Y. Zou and A. Donner, "Construction of confidence limits about effect measures: a general
    approach", Statistics in Medicine 27 (2008), 1693-1702.

    Examples
    --------
    >>> mean = mean_of([Estimate(0.8, 0.7, 0.9), Estimate(0.6, 0.5, 0.7)])
    >>> [round(number, 3) for number in mean]
    [0.7, 0.629, 0.771]
    """
    values, lower, upper = np.array(shares, dtype=float).T
    weight = np.ones(len(shares)) if weights is None else np.asarray(weights, dtype=float)
    weight = weight / weight.sum()
    if correlation is None:
        correlation = np.eye(len(shares))
    mean = weight @ values
    below = weight * (values - lower)
    above = weight * (upper - values)
    distance_below = np.sqrt(below @ correlation @ below)
    distance_above = np.sqrt(above @ np.maximum(correlation, least_above) @ above)
    mean_lower, mean_upper = np.clip([mean - distance_below, mean + distance_above], 0.0, 1.0)
    return Estimate(float(mean), float(mean_lower), float(mean_upper))


def difference(first: Estimate, second: Estimate) -> Estimate:
    """Return first minus second, of independent samples, after Zou and Donner (2008).

    References
    ----------
    R. G. Newcombe, "Interval estimation for the difference between independent proportions:
    comparison of eleven methods", Statistics in Medicine 17 (1998), 873-890, method 10.

    Examples
    --------
    >>> first, second = Estimate(0.8, 0.6921, 0.8766), Estimate(0.6, 0.4904, 0.7004)
    >>> [round(number, 3) for number in difference(first, second)]
    [0.2, 0.053, 0.334]
    """
    value = first.value - second.value
    below = np.hypot(first.value - first.lower, second.upper - second.value)
    above = np.hypot(first.upper - first.value, second.value - second.lower)
    return Estimate(float(value), float(value - below), float(value + above))


def effective_samples(
    right: np.ndarray,
    groups: np.ndarray | None = None,
    *,
    inflation: float = 1.0,
    classes: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> float:
    """Return the effective number of independent samples.

    The number is ``n f / (d v)`` as in the module, 0 with a single group. ``right``, ``groups``,
    ``classes`` and ``weights`` are as in `_design_effect`; ``inflation`` is `CROSS_VALIDATED` or
    `TUNED_INFLATION` for a cross-validation, 1 for one fixed classifier.

    The factor ``f`` is 1 as well if no group has two samples of a class, as pairs of tumour and
    normal tissue: the variance then follows from the share but for the correlation within pairs,
    and the most that this can be is a design effect of the size of the groups.

    E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number
    of positive counts estimated from survey data", Survey Methodology 24 (1998), 193-201.
    """
    n = len(right)
    if groups is None or len(np.unique(groups)) == n:
        return n / inflation
    effect = _design_effect(right, groups, classes, weights)
    one_class = np.zeros(n, dtype=int)
    sizes, _ = _sums_by_group(right, one_class if classes is None else classes, groups)
    if sizes.max() == 1:
        return float(n / effect / inflation)
    if len(sizes) < 2:
        return 0.0
    return float(n * _few_groups_factor(len(sizes)) / effect / inflation)


def _few_groups_factor(n_groups: int) -> float:
    """Return ``(z / t)²``: the share of groups that count if their spread is estimated from them.

    ``z`` and ``t`` are the .975 quantiles of the normal distribution and of Student's t with one
    degree of freedom less than there are groups.

    Examples
    --------
    >>> round(_few_groups_factor(5), 3), round(_few_groups_factor(100), 3)  # (1.960 / 2.776)²
    (0.498, 0.976)
    """
    return float(scipy.special.ndtri(0.975) / scipy.special.stdtrit(n_groups - 1, 0.975)) ** 2


def _design_effect(
    right: np.ndarray,
    groups: np.ndarray,
    classes: np.ndarray | None = None,
    weights: np.ndarray | None = None,
) -> float:
    """Return the design effect of groups on the variance of a share, at least 1.

    ``right`` is whether each sample is right, or in which share of its tests, 0 to 1; ``groups``
    are its groups, for example patients. Both have shape (n_samples,).

    With ``s_g`` right out of ``m_g`` samples of group ``g``, ``p`` the share of all ``n`` and ``G``
    groups it is ``G / (G - 1) sum (s_g - p m_g)² / (n p (1 - p))``. Half a group of mean size is
    added that is right, and half a group that is wrong, as Jeffreys' prior adds two half samples:
    each has a weight of one half in all sums. If all samples are right the effect is thus near the
    size of a group rather than undefined.

    With ``classes`` (n_samples,) and their ``weights`` (n_classes,), which add up to 1, the share
    is the weighted mean of the classes' shares ``p_c``. A sample of class ``c`` counts ``n w_c /
    n_c`` times, and the deviation of a group is ``s_g - sum_c p_c m_gc``.

    J. N. K. Rao and A. J. Scott, "A simple method for the analysis of clustered binary data",
    Biometrics 48 (1992), 577-585.

    Examples
    --------
    >>> right = np.repeat([1, 1, 1, 0, 1, 0, 1, 1, 0, 1], 4)
    >>> round(_design_effect(right, np.repeat(np.arange(10), 4)), 1)
    4.4
    >>> round(_design_effect(np.ones(200), np.repeat(np.arange(100), 2)), 1)
    2.0
    """
    if classes is None or weights is None:
        classes = np.zeros(len(right), dtype=int)
        weights = np.ones(1)
    sizes, totals = _sums_by_group(right, classes, groups)
    if len(sizes) == len(right):
        return 1.0
    n = len(right)
    counts = weights * n / sizes.sum(axis=0)
    sizes = sizes * counts
    totals = totals * counts
    mean_group = sizes.mean(axis=0)  # (n_classes,)
    shares = (totals.sum(axis=0) + mean_group / 2) / (sizes.sum(axis=0) + mean_group)
    share = float(weights @ shares)
    deviations = totals.sum(axis=1) - sizes @ shares
    mean_size = mean_group.sum()
    halves = mean_size**2 * ((1 - share) ** 2 + share**2) / 2
    n_groups = len(sizes) + 1  # the two halves count as one
    spread = (deviations @ deviations + halves) * n_groups / (n_groups - 1)
    return max(1.0, float(spread / ((n + mean_size) * share * (1 - share))))


def _sums_by_group(
    right: np.ndarray, classes: np.ndarray, groups: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the numbers of samples, and of right ones, of each group in each class.

    Both have shape (n_groups, n_classes).
    """
    group_codes = np.unique(groups, return_inverse=True)[1]
    class_codes = np.unique(classes, return_inverse=True)[1]
    sizes = np.zeros((group_codes.max() + 1, class_codes.max() + 1))
    totals = np.zeros_like(sizes)
    np.add.at(sizes, (group_codes, class_codes), 1.0)
    np.add.at(totals, (group_codes, class_codes), right)
    return sizes, totals


def inflation_of(entry: Mapping[str, Any]) -> float:
    """Return the inflation of a cross-validation, `TUNED_INFLATION` or `CROSS_VALIDATED`.

    The entry of a method declares whether it tunes itself. A class without an entry does if, as
    scikit-learn names them, its name ends with CV or the configuration ``entry`` has ``cv``.

    Examples
    --------
    >>> inflation_of({"method": "csnb_cv"}), inflation_of({"method": "gaussian_nb"})
    (2.5, 2.0)
    """
    last = entry["steps"][-1] if "steps" in entry else entry
    tuned = last["method"].endswith("CV") or "cv" in (last.get("params") or {})
    for method in known_methods().values():
        if last["method"] in (method.name, method.estimator):
            tuned = method.tunes_itself
    return TUNED_INFLATION if tuned else CROSS_VALIDATED
