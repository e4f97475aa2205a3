"""A moderated linear model of each feature: each class against the mean of the other classes.

The numbers are those of R's limma 3.54 (`lmFit`, `contrasts.fit`, `eBayes`), but for features with
missing values in designs with covariates or blocks: there `contrasts.fit` approximates the
variances of contrasts, and these are exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr, stdtrit
from threadpoolctl import threadpool_limits

from xnbflow.core.errors import InputError
from xnbflow.data.class_design import DEPENDENT, ClassDesign, class_designs
from xnbflow.density.tiles import map_strips
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.moderation import fit_variance_prior, posterior_variances

#: Squared lengths and eigenvalues that are smaller, relative to 1, are 0.
_ZERO = 1e-9
#: Residuals that are smaller, relative to the deviations of the values, are rounding errors.
_ROUNDING = 32 * np.finfo(float).eps


@dataclass(frozen=True)
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
    n_classes = codes.max() + 1
    names = ["log_fold_change", "standard_error", "lower", "upper", "t", "p", "df"]
    names += ["posterior_variance", "prior_variance"]
    found = {name: np.full((n_classes, len(values)), np.nan) for name in names}
    prior_df = np.full(n_classes, np.nan)
    designs = class_designs(codes, groups, covariates)
    for design in reversed(designs):  # mean and variance are at last those of the first
        estimate, unscaled, variance, df, mean = _least_squares(values, design)
        if not (df > 0).any():
            msg = "no feature has enough values for a variance; add samples or fill in values"
            raise InputError(msg)
        degrees, prior = fit_variance_prior(variance, df, mean if trend else None)
        posterior = posterior_variances(variance, df, degrees, prior)
        tested = _tested(estimate, unscaled, posterior, np.minimum(df + degrees, df.sum()))
        prior_df[design.compared] = degrees
        for name, rows in zip(names, (estimate, *tested, posterior, prior), strict=True):
            found[name][design.compared] = rows
    fdr, zeros = benjamini_hochberg(found["p"]), int((variance == 0).sum())
    return ModeratedContrasts(
        **found, fdr=fdr, prior_df=prior_df, mean=mean, designs=designs, zero_variances=zeros
    )


def _tested(
    estimate: np.ndarray, unscaled: np.ndarray, variance: np.ndarray, df: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return standard errors, limits of intervals, t, p and the degrees of freedom."""
    error, lower, upper, t, p = np.empty((5, *estimate.shape))
    each, which = np.unique(df, return_inverse=True)
    quantile = stdtrit(each, 0.975)[which]

    def test(strip: slice) -> None:
        part = (slice(None), strip)
        error[part] = np.sqrt(variance[strip] * unscaled[part])
        lower[part] = estimate[part] - quantile[strip] * error[part]
        upper[part] = estimate[part] + quantile[strip] * error[part]
        with np.errstate(divide="ignore", invalid="ignore"):  # one constant feature
            t[part] = estimate[part] / error[part]
        p[part] = 2 * stdtr(df[strip], -np.abs(t[part]))

    map_strips(test, len(df), len(estimate), 200.0)
    return error, lower, upper, t, p, df


def _least_squares(values: np.ndarray, design: ClassDesign) -> tuple[np.ndarray, ...]:
    """Fit the design to each feature.

    Return estimates of the contrasts and their variances in multiples of the residual variance,
    (n_compared, n_features), and of each feature the residual variance (NaN without degrees of
    freedom), its degrees of freedom and the mean of the units.
    """
    contrasts = np.zeros((design.compared.sum(), design.matrix.shape[1]))
    contrasts[:, : len(design.compared)] = design.contrasts[design.compared]
    left, singular, right = np.linalg.svd(design.matrix, full_matrices=False)
    rank = int((singular > DEPENDENT * singular[0]).sum())
    basis, right = left[:, :rank], right[:rank]
    outside = contrasts - contrasts @ right.T @ right
    contrasts[(outside**2).sum(axis=1) > _ZERO] = np.nan
    coordinates = (contrasts @ right.T / singular[:rank]).T  # (rank, n_compared)
    estimate, unscaled = np.empty((2, len(contrasts), len(values)))
    variance, df, mean = np.empty((3, len(values)))

    def fit(strip: slice) -> None:
        found = _fit_rows(_units(values[strip], design), basis, coordinates)
        estimate[:, strip], unscaled[:, strip] = found[0].T, found[1].T
        variance[strip], df[strip], mean[strip] = found[2:]

    with threadpool_limits(1, "blas"):  # its threads would compete with those of this program
        map_strips(fit, *values.shape)
    return estimate, unscaled, variance, df, mean


def _units(values: np.ndarray, design: ClassDesign) -> np.ndarray:
    """Return the units of some features, (n_features, n_units); NaN where a unit has no values.

    A unit of several classes has no value if one of its samples has none: it would be a mean of
    other classes than those in its row of the design.
    """
    weights = design.weights
    if not design.averaged:
        samples = weights.indices
        in_order = np.array_equal(samples, np.arange(weights.shape[0]))
        return values if in_order else values[:, samples]
    known = ~np.isnan(values)
    share = known @ weights
    several = np.count_nonzero(design.matrix[:, : len(design.compared)], axis=1) > 1
    units = np.full(share.shape, np.nan)
    present = share > np.where(several, 1 - _ZERO, 0.0)
    return np.divide(np.where(known, values, 0.0) @ weights, share, units, where=present)


def _fit_rows(
    rows: np.ndarray, basis: np.ndarray, coordinates: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return estimates, unscaled variances, residual variances, degrees of freedom and means.

    The columns of ``basis`` (n_units, rank) are orthonormal, and a constant is among their sums;
    ``coordinates`` (rank, n_contrasts) are the contrasts in terms of them.
    """
    known = ~np.isnan(rows)
    count = known.sum(axis=1)
    gaps = np.flatnonzero(count < rows.shape[1])
    first = rows[np.arange(len(rows)), known.argmax(axis=1)]
    centred = rows - first[:, None]  # exactly 0 where a feature is constant
    if len(gaps):
        centred[~known] = 0.0
    mean = first + centred.sum(axis=1) / np.maximum(count, 1)
    projected = centred @ basis
    df = count - basis.shape[1]
    unscaled = np.repeat((coordinates**2).sum(axis=0)[None], len(rows), axis=0)
    if len(gaps):
        solved = _solved(known[gaps], projected[gaps], basis, coordinates)
        projected[gaps], unscaled[gaps], df[gaps] = solved
    estimate = projected @ coordinates
    estimate[np.isnan(unscaled)] = np.nan
    total = np.einsum("ij,ij->i", centred, centred)
    centred -= projected @ basis.T  # the residuals
    if len(gaps):
        centred[~known] = 0.0
    squares = np.einsum("ij,ij->i", centred, centred)
    squares[squares <= rows.shape[1] * _ROUNDING**2 * total] = 0.0
    variance = np.divide(squares, df, np.full(len(df), np.nan), where=df > 0)
    return estimate, unscaled, variance, df, mean


def _solved(
    known: np.ndarray, projected: np.ndarray, basis: np.ndarray, coordinates: np.ndarray
) -> tuple[np.ndarray, ...]:
    """Return coefficients, unscaled variances and degrees of freedom if values are missing.

    Features with the same pattern of missing values share the inverse of their normal matrix. A
    contrast with a part outside the range of that matrix cannot be estimated: its variance is NaN.
    """
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    rank = basis.shape[1]
    products = (basis[:, :, None] * basis[:, None, :]).reshape(len(basis), -1)
    values, vectors = np.linalg.eigh((patterns @ products).reshape(-1, rank, rank))
    positive = values > _ZERO
    inverse = np.where(positive, 1 / np.where(positive, values, 1.0), 0.0)
    turned = vectors.swapaxes(1, 2) @ coordinates  # (n_patterns, rank, n_contrasts)
    unscaled = np.einsum("ur,urc->uc", inverse, turned**2)
    outside = np.einsum("ur,urc->uc", ~positive, turned**2)
    unscaled[outside > _ZERO * (coordinates**2).sum(axis=0)] = np.nan
    turned = np.einsum("gsr,gs->gr", vectors[which], projected) * inverse[which]
    solved = np.einsum("grs,gs->gr", vectors[which], turned)
    return solved, unscaled[which], (patterns.sum(axis=1) - positive.sum(axis=1))[which]
