"""Compilation of kernels: numba's, with a cache that an edited kernel never leaves stale."""

import hashlib
import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba

__all__ = ["njit"]


def njit(**options: Any) -> Callable[[Callable], Callable]:
    """Return the decorator ``numba.njit(**options)`` that keeps compiled code apart by its source.

    Numba's own cache looks at the file of a kernel, not at those of the kernels that it calls. Here
    the cache's folder is named by a digest of all kernels: below ``NUMBA_CACHE_DIR`` if that is
    set, else beside the library, else in the user's cache; where none of them can be written,
    kernels are compiled anew in every process, which a warning says once.
    """

    def decorate(function: Callable) -> Callable:
        folder = _cache_folder()
        before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = folder or before
        try:
            return numba.njit(**{**options, "cache": bool(folder)})(function)
        finally:
            numba.config.CACHE_DIR = before

    return decorate


@cache
def _cache_folder() -> str | None:
    places = [Path(__file__).parent / "__pycache__"]
    if own := os.environ.get("XDG_CACHE_HOME") or _home_cache():
        places.append(Path(own, "xnbflow"))
    if asked := os.environ.get("NUMBA_CACHE_DIR"):
        places.insert(0, Path(asked))
    for place in places:
        folder = place / f"kernels-{kernel_digest()}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return str(folder)
    tried = ", ".join(str(place) for place in places)
    warnings.warn(
        f"no folder for compiled kernels can be written (tried {tried}): every process compiles "
        "them anew, some seconds each. Set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=4,
    )
    return None


def _home_cache() -> Path | None:
    try:
        return Path.home() / ".cache"
    except RuntimeError:  # no HOME, and an account without an entry, as in containers
        return None


@cache
def kernel_digest() -> str:
    """Return a digest of every module with compiled kernels; it names their folder."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(text)
    return digest.hexdigest()[:12]
