"""What looks wrong in a data set: patients not named as groups, covariates, repeated samples."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.dataset import row_slices
from xnbflow.sources.cell_texts import is_missing

__all__ = ["is_technical", "lone_features", "read_tallies", "repeated_samples", "suggested_group"]

_PATIENT = re.compile(
    r"(^|[\s_.\-])(patients?|subjects?|individuals?|donors?|participants?|persons?|cases?|pairs?|"
    r"animals?|mouse|mice|rats?|family|twins?)([\s_.\-]*(id|no|nr|num|number|code))?$",
    re.IGNORECASE,
)
_BATCH = re.compile(r"(^|[\s_.\-])(batch|plate|centre|center|site|scan[ _]?date)$", re.IGNORECASE)
#: Words in the names of columns that say how, where or when a sample was measured.
_TECHNICAL = (
    "array batch batches beadchip center centre chip facility flowcell hospital hyb hybridisation "
    "hybridization institute institution instrument kit lab laboratory lane lot machine operator "
    "plate processing run scan scanner sentrix sequencer slide technician"
)
#: A site is technical in no other company: others are places in the body.
_SITE = "site clinical code collection enrolment id name no number recruitment study"
_TALLY = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)|"
    r"N_(unmapped|multimapping|noFeature|ambiguous)",
    re.IGNORECASE,
)
_AT_LEAST, _LONE = 20, 3


def is_technical(name: str) -> bool:
    """Return whether a column's name speaks of a batch: how, where or when samples were measured.

    Examples
    --------
    >>> [is_technical(name) for name in ("array_batch", "ScanDate", "plate2", "study site")]
    [True, True, True, True]
    >>> [is_technical(name) for name in ("primary site", "slice", "treatment")]
    [False, False, False]
    """
    words = set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))
    return bool(words & {*_TECHNICAL.split()}) or ("site" in words and words <= {*_SITE.split()})


def suggested_group(
    sample_metadata: pd.DataFrame, labels: Sequence[str] | np.ndarray
) -> str | None:
    """Return the column whose name and values speak of repeated patients, None if there is none.

    A column that is the label by another name is no group.

    Examples
    --------
    >>> table = pd.DataFrame({"age": ["5", "5", "7", "8"], "patient": ["a", "b", "a", "c"]})
    >>> suggested_group(table, ["t", "t", "n", "n"])
    'patient'
    """
    n_classes = len(set(labels))
    for pattern in (_PATIENT, _BATCH):
        for name in sample_metadata:
            values = sample_metadata[name]
            known = values[~values.map(is_missing)]
            distinct = known.nunique()
            repeated = distinct < len(known) and distinct > 1
            nested = pd.Series(list(labels)).groupby(list(values)).nunique().max() == 1
            if pattern.search(str(name)) and repeated and not (nested and distinct <= n_classes):
                return str(name)
    return None


def read_tallies(features: Sequence[str] | np.ndarray) -> list[str]:
    """Name the rows in which HTSeq and STAR tally reads that belong to no gene.

    Examples
    --------
    >>> read_tallies(["TP53", "__no_feature", "N_unmapped"])
    ['__no_feature', 'N_unmapped']
    """
    return [
        str(name)
        for name in features
        if name.startswith(("__", "N_", "n_")) and _TALLY.fullmatch(name)
    ]


def lone_features(values: np.ndarray, features: Sequence[str] | np.ndarray) -> list[str]:
    """Name features, three at most, that look unlike all others: covariates, not genes.

    Those of whole numbers only where others are not, and those wholly above or below all others.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> values = rng.normal(7, 1, (30, 8))
    >>> values[4] = [61, 45, 70, 38, 55, 59, 66, 72]
    >>> lone_features(values, ["age" if i == 4 else f"g{i}" for i in range(30)])
    ['age']
    """
    if len(values) < _AT_LEAST:
        return []
    whole, low, high = (np.empty(len(values), dtype=kind) for kind in (bool, float, float))
    for part in row_slices(values.shape):
        rows = values[part]
        whole[part] = ((rows == np.floor(rows)) | np.isnan(rows)).all(axis=1)
        low[part], high[part] = np.fmin.reduce(rows, axis=1), np.fmax.reduce(rows, axis=1)
    found = np.zeros(len(values), dtype=bool)
    varies = low < high
    if 0 < (whole & varies).sum() <= _LONE:
        found |= whole & varies
    by_low, by_high = np.argsort(-low, kind="stable"), np.argsort(high, kind="stable")
    spread = np.nanmedian(high - low)
    for n in range(1, _LONE + 1):  # wholly above or below all others, with a gap between
        if low[by_low[n - 1]] > np.nanmax(np.delete(high, by_low[:n])) + spread:
            found[by_low[:n]] = True
        if high[by_high[n - 1]] < np.nanmin(np.delete(low, by_high[:n])) - spread:
            found[by_high[:n]] = True
    names = [str(features[i]) for i in np.flatnonzero(found).tolist()]
    return names if len(names) <= _LONE else []


def repeated_samples(values: np.ndarray, groups: np.ndarray | None = None) -> list[list[int]]:
    """Return the positions of samples that have all values in common: one sample, given twice.

    Of few features, or of whole numbers alone, samples agree by chance: nothing is said of these,
    nor where a group keeps such samples together.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(size=(30, 4))
    >>> values[:, 3] = values[:, 1]
    >>> repeated_samples(values), repeated_samples(values, np.array(["p", "q", "r", "q"]))
    ([[1, 3]], [])
    """
    if len(values) < _AT_LEAST:
        return []
    sums = np.zeros(values.shape[1])  # equal samples have equal sums, and few others have
    for part in row_slices(values.shape):
        sums += np.nansum(values[part], axis=0)
    _, position, counts = np.unique(sums, return_inverse=True, return_counts=True)
    alike: dict[bytes, list[int]] = {}
    for sample in np.flatnonzero(counts[position] > 1).tolist():
        alike.setdefault(values[:, sample].tobytes(), []).append(sample)
    return [
        found
        for found in alike.values()
        if len(found) > 1
        and (groups is None or len(set(groups[found].tolist())) > 1)
        and not (values[:, found[0]] == np.floor(values[:, found[0]])).all()
    ]
