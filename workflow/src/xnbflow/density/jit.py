"""Compilation of kernels: numba's, with a cache that an edited kernel never leaves stale."""

import os
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.extending

from xnbflow.density.kernel_digest import kernel_digest

__all__ = ["cache_folder", "intrinsic", "njit"]

#: Folders into which packages are installed.
_INSTALLED = {"site-packages", "dist-packages"}

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Return the decorator ``numba.njit(**options)`` that keeps compiled code apart by its source.

    Numba's own cache looks at the file of a kernel, not at those of the kernels that it calls. Here
    the cache's folder is named by a digest of all kernels: below ``NUMBA_CACHE_DIR`` if that is
    set, else beside the library in a checkout, or in the user's cache (``$XDG_CACHE_HOME/xnbflow``,
    ``~/.cache/xnbflow``) where it is installed, so that to uninstall it leaves nothing in the
    environment; each of both stands in for the other where it cannot be written. Where nothing can,
    kernels are compiled anew in every process, which a warning says once.
    """
    config: Any = numba.config  # a module to type checkers, which do not see what it holds

    def decorate(function: _Kernel) -> _Kernel:
        folder = cache_folder()
        before = config.CACHE_DIR
        config.CACHE_DIR = folder or before
        try:
            compiled = numba.njit(**{**options, "cache": bool(folder)})(function)
            return cast("_Kernel", compiled)  # it is called as the function is
        finally:
            config.CACHE_DIR = before

    return decorate


def intrinsic(function: Callable[..., Any]) -> Callable[..., None]:
    """Return what kernels call, without its first argument, to have ``function`` write LLVM's code.

    This is numba's decorator, with a type.
    """
    return cast("Callable[..., None]", numba.extending.intrinsic(function))


@cache
def cache_folder() -> str | None:
    """Return where compiled kernels are kept; None, and a warning, if nothing can be written."""
    own = os.environ.get("XDG_CACHE_HOME") or _home_cache()
    places = [Path(__file__).parents[1] / "__pycache__", *([Path(own, "xnbflow")] if own else [])]
    if _INSTALLED & set(Path(__file__).parts):
        places.reverse()
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
