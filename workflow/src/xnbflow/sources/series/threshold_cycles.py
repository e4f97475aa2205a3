"""Threshold cycles of quantitative PCR, recognised by their names and their size.

The direction of threshold cycles (Ct, Cq) is opposite to expression. The product doubles in each
cycle, so that a transcript with twice the amount crosses the threshold about one cycle earlier
(Livak and Schmittgen, Methods 25, 2001).
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from xnbflow.data.note import Note

#: Words in names for a threshold cycle.
_CYCLE_WORD = re.compile(
    r"(?<![a-z])(c[tq]s?|qpcr|rt[ _-]?qpcr|rt[ _-]?pcr|taqman)(?:[ _-]*(values?|mean))?(?![a-z])",
    re.IGNORECASE,
)
#: Words in names for the difference of a threshold cycle from reference genes.
_DIFFERENCE_WORD = re.compile(
    r"(?<![a-z])(d{1,2}|delta[ _-]?|[ΔΔ∆])c[tq]s?(?![a-z])", re.IGNORECASE
)
#: Either word, in a text of many names.
ANY_CYCLE_WORD = re.compile(f"{_CYCLE_WORD.pattern}|{_DIFFERENCE_WORD.pattern}", re.IGNORECASE)
#: Words in names of files for computed tomography, and for controls that are compared.
_OTHER_CT = re.compile(
    r"(?<![a-z])(ct[ _-]*(scans?|imag[a-z]*|slices?|vs|versus)|"
    r"(vs|versus|pet|spect|micro|chest|cone[ _-]?beam)[ _-]*ct)(?![a-z])",
    re.IGNORECASE,
)
#: Most targets of a table that is recognised by the name of its file. Large panels of assays have
#: 754 (microRNA on OpenArray); tables of arrays, reads and proteins have thousands of features.
_MOST_TARGETS = 1000
#: Bounds of most threshold cycles.
_USUAL_CYCLES = (10.0, 40.0)
#: Largest share of threshold cycles outside these bounds.
_MOST_UNUSUAL = 0.1
#: Bounds of all threshold cycles of a run.
_CYCLE_BOUNDS = (3.0, 50.0)
#: Largest difference of two threshold cycles.
_LARGEST_DIFFERENCE = 30.0


def note_on_cycles(
    values: np.ndarray,
    *,
    file_name: str,
    features: Sequence[str] | np.ndarray,
    samples: Sequence[str] | np.ndarray,
) -> Note | None:
    """Return a note on threshold cycles of PCR, (n_features, n_samples); None for other values.

    Most names of features, all names of samples, or the name of the file must have a word for them:
    other measurements have values from 10 to 40 as well, and some samples called CT are controls.
    The name of a file may have the word by chance, so that it suffices only for a panel.

    Examples
    --------
    >>> cycles = np.array([[22.1, 25.3], [30.2, 38.9]])
    >>> names = {"features": ["TP53", "MYC"], "samples": ["a", "b"]}
    >>> note_on_cycles(cycles, file_name="plate1_Ct.csv", **names).finding
    'the values look like threshold cycles of qPCR (Ct): a low value means high expression'
    >>> note_on_cycles(cycles, file_name="plate1.csv", **names) is None
    True
    >>> note_on_cycles(cycles, file_name="CT_scans.csv", **names) is None
    True
    """
    stem = _OTHER_CT.sub(" ", PurePath(file_name).stem)
    is_in_names = False  # of features or samples
    matching = []
    for word in (_DIFFERENCE_WORD, _CYCLE_WORD):
        n_features = sum(word.search(str(name)) is not None for name in features)
        is_of_samples = len(samples) > 0 and all(map(word.search, map(str, samples)))
        if 2 * n_features > len(features) or is_of_samples:
            is_in_names = True
            matching.append(word)
        elif word.search(stem) and len(values) <= _MOST_TARGETS:
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
    advice = (
        f"fold changes and directions of genes are reversed; {remedy}, which is a logarithm to "
        "base 2 (scale: log2). No transform does this"
    )
    if not is_in_names:
        advice += ". If they are other values, rename the file: only its name has the word"
    finding = f"the values look like {kind}: a low value means high expression"
    return Note(finding, "direction", advice=advice)
