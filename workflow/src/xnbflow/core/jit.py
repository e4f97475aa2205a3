"""Compilation of kernels: numba's, with a cache that an edited kernel never leaves stale."""

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import is_jitted

__all__ = ["kernel_digest", "njit"]

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Return the decorator ``numba.njit(cache=True, **options)``, safe against edited callees.

    Numba's cache compares the file of a kernel with what was compiled, not the kernels of other
    files that it calls, nor constants from there (a documented limitation). Its files are named by
    the function's qualified name, of which `kernel_digest` becomes part here: an edit discards what
    was compiled of its module and of modules that use kernels or constants of it. Where no folder
    can be written (``NUMBA_CACHE_DIR``, ``__pycache__``, the user's cache) every process compiles
    the kernels, with one warning.
    """

    def decorate(function: _Kernel) -> _Kernel:
        function.__qualname__ += f"-{kernel_digest(function)}"
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # "no locator available"
            _warn_without_cache()
            compiled = numba.njit(**options)(function)
        return cast("_Kernel", compiled)  # it is called as the function is

    return decorate


def kernel_digest(function: Callable[..., Any]) -> str:
    """Return a digest of a function's file, and of kernels and constants that the file imports."""
    digest = hashlib.sha256(_source(function.__code__.co_filename))
    for name, value in sorted(function.__globals__.items()):
        if is_jitted(value):
            digest.update(f"{name} {value.py_func.__qualname__}\n".encode())
        elif isinstance(value, np.ndarray):
            digest.update(f"{name} {value.tolist()}\n".encode())
        elif isinstance(value, bool | int | float | str | tuple) and not name.startswith("__"):
            digest.update(f"{name} {value!r}\n".encode())
    return digest.hexdigest()[:12]


@cache
def _source(path: str) -> bytes:
    return Path(path).read_bytes()


@cache
def _warn_without_cache() -> None:
    warnings.warn(
        "numba finds no folder for compiled kernels that can be written: every process compiles "
        "them anew, some seconds each. Set NUMBA_CACHE_DIR to a folder that can be written",
        RuntimeWarning,
        stacklevel=4,
    )
