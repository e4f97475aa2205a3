"""Where a file is, as a sheet or a configuration says it.

It is read whenever the Snakefile is, also where nothing but Snakemake is installed: only the
standard library is imported.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from xnbflow.data.errors import InputError, quoted

__all__ = ["local_path"]


def local_path(location: str) -> Path | None:
    """Return the path that a location means, ``file://`` or plain; None for any other URL.

    Raises
    ------
    InputError
        If it names the home of an unknown user, or is a URL that cannot be read.
    """
    try:
        if location.startswith("file:"):
            return Path(unquote(urlsplit(location).path))
        return None if "://" in location else Path(location).expanduser()
    except RuntimeError as error:
        msg = f"{quoted(location)}: there is no such home ({error}); write the whole path"
        raise InputError(msg) from error
    except ValueError as error:
        msg = f"{quoted(location)} is no URL ({error}); correct it"
        raise InputError(msg) from error
