"""Threshold cycles of quantitative PCR (Ct, Cq), whose direction is opposite to expression.

The product doubles in each cycle, so that a transcript with twice the amount crosses the threshold
about one cycle earlier (Livak and Schmittgen, Methods 25, 2001).
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from xnbflow.data.note import Note

#: Words in names for a threshold cycle, and for its difference from reference genes.
_CYCLE = re.compile(
    r"(?<![a-z])(c[tq]s?|qpcr|rt[ _-]?qpcr|rt[ _-]?pcr|taqman)(?:[ _-]*(values?|mean))?(?![a-z])",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"(?<![a-z])(d{1,2}|delta[ _-]?|[ΔΔ∆])c[tq]s?(?![a-z])", re.IGNORECASE)
#: Cycles of a run, between which most values are, and bounds of all.
_USUAL = (10.0, 40.0)
_BOUNDS = (3.0, 50.0)
_MOST_UNUSUAL = 0.1
#: Largest difference of two threshold cycles.
_LARGEST_DIFFERENCE = 30.0


def about_cycles(
    values: np.ndarray,
    *,
    file_name: str,
    features: Sequence[str] | np.ndarray,
    samples: Sequence[str] | np.ndarray,
) -> Note | None:
    """Return a note on threshold cycles, shape (n_features, n_samples); None for other values.

    The name of the file, most names of features, or all names of samples must have a word for them:
    other measurements have values from 10 to 40 as well, and some samples called CT are controls.

    Examples
    --------
    >>> cycles = np.array([[22.1, 25.3], [30.2, 38.9]])
    >>> names = {"features": ["TP53", "MYC"], "samples": ["a", "b"]}
    >>> about_cycles(cycles, file_name="plate1_Ct.csv", **names).finding
    'the values look like threshold cycles of qPCR (Ct): a low value means high expression'
    >>> about_cycles(cycles, file_name="plate1.csv", **names) is None
    True
    """
    stem = PurePath(file_name).stem
    matching = []
    for word in (_DIFFERENCE, _CYCLE):
        n_features = sum(word.search(str(name)) is not None for name in features)
        is_in_names = 2 * n_features > len(features) or all(map(word.search, map(str, samples)))
        if is_in_names or word.search(stem):
            matching.append(word)
    if not matching:
        return None
    are_differences = _DIFFERENCE in matching
    present = values[np.isfinite(values)]
    if not present.size:
        return None
    if are_differences:
        are_cycles = bool(np.abs(present).max() <= _LARGEST_DIFFERENCE)
        kind = "differences of threshold cycles of qPCR (ΔCt)"
        remedy = "give -ΔCt"
    else:
        is_unusual = (present < _USUAL[0]) | (present > _USUAL[1])
        is_in_bounds = _BOUNDS[0] <= present.min() and present.max() <= _BOUNDS[1]
        are_cycles = bool(is_in_bounds and is_unusual.mean() <= _MOST_UNUSUAL)
        kind = "threshold cycles of qPCR (Ct)"
        remedy = "subtract the mean of reference genes of each sample, and give -ΔCt"
    if not are_cycles:
        return None
    return Note(
        f"the values look like {kind}: a low value means high expression",
        advice=(
            f"fold changes and directions of genes are reversed; {remedy}, which is a logarithm to "
            "base 2 (scale=log2). No transform= does this"
        ),
    )
