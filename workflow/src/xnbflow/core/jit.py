"""Compilation of kernels by numba, with a cache that is never stale after an edit."""

import hashlib
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.extending import is_jitted

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def njit(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Return the decorator ``numba.njit(cache=True, **options)``, safe against edited callees.

    Numba's cache detects changes in a kernel's file, but not in kernels and constants that it
    imports from other files (a documented limitation). The names of the cache's files contain the
    function's qualified name. Here `kernel_digest` is added to that name, so an edit invalidates
    the module and all modules that import kernels or constants from it. Where no folder can be
    written (``NUMBA_CACHE_DIR``, ``__pycache__``, the user's cache) every process compiles the
    kernels, with one warning.
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
        "numba finds no writable folder for compiled kernels: every process compiles them again, "
        "which takes some seconds each. Set NUMBA_CACHE_DIR to a writable folder",
        RuntimeWarning,
        stacklevel=4,
    )
