"""Numbers of things in words: 1 sample, 2 samples."""

from collections.abc import Iterable

#: Endings of nouns whose plural ends in "es".
_SIBILANTS = ("s", "x", "ch", "sh")
#: Nouns whose plural is the same word.
_INVARIANT = frozenset({"series"})
#: Names with at least this many characters are cut in lists, so that a message remains readable.
_MOST_CHARACTERS = 60


def noun(count: int, name: str) -> str:
    """Return a noun in the singular for a count of one, otherwise in the plural.

    The last word has the ending of the plural.

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


def counted(count: int, name: str, singular_verb: str = "", plural_verb: str = "") -> str:
    """Return a count with its noun and, if there is one, the verb in singular or plural.

    Examples
    --------
    >>> counted(1, "sample"), counted(54_675, "feature"), counted(2, "series")
    ('1 sample', '54,675 features', '2 series')
    >>> counted(1, "sample", "has", "have"), counted(3, "class", "is", "are")
    ('1 sample has', '3 classes are')
    """
    words = [f"{count:,}", noun(count, name), either(count, singular_verb, plural_verb)]
    return " ".join(word for word in words if word)


def either(count: int, singular: str, plural: str) -> str:
    """Return the text in the singular for a count of one, otherwise the text in the plural.

    Examples
    --------
    >>> either(1, "is", "are"), either(3, "is", "are")
    ('is', 'are')
    """
    return singular if count == 1 else plural


def listed(names: Iterable[object], most: int = 8) -> str:
    """Return a list of names for a sentence: the first ``most``, and how many more there are.

    A name of 60 characters or more is cut to 57 and an ellipsis.

    Examples
    --------
    >>> listed(["a", "b"], 3), listed("abcdef", 3)
    ('a, b', 'a, b, c and 3 more')
    """
    texts = []
    for text in map(str, names):
        is_long = len(text) >= _MOST_CHARACTERS
        texts.append(f"{text[: _MOST_CHARACTERS - 3]}..." if is_long else text)
    sentence = ", ".join(texts[:most])
    more = len(texts) - most
    return f"{sentence} and {more:,} more" if more > 0 else sentence
