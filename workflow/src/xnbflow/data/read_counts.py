"""Counts of reads: features with enough reads, TMM factors, logarithms of counts per million.

The formulas are those of Bioconductor's edgeR 3.40 (`filterByExpr`, `calcNormFactors`, `cpm`). A
matrix of counts is (n_features, n_samples); counts need not be whole numbers. The estimators that
fit them to training samples are in `xnbflow.preprocessing.counts`.
"""

from dataclasses import dataclass, replace

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.data.dataset import COUNTS, DataSet

#: Reads that are added to each count before the logarithm, of a library of mean size.
PRIOR_COUNT = 2.0
#: Share of the features that is trimmed at each end of the log ratios.
_RATIO_TRIM = 0.3
#: Share of the features that is trimmed at each end of the mean logarithms.
_LEVEL_TRIM = 0.05
#: Samples whose log ratios are all smaller have a factor of 1.
_EQUAL = 1e-6
#: Number of samples of a group above which only a share of them needs reads.
_LARGE_GROUP = 10
#: The share of the further samples of such a group that needs reads.
_LARGE_SHARE = 0.7
#: Tolerance of comparisons with thresholds.
_ROUNDING = 1e-14
#: Median upper quartiles below it are 0: the sample with the most reads becomes the reference.
_NO_READS = 1e-20


def enough_reads(
    counts: np.ndarray,
    smallest_group: float,
    *,
    min_count: float = 10.0,
    min_total_count: float = 15.0,
) -> np.ndarray:
    """Return which features have enough reads to be compared, (n_features,).

    A feature needs ``min_count`` reads per median library in about as many samples as the smallest
    group has, and ``min_total_count`` reads in all samples. In groups of more than 10 samples, 10
    and 70 % of the others are enough.

    Parameters
    ----------
    counts : ndarray of shape (n_features, n_samples)
    smallest_group : float
        The number of samples of the smallest group.

    References
    ----------
    Y. Chen, A. T. L. Lun, G. K. Smyth, F1000Research 5 (2016), 1438: `filterByExpr` of edgeR.

    Examples
    --------
    >>> counts = np.array([[500, 600, 700, 400], [0, 0, 30, 20], [9, 8, 2, 9]])
    >>> enough_reads(counts, 2).tolist()
    [True, True, False]
    """
    min_samples = smallest_group
    if min_samples > _LARGE_GROUP:
        min_samples = _LARGE_GROUP + (min_samples - _LARGE_GROUP) * _LARGE_SHARE
    sizes = counts.sum(axis=0)
    threshold = min_count / np.median(sizes) * 1e6  # reads per million
    n_samples = (counts / (sizes / 1e6) >= threshold).sum(axis=1)
    in_samples = n_samples >= min_samples - _ROUNDING
    in_total = counts.sum(axis=1) >= min_total_count - _ROUNDING
    return np.asarray(in_samples & in_total)


@dataclass(frozen=True)
class ReferenceProfile:
    """The sample against which TMM factors are estimated, and the unit of the factors.

    Attributes
    ----------
    counts : ndarray of shape (n_features,)
        Counts of the reference sample.
    size : float
        The library size of the reference sample.
    unit : float
        The geometric mean of the training samples' factors against the reference, by which all
        factors are divided.
    """

    counts: np.ndarray
    size: float
    unit: float = 1.0

    def factors(self, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
        """Return the factor of each sample, (n_samples,), which does not depend on the others.

        ``counts`` are (n_features, n_samples), with the features of the reference; ``sizes``
        (n_samples,) are the library sizes.
        """
        factors = np.empty(counts.shape[1])
        for sample, size in enumerate(sizes):
            factors[sample] = _trimmed_mean_factor(
                np.ascontiguousarray(counts[:, sample]), size, self.counts, self.size
            )
        return factors / self.unit


def fit_reference(counts: np.ndarray, sizes: np.ndarray | None = None) -> ReferenceProfile:
    """Choose the reference sample of TMM, whose upper quartile is nearest to the mean of all.

    Parameters
    ----------
    counts : ndarray of shape (n_features, n_samples)
        The training samples.
    sizes : ndarray of shape (n_samples,), optional
        Library sizes; the sums of counts by default.

    Returns
    -------
    ReferenceProfile
        For the training samples it yields the factors of edgeR's `calcNormFactors`.

    References
    ----------
    M. D. Robinson, A. Oshlack, Genome Biology 11 (2010), R25.

    Examples
    --------
    >>> counts = np.array([[10.0, 20, 10], [20, 40, 20], [30, 60, 30], [40, 80, 940]])
    >>> reference = fit_reference(counts)
    >>> reference.factors(counts, counts.sum(axis=0)).round(3).tolist()
    [2.154, 2.154, 0.215]
    """
    sizes = counts.sum(axis=0) if sizes is None else sizes
    expressed = counts[(counts > 0).any(axis=1)]
    quartiles = np.quantile(expressed, 0.75, axis=0) / sizes
    if np.median(quartiles) < _NO_READS:
        sample = int(np.argmax(np.sqrt(counts).sum(axis=0)))
    else:
        sample = int(np.argmin(np.abs(quartiles - quartiles.mean())))
    reference = ReferenceProfile(counts[:, sample].copy(), float(sizes[sample]))
    factors = reference.factors(counts, sizes)
    return replace(reference, unit=float(np.exp(np.log(factors).mean())))


def _trimmed_mean_factor(
    counts: np.ndarray, size: float, reference: np.ndarray, reference_size: float
) -> float:
    """Return the weighted trimmed mean of the log ratios to the reference, as a factor.

    For features with reads in both samples, ``M = log2((y/N)/(r/R))`` and ``A`` is the mean of both
    logarithms. Features whose rank is among the outer 30 % of M or 5 % of A at either end are
    trimmed, and the others weighted by the inverse of M's approximate variance ``(N - y)/(N y) +
    (R - r)/(R r)`` (Robinson and Oshlack 2010, page 8).
    """
    both = (counts > 0) & (reference > 0)
    y = counts[both]
    r = reference[both]
    if not len(y):
        return 1.0
    ratio = np.log2((y / size) / (r / reference_size))
    if np.abs(ratio).max() < _EQUAL:
        return 1.0
    level = (np.log2(y / size) + np.log2(r / reference_size)) / 2
    variance = (size - y) / size / y + (reference_size - r) / reference_size / r
    central = _within_ranks(ratio, _RATIO_TRIM) & _within_ranks(level, _LEVEL_TRIM)
    if not central.any():
        return 1.0
    weights = 1 / variance[central]
    mean = (ratio[central] / variance[central]).sum() / weights.sum()
    return float(2**mean)


def _mean_ranks(values: np.ndarray) -> np.ndarray:
    """Return the rank of each value, from 1 on; equal values have their mean rank.

    Examples
    --------
    >>> _mean_ranks(np.array([3.0, 1.0, 3.0, 7.0])).tolist()
    [2.5, 1.0, 2.5, 4.0]
    """
    _, positions, counts = np.unique(values, return_inverse=True, return_counts=True)
    last_ranks = np.cumsum(counts)
    return (last_ranks - (counts - 1) / 2)[positions]


def _within_ranks(values: np.ndarray, trim: float) -> np.ndarray:
    """Return which values remain if a share is trimmed at each end; ties have their mean rank."""
    ranks = _mean_ranks(values)
    lowest = np.floor(len(values) * trim) + 1
    return np.asarray((ranks >= lowest) & (ranks <= len(values) + 1 - lowest))


def log_cpm(
    counts: np.ndarray, sizes: np.ndarray, prior_count: float, mean_size: float
) -> np.ndarray:
    """Return log2 counts per million as edgeR's ``cpm(log=TRUE)``, (n_features, n_samples).

    The prior count ``p`` grows with the library, ``p_k = p N_k / mean(N)``, so that a feature
    without reads has the same value in libraries of all sizes: ``log2((y + p_k) / (N_k + 2 p_k)
    1e6)``.

    Parameters
    ----------
    counts : ndarray of shape (n_features, n_samples)
    sizes : ndarray of shape (n_samples,)
        Effective library sizes: sums of counts times factors.
    prior_count, mean_size : float
        The prior count in a library of the mean size of the training samples.

    Examples
    --------
    >>> log_cpm(np.array([[0.0, 0.0], [99.0, 990.0]]), np.array([1e6, 1e7]), 2.0, 1e6).round(2)
    array([[1.  , 1.  ],
           [6.66, 6.66]])
    """
    prior = prior_count * sizes / mean_size
    return np.asarray(np.log2((counts + prior) / (sizes + 2 * prior) * 1e6))


def check_counts(counts: np.ndarray) -> None:
    """Refuse negative counts, and samples (columns) without any read."""
    if (lowest := counts.min(initial=0.0)) < 0:
        msg = f"Negative values in data ({lowest:.4g}); counts of reads are 0 or more"
        raise InputError(msg)
    empty = counts.sum(axis=0) == 0
    if empty.any():
        msg = f"sample {int(np.argmax(empty))} (from 0) of these has no read; leave it out"
        raise InputError(msg)


def effective_sizes(counts: np.ndarray) -> np.ndarray:
    """Return the library sizes times TMM factors of all samples, (n_samples,).

    ``counts`` (n_features, n_samples) have the features with `enough_reads`.
    """
    check_counts(counts)
    sizes = counts.sum(axis=0)
    return np.asarray(sizes * fit_reference(counts, sizes).factors(counts, sizes))


def with_log_counts(series: DataSet) -> DataSet:
    """Return a series of counts as log2 counts per million of all its samples, with all features.

    Library sizes and TMM factors are computed from the features with enough reads. Series of other
    scales are returned unchanged. Use this for drawings and descriptions of all samples only: in
    a cross-validation it would share information between training and test samples.
    """
    if series.scale != COUNTS:
        return series
    check_counts(series.values)
    counts = series.values[expressed_features(series)]
    sizes = effective_sizes(counts)
    values = log_cpm(series.values, sizes, PRIOR_COUNT, float(sizes.mean()))
    return replace(series, values=values, scale="log2")


def expressed_features(series: DataSet) -> np.ndarray:
    """Return which features of a series of counts have enough reads; all if no feature has."""
    _, sizes = np.unique(series.labels, return_counts=True)
    enough = enough_reads(series.values, sizes.min())
    return enough if enough.any() else np.ones(len(enough), dtype=bool)
