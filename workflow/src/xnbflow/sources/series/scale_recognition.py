"""The scale of values, recognised by their quantiles, whole numbers, zeros and sums.

*Idea.* Logarithms of intensities lie between 0 and about 20, intensities reach thousands, counts of
reads are whole and spread over magnitudes. The rules are those of GEO2R (logarithms or not) and of
the layouts of RNA-seq (`xnbflow.sources.series.reads`); each function states its own. In the
order in which `recognise_scale` applies them:

1. *fractions*: from 0 to 1, or to 100, and up to this limit; or with this sum in each sample;
2. *intensities* of mass spectrometers: all positive values are large, and some are 0;
3. *counts*, relative units (*TPM*, *CPM*, *FPKM*), *estimated counts*, but not of an array;
4. *mixed*: a code of missing values as -9999, or samples with and without logarithms;
5. *logged twice*: median and largest value of logarithms of logarithms;
6. *not logged*: the rule of GEO2R;
7. threshold *cycles* of PCR; else *logarithms*, whose base `logarithm_base` finds if it can.

Any table has values like these. They are those of genes, and a transform or a base is proposed, if
the table has many features, if its features have names of genes and vary alike (a panel), or if the
values themselves are evidence, as sums of a million are.

The proposal of a study, the reader of a series, the audit and models call this function; the
transform that it proposes is applied by `xnbflow.sources.series.intensities`.
"""

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

import numpy as np

from xnbflow.core.nouns import counted, either, listed
from xnbflow.core.yaml_text import flow_yaml
from xnbflow.data.dataset import row_slices
from xnbflow.data.gene_names import are_genes as have_names_of_genes
from xnbflow.data.note import Note
from xnbflow.sources.platforms import are_probes
from xnbflow.sources.series.logarithm_base import (
    base_by_convention,
    base_by_size,
    base_of_counts,
)
from xnbflow.sources.series.missing_values import MOST_IMPUTED
from xnbflow.sources.series.reads import (
    LEAST_COUNT,
    looks_like_counts,
    looks_like_estimated_counts,
    relative_unit,
)
from xnbflow.sources.series.scales import PROPOSED_COUNT_TRANSFORM, RecognisedScale, Transform

#: Most values from which quantiles are computed.
_MOST_VALUES = 250_000
#: Least number of features of a table of genes.
_GENES = 100
#: Least number of features of an array, whatever their names are, and of a panel of genes.
_ARRAY = 500
_PANEL = 20
#: Of genes of a panel the deviations of logarithms differ by less than this factor; of laboratory
#: values with a name like that of a gene (CRP, LDH) they differ more.
_LARGEST_VARIETY = 10.0
#: Shares of a whole: the 99 % quantile is at least this part of the limit.
_LEAST_OF_WHOLE = 0.9
#: Largest relative difference of the sum of a sample from the whole, and fewest samples.
_ROUNDING = 0.01
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
#: Thresholds of intensities in publications.
_FLOORS = (1, 16, 20, 100)
#: Share of the samples in which nothing was measured; features with more are dropped.
_MOST_UNMEASURED = 0.5

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

#: The transform that is proposed for values of a scale.
_PROPOSED_TRANSFORMS = {
    RecognisedScale.COUNTS: PROPOSED_COUNT_TRANSFORM,
    RecognisedScale.ESTIMATED_COUNTS: PROPOSED_COUNT_TRANSFORM,
    RecognisedScale.TPM: Transform.LOG2P1,
    RecognisedScale.CPM: Transform.LOG2P1,
    RecognisedScale.FPKM: Transform.LOG2P1,
    RecognisedScale.NOT_LOGGED: Transform.LOG2,
    RecognisedScale.INTENSITIES: Transform.LOG2,
}


#: Scales whose values are used as they are.
_USABLE = (RecognisedScale.LOGARITHMS, RecognisedScale.CYCLES, RecognisedScale.FRACTIONS)
#: Scales of which any table may have the values; the others are evidence by themselves.
_OF_ANY_TABLE = (RecognisedScale.LOGARITHMS, RecognisedScale.NOT_LOGGED)


@dataclass(frozen=True, kw_only=True)
class ScaleOfValues:
    """The probable scale of a table of values, and the transform that is proposed for it.

    Attributes
    ----------
    kind : RecognisedScale
        The scale.
    reason : Note
        The numbers or names by which it was recognised, and what to do.
    transform : Transform or None
        The transform that makes logarithms of the values, or normalises counts.
    floor : int or None
        The value to which smaller ones are raised before, where some have no logarithm.
    missing : str, dict or None
        The key ``missing`` for values that become missing by the transform.
    base : {"", "log2", "ln", "log10"}
        The base of logarithms, as the key ``scale`` has it; empty if it is unknown.
    is_certain : bool
        Whether the values are those of genes, by their number, their names or themselves. The
        values of other tables look alike, but may be of anything: nothing is proposed for them.
    is_unlogged : bool
        Whether logarithms make the values comparable in a figure, whatever they are of.
    vary_alike : bool
        Whether there are as many features as in a panel, and one method may have measured them.
    """

    kind: RecognisedScale
    reason: Note
    transform: Transform | None = None
    floor: int | None = None
    missing: Any = None
    base: str = ""
    is_certain: bool = True
    is_unlogged: bool = False
    vary_alike: bool = False

    @property
    def is_logged(self) -> bool:
        """Whether the values can be used as they are: logarithms, or other values of their size."""
        return self.kind in _USABLE

    def settings(self) -> dict[str, Any]:
        """Return the keys of an entry that are proposed: ``transform``, ``missing``, ``scale``."""
        if not self.is_certain:
            return {}
        if self.base:
            return {"scale": self.base}
        if self.transform is None:
            return {}
        transform: Any = self.transform.value
        if self.floor is not None:
            transform = {transform: {"floor": self.floor}}
        settings = {"transform": transform, "missing": self.missing}
        return {key: value for key, value in settings.items() if value is not None}

    def sentence(self) -> str:
        """Return the sentence of a proposal; empty if the values may be of anything.

        Values that vary as intensities of genes do, without names of genes, get a condition.

        Examples
        --------
        >>> scale = recognise_scale(np.array([[20.0, 300.0, 9000.5]]), is_array=True)
        >>> scale.sentence()[:59]
        'The proposal is transform: log2: the values look like inten'
        """
        if not self.is_certain:
            return self._sentence_of_other_names()
        if self.kind is RecognisedScale.LOGARITHMS:
            return self._sentence_of_base()
        if self.kind in (RecognisedScale.CYCLES, RecognisedScale.FRACTIONS):
            return f"{self.reason[0].upper()}{self.reason[1:]}."
        settings = self.settings()
        if not settings:
            return f"No transform is proposed: {self.reason}."
        proposal = f"The proposal is transform: {flow_yaml(settings['transform'])}"
        if self.missing is not None:
            proposal = (
                f"Proposed are transform: {flow_yaml(settings['transform'])} and missing: "
                f"{flow_yaml(self.missing)}"
            )
        sentence = f"{proposal}: {self.reason.finding}"
        if self.floor is not None:
            thresholds = f"of the usual thresholds {listed(list(map(str, _FLOORS)))}"
            choice = f"the largest {thresholds} that is at most the noise"
            if self.floor == _FLOORS[0]:
                choice = f"the smallest {thresholds}"
            sentence += (
                "; some values are 0 or below, which have no logarithm, and become the floor with "
                f"all smaller ones: {self.floor} is {choice}"
            )
        if self.kind is RecognisedScale.COUNTS:
            sentence += "; if they are intensities of an array, use --set transform=log2"
            if self.transform is Transform.LOG2P1:
                sentence += (
                    ". The reads of a panel are not normalised, since selected genes may differ as "
                    "a whole: divide them by those of reference genes before, or use --set "
                    f"transform={PROPOSED_COUNT_TRANSFORM} if most genes do not differ"
                )
        return f"{sentence}."

    def _sentence_of_other_names(self) -> str:
        """Return the sentence on values that look like intensities of features with other names."""
        if not (self.vary_alike and self.kind is RecognisedScale.NOT_LOGGED):
            return ""
        transform: Any = str(self.transform)
        if self.floor is not None:
            transform = {transform: {"floor": self.floor}}
        setting = f"transform={flow_yaml(transform)}"
        if self.floor is not None:
            setting = f"'{setting}'"
        return (
            f"No transform is proposed, since the names of the features are not those of genes, "
            f"but {self.reason.finding}: if they are intensities or reads of genes, use --set "
            f"{setting}."
        )

    def _sentence_of_base(self) -> str:
        """Return the sentence on the base of logarithms."""
        if self.base:
            what = {"log2": "base 2", "ln": "base e", "log10": "base 10"}[self.base]
            return f"The proposal is scale: {self.base}: the values are as logarithms to {what}."
        return (
            f"The base of the logarithms is not clear from the values ({self.reason.finding}): "
            "differences are in their unit, without fold changes. If you know the base, use --set "
            "scale=log2 (or ln, log10)."
        )


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
    if np.fmin.reduce(values, axis=None) >= 0 and np.nanmax(largest) >= LEAST_COUNT:
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
    if len(values) >= _GENES and not is_array:
        is_array = are_probes(features)
    vary_alike = _vary_alike(values)
    is_panel = vary_alike and have_names_of_genes(features)
    are_known = is_array or are_genes or is_panel
    kind, reason, values = _kind_of(
        values,
        samples=samples,
        file_name=file_name,
        is_array=is_array,
        are_many=len(values) >= _GENES or are_known,
    )
    quantiles = intensity_quantiles(values)
    recognised = ScaleOfValues(
        kind=kind,
        reason=reason,
        transform=_PROPOSED_TRANSFORMS.get(kind),
        is_certain=are_known or len(values) >= _ARRAY or kind not in _OF_ANY_TABLE,
        is_unlogged=is_not_logged(quantiles),
        vary_alike=vary_alike,
    )
    if kind is RecognisedScale.LOGARITHMS:
        cycles = note_on_cycles(values, file_name=file_name, features=features, samples=samples)
        if cycles:
            return replace(recognised, kind=RecognisedScale.CYCLES, reason=cycles, is_certain=True)
        return _with_base(recognised, values, quantiles, features=features, are_genes=are_genes)
    if kind is RecognisedScale.COUNTS and len(values) < _GENES:
        return replace(recognised, transform=Transform.LOG2P1)
    if kind is RecognisedScale.INTENSITIES:
        share = float(np.mean(values[values >= 0] == 0))
        missing = "impute" if share <= MOST_IMPUTED else {"drop_features": _MOST_UNMEASURED}
        return replace(recognised, missing=missing)
    if recognised.transform is Transform.LOG2 and np.fmin.reduce(values, axis=None) <= 0:
        return _with_logarithm_of_zeros(recognised, values, is_array=is_array)
    return recognised


def _with_logarithm_of_zeros(
    recognised: ScaleOfValues, values: np.ndarray, *, is_array: bool
) -> ScaleOfValues:
    """Return the scale of intensities of which some are 0 or below, with a transform of these.

    A floor of 1 would make all values from 0 to 1 equal, which are many of relative units: these
    get the logarithm of 1 and the value. Arrays have a floor by convention.
    """
    has_negatives = bool((values < 0).any())
    has_small_values = bool(((values > 0) & (values < _FLOORS[0])).any())
    if has_small_values and not has_negatives and not is_array:
        return replace(recognised, transform=Transform.LOG2P1)
    return replace(recognised, floor=proposed_floor(values))


def _vary_alike(values: np.ndarray) -> bool:
    """Return whether features are as many as in a panel of genes, and vary as genes of one do.

    The measurements of a laboratory have abbreviations as well, as CRP and LDH; but a sodium
    varies by 2 %, and a C-reactive protein a hundredfold. The noise of one method is of one order
    for all genes of a panel.
    """
    if not _PANEL <= len(values) < _ARRAY:
        return False
    logarithms = values
    if is_not_logged(intensity_quantiles(values)):
        logarithms = np.log2(np.maximum(values, 1.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a feature without any value
        deviations = np.nanstd(logarithms, axis=1)
    deviations = deviations[deviations > 0]
    if len(deviations) < len(values) / 2:
        return False
    low, high = np.quantile(deviations, [0.1, 0.9])
    return bool(high < _LARGEST_VARIETY * low)


def _with_base(
    recognised: ScaleOfValues,
    values: np.ndarray,
    quantiles: np.ndarray,
    *,
    features: Sequence[str] | np.ndarray,
    are_genes: bool,
) -> ScaleOfValues:
    """Return the scale of logarithms with their base, if one is known."""
    if len(values) >= _PANEL and (base := base_of_counts(values)):
        return replace(recognised, base=base, is_certain=True)
    if not recognised.is_certain or _share_of_whole(values) >= _WHOLE:
        return recognised
    if are_genes:
        return replace(recognised, base=base_by_convention(quantiles))
    base = base_by_size(values, quantiles, are_genes=have_names_of_genes(features))
    return replace(recognised, base=base)


def _share_of_whole(values: np.ndarray) -> float:
    """Return the share of whole numbers among the present values."""
    some = values[:: max(1, values.size // _MOST_VALUES)]
    some = some[~np.isnan(some)]
    return float(np.mean(some == np.floor(some))) if some.size else 1.0


def _kind_of(
    values: np.ndarray,
    *,
    samples: Sequence[str] | np.ndarray,
    file_name: str,
    is_array: bool,
    are_many: bool,
) -> tuple[RecognisedScale, Note, np.ndarray]:
    """Return the scale of values, a note about it, and the values that count.

    ``are_many`` is whether the features are genes, or so many that units of genes are plausible.
    """
    if note := _note_on_fractions(values):
        return RecognisedScale.FRACTIONS, note, values

    # units that a table of genes may have: intensities of proteins, and reads
    if are_many and (unit := _unit_of_genes(values, file_name, is_array=is_array)):
        return *unit, values

    # two scales in one table: a code of missing values, samples with and without logarithms
    other_scale = of_other_scale(values)
    if other_scale.any():
        values = values[~other_scale]
    quantiles = intensity_quantiles(values)
    low, _, median, _, quantile_99, high = quantiles
    if high - low > _RANGE:
        problem = _code_of_missing(values, low, high) or _mixed_samples(values, samples)
        if problem:
            return RecognisedScale.MIXED, problem, values

    # one scale: logarithms of logarithms, no logarithms, logarithms
    has_median = _TWICE_MEDIAN[0] <= median <= _TWICE_MEDIAN[1]
    has_largest = _TWICE_LARGEST[0] <= high <= _TWICE_LARGEST[1]
    kind = RecognisedScale.LOGARITHMS
    note = Note(f"values from {low:.4g} to {high:,.6g}")
    if len(values) >= _GENES and has_median and has_largest:
        kind = RecognisedScale.LOGGED_TWICE
        note = Note(
            f"the values look like logarithms of logarithms (median {median:.3g}, largest "
            f"{high:.3g})",
            advice=(
                "if so, leave out transform, or give the table as it was before; if they are "
                "logarithms to base 10, set scale: log10"
            ),
        )
    elif is_not_logged(quantiles):
        kind = RecognisedScale.NOT_LOGGED
        note = Note(
            f"the values look like intensities not logged (99% are at most "
            f"{_plain_number(quantile_99)}, the largest is {_plain_number(high)})",
            advice="consider transform: log2",
        )
    elif zeros := _zeros_among_logarithms(values, low, median, high):
        kind = RecognisedScale.MIXED
        note = zeros
    return kind, note, values


def _zeros_among_logarithms(
    values: np.ndarray, low: float, median: float, high: float
) -> Note | None:
    """Return a note on zeros that stand for what was not measured; None without them.

    Programs for mass spectrometry write 0 into tables of logarithms. The other values begin far
    above it; logarithms of 1 and a count have 1, for one read, and those of 1 and a fraction less.
    """
    if low != 0 or len(values) < _GENES:
        return None
    second_lowest = float(np.min(values, where=values > 0, initial=np.inf))
    if not np.isfinite(second_lowest):
        return None
    is_apart = second_lowest >= max(_LEAST_LOGARITHM, _LEAST_SHARE_OF_MEDIAN * median)
    return _about_code(values, 0.0, second_lowest, high) if is_apart else None


def _plain_number(value: float) -> str:
    """Return a number for a sentence, without an exponent.

    Examples
    --------
    >>> _plain_number(71369.2), _plain_number(215.25), _plain_number(-12990.0)
    ('71,369', '215.2', '-12,990')
    """
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


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
    return max([threshold for threshold in _FLOORS if threshold <= noise], default=_FLOORS[0])


def _note_on_fractions(values: np.ndarray) -> Note | None:
    """Return a note on shares of a whole; None for other values.

    Methylation (beta values) and the use of exons (PSI) are from 0 to 1, or from 0 to 100, and
    reach both ends. Parts of a mixture have this sum in each sample.

    Examples
    --------
    >>> shares = np.random.default_rng(0).dirichlet(np.ones(30), 8).T
    >>> _note_on_fractions(100 * shares).finding
    'the values are shares of a whole: those of each sample sum to 100'
    >>> _note_on_fractions(20 * shares) is None
    True
    """
    lowest, _, _, _, high, largest = intensity_quantiles(values)
    if not (lowest >= 0 and largest <= 100):
        return None
    sums = np.zeros(values.shape[1])
    for rows in row_slices(values.shape):
        sums += np.nansum(values[rows], axis=0)
    for whole in (1.0, 100.0):
        are_parts = (np.abs(sums / whole - 1) < _ROUNDING).all() and len(sums) >= _FEWEST_SUMS
        if are_parts and len(values) > 1:
            return Note(
                f"the values are shares of a whole: those of each sample sum to {whole:g}",
                advice="they are used as they are, without fold changes",
            )
        reach_both_ends = largest <= whole and high >= _LEAST_OF_WHOLE * whole
        if reach_both_ends and lowest <= (1 - _LEAST_OF_WHOLE) * whole and len(values) >= _PANEL:
            return Note(
                f"the values are from 0 to {whole:g}, as methylation and other shares of a whole",
                advice="they are used as they are, without fold changes",
            )
    return None


def _note_on_intensities(values: np.ndarray) -> Note:
    """Return the note on intensities with 0 where nothing was measured."""
    share = float(np.mean(values[:: max(1, values.size // _MOST_VALUES)] == 0))
    return Note(
        f"the values look like intensities in which 0 means that nothing was measured (of all "
        f"values {share:.0%} are 0, and the others are large)",
        advice="set transform: log2, by which they become missing, and missing",
    )


def _unit_of_genes(
    values: np.ndarray, file_name: str, *, is_array: bool
) -> tuple[RecognisedScale, Note] | None:
    """Return the unit of intensities of proteins or of reads, with a note; None for others."""
    if _are_large_intensities(values):
        if np.fmin.reduce(values, axis=None) == 0:
            return RecognisedScale.INTENSITIES, _note_on_intensities(values)
        return None
    return None if is_array else _sequencing_unit(values, file_name)


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
            f"the values look like {unit}, which are relative to the size of the library",
            advice=(
                "if so, set transform: log2p1, for log2(1 + value); they are not counts, so that "
                "neither TMM nor counts per million are computed"
            ),
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
    """Return a note on a code beside values from ``first`` to ``last``; None if it is rare.

    Among logarithms one cell is enough, which would make them intensities. Intensities have large
    and negative values of their own.
    """
    n_cells = int((values == code).sum())
    are_logarithms = last - first <= _RANGE and last <= _RANGE
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
    names = np.asarray(samples) if len(samples) else np.arange(len(is_raw))
    return Note(
        f"samples differ in scale: {n_raw} {either(n_raw, 'is', 'are')} not logged "
        f"({listed(list(names[is_raw]))}), "
        f"{n_logged} {either(n_logged, 'looks', 'look')} logged "
        f"({listed(list(names[~is_raw]))})",
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
        is_of_samples = len(samples) > 0 and all(map(word.search, map(str, samples)))
        is_in_names = 2 * n_features > len(features) or is_of_samples
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
        "direction",
        advice=(
            f"fold changes and directions of genes are reversed; {remedy}, which is a logarithm to "
            "base 2 (scale: log2). No transform does this"
        ),
    )
