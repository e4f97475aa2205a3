"""Numbers of things in words: 1 sample, 2 samples."""

from collections.abc import Iterable

#: Endings of nouns whose plural ends in "es".
_SIBILANTS = ("s", "x", "ch", "sh")
#: Nouns whose plural is the same word.
_INVARIANT = frozenset({"series"})


def noun(count: int, name: str) -> str:
    """Return a noun in the singular or plural, as a count requires; the last word is inflected.

    Examples
    --------
    >>> noun(1, "class"), noun(0, "class"), noun(2, "gene symbol"), noun(2, "category")
    ('class', 'classes', 'gene symbols', 'categories')
    """
    if count == 1 or name.rpartition(" ")[2] in _INVARIANT:
        return name
    if name.endswith("y") and name[-2] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}es" if name.endswith(_SIBILANTS) else f"{name}s"


def counted(count: int, name: str, one: str = "", many: str = "") -> str:
    """Return a count with its noun and, if there is one, the verb in the right number.

    Examples
    --------
    >>> counted(1, "sample"), counted(54_675, "feature"), counted(2, "series")
    ('1 sample', '54,675 features', '2 series')
    >>> counted(1, "sample", "has", "have"), counted(3, "class", "is", "are")
    ('1 sample has', '3 classes are')
    """
    words = [f"{count:,}", noun(count, name), either(count, one, many)]
    return " ".join(word for word in words if word)


def either(count: int, one: str, many: str) -> str:
    """Return the first text for a count of one, the second for all others.

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
    sentence = ", ".join(texts[:most])
    more = len(texts) - most
    return f"{sentence} and {more:,} more" if more > 0 else sentence
