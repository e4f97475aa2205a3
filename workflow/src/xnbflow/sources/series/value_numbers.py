"""The numbers of a table by which the scale of its values is recognised, computed once.

`xnbflow.sources.series.scale_recognition` has the rule that asks for them.
"""

from dataclasses import dataclass

import numpy as np

from xnbflow.data.dataset import row_slices

#: Most values from which quantiles and shares are computed, at about which rows are skipped.
MOST_VALUES = 250_000
#: Logarithms of intensities have a smaller range, and the 99 % quantile is at most the limit.
RANGE = 50
_LARGEST_QUANTILE = 100
#: What the values of a sample may sum to: parts of a whole, percentages, values per million.
_WHOLES = (1.0, 100.0, 1e6)
#: Largest relative difference of a sum from the whole, due to rounding.
_ROUNDING = 0.01


@dataclass(frozen=True, kw_only=True)
class ValueNumbers:
    """Numbers of values (n_features, n_samples); missing ones do not count.

    All are NaN, or 0, if no value is present.

    Attributes
    ----------
    some : ndarray, shape (n_some,)
        The present values of equally spaced features: of all features up to 250,000 values, and of
        at most twice as many values in larger tables.
    lowest, largest : float
        The extremes of all values.
    median, quantile_99 : float
        Quantiles of ``some``.
    share_of_whole : float
        The share of whole numbers among ``some``: 1 for counts, small for measurements.
    common_sum : float
        What the values of each sample sum to, if it is 1, 100 or a million, to 1 %; else 0. It is
        0 also if a value is negative.
    exceed_logarithms : bool
        Whether the values look as if not logged, by the rule of GEO2R (NCBI): the 99 % quantile
        exceeds 100, or the range exceeds 50 while the lower quartile is positive.
    """

    some: np.ndarray
    lowest: float
    median: float
    quantile_99: float
    largest: float
    share_of_whole: float
    common_sum: float
    exceed_logarithms: bool


def measure_values(values: np.ndarray) -> ValueNumbers:
    """Return the numbers of values (n_features, n_samples), by which a scale is recognised.

    Examples
    --------
    >>> numbers = measure_values(np.array([[20.0, 300.0, 9000.0], [4.0, np.nan, 30.5]]))
    >>> numbers.lowest, numbers.median, numbers.largest, numbers.share_of_whole
    (4.0, 30.5, 9000.0, 0.8)
    >>> numbers.exceed_logarithms, numbers.common_sum
    (True, 0.0)
    """
    some = values[:: max(1, values.size // MOST_VALUES)].ravel()
    some = some[~np.isnan(some)]
    lowest = quartile = median = quantile_99 = largest = np.float64(np.nan)
    share_of_whole = 0.0
    if len(some):
        quartile, median, quantile_99 = np.quantile(some, [0.25, 0.5, 0.99])
        lowest = np.fmin.reduce(values, axis=None)
        largest = np.fmax.reduce(values, axis=None)
        share_of_whole = float(np.mean(some == np.floor(some)))
    common_sum = 0.0
    if lowest >= 0:
        sums = np.zeros(values.shape[1])
        for rows in row_slices(values.shape):
            sums += np.nansum(values[rows], axis=0)
        for whole in _WHOLES:
            if (np.abs(sums / whole - 1) < _ROUNDING).all():
                common_sum = whole
    has_large_values = quantile_99 > _LARGEST_QUANTILE
    is_wide = largest - lowest > RANGE and quartile > 0
    return ValueNumbers(
        some=some,
        lowest=float(lowest),
        median=float(median),
        quantile_99=float(quantile_99),
        largest=float(largest),
        share_of_whole=share_of_whole,
        common_sum=common_sum,
        exceed_logarithms=bool(has_large_values or is_wide),
    )
