"""Classes that are part of the names of samples, as in ``RCC_1`` and ``normal_3``."""

import re
from collections import Counter
from collections.abc import Sequence

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


def class_pattern(names: Sequence[str]) -> str:
    r"""Return a regular expression that finds the class in each name; empty where there is none.

    Names are divided at ``_ - . ,`` and spaces. The class is the first part that has two to ten
    values, each in several names, when digits at its end are left out. If there is none, it is the
    letters after a digit at the end of the names; or the letters before the digit, where all names
    end in the same way after it.

    Examples
    --------
    >>> class_pattern(["RCC_1", "RCC_2", "normal_1", "normal_2"])
    '(?<![A-Za-z])(normal|RCC)(?![A-Za-z])'
    >>> class_pattern(["T01", "T02", "N01", "N02"])
    '(?<![A-Za-z])(N|T)(?![A-Za-z])'
    >>> class_pattern(["P1T", "P1N", "P2T", "P2N"]), class_pattern(["S1", "S2", "S3", "S4"])
    ('(?<=[0-9])(N|T)$', '')
    >>> class_pattern(["C1dedup", "C2dedup", "E1dedup", "E2dedup"])
    '(?<![A-Za-z])(C|E)(?=[0-9]+dedup)'
    >>> codes = ("A0SB-01A", "A0SC-01A", "A0SB-11B", "A0SD-11A")
    >>> print(class_pattern([f"TCGA-A1-{code}" for code in codes]))
    ^TCGA[-.]\w\w[-.]\w{4}[-.](01|11)
    """
    if names and all(map(BARCODE.fullmatch, names)):
        return _barcode_pattern(names)
    stems_of_names = list(map(_stems, names))
    for position in range(min(map(len, stems_of_names), default=0)):
        stems = [stems_of_name[position] for stems_of_name in stems_of_names]
        pattern = _pattern_of(stems, names, "(?<![A-Za-z])({})(?![A-Za-z])")
        if pattern:
            return pattern
    matches = [_END.search(name) for name in names]
    ends = ["" if match is None else match[0] for match in matches]
    pattern = _pattern_of(ends, names, "(?<=[0-9])({})$")
    if pattern or len(set(ends)) > 1 or not ends:
        return pattern
    numbered = [re.fullmatch(rf"([A-Za-z]+)\d+{re.escape(ends[0])}", name) for name in names]
    beginnings = ["" if match is None else match[1] for match in numbered]
    return _pattern_of(beginnings, names, f"(?<![A-Za-z])({{}})(?=[0-9]+{re.escape(ends[0])})")


def barcode_map(pattern: str) -> dict[str, str]:
    """Return the ``map`` with the types of TCGA's samples; empty for other patterns.

    Examples
    --------
    >>> barcode_map("^TCGA[-.](01|11)"), barcode_map("(a|b)")
    ({'01': 'primary tumour', '11': 'normal tissue'}, {})
    """
    if not pattern.startswith("^TCGA"):
        return {}
    codes = pattern.rpartition("(")[2].rstrip(")").split("|")
    return {code: _TYPES.get(code, f"type {code}") for code in codes}


def classes_of_pattern(pattern: str) -> tuple[str, ...]:
    r"""Return the classes of a pattern that finds each as a word of its own; else none.

    Examples
    --------
    >>> classes_of_pattern(r"(?<![A-Za-z])(RCC|a\-b)(?![A-Za-z])"), classes_of_pattern("(N|T)$")
    (('RCC', 'a-b'), ())
    """
    match = re.fullmatch(r"\(\?<!\[A-Za-z\]\)\((.+)\)\(\?!\[A-Za-z\]\)", pattern)
    if match is None:
        return ()
    return tuple(re.sub(r"\\(.)", r"\1", part) for part in match[1].split("|"))


def _barcode_pattern(names: Sequence[str]) -> str:
    """Return the pattern of the type of sample in TCGA's barcodes; empty for one type."""
    matches = [BARCODE.fullmatch(name) for name in names]
    types = Counter(match[4] for match in matches if match is not None)
    if len(types) < 2 or min(types.values()) < _LEAST_SAMPLES:
        return ""
    return f"^TCGA[-.]\\w\\w[-.]\\w{{4}}[-.]({'|'.join(sorted(types))})"


def _pattern_of(stems: Sequence[str], names: Sequence[str], form: str) -> str:
    """Return the pattern that finds each stem in its name; empty where stems are no classes."""
    counts = Counter(stems)
    if "" in counts or not 2 <= len(counts) <= _MOST_CLASSES:
        return ""
    if min(counts.values()) < _LEAST_SAMPLES:
        return ""
    ordered = sorted(counts, key=lambda stem: (-len(stem), stem))
    pattern = form.format("|".join(map(re.escape, ordered)))
    for stem, name in zip(stems, names, strict=True):
        match = re.search(pattern, name)
        if match is None or match[1] != stem:
            return ""
    return pattern


def _stems(name: str) -> list[str]:
    """Return the pieces of a name without numbers at their ends; empty for numbers alone.

    Examples
    --------
    >>> _stems("RCC12_rep1.late")
    ['RCC', '', 'late']
    """
    pieces = [piece for piece in re.split(r"[_.,\s-]+", name) if piece]
    return ["" if _NUMBERED.fullmatch(piece) else re.sub(r"\d+$", "", piece) for piece in pieces]
