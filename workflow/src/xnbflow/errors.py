"""The one exception for bad input: it tells the person who can act what to do."""

__all__ = ["InputError"]


class InputError(ValueError):
    """Input that cannot be used: a file, a row of a sheet, a key of the configuration.

    The message names the file, the row or key, what was found there and what to do about it.
    """
