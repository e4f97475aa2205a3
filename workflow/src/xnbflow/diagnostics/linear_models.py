"""A moderated linear model of each feature: each class against the mean of the other classes.

The numbers are those of R's limma 3.54 (`voom`, `lmFit`, `contrasts.fit`, `eBayes`), except where
values are missing or weighted in designs with covariates or blocks: there `contrasts.fit`
approximates the variances of contrasts, and these are exact.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from scipy.special import stdtr, stdtrit

from xnbflow.core.errors import InputError
from xnbflow.data.class_design import ClassDesign, class_designs
from xnbflow.density.tiles import map_strips
from xnbflow.diagnostics.block_correlation import block_correlation, whitening
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.least_squares import ContrastFit, fit_contrasts
from xnbflow.diagnostics.moderation import fit_variance_prior, posterior_variances
from xnbflow.diagnostics.voom import log_counts_per_million, voom

#: A sum of weights that differs less from 1 is 1.
_ROUNDING = 1e-9
#: Features, and samples of a group, from which the correlation of samples of a group is estimated.
_MOST_FEATURES = 2000
_MOST_OF_GROUP = 10
#: Classes up to which each is compared with each other one.
_MOST_PAIRED = 25
#: Results of `ModeratedTests` with a row per contrast, and results with one row.
_PER_CONTRAST = ("log_fold_change", "standard_error", "lower", "upper", "t", "p")
_PER_FEATURE = ("df", "posterior_variance", "prior_variance")


@dataclass(frozen=True, kw_only=True)
class ModeratedTests:
    """Moderated tests of the contrasts of one design, feature by feature.

    Attributes
    ----------
    log_fold_change, standard_error, lower, upper, t, p : ndarray of shape (n_contrasts, n_features)
        Estimates, their standard errors and the limits of their 95% intervals, moderated t and its
        two-sided p-value. NaN where the values of a feature do not determine a contrast.
    df, posterior_variance, prior_variance, mean : ndarray of shape (n_features,)
        Degrees of freedom of t; variances; the mean of the units.
    prior_df : float
    zero_variances : int
        Features whose residual variance is 0.
    """

    log_fold_change: np.ndarray
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    t: np.ndarray
    p: np.ndarray
    df: np.ndarray
    posterior_variance: np.ndarray
    prior_variance: np.ndarray
    mean: np.ndarray
    prior_df: float
    zero_variances: int


@dataclass(frozen=True, kw_only=True)
class ModeratedContrasts:
    """Each class against the mean of the other classes, feature by feature.

    Attributes
    ----------
    log_fold_change, standard_error, lower, upper : ndarray of shape (n_classes, n_features)
        The difference, adjusted for covariates and groups, its standard error, and the limits of
        its 95% interval; a log fold change if values are logarithms. NaN where the values of a
        feature do not determine it.
    t, p, fdr : ndarray of shape (n_classes, n_features)
        Moderated t, its two-sided p-value, and that adjusted over the features.
    least_difference, least_t : ndarray of shape (n_classes, n_features)
        The difference from the class that is nearest, and its moderated t: see
        `_from_nearest_class`.
    nearest : ndarray of int, shape (n_classes, n_features)
        The code of that class; -1 where there is none.
    df, posterior_variance, prior_variance : ndarray of shape (n_classes, n_features)
        Degrees of freedom of t, and variances; equal for classes that one design compares.
    prior_df : ndarray of shape (n_classes,)
    mean : ndarray of shape (n_features,)
        Mean of the units of the first design.
    designs : list of ClassDesign
        The treatment of groups: see `class_designs`.
    zero_variances : int
        Features whose residual variance is 0. If these are more than half, the moderation is
        unreliable, as limma warns: remove features that do not vary.
    """

    log_fold_change: np.ndarray
    standard_error: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    t: np.ndarray
    p: np.ndarray
    fdr: np.ndarray
    least_difference: np.ndarray
    least_t: np.ndarray
    nearest: np.ndarray
    df: np.ndarray
    posterior_variance: np.ndarray
    prior_variance: np.ndarray
    prior_df: np.ndarray
    mean: np.ndarray
    designs: list[ClassDesign]
    zero_variances: int


def moderated_contrasts(
    values: np.ndarray,
    codes: np.ndarray,
    groups: np.ndarray | None = None,
    covariates: Mapping[str, np.ndarray] | None = None,
    *,
    trend: bool = False,
    sizes: np.ndarray | None = None,
    correlated: bool = False,
) -> ModeratedContrasts:
    """Compare each class with the mean of the other classes by a moderated t test.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
        Usually logarithms. Missing values are NaN; the feature's model has the other samples.
    codes, groups, covariates
        Those of `class_designs`.
    trend : bool, default=False
        Whether the prior variance depends on the mean of the feature, as for logarithms of counts.
    sizes : ndarray of shape (n_samples,), optional
        Effective library sizes: then the values are counts without gaps, which become log2 counts
        per million with precision weights (`xnbflow.diagnostics.voom`). A unit that is the mean of
        several samples has the means of their counts and of their sizes.
    correlated : bool, default=False
        Whether groups are neither blocks nor averaged; their samples have a common correlation
        instead (`xnbflow.diagnostics.block_correlation`), for values without gaps.

    Raises
    ------
    InputError
        As `class_designs`, and if no feature has enough values for a variance.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 5.0, 6.5], [3.0, 4.0, 3.1, 4.5], [7.0, 7.5, 7.0, 7.1]])
    >>> compared = moderated_contrasts(values, np.array([0, 0, 1, 1]))
    >>> compared.log_fold_change.round(2).tolist()
    [[-4.25, -0.3, 0.2], [4.25, 0.3, -0.2]]
    >>> compared.p[0].round(4).tolist()
    [0.0014, 0.7035, 0.7605]
    """
    # Results by class and feature; those of a class that no design compares remain missing.
    n_classes = codes.max() + 1
    shape = (n_classes, len(values))
    results = {name: np.full(shape, np.nan) for name in (*_PER_CONTRAST, *_PER_FEATURE)}
    prior_df = np.full(n_classes, np.nan)
    least_difference = np.full(shape, np.nan)
    least_t = np.full(shape, np.nan)
    nearest = np.full(shape, -1)

    # Groups are blocks of the designs, or have a common correlation.
    blocks = None if correlated else groups
    correlated_groups = groups if correlated else None
    designs = class_designs(codes, blocks, covariates)

    # Classes of different blocks have different designs. The first one comes last: `tests.mean` and
    # `tests.zero_variances` below are its results.
    for design in reversed(designs):
        # Units that are means of several samples have weights.
        unit_weights = None
        if blocks is not None and design.unequal:
            samples = class_designs(codes, None, covariates)[0]
            unit_weights = weights_of_units(
                values, design, samples=samples.matrix, groups=blocks, sizes=sizes
            )
        fit_of = partial(
            fit_design,
            values,
            design,
            sizes=sizes,
            correlated_groups=correlated_groups,
            unit_weights=unit_weights,
        )

        # Each class against the mean of the others. The columns of the classes come first;
        # covariates and blocks, which follow, have weight 0.
        contrasts = np.zeros((design.compared.sum(), design.matrix.shape[1]))
        contrasts[:, :n_classes] = design.contrasts[design.compared]
        tests = moderate(fit_of(contrasts), trend=trend)
        prior_df[design.compared] = tests.prior_df
        for name in (*_PER_CONTRAST, *_PER_FEATURE):
            results[name][design.compared] = getattr(tests, name)

        # Each class against the nearest of those that it is compared with.
        compared = np.flatnonzero(design.compared).tolist()
        for code in compared if n_classes <= _MOST_PAIRED else ():
            least = _from_nearest_class(code, design, fit_of, tests.posterior_variance)
            least_difference[code], least_t[code], nearest[code] = least

    return ModeratedContrasts(
        **results,
        fdr=benjamini_hochberg(results["p"]),
        least_difference=least_difference,
        least_t=least_t,
        nearest=nearest,
        prior_df=prior_df,
        mean=tests.mean,
        designs=designs,
        zero_variances=tests.zero_variances,
    )


def _from_nearest_class(
    code: int,
    design: ClassDesign,
    fit_of: Callable[[np.ndarray], ContrastFit],
    posterior_variance: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a class's difference from the nearest other class, its t, and which one it is.

    The mean of several classes may be far from a class that equals one of them: what separates two
    cancers from healthy tissue is far from the mean of *healthy* and *late* in *early*. A feature
    is one of the class if it differs from each other class, in the same direction: the difference
    is that with the least absolute t. It is 0, and so is its t, where the class lies between
    others, or equals one of them.

    Parameters
    ----------
    code : int
        The class, which the ``design`` compares with others.
    fit_of : callable
        Fits contrasts (n_contrasts, n_columns of the design) to all features.
    posterior_variance : ndarray of shape (n_features,)
        The moderated variances.

    Returns
    -------
    difference, t, nearest : ndarray of shape (n_features,)
        ``nearest`` are codes of classes, -1 where a contrast is missing.
    """
    others = np.flatnonzero(np.nan_to_num(design.contrasts[code]) < 0)
    if not len(others):
        unknown = np.full(len(posterior_variance), np.nan)
        return unknown, unknown, np.full(len(posterior_variance), -1)

    # The contrast with each other class.
    contrasts = np.zeros((len(others), design.matrix.shape[1]))
    contrasts[:, code] = 1.0
    contrasts[np.arange(len(others)), others] = -1.0
    fit = fit_of(contrasts)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = fit.estimate / np.sqrt(posterior_variance * fit.unscaled)

    # The one with the least absolute t.
    missing = np.isnan(t).any(axis=0)
    position = np.nan_to_num(np.abs(t), nan=np.inf).argmin(axis=0)
    columns = np.arange(t.shape[1])
    least = t[position, columns]
    difference = fit.estimate[position, columns]
    is_between = (t > 0).any(axis=0) & (t < 0).any(axis=0)
    least = np.where(missing, np.nan, np.where(is_between, 0.0, least))
    difference = np.where(missing, np.nan, np.where(is_between, 0.0, difference))
    return difference, least, np.where(missing, -1, others[position])


def fit_design(
    values: np.ndarray,
    design: ClassDesign,
    contrasts: np.ndarray,
    *,
    sizes: np.ndarray | None = None,
    correlated_groups: np.ndarray | None = None,
    unit_weights: np.ndarray | None = None,
) -> ContrastFit:
    """Fit a design of classes to each feature.

    ``contrasts`` have shape (n_contrasts, n_columns of the design). With ``sizes`` values are
    counts, weighted by `voom`. ``correlated_groups`` (n_samples,) are those whose samples, the
    units of the design, have a common correlation; not together with ``sizes``. ``unit_weights``
    (n_units,) are those of `weights_of_units`, None for units of equal variance.
    """
    if sizes is None:
        whitened = None if unit_weights is None else np.diag(np.sqrt(unit_weights))
        if correlated_groups is not None:
            correlation = block_correlation(values, design.matrix, correlated_groups)
            whitened = whitening(correlated_groups, correlation)
        return fit_contrasts(
            lambda strip: _units(values[strip], design),
            len(values),
            design.matrix,
            contrasts,
            whitening=whitened,
        )
    unit_sizes = _units(sizes[None], design)[0]
    weighted = voom(_units(values, design), unit_sizes, design.matrix)
    weights = weighted.weights if unit_weights is None else weighted.weights * unit_weights
    return fit_contrasts(
        lambda strip: weighted.values[strip],
        len(values),
        design.matrix,
        contrasts,
        weights=weights,
    )


def weights_of_units(
    values: np.ndarray,
    design: ClassDesign,
    *,
    samples: np.ndarray,
    groups: np.ndarray,
    sizes: np.ndarray | None = None,
) -> np.ndarray | None:
    """Return the inverse variances of units that are means of different numbers of samples.

    The mean of ``m`` samples of a group has the variance ``rho + (1 - rho) / m`` in multiples of
    that of a sample, with ``rho`` the correlation of two samples of a group. Where patients of one
    class have more samples than those of another, units of equal weight would lose the error rate:
    the class of few samples would have the greater variance (docs/methods/verdicts-evidence.md).

    ``rho`` is the consensus of at most 2,000 features (`block_correlation`), at least 0; of groups
    with more than ten samples it has ten. A missing value is replaced by the mean of the samples
    with equal rows in the design of samples, for this estimate only.

    Parameters
    ----------
    values : ndarray of shape (n_features, n_samples)
    design : ClassDesign
        The units.
    samples : ndarray of shape (n_samples, n_columns)
        The design of single samples, without groups.
    groups : ndarray of shape (n_samples,)
    sizes : ndarray of shape (n_samples,), optional
        Effective library sizes where values are counts.

    Returns
    -------
    ndarray of shape (n_units,), or None
        None if the design leaves no differences from which a correlation could be estimated.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> groups = np.array(list("aaabbbcdef"))
    >>> codes = np.repeat([0, 1], [6, 4])
    >>> values = rng.normal(size=(500, 10))
    >>> [design] = class_designs(codes, groups)
    >>> weights = weights_of_units(values, design, samples=np.eye(2)[codes], groups=groups)
    >>> bool(weights[0] > 2 * weights[-1])  # independent samples: nearly three times the weight
    True
    """
    features = np.unique(np.linspace(0, len(values) - 1, _MOST_FEATURES).astype(int))
    place_in_group = pd.Series(groups).groupby(groups).cumcount().to_numpy()
    rows = np.flatnonzero(place_in_group < _MOST_OF_GROUP)
    compared = values[np.ix_(features, rows)]
    if sizes is not None:
        compared = log_counts_per_million(compared, sizes[rows])
    compared = _fill_with_means(compared, samples[rows])
    try:
        correlation = block_correlation(compared, samples[rows], groups[rows])
    except InputError:
        return None
    return design.unit_weights(max(0.0, correlation))


def _fill_with_means(values: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    """Return values without gaps: missing ones are the mean of samples of equal rows in a design.

    Features that then still have gaps are left out.
    """
    missing = np.isnan(values)
    if not missing.any():
        return values
    values = values.copy()
    which = np.unique(matrix, axis=0, return_inverse=True)[1]
    for row in np.unique(which):
        members = np.flatnonzero(which == row)
        present = ~missing[:, members]
        sums = np.where(present, values[:, members], 0.0).sum(axis=1)
        count = present.sum(axis=1)
        means = np.divide(sums, count, np.full(len(sums), np.nan), where=count > 0)
        values[:, members] = np.where(present, values[:, members], means[:, None])
    return values[~np.isnan(values).any(axis=1)]


def moderate(fit: ContrastFit, *, trend: bool = False) -> ModeratedTests:
    """Test contrasts with variances that are moderated over the features (limma's `eBayes`).

    An `InputError` if no feature has degrees of freedom for a variance.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0, 5.0, 6.5], [3.0, 4.0, 3.1, 4.5], [7.0, 7.5, 7.0, 7.1]])
    >>> classes = np.repeat(np.eye(2), 2, axis=0)
    >>> fit = fit_contrasts(lambda strip: values[strip], 3, classes, np.array([[1.0, -1.0]]))
    >>> tests = moderate(fit)
    >>> tests.p[0].round(4).tolist()
    [0.0014, 0.7035, 0.7605]
    """
    if not (fit.df > 0).any():
        msg = "no feature has enough values for a variance; add samples or fill in values"
        raise InputError(msg)
    # With the residual variance s2 on d degrees of freedom and the prior s0 on d0, the posterior
    # variance is (d0 s0 + d s2) / (d0 + d), and t has d0 + d degrees of freedom, at most those of
    # all features together (Smyth 2004, section 3; limma's `eBayes`).
    prior_df, prior = fit_variance_prior(fit.variance, fit.df, fit.mean if trend else None)
    posterior = posterior_variances(fit.variance, fit.df, prior_df, prior)
    df = np.minimum(fit.df + prior_df, fit.df.sum())
    shape = fit.estimate.shape
    error = np.empty(shape)
    lower = np.empty(shape)
    upper = np.empty(shape)
    t = np.empty(shape)
    p = np.empty(shape)
    # `stdtrit` is slow, and most features have the same degrees of freedom.
    distinct_df, which = np.unique(df, return_inverse=True)
    quantile = stdtrit(distinct_df, 0.975)[which]

    def test(strip: slice) -> None:
        estimate = fit.estimate[:, strip]
        error[:, strip] = np.sqrt(posterior[strip] * fit.unscaled[:, strip])
        margin = quantile[strip] * error[:, strip]
        lower[:, strip] = estimate - margin
        upper[:, strip] = estimate + margin
        with np.errstate(divide="ignore", invalid="ignore"):  # 0 / 0 with one constant feature
            t[:, strip] = estimate / error[:, strip]
        p[:, strip] = 2 * stdtr(df[strip], -np.abs(t[:, strip]))

    map_strips(test, len(df), len(fit.estimate), 200.0)
    return ModeratedTests(
        log_fold_change=fit.estimate,
        standard_error=error,
        lower=lower,
        upper=upper,
        t=t,
        p=p,
        df=df,
        posterior_variance=posterior,
        prior_variance=prior,
        mean=fit.mean,
        prior_df=prior_df,
        zero_variances=int((fit.variance == 0).sum()),
    )


def _units(values: np.ndarray, design: ClassDesign) -> np.ndarray:
    """Return the units of some features, (n_features, n_units); NaN where a unit has no values.

    A unit is the mean of the samples with a value. A unit of several classes has no value if one of
    its samples has none: it would be a mean of other classes than those in its row of the design.
    """
    weights = design.weights
    if not design.averaged:
        samples = weights.indices
        in_order = np.array_equal(samples, np.arange(weights.shape[0]))
        return values if in_order else values[:, samples]
    present = ~np.isnan(values)
    share = present @ weights
    several = np.count_nonzero(design.matrix[:, : len(design.compared)], axis=1) > 1
    units = np.full(share.shape, np.nan)
    enough = share > np.where(several, 1 - _ROUNDING, 0.0)
    return np.divide(np.where(present, values, 0.0) @ weights, share, units, where=enough)
