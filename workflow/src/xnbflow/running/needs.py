"""Resources that jobs request: memory and time by the size of the input, and CPUs by the work."""

import math


def requested(base: float, per_mb: float, size_mb: float, attempt: int) -> int:
    """Return the MB, or minutes, to request: ``base``, and more for each MB of input.

    Each attempt gets twice as much as the attempt before.

    Examples
    --------
    >>> [requested(1300, 6, 50, attempt) for attempt in (1, 2, 3)]
    [1600, 3200, 6400]
    """
    return math.ceil((base + per_mb * size_mb) * 2 ** (attempt - 1))


def cpus_for(work: float, most: int, per_cpu: float) -> int:
    """Return the CPUs to request: 1, and 1 more for each ``per_cpu`` of the work, ``most`` at most.

    A job with all CPUs of a machine waits until no other job runs, which delays small work.

    Examples
    --------
    >>> [cpus_for(mb, most=4, per_cpu=300) for mb in (0.1, 299, 300, 10_000)]
    [1, 1, 2, 4]
    """
    return min(most, 1 + int(work / per_cpu))
