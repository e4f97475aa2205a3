"""Values that are reads of RNA-seq, or relative to the size of the library, by their numbers.

Whole counts, estimated counts of Salmon, RSEM and tximport (Soneson and others, F1000Research 4,
2015), and transcripts or counts per million; `xnbflow.sources.series.scale_recognition` applies
them.
"""

import re

import numpy as np

from xnbflow.data.dataset import row_slices
from xnbflow.sources.series.scales import RecognisedScale

#: Least largest value of a table of counts.
LEAST_COUNT = 100
#: Most distinct values of a table of categories or scores, which are whole numbers as well.
_FEW_VALUES = 10
#: Names of values that were divided by the library's size, in names of files.
_RELATIVE_NAMES = {
    RecognisedScale.TPM: re.compile(r"(?<![a-z])tpms?(?![a-z])", re.IGNORECASE),
    RecognisedScale.FPKM: re.compile(r"(?<![a-z])[fr]pkms?(?![a-z])", re.IGNORECASE),
    RecognisedScale.CPM: re.compile(r"(?<![a-z])cpms?(?![a-z])", re.IGNORECASE),
}
#: Sum of the transcripts (or counts) per million of a sample.
_MILLION = 1e6
#: Largest relative difference of a sum from it, due to rounding.
_ROUNDING = 0.01
#: Least share of whole numbers among the positive values of estimated counts.
_LEAST_WHOLE = 0.25
#: Positive values below this are parts of a read.
_SMALL = 0.5
#: Largest share of such values among the positive values of counts.
_MOST_SMALL = 0.02
#: Counts span orders of magnitude: the largest is at least this many times the median.
_LEAST_SPAN = 30.0
#: Least number of cells without any read of a table of estimated counts.
_LEAST_ZEROS = 10
#: Largest smallest value above 0 of reads.
_LARGEST_GAP = 5.0
#: Values by which a large table is judged.
_MOST_VALUES = 1_000_000


def looks_like_counts(values: np.ndarray) -> bool:
    """Return whether a matrix looks like counts of reads (RNA-seq).

    All values are whole and not negative, and they spread as counts do: the largest is at least
    100, and more than a few distinct values occur.

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples) or its transpose
        NaN is ignored.

    Returns
    -------
    bool

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> looks_like_counts(rng.negative_binomial(1, 0.01, (50, 6)))
    True
    >>> looks_like_counts(rng.normal(8, 2, (50, 6))), looks_like_counts(np.eye(9))
    (False, False)
    """
    largest = 0.0
    n_distinct = 0
    for rows in row_slices(values.shape):
        counts = np.asarray(values[rows], dtype=np.float64)
        counts = counts[~np.isnan(counts)]
        if (counts < 0).any() or (counts != np.floor(counts)).any():
            return False
        largest = max(largest, counts.max(initial=0.0))
        n_distinct = max(n_distinct, len(np.unique(counts)))
    return bool(largest >= LEAST_COUNT and n_distinct > _FEW_VALUES)


def relative_unit(values: np.ndarray, name: str = "") -> RecognisedScale | None:
    """Return TPM, CPM or FPKM where values (n_features, n_samples) are relative to the library.

    None for other values.

    Transcripts and counts per million sum to a million for each sample. FPKM have no common sum:
    they are recognised by the ``name`` of their file, or as values that span orders of magnitude
    like counts, many of them 0 and others below half a read. Logarithms are not recognised.

    Examples
    --------
    >>> rates = np.random.default_rng(0).gamma(0.3, size=(200, 4))
    >>> print(relative_unit(1e6 * rates / rates.sum(axis=0)), relative_unit(rates))
    TPM None
    >>> print(relative_unit(100 * rates, "genes_FPKM.csv"))
    FPKM
    """
    lowest = np.fmin.reduce(values, axis=None)
    largest = np.fmax.reduce(values, axis=None)
    if not (lowest >= 0 and largest >= LEAST_COUNT):
        return None
    present = _some_values(values)
    if (present == np.floor(present)).all():
        return None
    for unit, pattern in _RELATIVE_NAMES.items():
        if pattern.search(name):
            return unit
    sums = np.nansum(values, axis=0)
    if (np.abs(sums / _MILLION - 1) < _ROUNDING).all():
        return RecognisedScale.TPM
    if _spans_magnitudes(present) and not _are_reads(present):
        return RecognisedScale.FPKM
    return None


def looks_like_estimated_counts(values: np.ndarray) -> bool:
    """Return whether values (n_features, n_samples) look like estimated counts of reads.

    Salmon, kallisto and RSEM divide reads between genes, and tximport may scale them, so that not
    all counts are whole. They are not negative, some are 0, and they span orders of magnitude;
    a quarter of the others are whole, or hardly any is less than half a read, as many FPKM are.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.negative_binomial(1, 0.002, (200, 6)) * (rng.random((200, 1)) < 0.7)
    >>> looks_like_estimated_counts(counts * 1.01), looks_like_estimated_counts(counts / 900)
    (True, False)
    """
    present = _some_values(values)
    return _spans_magnitudes(present) and _are_reads(present)


def _some_values(values: np.ndarray) -> np.ndarray:
    """Return the present values of equally spaced features, at most about a million."""
    step = max(1, values.size // _MOST_VALUES)
    some = values[::step].ravel()
    return np.asarray(some[~np.isnan(some)])


def _spans_magnitudes(present: np.ndarray) -> bool:
    """Return whether values are spread as reads are: none negative, some 0, some very large.

    Where some genes have no reads, others have few; intensities below a threshold that became 0
    have a gap instead.
    """
    if not present.size or present.min() < 0 or (present == 0).sum() < _LEAST_ZEROS:
        return False
    if np.min(present, where=present > 0, initial=np.inf) > _LARGEST_GAP:
        return False
    return bool(present.max() >= max(LEAST_COUNT, _LEAST_SPAN * np.median(present)))


def _are_reads(present: np.ndarray) -> bool:
    """Return whether positive values are numbers of reads rather than shares of the library."""
    positive = present[present > 0]
    whole = np.mean(positive == np.floor(positive))
    small = np.mean(positive < _SMALL)
    return bool(whole >= _LEAST_WHOLE or small <= _MOST_SMALL)
