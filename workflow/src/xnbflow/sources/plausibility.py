"""Plausibility: the meaning of columns of samples, covariates among features, repeated samples."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from xnbflow.data.dataset import row_slices
from xnbflow.sources.cell_texts import is_missing
from xnbflow.sources.intensities import of_other_scale

_PATIENT = re.compile(
    r"(^|[\s_.\-])(patients?|subjects?|individuals?|donors?|participants?|persons?|cases?|pairs?|"
    r"animals?|mouse|mice|rats?|family|twins?)([\s_.\-]*(id|no|nr|num|number|code))?$",
    re.IGNORECASE,
)
#: Words in the names of columns for how, where or when a sample was measured.
_TECHNICAL = (
    "array batch batches beadchip center centre chip facility flowcell hospital hyb hybridisation "
    "hybridization institute institution instrument kit lab laboratory lane lot machine operator "
    "plate processing run scan scanner sentrix sequencer slide technician"
)
#: Words that are technical only together with these: other sites are places in the body.
_IN_COMPANY = {
    "site": "clinical code collection enrolment id name no number recruitment study",
    "date": "assay experiment extraction measurement of preparation sample",
}
#: Words in the names of numeric columns that are not measured by arrays.
_CLINICAL = (
    "age alter bmi days edad followup gender geschlecht gewicht gleason grade grading height "
    "months psa sex smoking stadium stage survival weight year years"
)
#: Least number of groups that folds keep whole, in all and of each class.
_GROUPS, _GROUPS_OF_CLASS = 5, 3
_TALLY = re.compile(
    r"__(no_feature|ambiguous|too_low_aqual|not_aligned|alignment_not_unique)|"
    r"N_(unmapped|multimapping|noFeature|ambiguous)",
    re.IGNORECASE,
)
_AT_LEAST, _LONE = 20, 3


def is_technical(name: str) -> bool:
    """Return whether a column's name means a batch: how, where or when samples were measured.

    Examples
    --------
    >>> [is_technical(name) for name in ("array_batch", "ScanDate", "plate2", "study site")]
    [True, True, True, True]
    >>> [is_technical(name) for name in ("primary site", "slice", "date of birth")]
    [False, False, False]
    """
    words = _words(name)
    found = words & {*_TECHNICAL.split()}
    return bool(found) or any(
        word in words and words <= {word, *others.split()} for word, others in _IN_COMPANY.items()
    )


def is_clinical(name: str) -> bool:
    """Return whether a name means clinical data, which are not measured by arrays.

    Examples
    --------
    >>> [is_clinical(name) for name in ("Alter", "PSA_ng", "age at diagnosis", "AGER", "TP53")]
    [True, True, True, False, False]
    """
    return bool(_words(name) & {*_CLINICAL.split()})


def is_patient(name: str) -> bool:
    """Return whether a name means patients, animals or pairs."""
    return _PATIENT.search(name) is not None


def _words(name: str) -> set[str]:
    """Return the words of a name in small letters."""
    return set(re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()))


def suggested_group(
    sample_metadata: pd.DataFrame,
    labels: Sequence[str] | np.ndarray,
    least: tuple[int, int] = (_GROUPS, _GROUPS_OF_CLASS),
) -> str | None:
    """Return the column that names patients and whose values repeat, None if there is none.

    Every sample has a patient, and there is a least number of patients, also of each class (else
    folds would train without a class).

    Examples
    --------
    >>> table = pd.DataFrame({"age": list("556677889"), "patient": list("abcdefabc")})
    >>> suggested_group(table, list("tttnnnttt"))
    'patient'
    """
    classes = pd.Series(list(labels))
    for name in filter(is_patient, map(str, sample_metadata)):
        cells = pd.Series(list(sample_metadata[name]), dtype=object)
        per_class = cells.groupby(list(classes)).nunique()
        repeated = least[0] <= cells.nunique() < len(cells) and not cells.map(is_missing).any()
        if repeated and per_class.min() >= least[1]:
            return name
    return None


def suggested_batch(sample_metadata: pd.DataFrame) -> str | None:
    """Return the first technical column whose values repeat, None if there is none.

    Examples
    --------
    >>> suggested_batch(pd.DataFrame({"chip": list("abcd"), "plate": list("aabb")}))
    'plate'
    """
    for name in filter(is_technical, map(str, sample_metadata)):
        known = sample_metadata[name][~sample_metadata[name].map(is_missing)]
        if 1 < known.nunique() <= len(known) / 2:
            return name
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
    """Return features that are probably covariates, not genes.

    These are features `of_other_scale`, and up to three of whole numbers where others are not.

    Examples
    --------
    >>> values = np.random.default_rng(0).normal(7, 1, (30, 8))
    >>> values[4] = [61, 45, 70, 38, 55, 59, 66, 72]
    >>> lone_features(values, ["age" if i == 4 else f"g{i}" for i in range(30)])
    ['age']
    """
    if len(values) < _AT_LEAST:
        return []
    whole = np.empty(len(values), dtype=bool)
    for part in row_slices(values.shape):
        rows = values[part]
        whole[part] = ((rows == np.floor(rows)) | np.isnan(rows)).all(axis=1)
    whole &= np.fmin.reduce(values, axis=1) < np.fmax.reduce(values, axis=1)
    whole &= whole.sum() <= _LONE
    return [str(features[i]) for i in np.flatnonzero(whole | of_other_scale(values)).tolist()]


def repeated_samples(values: np.ndarray, groups: np.ndarray | None = None) -> list[list[int]]:
    """Return the positions of samples with equal values: one sample that is given twice.

    The result is empty with few features, or whole numbers alone, since samples may agree by
    chance, and where a group keeps such samples together.

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
