"""The one exception for bad input: it tells the person who can act what to do."""

from collections.abc import Iterable

__all__ = ["InputError", "require_choice"]


class InputError(ValueError):
    """Input that cannot be used: a file, a row of a sheet, a key of the configuration.

    The message names the file, the row or key, what was found there and what to do about it.
    """


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
