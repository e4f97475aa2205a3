"""Classes that stand in the names of samples, as in ``RCC_1`` and ``normal_3``."""

import re
from collections import Counter
from collections.abc import Sequence

#: The label of a table whose classes are parts of its samples' names.
SAMPLE_NAMES = "sample names"

#: Most classes, and the least number of samples of each, that names are searched for.
_MOST_CLASSES, _LEAST_SAMPLES = 10, 2
#: Parts of a name that number samples.
_NUMBERED = re.compile(r"(rep|replicate|sample|patient|batch|donor|pool)?\d*", re.IGNORECASE)


def class_pattern(names: Sequence[str]) -> str:
    """Return a regular expression that finds the class in each name; empty where there is none.

    Names are divided at ``_ - .`` and spaces. The first part that has two to ten values when digits
    at its end are left out, each in several names, is the class.

    Examples
    --------
    >>> class_pattern(["RCC_1", "RCC_2", "normal_1", "normal_2"])
    '(?<![A-Za-z])(normal|RCC)(?![A-Za-z])'
    >>> class_pattern(["T01", "T02", "N01", "N02"])
    '(?<![A-Za-z])(N|T)(?![A-Za-z])'
    >>> class_pattern(["S1", "S2", "S3", "S4"])
    ''
    """
    parts = [[_stem(part) for part in re.split(r"[_.\s-]+", name) if part] for name in names]
    shortest = min(map(len, parts), default=0)
    for place in range(shortest):
        stems = [own[place] for own in parts]
        counts = Counter(stems)
        if "" in counts or not 2 <= len(counts) <= _MOST_CLASSES:
            continue
        if min(counts.values()) < _LEAST_SAMPLES:
            continue
        pattern = _pattern(counts)
        matches = [re.search(pattern, name) for name in names]
        if ";" not in pattern and all(
            match is not None and match[1] == stem
            for match, stem in zip(matches, stems, strict=True)
        ):
            return pattern
    return ""


def _stem(part: str) -> str:
    """Return a part of a name without the number at its end; empty for numbers alone."""
    return "" if _NUMBERED.fullmatch(part) else re.sub(r"\d+$", "", part)


def _pattern(stems: Counter[str]) -> str:
    ordered = sorted(stems, key=lambda stem: (-len(stem), stem))
    return f"(?<![A-Za-z])({'|'.join(map(re.escape, ordered))})(?![A-Za-z])"
