"""Strips of features on threads.

A strip is small enough to stay in a core's cache from one kernel to the next, so that an estimator
can be a sequence of small kernels. The kernels release the GIL (``nogil=True``) and a pool of
threads shares the strips: serial kernels compile several times faster than ``parallel=True`` ones,
and those that are not used are never compiled.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numba
import numpy as np

__all__ = ["feature_major", "feature_strips", "map_parts", "map_strips"]

P = TypeVar("P")
T = TypeVar("T")

_STRIP_VALUES = 32_768
_MOST_VALUES = 1_048_576  # 8 MB, so that a copy is little beside the data
_NARROWEST, _WIDEST = 8, 2048
_LINE = 8  # numbers in a cache line
_WORTH_A_THREAD = 1_000_000  # nanoseconds


def feature_strips(n_features: int, n_samples: int) -> list[slice]:
    """Return the strips of features: a function of the shape only, never of the number of cores.

    Examples
    --------
    >>> feature_strips(600, 130)
    [slice(0, 248, None), slice(248, 496, None), slice(496, 600, None)]
    """
    width = min(max(_STRIP_VALUES // max(1, n_samples), _NARROWEST), _WIDEST)
    width = _LINE * (width // _LINE | 1)  # odd: the rows of a tile do not share cache sets
    width = min(width, max(1, _MOST_VALUES // max(1, n_samples)))
    return [slice(start, min(start + width, n_features)) for start in range(0, n_features, width)]


def map_strips(
    work: Callable[[slice], T], n_features: int, n_samples: int, ns_per_value: float = 10.0
) -> list[T]:
    """Return ``work(strip)`` for every strip of features, computed on numba's number of threads.

    Parameters
    ----------
    work : callable
        Reads and writes its strip's part of the caller's arrays.
    n_features, n_samples : int
        Shape of the feature-major matrix.
    ns_per_value : float
        How many nanoseconds the work takes per value of the matrix, roughly: a thread is started
        for a millisecond of work or more.
    """
    strips = feature_strips(n_features, n_samples)
    return map_parts(work, strips, n_features * n_samples * ns_per_value)


def map_parts(work: Callable[[P], T], parts: Sequence[P], ns: float) -> list[T]:
    """Return ``work(part)`` for every part, computed on numba's number of threads.

    Parameters
    ----------
    work : callable
        Reads and writes its part of the caller's arrays.
    parts : sequence
        What is shared between threads.
    ns : float
        How many nanoseconds all parts take together, roughly.
    """
    results: list[Any] = [None] * len(parts)
    queue = iter(enumerate(parts))

    def drain() -> None:
        for i, part in queue:
            results[i] = work(part)

    n_threads = min(numba.get_num_threads(), len(parts), int(ns / _WORTH_A_THREAD))
    if n_threads <= 1:
        drain()
        return results
    with ThreadPoolExecutor(n_threads) as pool:
        for future in [pool.submit(drain) for _ in range(n_threads)]:
            future.result()
    return results


def feature_major(X: np.ndarray) -> np.ndarray:
    """Return the transpose of ``X`` (n_samples, n_features), contiguous and read-only.

    The transpose of a feature-major array costs no copy; any other layout is copied in strips.
    That the result is always C-contiguous and read-only spares the kernels a second compilation.
    """
    features = X.T
    if not features.flags.c_contiguous:
        features = np.empty(X.T.shape)

        def copy(strip: slice) -> None:
            features[strip] = X[:, strip].T

        map_strips(copy, len(features), len(X), ns_per_value=2.0)
    features = features.view()
    features.flags.writeable = False
    return features
