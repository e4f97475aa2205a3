"""Why a proposed entry has each key: a comment of a few words, from the series it was read as."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from xnbflow.core.nouns import counted, either, listed
from xnbflow.sources.dataset_entry import SAMPLE_NAMES, DatasetEntry
from xnbflow.sources.series.scales import BASES, ScaleOfValues

#: Reasons that do not depend on the series, by the key.
_REASONS = {
    "samples": "a row is a gene",
    "batch": "a technical column, which the audit examines",
    "drop": "no features, and no descriptions of samples",
    "phenotype": "columns of the samples, no features",
    "map": "the names of the classes",
    "literal": "a word of several samples is a class, not a missing value",
    "unlabelled": "samples without a label are left out",
    "missing": "some values are missing, or become so by the logarithm",
    "duplicates": "names of features repeat: the row of largest mean is kept",
    "annotation": "gene symbols of the probes",
    "reference": "the control, by its name",
    "encoding": "the text is not UTF-8",
    "decimal": "numbers have decimal commas",
    "sheet": "the sheet with the most numbers",
    "matrix": "X has negative values, as after scaling each gene",
}


def reasons_of(
    entry: DatasetEntry,
    request: DatasetEntry,
    labels: Sequence[str] | np.ndarray,
    groups: Sequence[str] | np.ndarray | None = None,
    scale: ScaleOfValues | None = None,
) -> dict[str, str]:
    """Return the reason of each key of an entry that the user did not name.

    Parameters
    ----------
    entry, request : DatasetEntry
        The proposed entry, and what the user named.
    labels : sequence of str, shape (n_samples,)
        The class of each sample, by the entry.
    groups : sequence of str, shape (n_samples,), optional
        The group of each sample.
    scale : ScaleOfValues, optional
        The scale of the values; without it they are counts that a repository has computed.

    Examples
    --------
    >>> request = DatasetEntry("x", "table", "x.csv")
    >>> entry = DatasetEntry("x", "table", "x.csv", label="type", group="patient")
    >>> reasons_of(entry, request, ["a", "a", "b"], groups=["p", "q", "q"])
    {'label': '2 samples have a, 1 b', 'group': '1 of 2 values has several samples'}
    """
    reasons = dict(_REASONS)
    if len(labels):
        (first, size), *others = Counter(map(str, labels)).most_common()
        sizes = [f"{counted(size, 'sample', 'has', 'have')} {first}"]
        sizes += [f"{n_samples} {label}" for label, n_samples in others]
        place = ", in their names" if entry.label == SAMPLE_NAMES else ""
        reasons["label"] = f"{listed(sizes)}{place}"
    reasons["id"] = f"the names of the {'samples' if entry.samples == 'rows' else 'features'}"
    if groups is not None:
        reasons["group"] = _repeats(groups)
    classes = {label.lower() for label in entry.map.values()}
    if classes.intersection(text.lower() for text in entry.map):  # else each text has a new name
        reasons["map"] = (
            "spellings of one class are joined, and classes that are not listed left out"
        )
    if entry.transform or entry.scale:
        key = "transform" if entry.transform else "scale"
        reasons[key] = _reason_of_scale(key, scale)
    requested = request.settings()
    proposed = [key for key in entry.settings() if key not in requested]
    return {key: reasons[key] for key in proposed if key in reasons}


def _reason_of_scale(key: str, scale: ScaleOfValues | None) -> str:
    """Return the reason of the keys ``transform`` and ``scale``, from the values."""
    if scale is None:
        return "counts of reads"
    reason = scale.reason.finding
    if key == "scale":
        reason += f", as logarithms to {BASES[scale.base]}"
    elif scale.floor is not None:
        reason += f"; some are 0 or below, and become {scale.floor:g}"
    return reason


def _repeats(groups: Sequence[str] | np.ndarray) -> str:
    """Return how many groups have several samples."""
    sizes = Counter(map(str, groups)).values()
    n_repeated = sum(size > 1 for size in sizes)
    return (
        f"{n_repeated} of {counted(len(sizes), 'value')} "
        f"{either(n_repeated, 'has', 'have')} several samples"
    )
