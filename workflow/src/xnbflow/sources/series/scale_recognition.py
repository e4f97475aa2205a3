"""The scale of values, recognised by their quantiles, whole numbers, zeros and sums.

*Idea.* Logarithms of intensities lie between 0 and about 20, intensities reach thousands, counts of
reads are whole and spread over magnitudes. The rules are those of GEO2R (logarithms or not) and of
the layouts of RNA-seq (`xnbflow.sources.series.sequencing`); each function states its own. In the
order in which `scale_of` applies them:

1. *intensities* of mass spectrometers: all positive values are large, and some are 0;
2. *counts*, relative units (*TPM*, *CPM*, *FPKM*), *estimated counts*;
3. *mixed*: a code of missing values as -9999, or samples with and without logarithms;
4. *logged twice*: median and largest value of logarithms of logarithms;
5. *not logged*: the rule of GEO2R; else *logarithms*.

The key ``transform`` that a note advises is applied by `xnbflow.sources.series.intensities`.
Threshold cycles of PCR are recognised apart (`note_on_cycles`): they need no transform.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.dataset import row_slices
from xnbflow.data.note import Note
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM, RecognisedScale
from xnbflow.sources.series.sequencing import looks_like_estimated_counts, relative_unit

#: Most values from which quantiles are computed.
_MOST_VALUES = 250_000
#: Least number of features of a table of genes.
_GENES = 100
#: Number of features by which the scale of a sample is recognised.
_FEATURES_OF_SAMPLE = 1000
#: Least largest value of a table of counts.
_LEAST_COUNT = 100
#: Most distinct values of a table of categories or scores, which are whole numbers as well.
_FEW_VALUES = 10
#: Nearly all positive intensities of proteins are above this.
_LEAST_INTENSITY = 1000.0
#: Largest share of the positive intensities that are not.
_LOWEST_SHARE = 0.01
#: Logarithms of intensities have a smaller range.
_RANGE = 50
#: Least number of cells with a code of missing values.
_LEAST_CELLS = 3
#: Samples that are not logged are above the others by more than this factor.
_OTHER_MAGNITUDE = 3
#: With fewer features no feature is considered to have another scale.
_FEATURES = 20
#: Most features that have another scale than the others; more are a property of the table.
_MOST_OTHERS = 10
#: Least share of whole numbers in a table of counts that has covariates.
_COUNTED = 0.9
#: Medians and largest values of logarithms to base 2 whose logarithms were taken again. The most
#: similar, logarithms to base 10, have medians of at most 2.32 in 18 series.
_TWICE_MEDIAN = (2.4, 3.4)
_TWICE_LARGEST = (3.3, 4.35)

#: Words in names for a threshold cycle.
_CYCLE_WORD = re.compile(
    r"(?<![a-z])(c[tq]s?|qpcr|rt[ _-]?qpcr|rt[ _-]?pcr|taqman)(?:[ _-]*(values?|mean))?(?![a-z])",
    re.IGNORECASE,
)
#: Words in names for the difference of a threshold cycle from reference genes.
_DIFFERENCE_WORD = re.compile(
    r"(?<![a-z])(d{1,2}|delta[ _-]?|[ΔΔ∆])c[tq]s?(?![a-z])", re.IGNORECASE
)
#: Bounds of most threshold cycles.
_USUAL_CYCLES = (10.0, 40.0)
#: Largest share of threshold cycles outside these bounds.
_MOST_UNUSUAL = 0.1
#: Bounds of all threshold cycles of a run.
_CYCLE_BOUNDS = (3.0, 50.0)
#: Largest difference of two threshold cycles.
_LARGEST_DIFFERENCE = 30.0


def intensity_quantiles(values: np.ndarray) -> np.ndarray:
    """Return the quantiles 0, 0.25, 0.5, 0.75, 0.99 and 1 of the present values, shape (6,).

    The extremes are exact; the others are from equally spaced features of a large matrix.
    """
    step = max(1, values.size // _MOST_VALUES)
    sample = values[::step].ravel()
    sample = sample[~np.isnan(sample)]
    if not len(sample):
        return np.full(6, np.nan)
    quantiles = np.quantile(sample, [0.0, 0.25, 0.5, 0.75, 0.99, 1.0])
    quantiles[0] = np.fmin.reduce(values, axis=None)
    quantiles[-1] = np.fmax.reduce(values, axis=None)
    return quantiles


def is_not_logged(quantiles: np.ndarray) -> bool:
    """Return whether intensities of such `intensity_quantiles` look as if not logged.

    The rule of GEO2R (NCBI): the 99% quantile exceeds 100, or the range exceeds 50 while the lower
    quartile is positive.

    Examples
    --------
    >>> is_not_logged(intensity_quantiles(np.array([[20.0, 300.0, 9000.0]])))
    True
    >>> is_not_logged(intensity_quantiles(np.array([[2.5, 7.1, 13.8]])))
    False
    """
    low, quartile, _, _, high, top = quantiles
    return bool(high > 100 or (top - low > _RANGE and quartile > 0))


def of_other_scale(values: np.ndarray) -> np.ndarray:
    """Return which features (n_features, n_samples) are far above logarithms, as an age among them.

    A tenth of its samples, two at least, are above three times the upper quartile of the features'
    largest values, and above that by 25. Counts are compared by their logarithms. Where the other
    features are not logged, intensities are as large as ages, and no feature is found; nor are more
    than ten, since so many are a property of the table.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(7, 1, (30, 8))
    >>> values[4] = [61, 45, 70, 38, 55, 59, 66, 72]
    >>> np.flatnonzero(of_other_scale(values)).tolist()
    [4]
    """
    if len(values) < _FEATURES:
        return np.zeros(len(values), dtype=bool)
    largest = np.fmax.reduce(values, axis=1)
    if np.isnan(largest).all():
        return np.zeros(len(values), dtype=bool)
    are_counts = False  # values that are not negative and nearly all whole, with large ones
    if np.fmin.reduce(values, axis=None) >= 0 and np.nanmax(largest) >= _LEAST_COUNT:
        sample = values[:: max(1, values.size // _MOST_VALUES)]
        present = sample[~np.isnan(sample)]
        are_counts = bool(present.size and np.mean(present == np.floor(present)) >= _COUNTED)
    if are_counts:
        largest = np.log2(1 + largest)
    quartile = np.nanquantile(largest, 0.75)
    limit = max(3 * quartile, quartile + 25)
    other_scale = np.asarray(largest > limit)
    above = np.log2(1 + values[other_scale]) if are_counts else values[other_scale]
    other_scale[other_scale] = (above > limit).sum(axis=1) >= max(2, values.shape[1] / 10)
    if other_scale.sum() > _MOST_OTHERS:
        other_scale[:] = False
    if other_scale.any() and not are_counts:
        others_are_not_logged = is_not_logged(intensity_quantiles(values[~other_scale]))
        if others_are_not_logged:
            other_scale[:] = False
    return other_scale


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
    return bool(largest >= _LEAST_COUNT and n_distinct > _FEW_VALUES)


def _are_large_intensities(values: np.ndarray) -> bool:
    """Return whether values (n_features, n_samples) are large, as intensities of proteins, or 0.

    Mass spectrometers measure intensities of 1e4 to 1e10, and programs write 0 for what was not
    found. Reads of genes have all numbers from 0: hardly any table has 99 % of its positive counts
    above 1,000.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> intensities = (2 ** rng.normal(24, 3, (50, 6))).round()
    >>> intensities[:, 2] = 0
    >>> _are_large_intensities(intensities), _are_large_intensities(intensities / 1e5)
    (True, False)
    """
    some = values[:: max(1, values.size // _MOST_VALUES)].ravel()
    some = some[~np.isnan(some)]
    positive = some[some > 0]
    if not positive.size or (some < 0).any():
        return False
    return bool(np.quantile(positive, _LOWEST_SHARE) >= _LEAST_INTENSITY)


def scale_of(
    values: np.ndarray, samples: np.ndarray, name: str = "", *, are_probes: bool = False
) -> tuple[RecognisedScale, Note]:
    """Return the probable scale of values (n_features, n_samples), and a note about it.

    Features `of_other_scale` do not count. The note on mixed scales names some of the ``samples``;
    the ``name`` of the file may name the unit. Features that ``are_probes`` of an array have no
    reads.
    """
    # units that a table of genes may have: intensities of proteins, and reads
    if len(values) >= _GENES:
        if _are_large_intensities(values):
            if np.fmin.reduce(values, axis=None) == 0:
                return RecognisedScale.INTENSITIES, _note_on_intensities(values)
        elif not are_probes and (unit := _sequencing_unit(values, name)):
            return unit

    # two scales in one table: a code of missing values, samples with and without logarithms
    other_scale = of_other_scale(values)
    if other_scale.any():
        values = values[~other_scale]
    quantiles = intensity_quantiles(values)
    low, _, median, _, quantile_99, high = quantiles
    if high - low > _RANGE:
        problem = _code_of_missing(values, low, high) or _mixed_samples(values, samples)
        if problem:
            return RecognisedScale.MIXED, problem

    # one scale: logarithms of logarithms, no logarithms, logarithms
    has_median = _TWICE_MEDIAN[0] <= median <= _TWICE_MEDIAN[1]
    has_largest = _TWICE_LARGEST[0] <= high <= _TWICE_LARGEST[1]
    if len(values) >= _GENES and has_median and has_largest:
        return RecognisedScale.LOGGED_TWICE, Note(
            f"the values look like logarithms of logarithms (median {median:.3g}, largest "
            f"{high:.3g})",
            advice=(
                "if so, leave out transform, or give the table as it was before; if they are "
                "logarithms to base 10, they can be used"
            ),
        )
    if is_not_logged(quantiles):
        return RecognisedScale.NOT_LOGGED, Note(
            f"the values look like intensities not logged (99% quantile {quantile_99:.4g}, largest "
            f"{high:.4g})",
            advice="consider transform: log2",
        )
    return RecognisedScale.LOGARITHMS, Note(f"values from {low:.4g} to {high:,.6g}")


def _note_on_intensities(values: np.ndarray) -> Note:
    """Return the note on intensities with 0 where nothing was measured."""
    share = float(np.mean(values[:: max(1, values.size // _MOST_VALUES)] == 0))
    return Note(
        f"the values look like intensities in which 0 means that nothing was measured (of all "
        f"values {share:.0%} are 0, and the others are large)",
        advice="set transform: log2, by which they become missing, and missing",
    )


def _sequencing_unit(values: np.ndarray, name: str) -> tuple[RecognisedScale, Note] | None:
    """Return the unit of a table of RNA-seq that is not logged, and a note; None for others."""
    if looks_like_counts(values):
        return RecognisedScale.COUNTS, Note(
            "the values look like counts (whole numbers from 0)",
            advice=(
                f"if they are reads of RNA-seq, set transform: {PROPOSED_COUNT_TRANSFORM}; if "
                "they are intensities, transform: log2"
            ),
        )
    if unit := relative_unit(values, name):
        return unit, Note(
            f"the values look like {unit}, which are relative to the size of the library: they "
            "are not counts, so that neither TMM nor counts per million are computed",
            advice="if so, set transform: log2p1, for log2(1 + value)",
        )
    if looks_like_estimated_counts(values):
        return RecognisedScale.ESTIMATED_COUNTS, Note(
            "the values look like estimated counts of reads (not all whole, as those of Salmon, "
            "RSEM and tximport)",
            advice=f"if so, set transform: {PROPOSED_COUNT_TRANSFORM}",
        )
    return None


def _code_of_missing(values: np.ndarray, low: float, high: float) -> Note | None:
    """Return a note on a probable code of missing values, as -9999; None without one.

    ``low`` and ``high`` are the least and the largest value. One of them is a code if it occurs in
    several cells and is farther from the other values than these are from each other.
    """
    second_lowest = np.min(values, where=values > low, initial=np.inf)
    second_highest = np.max(values, where=values < high, initial=-np.inf)
    gap_below = second_lowest - low
    gap_above = high - second_highest
    is_negative_code = low < -_RANGE and second_lowest >= 0
    if gap_below > max(_RANGE, high - second_lowest) or is_negative_code:
        note = _about_code(values, low, second_lowest, high)
        if note:
            return note
    if gap_above > max(_RANGE, second_highest - low):
        return _about_code(values, high, low, second_highest)
    return None


def _about_code(values: np.ndarray, code: float, first: float, last: float) -> Note | None:
    """Return a note on a code beside values from ``first`` to ``last``; None if it is rare."""
    n_cells = int((values == code).sum())
    if n_cells < _LEAST_CELLS:
        return None
    return Note(
        f"{code:g} is in {counted(n_cells, 'cell')}, far from all other values ({first:.4g} "
        f"to {last:.4g}): probably a code for missing values",
        advice="write NA instead",
    )


def _mixed_samples(values: np.ndarray, samples: np.ndarray) -> Note | None:
    """Return a note on a mix of samples with and without logarithms; None if there is no mix."""
    if len(values) < _GENES:
        return None
    by_sample = values[:: max(1, len(values) // _FEATURES_OF_SAMPLE)].T
    quantiles = np.array([intensity_quantiles(cells[:, None]) for cells in by_sample])
    is_raw = np.array([is_not_logged(sample_quantiles) for sample_quantiles in quantiles])
    if is_raw.all() or not is_raw.any():
        return None
    # Of one scale, the 99 % quantiles of samples are of one order of magnitude.
    largest = quantiles[:, 4]
    if not largest[is_raw].min() > _OTHER_MAGNITUDE * np.fmax.reduce(largest[~is_raw]):
        return None
    n_raw = int(is_raw.sum())
    n_logged = len(is_raw) - n_raw
    return Note(
        f"samples differ in scale: {n_raw} {either(n_raw, 'is', 'are')} not logged "
        f"({listed(list(samples[is_raw]))}), "
        f"{n_logged} {either(n_logged, 'looks', 'look')} logged "
        f"({listed(list(samples[~is_raw]))})",
        advice="bring all to one scale in the table, as no transform fits both",
    )


def note_on_cycles(
    values: np.ndarray,
    *,
    file_name: str,
    features: Sequence[str] | np.ndarray,
    samples: Sequence[str] | np.ndarray,
) -> Note | None:
    """Return a note on threshold cycles of PCR, (n_features, n_samples); None for other values.

    The direction of threshold cycles (Ct, Cq) is opposite to expression. The product doubles in
    each cycle, so that a transcript with twice the amount crosses the threshold about one cycle
    earlier (Livak and Schmittgen, Methods 25, 2001).

    The name of the file, most names of features, or all names of samples must have a word for them:
    other measurements have values from 10 to 40 as well, and some samples called CT are controls.

    Examples
    --------
    >>> cycles = np.array([[22.1, 25.3], [30.2, 38.9]])
    >>> names = {"features": ["TP53", "MYC"], "samples": ["a", "b"]}
    >>> note_on_cycles(cycles, file_name="plate1_Ct.csv", **names).finding
    'the values look like threshold cycles of qPCR (Ct): a low value means high expression'
    >>> note_on_cycles(cycles, file_name="plate1.csv", **names) is None
    True
    """
    stem = PurePath(file_name).stem
    matching = []
    for word in (_DIFFERENCE_WORD, _CYCLE_WORD):
        n_features = sum(word.search(str(name)) is not None for name in features)
        is_in_names = 2 * n_features > len(features) or all(map(word.search, map(str, samples)))
        if is_in_names or word.search(stem):
            matching.append(word)
    if not matching:
        return None
    are_differences = _DIFFERENCE_WORD in matching
    present = values[np.isfinite(values)]
    if not present.size:
        return None
    if are_differences:
        are_cycles = bool(np.abs(present).max() <= _LARGEST_DIFFERENCE)
        kind = "differences of threshold cycles of qPCR (ΔCt)"
        remedy = "give -ΔCt"
    else:
        is_unusual = (present < _USUAL_CYCLES[0]) | (present > _USUAL_CYCLES[1])
        is_in_bounds = _CYCLE_BOUNDS[0] <= present.min() and present.max() <= _CYCLE_BOUNDS[1]
        are_cycles = bool(is_in_bounds and is_unusual.mean() <= _MOST_UNUSUAL)
        kind = "threshold cycles of qPCR (Ct)"
        remedy = "subtract the mean of reference genes of each sample, and give -ΔCt"
    if not are_cycles:
        return None
    return Note(
        f"the values look like {kind}: a low value means high expression",
        advice=(
            f"fold changes and directions of genes are reversed; {remedy}, which is a logarithm to "
            "base 2 (scale: log2). No transform does this"
        ),
    )
