"""A matrix a megabyte at a time, so that what is made of it on the way is never large."""

from collections.abc import Iterator

import numpy as np

__all__ = ["strips"]

_VALUES = 1 << 17


def strips(values: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some rows after the other, each time where they stand and a view of them.

    Examples
    --------
    >>> [part for part, rows in strips(np.zeros((3, 100_000)))]
    [slice(0, 1, None), slice(1, 2, None), slice(2, 3, None)]
    """
    step = max(1, _VALUES // max(1, values.shape[1]))
    for start in range(0, len(values), step):
        part = slice(start, min(start + step, len(values)))
        yield part, values[part]
