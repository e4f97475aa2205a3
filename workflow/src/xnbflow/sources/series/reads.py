"""Values that are reads of RNA-seq, or relative to the size of the library, by their numbers.

Whole counts, estimated counts of Salmon, RSEM and tximport (Soneson and others, F1000Research 4,
2015), and transcripts or counts per million; `xnbflow.sources.series.scale_recognition` applies
them.
"""

import re

import numpy as np

from xnbflow.data.dataset import row_slices
from xnbflow.data.note import Note
from xnbflow.sources.series.scales import (
    PROPOSED_COUNT_TRANSFORM,
    RecognisedScale,
    ScaleOfValues,
    Transform,
)
from xnbflow.sources.series.value_numbers import RANGE, ValueNumbers

#: Least largest value of a table of counts.
LEAST_COUNT = 100
#: Most distinct values of a table of categories or scores, which are whole numbers as well.
_FEW_VALUES = 10
#: Fewest features whose reads are normalised by their sum: those of a panel were selected.
_GENES = 100
#: Names of values that were divided by the library's size, in names of files.
_RELATIVE_NAMES = {
    RecognisedScale.TPM: re.compile(r"(?<![a-z])tpms?(?![a-z])", re.IGNORECASE),
    RecognisedScale.FPKM: re.compile(r"(?<![a-z])[fr]pkms?(?![a-z])", re.IGNORECASE),
    RecognisedScale.CPM: re.compile(r"(?<![a-z])cpms?(?![a-z])", re.IGNORECASE),
}
#: Sum of the transcripts (or counts) per million of a sample.
_MILLION = 1e6
#: Least share of whole numbers among the positive values of estimated counts.
_LEAST_WHOLE = 0.25
#: Positive values below this are parts of a read.
_SMALL = 0.5
#: Largest share of such values among the positive values of counts.
_MOST_SMALL = 0.02
#: Counts span orders of magnitude: the largest is at least this many times the median.
_LEAST_SPAN = 30.0
#: Least number of values that exceed logarithms; one or two among these are codes or mistakes.
_LEAST_LARGE = 3
#: Least number of cells without any read of a table of estimated counts.
_LEAST_ZEROS = 10
#: Largest smallest value above 0 of reads.
_LARGEST_GAP = 5.0


def unit_of_reads(
    values: np.ndarray, numbers: ValueNumbers, file_name: str = ""
) -> ScaleOfValues | None:
    """Return the unit of a table of RNA-seq that is not logged; None for other values.

    1. *Counts* are whole, and have more than a few distinct values.
    2. *TPM, CPM and FPKM* are relative to the size of the library: the name of the file has the
       unit, or each sample sums to a million.
    3. *Estimated counts*: Salmon, kallisto and RSEM divide reads between genes, and tximport may
       scale them, so that not all are whole. They span orders of magnitude, and are numbers of
       reads. Values that span them and are none are *FPKM*, which have no common sum.

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples)
        Values of which none is negative and the largest is at least `LEAST_COUNT`.
    numbers : ValueNumbers
        Their numbers.
    file_name : str
        The name of the file.

    Examples
    --------
    >>> from xnbflow.sources.series.value_numbers import measure_values
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.negative_binomial(1, 0.002, (200, 6)) * (rng.random((200, 1)) < 0.7)
    >>> per_million = 1e6 * counts / counts.sum(axis=0)
    >>> for table in (counts, counts * 1.01, counts**2 / 9001, per_million):
    ...     print(unit_of_reads(table, measure_values(table)).kind)
    counts
    estimated counts
    FPKM
    TPM
    """
    if numbers.share_of_whole == 1 and _are_counts(values):
        advice = (
            f"if they are reads of RNA-seq, set transform: {PROPOSED_COUNT_TRANSFORM}; if they "
            "are intensities, transform: log2"
        )
        return ScaleOfValues(
            kind=RecognisedScale.COUNTS,
            reason=Note("the values look like counts (whole numbers from 0)", advice=advice),
            transform=PROPOSED_COUNT_TRANSFORM if len(values) >= _GENES else Transform.LOG2P1,
        )

    unit = None
    if numbers.share_of_whole < 1:
        named = (unit for unit, word in _RELATIVE_NAMES.items() if word.search(file_name))
        unit = next(named, None)
        if unit is None and numbers.common_sum == _MILLION:
            unit = RecognisedScale.TPM
    if unit is None and _span_magnitudes(numbers):
        positive = numbers.some[numbers.some > 0]
        share_of_whole = np.mean(positive == np.floor(positive))
        share_of_small = np.mean(positive < _SMALL)
        if share_of_whole >= _LEAST_WHOLE or share_of_small <= _MOST_SMALL:
            finding = (
                "the values look like estimated counts of reads (not all whole, as those of "
                "Salmon, RSEM and tximport)"
            )
            return ScaleOfValues(
                kind=RecognisedScale.ESTIMATED_COUNTS,
                reason=Note(finding, advice=f"if so, set transform: {PROPOSED_COUNT_TRANSFORM}"),
                transform=PROPOSED_COUNT_TRANSFORM,
            )
        unit = RecognisedScale.FPKM
    if unit is None:
        return None
    reason = Note(
        f"the values look like {unit}, which are relative to the size of the library",
        advice=(
            "if so, set transform: log2p1, for log2(1 + value); they are not counts, so that "
            "neither TMM nor counts per million are computed"
        ),
    )
    return ScaleOfValues(kind=unit, reason=reason, transform=Transform.LOG2P1)


def _are_counts(values: np.ndarray) -> bool:
    """Return whether all values are whole, and more than a few distinct ones occur."""
    n_distinct = 0
    for rows in row_slices(values.shape):
        counts = values[rows]
        counts = counts[~np.isnan(counts)]
        if (counts != np.floor(counts)).any():
            return False
        n_distinct = max(n_distinct, len(np.unique(counts)))
    return n_distinct > _FEW_VALUES


def _span_magnitudes(numbers: ValueNumbers) -> bool:
    """Return whether values are spread as reads are: some are 0, and several very large.

    Where some genes have no reads, others have few; intensities below a threshold that became 0
    have a gap instead.
    """
    if (numbers.some == 0).sum() < _LEAST_ZEROS:
        return False
    if np.min(numbers.some, where=numbers.some > 0, initial=np.inf) > _LARGEST_GAP:
        return False
    if (numbers.some > RANGE).sum() < _LEAST_LARGE:
        return False
    return numbers.largest >= _LEAST_SPAN * numbers.median
