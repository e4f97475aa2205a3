"""The names of columns that are examined together, as the text of one cell: ``plate × site``."""

import re
from collections.abc import Iterable

#: Between two names.
_CROSS = " × "
#: A name after the start or the sign, in quotation marks (of which inner ones are doubled) or not.
_NAME = re.compile(r'(?:^| × )(?:"(?P<quoted>(?:[^"]|"")*)"|(?P<plain>[^×"][^×]*))(?= × |$)')


def join_columns(names: Iterable[str]) -> str:
    """Return the names of columns as the text of a cell, which `joined_columns` reads.

    A name that contains the sign or begins with a quotation mark is in quotation marks, as in CSV.

    Examples
    --------
    >>> join_columns(["plate", "site"])
    'plate × site'
    >>> join_columns(["dose × time", "site"])
    '"dose × time" × site'
    """
    texts = []
    for name in names:
        is_plain = bool(name) and "×" not in name and not name.startswith('"')
        doubled = name.replace('"', '""')
        texts.append(name if is_plain else f'"{doubled}"')
    return _CROSS.join(texts)


def joined_columns(text: str) -> tuple[str, ...]:
    """Return the names in a text of `join_columns`.

    Examples
    --------
    >>> joined_columns('"dose × time" × site')
    ('dose × time', 'site')
    """
    names = []
    for match in _NAME.finditer(text):
        quoted = match["quoted"]
        names.append(match["plain"] if quoted is None else quoted.replace('""', '"'))
    return tuple(names)
