"""Levels of whole samples that differ between the classes: library sizes, and global shifts.

If most features are lower in one class, the differences between classes in the table of genes are
due to the normalisation, or to a few features that take a large share of the library (Robinson and
Oshlack, Genome Biology 11 (2010), R25).
"""

import numpy as np

from xnbflow.core.errors import InputError
from xnbflow.core.nouns import counted
from xnbflow.core.study import Design
from xnbflow.data.controls import shown_classes
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import with_log_counts
from xnbflow.diagnostics.audit_row import AuditRow, audit_row
from xnbflow.diagnostics.genes import LOG2, class_comparisons
from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.sources.series.scale_recognition import looks_like_counts

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


def global_shifts(series: DataSet) -> list[AuditRow]:
    """Test whether most features are higher or lower in a class; of two classes one is tested.

    The level of a sample is the median, over the features, of its value less the feature's mean.
    The difference of levels between the classes is tested by the linear model of the genes, without
    columns to adjust for, with the samples (or groups) as units, because features of a sample are
    correlated. A shift is a warning if p, adjusted by Bonferroni over the classes, is at most 1 %,
    and the median of the features' moderated t is at least 1 or at most -1.

    ``value`` is the median difference, in log2 if the series' values are logarithms.
    """
    linear = series.kinds == "linear"
    if linear.sum() < _FEWEST_FEATURES or len(series.classes) < 2:
        return []
    logarithms = with_log_counts(series)
    levels = levels_of_samples(logarithms.values[linear])
    if levels is None or np.ptp(levels) == 0:
        return []
    codes = np.unique(series.labels, return_inverse=True)[1]
    try:
        tested = moderated_contrasts(levels[None], codes, series.groups)
        compared = class_comparisons(series.values[linear], series, Design())
    except InputError:
        return []  # too few samples
    factor = LOG2.get(series.scale)
    rows = []
    shown = shown_classes(series.classes)
    for code in shown:
        t = compared["t"][code]
        if np.isnan(t).all():
            continue
        median_t = float(np.nanmedian(t))
        change = float(np.nanmedian(compared["difference"][code])) * (factor or 1.0)
        p = min(1.0, float(tested.p[code, 0]) * len(shown))
        unit = "difference" if factor is None else "log2 fold change"
        label = str(series.classes[code])
        numbers = f"median {unit} {change:+.2f}, median t {median_t:+.1f}"
        code_of_shift = "no global shift"
        severity = "none"
        text = f"no shift of most features in “{label}” ({numbers})"
        remedy = ""
        if p <= _STRICT_LEVEL and abs(median_t) >= _MEDIAN_T:
            code_of_shift = "global shift"
            severity = "warning"
            direction = "lower" if median_t < 0 else "higher"
            text = (
                f"most features are {direction} in “{label}” ({numbers}): normalisation, or a few "
                "dominating features"
            )
            remedy = "settle this before reading the list of single features"
        rows.append(
            audit_row(code_of_shift, label, severity, text, remedy=remedy, value=change, p=p)
        )
    return rows


def levels_of_samples(values: np.ndarray) -> np.ndarray | None:
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


def library_sizes(series: DataSet) -> list[AuditRow]:
    """Return the library sizes of the classes, if the values are counts of reads.

    Each class has a row without a finding. Medians that differ 1.5-fold, with p at most 1 % in the
    test of Kruskal and Wallis, are a notice, and medians that differ threefold a warning: features
    with few reads are then detected in one class only.
    """
    counts = series.values
    unknown_scale = not series.scale and len(counts) >= _FEWEST_FEATURES
    if series.scale != COUNTS and not (unknown_scale and looks_like_counts(counts)):
        return []
    sizes = np.nansum(counts, axis=0)
    by_class = [sizes[series.labels == label] for label in series.classes]
    medians = np.array([np.median(members) for members in by_class])
    rows = []
    for label, members, median in zip(series.classes, by_class, medians, strict=True):
        text = (
            f"median library of “{label}”: {_in_millions(median)} million reads "
            f"({_in_millions(members.min())} to {_in_millions(members.max())}) in "
            f"{counted(len(members), 'sample')}"
        )
        rows.append(audit_row("library", str(label), "none", text, value=float(median)))
    ratio = float(medians.max() / medians.min())
    if ratio < _UNEQUAL or min(map(len, by_class)) < 2:
        return rows
    from scipy.stats import kruskal  # noqa: PLC0415  half a second; few series are counts

    p = float(kruskal(*by_class).pvalue)
    if p <= _STRICT_LEVEL:
        large = series.classes[medians.argmax()]
        small = series.classes[medians.argmin()]
        row = audit_row(
            "libraries very unequal" if ratio >= _VERY_UNEQUAL else "libraries unequal",
            str(large),
            "warning" if ratio >= _VERY_UNEQUAL else "notice",
            f"libraries of “{large}” have {ratio:.1f} times the reads of “{small}”: features "
            "with few reads are seen in one class only, and differ for that reason",
            other=str(small),
            value=ratio,
            p=p,
        )
        rows.append(row)
    return rows


def _in_millions(reads: float) -> str:
    """Return a number of reads in millions, with three digits."""
    return f"{reads / 1e6:.3g}"
