"""Compilation of kernels: numba's, with a cache that an edited kernel never leaves stale."""

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

__all__ = ["kernel_digest", "njit"]

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Return the decorator ``numba.njit(cache=True, **options)``, safe against edited callees.

    Numba's cache compares the file of a kernel with what was compiled, not the files of the kernels
    that it calls (a documented limitation). Its files are named by the function's qualified name,
    of which a digest of all kernels becomes part here. Where no folder can be written
    (``NUMBA_CACHE_DIR``, ``__pycache__``, the user's cache) every process compiles the kernels, and
    a warning says so once.
    """

    def decorate(function: _Kernel) -> _Kernel:
        function.__qualname__ += f"-{kernel_digest()}"
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # "no locator available"
            _warn_without_cache()
            compiled = numba.njit(**options)(function)
        return cast("_Kernel", compiled)  # it is called as the function is

    return decorate


@cache
def kernel_digest() -> str:
    """Return a digest of every module with compiled kernels."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parents[1].rglob("*.py")):
        text = path.read_bytes()
        if b"njit" in text:
            digest.update(text)
    return digest.hexdigest()[:12]


@cache
def _warn_without_cache() -> None:
    warnings.warn(
        "numba finds no folder for compiled kernels that can be written: every process compiles "
        "them anew, some seconds each. Set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=4,
    )
