"""A public file in one text: its URL with its checksum, ``https://host/sets.gmt#sha256=...``."""

import re

from xnbflow.core.errors import InputError, quoted
from xnbflow.sources.dataset_entry import local_path, wrong_location

_SHA256 = re.compile(r"[0-9a-f]{64}")


def pinned_url(location: str) -> tuple[str, str] | None:
    """Return the URL and the SHA-256 of a public file; None for a path.

    Raises
    ------
    InputError
        If the URL is wrong, or its checksum is missing: a public file may change.

    Examples
    --------
    >>> pinned_url("https://host/sets.gmt#sha256=" + 64 * "0")[0], pinned_url("sets.gmt")
    ('https://host/sets.gmt', None)
    """
    url, _, fragment = location.partition("#")
    if local_path(url) is not None:
        return None
    if fault := wrong_location(url):
        msg = f"{quoted(location)} cannot be used: {fault.reason}; {fault.remedy}"
        raise InputError(msg, remedy=fault.remedy)
    key, _, checksum = fragment.partition("=")
    if key != "sha256" or not _SHA256.fullmatch(checksum.lower()):
        msg = (
            f"{quoted(location)} has no checksum, and a public file may change: download it "
            f"once, and write {url}#sha256= followed by the 64 digits that `sha256sum FILE` "
            "prints"
        )
        raise InputError(msg)
    return url, checksum.lower()
