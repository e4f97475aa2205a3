"""What a wildcard may stand for: a regular expression that matches given names and no other.

A large study matches hundreds of thousands of paths against it, and Snakemake searches its text
for each of them: names in a row, ``a|b|c``, are tried one after the other and are long.
"""

import re
from collections.abc import Iterable

__all__ = ["exactly"]


def exactly(names: Iterable[str]) -> str:
    r"""Return a regular expression that matches the given names only, by what they have in common.

    Examples
    --------
    >>> exactly(f"GSE{number}" for number in (10, 11, 20, 21))
    'GSE[12][01]'
    >>> exactly(["nb", "nb-sklearn", "svm"])
    '(?:nb(?:\\-sklearn)?|svm)'
    >>> exactly([])
    '(?!)'
    """
    return _one_of(set(names)) or "(?!)"


def _one_of(names: set[str]) -> str:
    """Return an expression for names, one of which may be empty; '' if there is nothing else."""
    first_letters: dict[str, list[str]] = {}  # by the expression of what follows them
    for letter in sorted({name[0] for name in names if name}):
        rest = _one_of({name[1:] for name in names if name.startswith(letter)})
        first_letters.setdefault(rest, []).append(re.escape(letter))
    branches = [
        (f"[{''.join(letters)}]" if len(letters) > 1 else letters[0]) + rest
        for rest, letters in first_letters.items()
    ]
    if "" in names and branches:
        return f"(?:{'|'.join(branches)})?"
    return f"(?:{'|'.join(branches)})" if len(branches) > 1 else "".join(branches)
