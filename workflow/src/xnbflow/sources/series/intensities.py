"""Scale of values: intensities, logarithms or counts; and their transform to logarithms."""

import numpy as np

from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.refusals import Refusal
from xnbflow.data.dataset import row_slices
from xnbflow.data.note import Note
from xnbflow.sources.series.sequencing import (
    PROPOSED_COUNT_TRANSFORM,
    looks_like_estimated_counts,
    relative_unit,
)

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
#: Positive intensities of proteins are above this, but for a share of them.
_LEAST_INTENSITY = 1000.0
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


def are_large_intensities(values: np.ndarray) -> bool:
    """Return whether values (n_features, n_samples) are large, as intensities of proteins, or 0.

    Mass spectrometers measure intensities of 1e4 to 1e10, and programs write 0 for what was not
    found. Reads of genes have all numbers from 0: hardly any table has 99 % of its positive counts
    above 1,000.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> intensities = (2 ** rng.normal(24, 3, (50, 6))).round()
    >>> intensities[:, 2] = 0
    >>> are_large_intensities(intensities), are_large_intensities(intensities / 1e5)
    (True, False)
    """
    some = values[:: max(1, values.size // _MOST_VALUES)].ravel()
    some = some[~np.isnan(some)]
    positive = some[some > 0]
    if not positive.size or (some < 0).any():
        return False
    return bool(np.quantile(positive, _LOWEST_SHARE) >= _LEAST_INTENSITY)


def scale_of(values: np.ndarray, samples: np.ndarray, name: str = "") -> tuple[str, Note]:
    """Return the probable scale of values (n_features, n_samples), and a note about it.

    They are ``logarithms``, ``logged twice``, ``not logged``, ``intensities`` (not logged, 0 where
    nothing was measured), ``counts``, ``estimated counts``, ``TPM``, ``CPM``, ``FPKM``, or
    ``mixed``, which no transform fits: a value recurs far from all others, or some of the named
    samples are logged and others are not. Features `of_other_scale` do not count. The ``name`` of
    the file may name the unit.
    """
    are_intensities = len(values) >= _GENES and are_large_intensities(values)
    if are_intensities and np.fmin.reduce(values, axis=None) == 0:
        share = float(np.mean(values[:: max(1, values.size // _MOST_VALUES)] == 0))
        return "intensities", Note(
            f"the values look like intensities in which 0 means that nothing was measured (of all "
            f"values {share:.0%} are 0, and the others are large)",
            advice="set transform=log2, by which they become missing, and an option missing=",
        )
    unit = None
    if len(values) >= _GENES and not are_intensities:
        unit = _sequencing_unit(values, name)
    if unit:
        return unit
    other_scale = of_other_scale(values)
    if other_scale.any():
        values = values[~other_scale]
    quantiles = intensity_quantiles(values)
    low, _, median, _, _, high = quantiles
    if high - low > _RANGE:
        problem = _code_of_missing(values, low, high) or _mixed_samples(values, samples)
        if problem:
            return "mixed", problem
    has_median = _TWICE_MEDIAN[0] <= median <= _TWICE_MEDIAN[1]
    has_largest = _TWICE_LARGEST[0] <= high <= _TWICE_LARGEST[1]
    if len(values) >= _GENES and has_median and has_largest:
        return "logged twice", Note(
            f"the values look like logarithms of logarithms (median {median:.3g}, largest "
            f"{high:.3g})",
            advice=(
                "if so, leave out transform=, or give the table as it was before; if they are "
                "logarithms to base 10, they can be used"
            ),
        )
    if not is_not_logged(quantiles):
        return "logarithms", Note(f"values from {low:.4g} to {high:,.6g}")
    return "not logged", Note(
        f"the values look like intensities not logged (99% quantile {quantiles[4]:.4g}, largest "
        f"{high:.4g})",
        advice="consider transform=log2",
    )


def _sequencing_unit(values: np.ndarray, name: str) -> tuple[str, Note] | None:
    """Return the unit of a table of RNA-seq that is not logged, and a note; None for others."""
    if looks_like_counts(values):
        return "counts", Note(
            "the values look like counts (whole numbers from 0)",
            advice=(
                f"if they are reads of RNA-seq, set transform={PROPOSED_COUNT_TRANSFORM} in the "
                "sheet's options; if they are intensities, transform=log2"
            ),
        )
    if unit := relative_unit(values, name):
        return unit, Note(
            f"the values look like {unit}, which are relative to the size of the library: they "
            "are not counts, so that neither TMM nor counts per million are computed",
            advice="if so, set transform=log2p1 in the sheet's options, for log2(1 + value)",
        )
    if looks_like_estimated_counts(values):
        return "estimated counts", Note(
            "the values look like estimated counts of reads (not all whole, as those of Salmon, "
            "RSEM and tximport)",
            advice=f"if so, set transform={PROPOSED_COUNT_TRANSFORM} in the sheet's options",
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


_NEGATIVE = Refusal(
    code="intensities.negative",
    sentence="{where}: transform=log2p1 of {lowest:.4g}; values must not be negative",
    key="transform",
)


def transform(
    where: str, values: np.ndarray, how: str, *, kind: str, finding: str, samples: np.ndarray
) -> list[str]:
    """Take logarithms of values (n_features, n_samples) in place, and return notes about it.

    With ``log2`` values of 0 and below become missing, as in GEO2R; ``log2p1`` is log2(x + 1),
    ``log_cpm`` log(1 + counts per million of the sample). (Robinson and Oshlack, Genome Biology 11,
    2010, R25, for library sizes; without TMM factors, as a sample must not depend on others.) Each
    sample is transformed by itself, so transforms may be applied before folds are drawn. ``kind``
    and ``finding`` are those of `scale_of`; errors name one of the ``samples``.
    """
    if how == "log_cpm":
        return _log_cpm(f"{where}: transform=log_cpm", values, samples)
    if how == "log2p1" and (low := np.fmin.reduce(values, axis=None)) < 0:
        raise _NEGATIVE.error(where=where, lowest=low)
    argument = "x + 1" if how == "log2p1" else "all values"
    notes = [f"logarithms to base 2 were taken of {argument}"]
    if kind == "logarithms":
        text = f"the values look logged already ({finding})"
        notes.append(Note(text, advice=f"is transform={how} meant?"))
    if kind == "mixed":
        notes.append(finding)
    n_lost = 0
    for chunk in row_slices(values.shape):
        rows = values[chunk]
        if how == "log2p1":
            np.add(rows, 1.0, out=rows)
        n_lost += int((rows <= 0).sum())
        rows[rows <= 0] = np.nan
        np.log2(rows, out=rows)
    if n_lost:
        values_lost = counted(n_lost, "value")
        notes.append(f"{values_lost} of 0 or below became missing: no logarithm exists")
    return notes


_OTHER_KINDS = Refusal(
    code="intensities.other-kinds",
    sentence=(
        "{what} needs counts in all features, and {n_features:#feature} of the table "
        "{n_features:is an angle or a category|are angles or categories}; use "
        "transform=log_cpm"
    ),
    key="transform",
)


def keep_counts(
    where: str, values: np.ndarray, linear: np.ndarray, samples: np.ndarray
) -> list[str]:
    """Return notes on counts that stay as they are, and are normalised by TMM in the folds.

    ``values`` are (n_features, n_samples), ``linear`` (n_features,) whether a feature is linear.
    Negative or missing counts, samples without reads and features of other kinds are refused.
    """
    what = f"{where}: transform=tmm"
    n_other = int((~linear).sum())
    if n_other:
        raise _OTHER_KINDS.error(what=what, n_features=n_other)
    refuse_no_counts(what, values, samples)
    note = (
        "counts of reads are normalised by TMM in the training samples of each fold, and tested "
        "gene by gene with the weights of voom"
    )
    notes = [note]
    if (values != np.floor(values)).any():
        notes.append("the counts are not all whole numbers, as those estimated by salmon or RSEM")
    return notes


def _log_cpm(what: str, values: np.ndarray, samples: np.ndarray) -> list[str]:
    notes = ["log(1 + counts per million of the sample) was taken of all values"]
    if not looks_like_counts(values) and not looks_like_estimated_counts(values):
        text = "the values do not look like counts of reads"
        notes.append(Note(text, advice="is transform=log_cpm meant?"))
    refuse_no_counts(what, values, samples)
    sizes = values.sum(axis=0)
    for chunk in row_slices(values.shape):
        rows = values[chunk]
        np.divide(rows, sizes, out=rows)
        np.multiply(rows, 1e6, out=rows)
        np.log1p(rows, out=rows)
    return notes


_MISSING_COUNTS = Refusal(
    code="intensities.missing-counts",
    sentence=(
        "{what}, but {n_missing:#count|is|are} missing, without which the sum of a sample is "
        "unknown; write 0 where no read was found"
    ),
    key="transform",
)

_NEGATIVE_COUNTS = Refusal(
    code="intensities.negative-counts",
    sentence="{what} of {lowest:.4g}; counts must not be negative",
    key="transform",
)

_NO_READS = Refusal(
    code="intensities.no-reads",
    sentence=(
        "{what}: sample {sample!r} has no counts at all; remove its column (or row) from the "
        "table, or its row from the phenotype file"
    ),
    key="transform",
)


def refuse_no_counts(what: str, values: np.ndarray, samples: np.ndarray) -> None:
    """Refuse missing or negative counts, and samples without reads."""
    sizes = values.sum(axis=0)
    lowest = values.min(initial=0.0)
    if np.isnan(sizes).any():
        raise _MISSING_COUNTS.error(what=what, n_missing=int(np.isnan(values).sum()))
    if lowest < 0:
        raise _NEGATIVE_COUNTS.error(what=what, lowest=lowest)
    if (sizes == 0).any():
        raise _NO_READS.error(what=what, sample=str(samples[int(np.argmin(sizes))]))
