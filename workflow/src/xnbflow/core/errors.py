"""The exception for bad input, and functions for the wording of its message."""

import difflib
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

#: Most characters of a value in a message; no name or path is longer.
MOST_QUOTED = 60
#: Most characters of a line of a message, which may have several values.
_LONGEST_LINE = 700
#: Characters that a terminal may take for a command or that reverse the direction of text.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class InputError(ValueError):
    """Input that cannot be used: a file, a key of the configuration.

    The message has what was found, where, and what to do; a line that quotes too much of a file is
    cut in its middle. Programs read ``file``, ``key`` and ``remedy`` instead. ``key`` is the key
    of a data set, of the configuration or of a command whose value answers the error.

    Examples
    --------
    >>> InputError("counts.tsv is empty; copy it again", file="counts.tsv").file
    'counts.tsv'
    """

    def __init__(
        self,
        message: str,
        *,
        file: str | None = None,
        key: str | None = None,
        remedy: str | None = None,
    ) -> None:
        lines = [_cut(line, _LONGEST_LINE) for line in printable(message).split("\n")]
        super().__init__("\n".join(lines))
        self.file = file
        self.key = key
        self.remedy = remedy


def printable(text: str) -> str:
    r"""Return a text with its control characters escaped, except tabs and line breaks.

    Texts from files need this, since a terminal obeys control characters.

    Examples
    --------
    >>> printable("a\x1b[2Jb")
    'a\\x1b[2Jb'
    """
    return _CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


@contextmanager
def about_file(path: str | Path) -> Iterator[None]:
    """Add a file to each `InputError` of the block that names no file.

    Examples
    --------
    >>> try:
    ...     with about_file("counts.tsv"):
    ...         raise InputError("counts.tsv is empty; copy it again")
    ... except InputError as error:
    ...     print(error.file)
    counts.tsv
    """
    try:
        yield
    except InputError as error:
        error.file = error.file or str(path)
        raise


def require_choice(parameter: str, value: object, choices: Iterable[str]) -> None:
    """Raise an `InputError` unless ``value`` is one of the ``choices`` of ``parameter``.

    Examples
    --------
    >>> require_choice("kernel", "gaussian", ["gaussian", "uniform"])
    """
    choices = list(choices)
    if value not in choices:
        msg = f"{parameter} is {value!r}; use one of {', '.join(choices)}"
        raise InputError(msg)


def quoted(value: object, most: int = MOST_QUOTED) -> str:
    """Return a value for a message: its Python representation, with the middle cut out if long.

    Examples
    --------
    >>> quoted("wine")
    "'wine'"
    >>> quoted("a" * 100, most=15)
    "'aaaaa...aaaaa'"
    """
    try:
        text = repr(value)
    except ValueError:  # Python does not print whole numbers with thousands of digits
        return f"a {type(value).__name__} too long to be written"
    return _cut(text, most)


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    length = (most - 3) // 2
    return f"{text[:length]}...{text[-length:]}"


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question about the most similar name for a message, or no text without one.

    Examples
    --------
    >>> did_you_mean("diagnosi", ["sex", "diagnosis"]), did_you_mean("age", ["diagnosis"])
    ("; did you mean 'diagnosis'?", '')
    """
    similar = difflib.get_close_matches(name[:MOST_QUOTED], list(names), n=1)
    return f"; did you mean {similar[0]!r}?" if similar else ""


def known_names(name: str, names: Collection[str]) -> str:
    """Return the end of a message about an unknown name: the most similar name, or all names.

    Examples
    --------
    >>> known_names("wines", ["wine", "digits"])
    "did you mean 'wine'?"
    >>> known_names("abalone", ["wine", "digits"])
    'known: wine, digits'
    """
    if similar := difflib.get_close_matches(name[:MOST_QUOTED], names, n=1):
        return f"did you mean {similar[0]!r}?"
    omitted: list[str] = list(names)
    listed: list[str] = []
    while omitted and sum(map(len, listed)) < MOST_QUOTED:
        listed.append(omitted.pop(0))
    sentence = f"known: {', '.join(listed) or 'none'}"
    return f"{sentence} and {len(omitted)} more" if omitted else sentence
