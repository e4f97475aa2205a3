"""The scale of values, recognised by their quantiles, whole numbers, zeros and sums.

*Idea.* Logarithms of intensities lie between 0 and about 20, intensities reach thousands, counts of
reads are whole and spread over magnitudes. The rules are those of GEO2R (logarithms or not) and of
the layouts of RNA-seq. The numbers that they ask for are computed once
(`xnbflow.sources.series.value_numbers`). `recognise_scale` asks in this order, and a question only
where the numbers allow the answer, so that most logarithms pass few of them:

1. From 0 to 100: *fractions*, which reach both ends of a whole, or sum to it in each sample?
2. From 0 to at least 100, of genes: *intensities* of mass spectrometers, of which all are large or
   0, or, but not of an array, *counts*, *TPM*, *CPM*, *FPKM* or *estimated counts* (`reads`)?
   Else features far above all others, as an age, are left out of what follows.
3. Over a range of more than 50: *mixed*, by a code of missing values as -9999, or by samples with
   and without logarithms?
4. *Logged twice*, by the median and the largest value of logarithms of logarithms?
5. *Not logged*, by the rule of GEO2R?
6. With zeros: *mixed*, of logarithms and of zeros where nothing was measured?
7. With a word for them in the names: threshold *cycles* of PCR (`threshold_cycles`)?
8. *Logarithms*, whose base `logarithm_base` finds if it can.

Any table has values like these. They are those of genes, and a transform or a base is proposed, if
the table has many features, if its features have names of genes and vary alike (a panel), or if the
values themselves are evidence, as sums of a million are.

The proposal of a study, the reader of a series, the audit and models call this function; the
transform that it proposes is applied by `xnbflow.sources.series.intensities`.
"""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from xnbflow.core.nouns import counted, either, listed
from xnbflow.data.gene_names import are_genes as have_names_of_genes
from xnbflow.data.note import Note
from xnbflow.sources.platforms import are_probes
from xnbflow.sources.series.logarithm_base import base_by_size, base_of_counts
from xnbflow.sources.series.missing_values import MOST_IMPUTED
from xnbflow.sources.series.reads import LEAST_COUNT, unit_of_reads
from xnbflow.sources.series.scales import FLOORS, RecognisedScale, ScaleOfValues, Transform
from xnbflow.sources.series.threshold_cycles import ANY_CYCLE_WORD, note_on_cycles
from xnbflow.sources.series.value_numbers import (
    MOST_VALUES,
    RANGE,
    ValueNumbers,
    measure_values,
)

#: Least number of features of a table of genes.
_GENES = 100
#: Least number of features of an array, whatever their names are, and of a panel of genes.
_ARRAY = 500
_PANEL = 20
#: Of genes of a panel the deviations of logarithms differ by less than this factor; of laboratory
#: values with a name like that of a gene (CRP, LDH) they differ more.
_LARGEST_VARIETY = 10.0
#: Largest value of percentages. The 99 % quantile of shares is at least this part of the whole, and
#: the lowest value as near to 0.
_HUNDRED = 100.0
_NEARLY = 0.9
#: Fewest samples whose equal sums are evidence.
_FEWEST_SUMS = 3
#: Least share of whole numbers among values that are no logarithms.
_WHOLE = 0.9
#: Number of features by which the scale of a sample is recognised.
_FEATURES_OF_SAMPLE = 1000
#: Nearly all positive intensities of proteins are above this.
_LEAST_INTENSITY = 1000.0
#: Largest share of the positive intensities that are not.
_LOWEST_SHARE = 0.01
#: Least logarithm above zeros that are none, and its least share of the median.
_LEAST_LOGARITHM = 3.0
_LEAST_SHARE_OF_MEDIAN = 0.4
#: Least number of cells with a code of missing values.
_LEAST_CELLS = 3
#: Samples of one scale have 99 % quantiles that differ by less than this factor: those of samples
#: that are not logged are above those of the others by more.
OTHER_MAGNITUDE = 3
#: A feature of another scale is above the others by this factor, and by this distance.
_OTHER_FACTOR = 3
_OTHER_DISTANCE = 25
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
#: Share of the samples in which nothing was measured; features with more are dropped.
_MOST_UNMEASURED = 0.5


def recognise_scale(
    values: np.ndarray,
    *,
    samples: Sequence[str] | np.ndarray = (),
    features: Sequence[str] | np.ndarray = (),
    file_name: str = "",
    is_array: bool = False,
    are_genes: bool = False,
) -> ScaleOfValues:
    """Return the probable scale of values, with the transform that is proposed for it.

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples)
        NaN is ignored. Features `of_other_scale` do not count.
    samples, features : sequence of str, optional
        The names. Samples are named where scales are mixed. Probes of an array have no reads, and
        threshold cycles are recognised by their names.
    file_name : str
        The name of the file, which may name the unit.
    is_array : bool
        Whether the source is of arrays, whose values are no reads.
    are_genes : bool
        Whether the features are known to be genes or probes: their logarithms have the base 2 by
        convention.

    Examples
    --------
    >>> values = np.array([[-20.0, 300.0, 9000.5]])
    >>> scale = recognise_scale(values, is_array=True)
    >>> print(scale.kind, scale.settings())
    not logged {'transform': {'log2': {'floor': 20}}}
    >>> recognise_scale(values).settings()  # three features may be of anything
    {}
    """
    numbers = measure_values(values)
    n_features = len(values)
    vary_alike = _PANEL <= n_features < _ARRAY and _vary_alike(values, numbers)
    have_names = have_names_of_genes(features)  # or of probes
    is_array = is_array or (have_names and n_features >= _GENES and are_probes(features))
    are_known = is_array or are_genes or (vary_alike and have_names)

    # Shares of a whole sum to it, lie between 0 and 1, or reach nearly 100.
    scale = None
    if numbers.lowest >= 0 and numbers.largest <= _HUNDRED:
        reach_whole = numbers.largest <= 1 or numbers.quantile_99 >= _NEARLY * _HUNDRED
        if numbers.common_sum or reach_whole:
            scale = _shares_of_whole(numbers, values.shape)

    # Amounts of genes, their transcripts and proteins: none is negative, and some are large.
    are_amounts = numbers.lowest >= 0 and numbers.largest >= LEAST_COUNT
    if scale is None and are_amounts and (are_known or n_features >= _GENES):
        if _are_large_intensities(numbers):
            scale = _intensities_with_zeros(values) if numbers.lowest == 0 else None
        elif not is_array:
            scale = unit_of_reads(values, numbers, file_name)

    # Values that any table may have, without features far above all others, as an age.
    if scale is None:
        is_other = of_other_scale(values)
        if is_other.any():
            values = values[~is_other]
            numbers = measure_values(values)
        scale = _logged_or_not(
            values,
            numbers,
            samples=samples,
            features=features,
            file_name=file_name,
            is_array=is_array,
            are_genes=are_genes,
            have_names=have_names,
            is_certain=are_known or len(values) >= _ARRAY,
        )
    return replace(scale, is_unlogged=numbers.exceed_logarithms, vary_alike=vary_alike)


def _logged_or_not(
    values: np.ndarray,
    numbers: ValueNumbers,
    *,
    samples: Sequence[str] | np.ndarray,
    features: Sequence[str] | np.ndarray,
    file_name: str,
    is_array: bool,
    are_genes: bool,
    have_names: bool,
    is_certain: bool,
) -> ScaleOfValues:
    """Return whether values are logarithms, and of which base, or not, or a mix of both.

    The arguments are those of `recognise_scale`; ``have_names`` is whether the names of features
    are those of genes, and ``is_certain`` whether the values are.
    """
    # Two scales in one table: a code of missing values, samples with and without logarithms.
    if numbers.largest - numbers.lowest > RANGE:
        problem = _code_of_missing(values, numbers) or _mixed_samples(values, samples)
        if problem:
            return ScaleOfValues(kind=RecognisedScale.MIXED, reason=problem)

    has_median_of_twice = _TWICE_MEDIAN[0] <= numbers.median <= _TWICE_MEDIAN[1]
    has_largest_of_twice = _TWICE_LARGEST[0] <= numbers.largest <= _TWICE_LARGEST[1]
    if len(values) >= _GENES and has_median_of_twice and has_largest_of_twice:
        reason = Note(
            f"the values look like logarithms of logarithms (median {numbers.median:.3g}, largest "
            f"{numbers.largest:.3g})",
            advice=(
                "if so, leave out transform, or give the table as it was before; if they are "
                "logarithms to base 10, set scale: log10"
            ),
        )
        return ScaleOfValues(kind=RecognisedScale.LOGGED_TWICE, reason=reason)

    if numbers.exceed_logarithms:
        scale = _not_logged(values, numbers, is_array=is_array)
        return replace(scale, is_certain=is_certain)

    # Logarithms: with zeros that are none, of cycles whose names have a word for them, or others.
    if numbers.lowest == 0 and len(values) >= _GENES:
        zeros = _zeros_among_logarithms(values, numbers)
        if zeros:
            return ScaleOfValues(kind=RecognisedScale.MIXED, reason=zeros)
    names = [PurePath(file_name).stem, *map(str, features), *map(str, samples)]
    if ANY_CYCLE_WORD.search("\n".join(names)):
        cycles = note_on_cycles(values, file_name=file_name, features=features, samples=samples)
        if cycles:
            return ScaleOfValues(kind=RecognisedScale.CYCLES, reason=cycles)

    base = base_of_counts(numbers.some) if len(values) >= _PANEL else ""
    if base:
        is_certain = True  # no other values have whole powers
    elif is_certain and numbers.share_of_whole < _WHOLE:
        base = base_by_size(values, numbers, have_names=have_names, are_genes=are_genes)
    return ScaleOfValues(
        kind=RecognisedScale.LOGARITHMS,
        reason=Note(f"values from {numbers.lowest:.4g} to {numbers.largest:,.6g}"),
        base=base,
        is_certain=is_certain,
    )


def _vary_alike(values: np.ndarray, numbers: ValueNumbers) -> bool:
    """Return whether features vary as the genes of a panel do.

    The measurements of a laboratory have abbreviations as well, as CRP and LDH; but a sodium
    varies by 2 %, and a C-reactive protein a hundredfold. The noise of one method is of one order
    for all genes of a panel.
    """
    logarithms = np.log2(np.maximum(values, 1.0)) if numbers.exceed_logarithms else values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
        deviations = np.nanstd(logarithms, axis=1)
    deviations = deviations[deviations > 0]
    if len(deviations) < len(values) / 2:
        return False
    low, high = np.quantile(deviations, [0.1, 0.9])
    return bool(high < _LARGEST_VARIETY * low)


def _shares_of_whole(numbers: ValueNumbers, shape: tuple[int, int]) -> ScaleOfValues | None:
    """Return the scale of shares of a whole; None for other values from 0 to 100.

    Methylation (beta values) and the use of exons (PSI) are from 0 to 1, or from 0 to 100, and
    reach both ends. Parts of a mixture have this sum in each sample.

    Examples
    --------
    >>> shares = np.random.default_rng(0).dirichlet(np.ones(30), 8).T
    >>> _shares_of_whole(measure_values(100 * shares), shares.shape).reason.finding
    'the values are shares of a whole: those of each sample sum to 100'
    >>> _shares_of_whole(measure_values(20 * shares), shares.shape) is None
    True
    """
    n_features, n_samples = shape
    for whole in (1.0, _HUNDRED):
        reach_upper_end = numbers.largest <= whole and numbers.quantile_99 >= _NEARLY * whole
        reach_lower_end = numbers.lowest <= (1 - _NEARLY) * whole
        if numbers.common_sum == whole and n_samples >= _FEWEST_SUMS and n_features > 1:
            finding = f"the values are shares of a whole: those of each sample sum to {whole:g}"
        elif reach_upper_end and reach_lower_end and n_features >= _PANEL:
            finding = (
                f"the values are from 0 to {whole:g}, as methylation and other shares of a whole"
            )
        else:
            continue
        reason = Note(finding, advice="they are used as they are, without fold changes")
        return ScaleOfValues(kind=RecognisedScale.FRACTIONS, reason=reason)
    return None


def _are_large_intensities(numbers: ValueNumbers) -> bool:
    """Return whether values of which none is negative are large, as intensities of proteins, or 0.

    Mass spectrometers measure intensities of 1e4 to 1e10, and programs write 0 for what was not
    found. Reads of genes have all numbers from 0: hardly any table has 99 % of its positive counts
    above 1,000.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> intensities = (2 ** rng.normal(24, 3, (50, 6))).round()
    >>> intensities[:, 2] = 0
    >>> _are_large_intensities(measure_values(intensities))
    True
    >>> _are_large_intensities(measure_values(intensities / 1e5))
    False
    """
    positive = numbers.some[numbers.some > 0]
    return bool(positive.size and np.quantile(positive, _LOWEST_SHARE) >= _LEAST_INTENSITY)


def _intensities_with_zeros(values: np.ndarray) -> ScaleOfValues:
    """Return the scale of intensities with 0 where nothing was measured, which become missing."""
    share = float(np.mean(values[:: max(1, values.size // MOST_VALUES)] == 0))
    reason = Note(
        f"the values look like intensities in which 0 means that nothing was measured (of all "
        f"values {share:.0%} are 0, and the others are large)",
        advice="set transform: log2, by which they become missing, and missing",
    )
    share_of_present = float(np.mean(values[values >= 0] == 0))
    is_imputed = share_of_present <= MOST_IMPUTED
    return ScaleOfValues(
        kind=RecognisedScale.INTENSITIES,
        reason=reason,
        transform=Transform.LOG2,
        missing="impute" if is_imputed else {"drop_features": _MOST_UNMEASURED},
    )


def _not_logged(values: np.ndarray, numbers: ValueNumbers, *, is_array: bool) -> ScaleOfValues:
    """Return the scale of intensities, with a transform that values of 0 or below have, too.

    A floor of 1 would make all values from 0 to 1 equal, which are many of relative units: these
    get the logarithm of 1 and the value. Arrays have a floor by convention.
    """
    quantile_99, largest = _plain_number(numbers.quantile_99), _plain_number(numbers.largest)
    reason = Note(
        f"the values look like intensities not logged (99% are at most {quantile_99}, the largest "
        f"is {largest})",
        advice="consider transform: log2",
    )
    transform = Transform.LOG2
    floor = None
    if numbers.lowest <= 0:
        has_small_values = bool(((values > 0) & (values < FLOORS[0])).any())
        if has_small_values and numbers.lowest == 0 and not is_array:
            transform = Transform.LOG2P1
        else:
            floor = proposed_floor(values)
    kind = RecognisedScale.NOT_LOGGED
    return ScaleOfValues(kind=kind, reason=reason, transform=transform, floor=floor)


def proposed_floor(values: np.ndarray) -> int:
    """Return the value to which smaller intensities are raised before logarithms are taken.

    It is the largest of the thresholds of the field (1, 16, 20 and 100; Golub and others, Science
    286, 1999, use 100, and Shipp and others, Nature Medicine 8, 2002, use 20) that is at most the
    noise. The noise is as large above 0 as below: it is the median size of the values below 0.
    Without such values, it is the smallest one above 0.

    Parameters
    ----------
    values : ndarray of float64, shape (n_features, n_samples)
        Intensities, of which some are 0 or below; NaN is ignored.

    Examples
    --------
    >>> proposed_floor(np.array([[-150.0, -20.0, 0.0, 300.0, 9000.0, -110.0]]))
    100
    >>> proposed_floor(np.array([[0.0, 18.0, 300.0]])), proposed_floor(np.array([[0.0, 0.3]]))
    (16, 1)
    """
    below = values[values < 0]
    above = values[values > 0]
    noise = float(np.median(-below)) if len(below) else float(above.min(initial=np.inf))
    return max([threshold for threshold in FLOORS if threshold <= noise], default=FLOORS[0])


def _plain_number(value: float) -> str:
    """Return a number for a sentence, without an exponent.

    Examples
    --------
    >>> _plain_number(71369.2), _plain_number(215.25), _plain_number(-12990.0)
    ('71,369', '215.2', '-12,990')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def _code_of_missing(values: np.ndarray, numbers: ValueNumbers) -> Note | None:
    """Return a note on a probable code of missing values, as -9999; None without one.

    The lowest or the largest value is a code if it occurs in several cells and is farther from the
    other values than these are from each other.
    """
    low, high = numbers.lowest, numbers.largest
    second_lowest = np.min(values, where=values > low, initial=np.inf)
    second_highest = np.max(values, where=values < high, initial=-np.inf)
    gap_below = second_lowest - low
    gap_above = high - second_highest
    is_negative_code = low < -RANGE and second_lowest >= 0
    if gap_below > max(RANGE, high - second_lowest) or is_negative_code:
        note = _about_code(values, low, second_lowest, high)
        if note:
            return note
    if gap_above > max(RANGE, second_highest - low):
        return _about_code(values, high, low, second_highest)
    return None


def _about_code(values: np.ndarray, code: float, first: float, last: float) -> Note | None:
    """Return a note on a code beside values from ``first`` to ``last``; None if it is rare.

    Among logarithms one cell is enough, which would make them intensities. Intensities have large
    and negative values of their own.
    """
    n_cells = int((values == code).sum())
    are_logarithms = last - first <= RANGE and last <= RANGE
    if n_cells < _LEAST_CELLS and not are_logarithms:
        return None
    probable = "a code for missing values"
    if n_cells < _LEAST_CELLS:
        probable += ", or a mistake"
    return Note(
        f"{code:g} is in {counted(n_cells, 'cell')}, far from all other values ({first:.4g} "
        f"to {last:.4g}): probably {probable}",
        advice="write NA instead",
    )


def _mixed_samples(values: np.ndarray, samples: Sequence[str] | np.ndarray) -> Note | None:
    """Return a note on a mix of samples with and without logarithms; None if there is no mix."""
    if len(values) < _GENES:
        return None
    by_sample = values[:: max(1, len(values) // _FEATURES_OF_SAMPLE)].T
    numbers = [measure_values(cells[:, None]) for cells in by_sample]
    is_raw = np.array([sample.exceed_logarithms for sample in numbers])
    if is_raw.all() or not is_raw.any():
        return None
    # Of one scale, the 99 % quantiles of samples are of one order of magnitude.
    largest = np.array([sample.quantile_99 for sample in numbers])
    if not largest[is_raw].min() > OTHER_MAGNITUDE * np.fmax.reduce(largest[~is_raw]):
        return None
    n_raw = int(is_raw.sum())
    n_logged = len(is_raw) - n_raw
    names = np.asarray(samples) if len(samples) else np.arange(len(is_raw))
    return Note(
        f"samples differ in scale: {n_raw} {either(n_raw, 'is', 'are')} not logged "
        f"({listed(list(names[is_raw]))}), "
        f"{n_logged} {either(n_logged, 'looks', 'look')} logged "
        f"({listed(list(names[~is_raw]))})",
        advice="bring all to one scale in the table, as no transform fits both",
    )


def _zeros_among_logarithms(values: np.ndarray, numbers: ValueNumbers) -> Note | None:
    """Return a note on zeros that stand for what was not measured; None without them.

    Programs for mass spectrometry write 0 into tables of logarithms. The other values begin far
    above it; logarithms of 1 and a count have 1, for one read, and those of 1 and a fraction less.
    """
    second_lowest = float(np.min(values, where=values > 0, initial=np.inf))
    if not np.isfinite(second_lowest):
        return None
    is_apart = second_lowest >= max(_LEAST_LOGARITHM, _LEAST_SHARE_OF_MEDIAN * numbers.median)
    return _about_code(values, 0.0, second_lowest, numbers.largest) if is_apart else None


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
    none = np.zeros(len(values), dtype=bool)
    if len(values) < _FEATURES:
        return none
    largest = np.fmax.reduce(values, axis=1)
    largest_of_all = np.fmax.reduce(largest)
    lowest = np.fmin.reduce(values, axis=None)
    if not largest_of_all - lowest > _OTHER_DISTANCE:  # most logarithms, or no value at all
        return none

    # Counts are not negative and nearly all whole, and some are large.
    are_counts = False
    if lowest >= 0 and largest_of_all >= LEAST_COUNT:
        sample = values[:: max(1, values.size // MOST_VALUES)]
        present = sample[~np.isnan(sample)]
        are_counts = bool(present.size and np.mean(present == np.floor(present)) >= _COUNTED)
    if are_counts:
        largest = np.log2(1 + largest)
    quartile = np.nanquantile(largest, 0.75)
    limit = max(_OTHER_FACTOR * quartile, quartile + _OTHER_DISTANCE)
    other_scale = np.asarray(largest > limit)
    above = np.log2(1 + values[other_scale]) if are_counts else values[other_scale]
    other_scale[other_scale] = (above > limit).sum(axis=1) >= max(2, values.shape[1] / 10)
    if other_scale.sum() > _MOST_OTHERS:
        return none
    if other_scale.any() and not are_counts:
        usual = measure_values(values[~other_scale])
        if usual.exceed_logarithms:
            return none
    return other_scale
