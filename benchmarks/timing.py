"""Times two programs side by side, so that what else the machine does meets both alike."""

import statistics
import time
from collections.abc import Callable


def alternate(
    ours: Callable[[], object], peer: Callable[[], object], repeats: int = 5
) -> tuple[float, float]:
    """Return the median seconds of two functions, run in turns ``repeats`` times each."""
    seconds: tuple[list[float], list[float]] = ([], [])
    for _ in range(repeats):
        for function, record in zip((ours, peer), seconds, strict=True):
            start = time.perf_counter()
            function()
            record.append(time.perf_counter() - start)
    return statistics.median(seconds[0]), statistics.median(seconds[1])
