"""Classes that are part of the names of samples, as in ``RCC_1`` and ``normal_3``."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from xnbflow.sources.series.class_labels import class_expression
from xnbflow.sources.series.sample_names import BARCODE

#: Most classes that names are searched for, and the least number of samples of each.
_MOST_CLASSES = 10
_LEAST_SAMPLES = 2
#: Letters at the end of a name, after a digit, as in ``P1T``.
_END = re.compile(r"(?<=\d)[A-Za-z]+$")
#: Pieces of a name that number samples.
_NUMBERED = re.compile(r"(rep|replicate|sample|patient|batch|donor|pool)?\d*", re.IGNORECASE)
#: Types of samples by their code in the barcode.
_TYPES = {
    "01": "primary tumour",
    "02": "recurrent tumour",
    "03": "leukaemia in blood",
    "06": "metastasis",
    "10": "normal blood",
    "11": "normal tissue",
}


@dataclass(frozen=True, kw_only=True)
class ClassesInNames:
    """How the class is found in the names of samples.

    Attributes
    ----------
    pattern : str
        A regular expression that finds the class in each name.
    classes : tuple of str
        The classes, if each is a word of its own in the names, so that the key ``label`` needs no
        pattern; else none.
    types : dict of str to str
        The type of sample of each code in TCGA's barcodes, as the key ``map`` has them.
    """

    pattern: str
    classes: tuple[str, ...] = ()
    types: dict[str, str] = field(default_factory=dict)


def find_classes_in_names(names: Sequence[str]) -> ClassesInNames | None:
    r"""Return how the class is found in the names of samples; None where they have none.

    Names are divided at ``_ - . ,`` and spaces. The class is the first part that has two to ten
    values, each in several names, when digits at its end are left out. If there is none, it is the
    letters after a digit at the end of the names; or the letters before the digit, where all names
    end in the same way after it.

    Examples
    --------
    >>> find_classes_in_names(["RCC_1", "RCC_2", "normal_1", "normal_2"]).classes
    ('normal', 'RCC')
    >>> find_classes_in_names(["P1T", "P1N", "P2T", "P2N"]).pattern
    '(?<=[0-9])(N|T)$'
    >>> find_classes_in_names(["C1dedup", "C2dedup", "E1dedup", "E2dedup"]).pattern
    '(?<![A-Za-z])(C|E)(?=[0-9]+dedup)'
    >>> codes = ("A0SB-01A", "A0SC-01A", "A0SB-11B", "A0SD-11A")
    >>> barcoded = find_classes_in_names([f"TCGA-A1-{code}" for code in codes])
    >>> print(barcoded.pattern, barcoded.types["11"], sep="  ")
    ^TCGA[-.]\w\w[-.]\w{4}[-.](01|11)  normal tissue
    >>> find_classes_in_names(["S1", "S2", "S3", "S4"])
    """
    if names and all(map(BARCODE.fullmatch, names)):
        return _types_in_barcodes(names)
    stems_of_names = list(map(_stems, names))
    for position in range(min(map(len, stems_of_names), default=0)):
        stems = [stems_of_name[position] for stems_of_name in stems_of_names]
        classes = _classes_of(stems)
        pattern = class_expression(classes)
        if classes and _finds_all(pattern, stems, names):
            return ClassesInNames(pattern=pattern, classes=tuple(classes))

    # No part is the class. Letters after a digit at the end, which are not the same in all names?
    matches = [_END.search(name) for name in names]
    ends = ["" if match is None else match[0] for match in matches]
    classes = _classes_of(ends)
    pattern = f"(?<=[0-9])({'|'.join(map(re.escape, classes))})$"
    if classes and _finds_all(pattern, ends, names):
        return ClassesInNames(pattern=pattern)
    if len(set(ends)) != 1:
        return None

    # Letters before the digit?
    ending = re.escape(ends[0])
    numbered = [re.fullmatch(rf"([A-Za-z]+)\d+{ending}", name) for name in names]
    beginnings = ["" if match is None else match[1] for match in numbered]
    classes = _classes_of(beginnings)
    pattern = f"(?<![A-Za-z])({'|'.join(map(re.escape, classes))})(?=[0-9]+{ending})"
    if classes and _finds_all(pattern, beginnings, names):
        return ClassesInNames(pattern=pattern)
    return None


def _types_in_barcodes(names: Sequence[str]) -> ClassesInNames | None:
    """Return how the type of sample is found in TCGA's barcodes; None if there is one type."""
    matches = [BARCODE.fullmatch(name) for name in names]
    counts = Counter(match[4] for match in matches if match is not None)
    if len(counts) < 2 or min(counts.values()) < _LEAST_SAMPLES:
        return None
    codes = sorted(counts)
    pattern = f"^TCGA[-.]\\w\\w[-.]\\w{{4}}[-.]({'|'.join(codes)})"
    types = {code: _TYPES.get(code, f"type {code}") for code in codes}
    return ClassesInNames(pattern=pattern, types=types)


def _classes_of(stems: Sequence[str]) -> list[str]:
    """Return the distinct stems if these can be classes, the longest first; else none."""
    counts = Counter(stems)
    if "" in counts or not 2 <= len(counts) <= _MOST_CLASSES:
        return []
    if min(counts.values()) < _LEAST_SAMPLES:
        return []
    return sorted(counts, key=lambda stem: (-len(stem), stem))


def _finds_all(pattern: str, stems: Sequence[str], names: Sequence[str]) -> bool:
    """Return whether a pattern finds the stem of each name in it."""
    for stem, name in zip(stems, names, strict=True):
        match = re.search(pattern, name)
        if match is None or match[1] != stem:
            return False
    return True


def _stems(name: str) -> list[str]:
    """Return the pieces of a name without numbers at their ends; empty for numbers alone.

    Examples
    --------
    >>> _stems("RCC12_rep1.late")
    ['RCC', '', 'late']
    """
    pieces = [piece for piece in re.split(r"[_.,\s-]+", name) if piece]
    return ["" if _NUMBERED.fullmatch(piece) else re.sub(r"\d+$", "", piece) for piece in pieces]
