"""Intervals of shares of samples, by the effective number of independent samples.

Samples of one patient are right or wrong together: the *design effect*. Predictions of a
cross-validation share training samples: the *inflation*, found by simulation (`benchmarks audit`).
With both, and upper limits corrected for few samples, 95% intervals of balanced accuracies held
the value on new samples in 93 to 100% of the simulated studies of two to four classes, and in 89%
or more with ten classes of ten samples (`benchmarks verdicts`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy  # scipy.special and scipy.optimize, a tenth of a second, are imported where used

from xnbflow.core.rounding import ROUNDING
from xnbflow.evaluation.methods import known_methods

#: One-sided level of verdicts, and of each end of an interval.
LEVEL = 0.025
#: Variance of a cross-validated accuracy about the accuracy on new samples, in binomial variances.
CROSS_VALIDATED = 2.0
#: The same of a classifier that chooses its own parameters by an inner cross-validation.
TUNED = 2.5
#: Samples or groups of a class up to which cross-validation underestimates all recalls together.
_SMALL_CLASS = 8
#: Samples or groups of the smaller class at which the variance of an AUC above it is doubled.
_SMALL_CLASS_AREA = 16
#: Areas that differ less are one.
_NEAR = 1e-9


class Estimate(NamedTuple):
    """A number with its 95% interval."""

    value: float
    lower: float
    upper: float


#: The estimate without data.
UNKNOWN = Estimate(np.nan, np.nan, np.nan)


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


def design_effect(right: np.ndarray, groups: np.ndarray) -> float:
    """Return the design effect of groups on the variance of a share, at least 1.

    ``right`` is whether each sample is right, or in which share of its tests, 0 to 1; ``groups``
    are its groups, for example patients. Both have shape (n_samples,).

    With ``s_g`` right out of ``m_g`` samples of group ``g``, ``p`` the share of all ``n`` and ``G``
    groups it is ``G / (G - 1) sum (s_g - p m_g)² / (n p (1 - p))``. Two half groups of mean size
    are added, one right and one wrong, as Jeffreys' prior adds two half samples: if all samples are
    right the effect is thus near the size of a group rather than undefined.

    J. N. K. Rao and A. J. Scott, "A simple method for the analysis of clustered binary data",
    Biometrics 48 (1992), 577-585.

    Examples
    --------
    >>> right = np.repeat([1, 1, 1, 0, 1, 0, 1, 1, 0, 1], 4)
    >>> round(design_effect(right, np.repeat(np.arange(10), 4)), 1)
    4.1
    """
    codes = np.unique(groups, return_inverse=True)[1]
    sizes = np.bincount(codes).astype(float)
    if len(sizes) == len(codes):
        return 1.0
    half = sizes.mean() / 2
    totals = np.append(np.bincount(codes, right), [half, 0.0])
    sizes = np.append(sizes, [half, half])
    share = totals.sum() / sizes.sum()
    n_groups = len(sizes) - 1  # the two halves count as one
    spread = np.sum((totals - share * sizes) ** 2) * n_groups / (n_groups - 1)
    return max(1.0, float(spread / (sizes.sum() * share * (1 - share))))


def effective_samples(
    right: np.ndarray, groups: np.ndarray | None = None, inflation: float = 1.0
) -> float:
    """Return the effective number of independent samples.

    ``right`` and ``groups`` are as in `design_effect`; ``inflation`` is `CROSS_VALIDATED` or
    `TUNED` for a cross-validation, 1 for one fixed classifier. The number is ``n / (design effect *
    inflation)``, with groups times ``(z / t)²``, ``t`` with one degree of freedom less than there
    are groups; 0 with a single group.

    E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number
    of positive counts estimated from survey data", Survey Methodology 24 (1998), 193-201.
    """
    n = len(right)
    if groups is None or len(np.unique(groups)) == n:
        return n / inflation
    n_groups = len(np.unique(groups))
    if n_groups < 2:
        return 0.0
    return float(n * few_groups_factor(n_groups) / design_effect(right, groups) / inflation)


def few_groups_factor(n_groups: int) -> float:
    """Return ``(z / t)²``: the share of groups that count if their spread is estimated from them.

    ``z`` and ``t`` are the .975 quantiles of the normal distribution and of Student's t with one
    degree of freedom less than there are groups.

    Examples
    --------
    >>> round(few_groups_factor(5), 3), round(few_groups_factor(100), 3)  # (1.960 / 2.776)²
    (0.498, 0.976)
    """
    return float(scipy.special.ndtri(0.975) / scipy.special.stdtrit(n_groups - 1, 0.975)) ** 2


def share_interval(
    right: np.ndarray,
    groups: np.ndarray | None = None,
    inflation: float = 1.0,
    confidence: float = 0.95,
) -> Estimate:
    """Return a share of samples with Jeffreys' interval at the effective number of samples.

    The parameters are those of `effective_samples`; all is missing without a sample. The upper
    limit of a cross-validation with at most one effective error is 1: its training sets are
    smaller than all samples, with which the classifier on new samples is trained.
    """
    if not len(right):
        return UNKNOWN
    value = float(np.mean(right))
    n = effective_samples(right, groups, inflation)
    if n == 0:
        return Estimate(value, 0.0, 1.0)
    lower, upper = map(float, proportion_interval(value * n, n, confidence))
    if inflation > 1 and (1 - value) * n <= 1 + ROUNDING:
        upper = 1.0
    return Estimate(value, lower, upper)


def share_p(
    right: np.ndarray, limit: float, groups: np.ndarray | None = None, inflation: float = 1.0
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
    n = effective_samples(right, groups, inflation)
    if n == 0:
        return 1.0
    hits = float(np.mean(right)) * n
    return float(scipy.special.betainc(hits + 0.5, n - hits + 0.5, limit))


def area_interval(
    area: float,
    n: float,
    m: float,
    confidence: float = 0.95,
    *,
    smaller_class: float = np.inf,
) -> Estimate:
    """Return an area under the ROC curve with its interval; missing without samples.

    ``n`` and ``m`` are the effective numbers of independent samples of the class and of the others.
    ``smaller_class`` is the number of samples (or groups) of the smaller of the two in a
    cross-validation: its training sets are smaller than all samples, so that with few of them the
    area is too low. The part above the estimate is therefore multiplied by ``sqrt(1 + 16 /
    smaller_class)``, a factor found by simulation (`python -m benchmarks areas`).

    R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann-Whitney
    statistic. Part 2: asymptotic methods and evaluation", Statistics in Medicine 25 (2006),
    559-573, method 5.

    Examples
    --------
    >>> [round(number, 2) for number in area_interval(1.0, 10, 10)]
    [1.0, 0.8, 1.0]
    """
    if np.isnan(area) or not n or not m:
        return UNKNOWN
    z = scipy.special.ndtri((1 + confidence) / 2)
    n_star = max(0.0, (n + m) / 2 - 1)

    def beyond(true: float) -> float:
        """Return how far the area is beyond the limit of an interval around a true area."""
        spread = 1 + n_star * ((1 - true) / (2 - true) + true / (1 + true))
        return float((area - true) ** 2 - z**2 * true * (1 - true) * spread / (n * m))

    # an area of 0 or 1 itself solves the equation, beside its limit
    lower = scipy.optimize.brentq(beyond, 0.0, area - _NEAR) if area > _NEAR else 0.0
    upper = scipy.optimize.brentq(beyond, area + _NEAR, 1.0) if area < 1.0 - _NEAR else 1.0
    wider = np.sqrt(1 + _SMALL_CLASS_AREA / smaller_class)
    return Estimate(area, float(lower), float(min(1.0, area + (upper - area) * wider)))


def balanced_interval(
    right: np.ndarray,
    classes: np.ndarray,
    groups: np.ndarray | None = None,
    inflation: float = 1.0,
    confidence: float = 0.95,
    *,
    by_size: bool = False,
) -> Estimate:
    """Return the mean over classes of the shares that are right, the balanced accuracy.

    ``classes`` are of the samples, all else is as in `share_interval`. If groups have samples of
    several classes, these shares are not treated as independent. ``by_size`` weighs classes by
    their samples: the mean is then the accuracy.

    In a cross-validation with few samples all classes have too many errors, because training sets
    are smaller than all samples. Upper limits are therefore combined with a correlation of at least
    8 over the mean number of samples (or groups) of a class. Both rules for upper limits were found
    by simulation (`python -m benchmarks verdicts`): without them the interval covered 69 to 91%
    with 12 to 20 samples, and all misses were above it.
    """
    shares = []
    n_samples = []
    n_units = []
    for label in np.unique(classes):
        members = classes == label
        class_groups = None if groups is None else groups[members]
        shares.append(share_interval(right[members], class_groups, inflation, confidence))
        n_samples.append(int(members.sum()))
        n_units.append(n_samples[-1] if class_groups is None else len(np.unique(class_groups)))
    least_correlation = 0.0
    if inflation > 1:
        least_correlation = min(1.0, float(_SMALL_CLASS / np.mean(n_units)))
    return mean_of(
        shares,
        None if groups is None else correlations(right, classes, groups),
        least_above=least_correlation,
        weights=n_samples if by_size else None,
    )


def correlations(right: np.ndarray, classes: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Return the correlations of shares of classes: the identity if no group has several classes.

    Else it is the correlation between groups' right predictions of each class, 0 where negative,
    times ``(t / z)²`` (see `effective_samples`), with two half groups as in `design_effect`.
    """
    group_codes = np.unique(groups, return_inverse=True)[1]
    class_codes = np.unique(classes, return_inverse=True)[1]
    # samples, and right ones, of each group in each class: (n_groups, n_classes)
    sizes = np.zeros((group_codes.max() + 1, class_codes.max() + 1))
    totals = np.zeros_like(sizes)
    np.add.at(sizes, (group_codes, class_codes), 1.0)
    np.add.at(totals, (group_codes, class_codes), right)
    if (np.count_nonzero(sizes, axis=1) == 1).all():
        return np.eye(sizes.shape[1])
    n_groups = len(sizes)
    share = totals.sum(axis=0) / sizes.sum(axis=0)
    deviations = totals - share * sizes
    halves = (np.outer(share, share) + np.outer(1 - share, 1 - share)) / (4 * n_groups)
    products = deviations.T @ deviations + halves * (sizes.T @ sizes)
    spread = np.sqrt(np.diag(products))
    positive = np.maximum(products / np.outer(spread, spread), 0.0)
    return positive / few_groups_factor(max(n_groups, 2))


def mean_of(
    shares: Sequence[Estimate],
    correlation: np.ndarray | None = None,
    *,
    least_above: float = 0.0,
    weights: Sequence[float] | None = None,
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
    weight /= weight.sum()
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


def inflation_of(entry: Mapping[str, Any]) -> float:
    """Return the inflation of a classifier's cross-validation, `TUNED` or `CROSS_VALIDATED`.

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
    return TUNED if tuned else CROSS_VALIDATED
