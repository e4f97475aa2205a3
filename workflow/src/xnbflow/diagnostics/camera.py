"""Competitive tests of gene sets that account for the correlation of genes (CAMERA).

Are the genes of a set higher, or lower, in a class than the other genes? Genes of a set are
correlated, also without any effect of the class: the mean of ``m`` statistics with mean correlation
``rho`` has the variance ``(1 + (m - 1) rho) / m`` instead of ``1 / m``. A test that permutes genes,
or counts them, ignores this factor, the *variance inflation*. Here it is estimated from the
residuals of the linear model, which do not depend on the effects.

D. Wu and G. K. Smyth, "Camera: a competitive gene set test accounting for inter-gene correlation",
Nucleic Acids Research 40 (2012), e133. The numbers are those of R's limma 3.54,
``camera(inter.gene.cor=NA)``.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from xnbflow.data.class_design import DEPENDENT
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.moderation import fit_variance_prior, posterior_variances

#: Residual variances are at least this for the correlation, as in limma.
_LEAST_VARIANCE = 1e-8
#: Fewest genes outside of the set in a test.
_FEWEST_GENES = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class SetTests:
    """Tests of gene sets, one element per set.

    Attributes
    ----------
    size : ndarray of int
        Genes of the set.
    correlation : ndarray
        Mean correlation of the residuals of two genes of the set; NaN for a single gene.
    shift : ndarray
        Mean statistic of the genes of the set less the mean of the other genes.
    p, fdr : ndarray
        Two-sided p-value, and its adjustment over the sets by Benjamini and Hochberg.
    """

    size: np.ndarray
    correlation: np.ndarray
    shift: np.ndarray
    p: np.ndarray
    fdr: np.ndarray


def camera(
    values: np.ndarray,
    design: np.ndarray,
    contrast: np.ndarray,
    sets: Sequence[np.ndarray],
    *,
    trend: bool = False,
    unit_weights: np.ndarray | None = None,
) -> SetTests:
    """Test gene sets by a contrast of a linear model, with correlations of the residuals.

    Parameters
    ----------
    values : ndarray of shape (n_genes, n_units)
        Values, usually logarithms; none may be missing.
    design : ndarray of shape (n_units, n_columns)
    contrast : ndarray of shape (n_columns,)
    sets : sequence of ndarray of int
        Positions of the genes of each set.
    trend : bool, default=False
        Whether the prior variance depends on the mean of the gene.
    unit_weights : ndarray of shape (n_units,), optional
        Inverse variances of the units, up to a factor.

    Examples
    --------
    >>> rng, design = np.random.default_rng(0), np.eye(2)[np.repeat([0, 1], 8)]
    >>> values = rng.normal(size=(200, 16))
    >>> values[:20, 8:] += 1.5
    >>> tests = camera(values, design, np.array([-1.0, 1.0]), [np.arange(20), np.arange(50, 70)])
    >>> (tests.p < 0.01).tolist(), (tests.shift > 1).tolist()
    ([True, False], [True, False])
    """
    mean = values.mean(axis=1) if trend else None
    if unit_weights is not None:
        roots = np.sqrt(unit_weights)
        values = values * roots
        design = design * roots[:, None]
    left, singular, right = np.linalg.svd(design, full_matrices=False)
    rank = int((singular > DEPENDENT * singular[0]).sum())
    basis = left[:, :rank]
    coordinates = contrast @ right[:rank].T / singular[:rank]
    direction = basis @ coordinates / np.linalg.norm(coordinates)
    df = values.shape[1] - rank
    effect = values @ direction
    residuals = values - (values @ basis) @ basis.T
    variance = (residuals**2).sum(axis=1) / df
    all_df = np.full(len(values), float(df))
    prior_df, prior = fit_variance_prior(variance, all_df, mean)
    t = effect / np.sqrt(posterior_variances(variance, all_df, prior_df, prior))
    statistic = _z_of_t(t, min(df + prior_df, len(values) * df))
    standard = residuals / np.sqrt(np.maximum(variance, _LEAST_VARIANCE))[:, None]
    inflation = np.array([_inflation(standard[members], df) for members in sets])
    sizes = np.array([len(members) for members in sets])
    unknown = np.full(len(sizes), np.nan)
    correlation = np.divide(inflation - 1, sizes - 1, out=unknown, where=sizes > 1)
    return _compare_sets(
        statistic=statistic,
        sets=sets,
        correlation=correlation,
        inflation=np.maximum(inflation, 1.0),
        df=min(df, len(values) - 2),
    )


def _inflation(standard: np.ndarray, df: int) -> float:
    """Return the variance inflation of a set: ``m`` times the variance of its mean residual.

    The inflation is ``1 + (m - 1) rho`` with ``rho`` the mean correlation of two genes of the set.
    """
    if len(standard) == 1:
        return 1.0
    mean = standard.mean(axis=0)
    return float(len(standard) * (mean**2).sum() / df)


def _compare_sets(
    *,
    statistic: np.ndarray,
    sets: Sequence[np.ndarray],
    correlation: np.ndarray,
    inflation: np.ndarray,
    df: float,
) -> SetTests:
    """Compare the mean statistic of each set with the mean of the other genes.

    With ``m`` of ``G`` genes in the set and ``d`` the difference of the means, inside less outside,
    the pooled variance is ``((G - 1) s² - d² m (G - m) / G) / (G - 2)`` and ``t = d / sqrt(pooled
    (inflation / m + 1 / (G - m)))``.
    """
    n_genes = len(statistic)
    mean = statistic.mean()
    variance = statistic.var(ddof=1)
    shift = np.full(len(sets), np.nan)
    t = np.full(len(sets), np.nan)
    for i, members in enumerate(sets):
        inside = len(members)
        outside = n_genes - inside
        if not inside or outside < _FEWEST_GENES:
            continue
        # The mean of all genes is a mean of both, so the difference of the means is larger than
        # that from the mean of all by this factor.
        shift[i] = n_genes / outside * (statistic[members].mean() - mean)
        between = shift[i] ** 2 * inside * outside / n_genes
        pooled = ((n_genes - 1) * variance - between) / (n_genes - 2)
        t[i] = shift[i] / np.sqrt(pooled * (inflation[i] / inside + 1 / outside))
    p = 2 * stdtr(df, -np.abs(t))
    return SetTests(
        size=np.array([len(members) for members in sets], dtype=int),
        correlation=correlation,
        shift=shift,
        p=p,
        fdr=benjamini_hochberg(p[None])[0],
    )


def _z_of_t(t: np.ndarray, df: float) -> np.ndarray:
    """Return the normal deviates of t with ``df`` degrees of freedom, approximately.

    G. W. Hill, "Algorithm 396: Student's t-quantiles", Communications of the ACM 13 (1970),
    619-620, as limma's ``zscoreT(approx=TRUE, method="hill")``.
    """
    df = min(df, 1e100)
    a = df - 0.5
    b = 48 * a * a
    z = a * np.log1p(t / df * t)
    numerator = (((-0.4 * z - 3.3) * z - 24) * z - 85.5) / (0.8 * z * z + 100 + b)
    return np.asarray(((numerator + z + 3) / b + 1) * np.sqrt(z) * np.sign(t))
