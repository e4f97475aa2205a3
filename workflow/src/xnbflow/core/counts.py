"""Numbers of things in words: 1 sample, 2 samples."""

from collections.abc import Iterable

_HISSING = ("s", "x", "ch", "sh")
_ALIKE = frozenset({"series"})


def noun(count: int, name: str) -> str:
    """Return the noun in the number that fits a count; it is the last word of ``one``.

    Examples
    --------
    >>> noun(1, "class"), noun(0, "class"), noun(2, "gene symbol"), noun(2, "category")
    ('class', 'classes', 'gene symbols', 'categories')
    """
    if count == 1 or name.rpartition(" ")[2] in _ALIKE:
        return name
    if name.endswith("y") and name[-2] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_HISSING) else f"{name}s"


def counted(count: int, name: str, one: str = "", many: str = "") -> str:
    """Return a count with its noun and, if given, the verb in the right number.

    Examples
    --------
    >>> counted(1, "sample"), counted(54_675, "feature"), counted(2, "series")
    ('1 sample', '54,675 features', '2 series')
    >>> counted(1, "sample", "has", "have"), counted(3, "class", "is", "are")
    ('1 sample has', '3 classes are')
    """
    return " ".join(filter(None, [f"{count:,}", noun(count, name), either(count, one, many)]))


def either(count: int, one: str, many: str) -> str:
    """Return the words for one thing or those for several.

    Examples
    --------
    >>> either(1, "is", "are"), either(3, "is", "are")
    ('is', 'are')
    """
    return one if count == 1 else many


def listed(names: Iterable[object], most: int = 8) -> str:
    """Return a list of names for a sentence; long lists and long names are cut.

    Examples
    --------
    >>> listed(["a", "b"], 3), listed("abcdef", 3)
    ('a, b', 'a, b, c and 3 more')
    """
    texts = [text if len(text) < 60 else f"{text[:57]}..." for text in map(str, names)]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more:,} more" if more > 0 else "")
