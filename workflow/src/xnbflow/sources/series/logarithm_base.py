"""The base of logarithms, recognised by whole numbers, by the largest value, or by convention.

*Idea.* Fold changes need the base: a difference of 1 is twofold in logarithms to base 2, and
tenfold in those to base 10. Three kinds of evidence differ in strength:

1. *Whole numbers.* Logarithms of counts, or of 1 + count, become whole numbers again if the base is
   right. Twenty features suffice, and no other base has this property.
2. *The largest value.* Of eighteen real series of arrays and of RNA-seq the largest logarithm to
   base 2 is 14.05 to 18.5, and the same ones to base e are 9.8 to 12.8, to base 10 4.2 to 5.6. Some
   series have a smaller largest value; a median of 7 and more is of base 2, too, as those to base
   e are at most 5.6, and 6.5 in the half of the genes with the largest values. Parts of a series
   have smaller values, so that they may have no base, but hardly a wrong one.
3. *Convention.* Log ratios are around 0, and are taken to base 2 nearly everywhere. Those to base
   10 of Rosetta's arrays are from -2 to 2, and have no base here.

Other values have none: effects are then differences in the unit of the table, and standardised
where series are combined. ``p``, ranks, accuracies and all classifiers are equal for any base.
"""

import numpy as np

from xnbflow.data.dataset import row_slices
from xnbflow.sources.series.value_numbers import ValueNumbers

#: Bases by the values of the key ``scale``.
_BASES = {"log2": 2.0, "ln": float(np.e), "log10": 10.0}

#: Counts of reads of a gene reach four millions.
_LARGEST = 22.5
#: The largest logarithm to base e of eighteen series is 12.8.
_LARGEST_OTHER_BASE = 13.0
#: A largest value above this is of base 2 if the median is large, too; to base e it is 11.1 of the
#: 16 bits of a scanner.
_LEAST_LARGEST = 11.2
_LARGE_MEDIAN = 7.0
#: Above this median only genes are expected: logarithms to base e of peak areas (metabolites,
#: peptides) are as large.
_LARGEST_MEDIAN = 11.0
#: Logarithms to base 10 of genes are smaller than this, and those to base 2 are larger.
_LARGEST_LOG10 = 6.5
#: Largest and least size of the largest log ratio to base 2, and largest size of the median.
_LARGEST_RATIO = 20.0
_LEAST_RATIO = 2.1
_LARGEST_CENTRE = 1.0
#: Features that were not standardised differ in their deviations by at least this factor.
_LEAST_VARIETY = 1.5
#: Whole numbers up to this are examined, if the decimals of the logarithms suffice.
_LARGEST_COUNT = 500.0
#: Most decimals that are examined.
_MOST_DECIMALS = 8
#: Largest distance of a power from a whole number.
_TOLERANCE = 0.1
#: Least number of values, and of distinct whole numbers, that are evidence, and their least share.
_FEWEST_VALUES = 30
_FEWEST_NUMBERS = 10
_LEAST_SHARE = 0.99


def base_of_counts(some: np.ndarray) -> str:
    """Return the base of logarithms of counts, or of 1 + count, as a value of ``scale``; or "".

    Powers of the base are whole numbers. A logarithm with ``d`` decimals determines its power y to
    ``y log(base) 0.5 10^-d``, so that only powers with an error of at most .1 are examined. Of
    other values a fifth or less are that near to a whole number; ten distinct numbers that all
    are occur by chance with a probability of 1e-7.

    Parameters
    ----------
    some : ndarray of float64, shape (n_some,)
        Present values of a table.

    Examples
    --------
    >>> counts = np.random.default_rng(0).negative_binomial(2, 0.02, 120)
    >>> base_of_counts(np.log2(counts + 1)), base_of_counts(np.log1p(counts).round(3))
    ('log2', 'ln')
    >>> base_of_counts(np.log2(counts + 1) / 1.1), base_of_counts(counts.astype(float))
    ('', '')
    """
    # 0 and other whole logarithms have whole powers to base 2 in any case
    logarithms = some[(some > 0) & (some < _LARGEST) & (some != np.floor(some))]
    if len(logarithms) < _FEWEST_VALUES:
        return ""
    decimals = 0
    while decimals < _MOST_DECIMALS and not np.allclose(
        logarithms, np.round(logarithms, decimals), rtol=0, atol=1e-9
    ):
        decimals += 1
    half_unit = 0.5 * 10.0**-decimals
    for name, base in _BASES.items():
        powers = base**logarithms
        largest = min(_LARGEST_COUNT, _TOLERANCE / (np.log(base) * half_unit))
        powers = powers[(powers > 1) & (powers <= largest)]
        if len(powers) < _FEWEST_VALUES:
            continue
        nearest = np.round(powers)
        are_whole = np.abs(powers - nearest) <= _TOLERANCE
        if len(np.unique(nearest)) >= _FEWEST_NUMBERS and are_whole.mean() >= _LEAST_SHARE:
            return name
    return ""


def base_by_size(
    values: np.ndarray,
    numbers: ValueNumbers,
    *,
    have_names: bool,
    are_genes: bool,
) -> str:
    """Return "log2" if logarithms have this base by their size, or by convention; or "".

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples)
        The logarithms; NaN is ignored.
    numbers : ValueNumbers
        Their numbers.
    have_names : bool
        Whether the names of the features have the form of genes or probes.
    are_genes : bool
        Whether the features are known to be genes or probes. GEO's series and tables with symbols
        of genes have logarithms to base 2, with few exceptions: these are as small as logarithms to
        base 10.
    """
    are_ratios = numbers.lowest <= -numbers.largest / 2
    if are_genes:
        least = _LEAST_RATIO if are_ratios else _LARGEST_LOG10
        return "log2" if max(-numbers.lowest, numbers.largest) > least else ""
    if are_ratios:
        return "log2" if _are_log_ratios(values, numbers) else ""
    if numbers.median > _LARGEST_MEDIAN and not have_names:
        return ""
    is_of_base_2 = numbers.largest > _LARGEST_OTHER_BASE or numbers.median >= _LARGE_MEDIAN
    return "log2" if is_of_base_2 and _LEAST_LARGEST < numbers.largest < _LARGEST else ""


def _are_log_ratios(values: np.ndarray, numbers: ValueNumbers) -> bool:
    """Return whether values around 0 are log ratios, and were not standardised by feature."""
    size = max(-numbers.lowest, numbers.largest)
    if abs(numbers.median) >= _LARGEST_CENTRE or not _LEAST_RATIO < size < _LARGEST_RATIO:
        return False
    deviations = np.empty(len(values))
    for rows in row_slices(values.shape):
        deviations[rows] = np.nanstd(values[rows], axis=1)
    low, high = np.quantile(deviations, [0.1, 0.9])
    return bool(high >= _LEAST_VARIETY * low)
