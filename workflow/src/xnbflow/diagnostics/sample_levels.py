"""Levels of whole samples that differ between the classes: library sizes, and global shifts.

If most features are lower in one class, the differences between classes in the table of genes are
due to the normalisation, or to a few features that take a large share of the library (Robinson and
Oshlack, Genome Biology 11 (2010), R25).
"""

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.findings import Finding
from xnbflow.core.study import Design
from xnbflow.data.controls import shown_classes
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.genes import LOG2, class_comparisons
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.sources.series.scale_recognition import recognise_scale
from xnbflow.sources.series.scales import RecognisedScale

#: Least number of features from which the level of a sample is estimated.
_FEWEST_FEATURES = 100
#: Strict level of the tests of a global shift, over the classes, and of library sizes.
_STRICT_LEVEL = 0.01
#: Least median t of a shift that matters: a feature without a difference is then shifted by a
#: standard error, so that false positives become frequent.
_MEDIAN_T = 1.0
#: A feature is part of the level if it is above its lowest value in this share of the samples.
_EXPRESSED = 0.5
#: Ratio of the median library sizes of two classes that is a notice.
_UNEQUAL = 1.5
#: Ratio of the median library sizes of two classes that is a warning.
_VERY_UNEQUAL = 3.0


def global_shifts(series: DataSet) -> list[Finding]:
    """Test whether most features are higher or lower in a class; of two classes one is tested.

    The level of a sample is the median, over the features, of its value less the feature's mean.
    The difference of levels between the classes is tested by the linear model of the genes, without
    columns to adjust for, with the samples (or groups) as units, because features of a sample are
    correlated. A shift is a warning if p, adjusted by Bonferroni over the classes, is at most 1 %,
    and the median of the features' moderated t is at least 1 or at most -1.

    ``estimate`` is the median difference, in log2 if the series' values are logarithms.
    """
    linear = series.kinds == "linear"
    if linear.sum() < _FEWEST_FEATURES or len(series.classes) < 2:
        return []
    logarithms = with_log_counts(series)
    levels = _levels_of_samples(logarithms.values[linear])
    if levels is None or np.ptp(levels) == 0:
        return []
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        tested = moderated_contrasts(levels[None], codes, series.groups)
        compared = class_comparisons(series.values[linear], series, Design())
    except InputError:
        return []  # too few samples
    factor = LOG2.get(series.scale)
    findings = []
    shown = shown_classes(series.classes)
    for code in shown:
        t = compared["t"][code]
        if np.isnan(t).all():
            continue
        median_t = float(np.nanmedian(t))
        change = float(np.nanmedian(compared["difference"][code])) * (factor or 1.0)
        p = min(1.0, float(tested.p[code, 0]) * len(shown))
        unit = "difference" if factor is None else "log2 fold change"
        if p > _STRICT_LEVEL or abs(median_t) < _MEDIAN_T:
            continue
        direction = "lower" if median_t < 0 else "higher"
        label = str(series.classes[code])
        numbers = f"median {unit} {change:+.2f}, median t {median_t:+.1f}"
        finding = Finding(
            code="values",
            kind="global shift",
            dataset=series.name,
            label=label,
            detail=f"{direction} in “{label}” ({numbers})",
            numbers={"estimate": change, "p": p},
        )
        findings.append(finding)
    return findings


def _levels_of_samples(values: np.ndarray) -> np.ndarray | None:
    """Return the median of each sample's values less the features' means, (n_samples,).

    Features that are at their lowest value in more than half of the samples are omitted, and so are
    features with missing values. The result is None if fewer than 100 are left.
    """
    present = ~np.isnan(values)
    lowest = np.fmin.reduce(values, axis=1)
    above = (present & (values > lowest[:, None])).sum(axis=1)
    used = (above >= _EXPRESSED * values.shape[1]) & present.all(axis=1)
    if used.sum() < _FEWEST_FEATURES:
        return None
    values = values[used]
    return np.asarray(np.median(values - values.mean(axis=1, keepdims=True), axis=0))


def library_sizes(series: DataSet) -> list[Finding]:
    """Return whether the library sizes of the classes differ, if the values are counts of reads.

    Medians that differ 1.5-fold, with p at most 1 % in the test of Kruskal and Wallis, are a
    notice, and medians that differ threefold a warning: features with few reads are then detected
    in one class only. Counts that are normalised in each fold (``transform: tmm``) have a notice at
    most: `docs/methods/counts.md` has the level of their test.
    """
    counts = series.values
    if series.scale != COUNTS:
        if series.scale or len(counts) < _FEWEST_FEATURES:
            return []
        recognised = recognise_scale(counts, samples=series.samples, features=series.features)
        if recognised.kind is not RecognisedScale.COUNTS:
            return []
    sizes = np.nansum(counts, axis=0)
    by_class = [sizes[series.labels == label] for label in series.classes]
    medians = np.array([np.median(members) for members in by_class])
    ratio = float(medians.max() / medians.min())
    if ratio < _UNEQUAL or min(map(len, by_class)) < 2:
        return []
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series are counts

    p = float(kruskal(*by_class).pvalue)
    if p > _STRICT_LEVEL:
        return []
    is_warning = ratio >= _VERY_UNEQUAL and series.scale != COUNTS
    finding = Finding(
        code="values",
        kind="library size",
        dataset=series.name,
        severity="warning" if is_warning else "notice",
        label=str(series.classes[medians.argmax()]),
        other=str(series.classes[medians.argmin()]),
        numbers={"estimate": ratio, "p": p},
    )
    return [finding]
