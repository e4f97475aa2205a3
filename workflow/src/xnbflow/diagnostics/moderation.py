"""Empirical Bayes moderation of variances by the variances of all features.

The formulas are those of R's limma 3.54 (`fitFDist`, `squeezeVar`); limma 3.61 and later estimate
the prior otherwise if degrees of freedom differ between features. G. K. Smyth, Statistical
Applications in Genetics and Molecular Biology 3 (2004), article 3, section 6.2 and appendix.
"""

import numpy as np
from scipy.special import polygamma, psi

#: Variances are raised to this share of their median, so that a logarithm exists.
_LEAST = 1e-5


def fit_variance_prior(
    variances: np.ndarray, df: np.ndarray, covariate: np.ndarray | None = None
) -> tuple[float, np.ndarray]:
    """Fit a scaled F distribution to variances by the moments of their logarithms.

    Parameters
    ----------
    variances, df : ndarray of shape (n_features,)
        Residual variances and their degrees of freedom. Features without the latter are omitted.
    covariate : ndarray of shape (n_features,), optional
        The mean of each feature, on which the logarithm of the prior variance depends by a natural
        cubic spline. By default the prior variance is constant.

    Returns
    -------
    tuple of float and ndarray of shape (n_features,)
        The prior degrees of freedom, and the prior variances. The degrees of freedom are infinite
        if the variances vary no more than by chance, and 0 if there is only one variance.

    Examples
    --------
    >>> df, variance = fit_variance_prior(np.array([1.0, 4.0, 0.1, 30.0]), np.full(4, 5.0))
    >>> round(df, 3), round(float(variance[0]), 3)
    (0.963, 0.612)
    """
    used = df > 0
    x = variances[used]
    if len(x) == 1:
        return 0.0, np.full(len(df), x[0])
    x = np.maximum(x, _LEAST * (np.median(x) or 1.0))
    # The logarithm of a variance with d degrees of freedom has the mean psi(d/2) - log(d/2) and the
    # variance psi'(d/2); the prior adds psi'(prior_df/2) to the latter. Both functions are computed
    # once for each number of degrees of freedom.
    distinct_df, which = np.unique(df[used], return_inverse=True)
    bias = psi(distinct_df / 2) - np.log(distinct_df / 2)
    logarithms = np.log(x) - bias[which]
    location, spread = _trend(logarithms, used, covariate)
    spread -= polygamma(1, distinct_df / 2)[which].mean()
    if spread > 0:
        prior_df = 2 * _trigamma_inverse(spread)
        return prior_df, np.exp(location + psi(prior_df / 2) - np.log(prior_df / 2))
    if covariate is None:
        return np.inf, np.full(len(df), x.mean())
    return np.inf, np.exp(location)


def _trend(
    logarithms: np.ndarray, used: np.ndarray, covariate: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """Return the fitted values of all features, and the residual variance of the used features."""
    n = len(logarithms)
    n_knots = 1
    if covariate is not None:
        n_knots = min(1 + (n >= 3) + (n >= 6) + (n >= 30), len(np.unique(covariate[used])))
    if covariate is None or n_knots < 2:
        return np.full(len(used), logarithms.mean()), float(logarithms.var(ddof=1))
    knots = np.quantile(covariate[used], np.linspace(0, 1, n_knots))
    basis = _natural_spline(covariate, knots)
    weights, _, rank, _ = np.linalg.lstsq(basis[used], logarithms, rcond=1e-10)
    location = basis @ weights
    return location, float(((logarithms - location[used]) ** 2).sum() / (n - rank))


def _natural_spline(x: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Return the natural cubic splines (n, n_knots) with these knots; linear outside of them.

    T. Hastie, R. Tibshirani and J. Friedman, "The Elements of Statistical Learning" (2009),
    equations 5.4 and 5.5.
    """
    span = knots[-1] - knots[0]
    x = (x - knots[0]) / span
    inner = (knots - knots[0]) / span
    inner = inner[inner < 1]
    cubes = np.maximum(x[:, None] - inner, 0.0) ** 3 - np.maximum(x[:, None] - 1, 0.0) ** 3
    cubes /= 1 - inner
    return np.column_stack([np.ones(len(x)), x, cubes[:, :-1] - cubes[:, -1:]])


def posterior_variances(
    variances: np.ndarray, df: np.ndarray, prior_df: float, prior_variances: np.ndarray
) -> np.ndarray:
    """Return the means of the variances and their priors, weighted by degrees of freedom.

    Examples
    --------
    >>> posterior_variances(np.array([1.0, np.nan]), np.array([3, 0]), 1.0, np.array([2.0, 2.0]))
    array([1.25, 2.  ])
    """
    if np.isinf(prior_df):
        return prior_variances
    total = np.where(df > 0, df * variances, 0.0) + prior_df * prior_variances
    return np.divide(total, df + prior_df, np.full(len(df), np.nan), where=df + prior_df > 0)


def _trigamma_inverse(x: float) -> float:
    """Return the y whose trigamma function is x, by Newton's method on 1 / trigamma.

    Examples
    --------
    >>> round(_trigamma_inverse(np.pi**2 / 6), 12)
    1.0
    """
    if x > 1e7:
        return float(1 / np.sqrt(x))
    if x < 1e-6:
        return 1 / x
    y = 0.5 + 1 / x  # below the solution; the function is convex, so that steps only increase y
    for _ in range(50):
        value = polygamma(1, y)
        step = value * (1 - value / x) / polygamma(2, y)
        y += step
        if abs(step) < 1e-8 * y:
            break
    return float(y)
