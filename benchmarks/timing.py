"""Times two programs side by side, so that what else the machine does meets both alike."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable


def median_seconds(function: Callable[[], object], repeats: int = 5) -> float:
    """Return the median seconds of a function."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


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


def compile_seconds(call: str) -> float:
    """Return by how much a statement's first run is slower than its second, nothing compiled.

    Parameters
    ----------
    call : str
        Python statements, run twice in a process of their own with an empty cache of compiled code.
    """
    code = f"""if True:
        import time
        seconds = []
        for _ in range(2):
            start = time.perf_counter()
            exec({call!r})
            seconds.append(time.perf_counter() - start)
        print(seconds[0] - seconds[1])
    """
    with tempfile.TemporaryDirectory() as cache:
        variables = {"NUMBA_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(sys.path)}
        run = subprocess.run(
            [sys.executable, "-c", code],
            check=True,
            capture_output=True,
            env={**os.environ, **variables},
        )
    return float(run.stdout)
