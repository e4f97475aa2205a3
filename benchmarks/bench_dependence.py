"""Correlations of all pairs of 54,675 features: the share of the matrix multiply's rate, memory."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from rows import row
from threadpoolctl import threadpool_limits
from timing import alternate, compile_seconds

from xnbflow.diagnostics import conditional_dependence
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
WORK = f"dependence, all pairs of {N_FEATURES} x {N_SAMPLES}"
#: Size of the square matrices and products per thread with which the machine's rate is measured.
SQUARE = 2048
PRODUCTS = 6
COMPILE = """
import numpy
from xnbflow.diagnostics import conditional_dependence
X = numpy.random.default_rng(0).normal(size=(20, 3))
conditional_dependence(X, numpy.arange(20) % 2)
"""
PEAK = f"""
import resource
from xnbflow.diagnostics import conditional_dependence
from xnbflow.sources.simulate import simulate_series
series = simulate_series("big", {N_SAMPLES}, {N_FEATURES}, {N_CLASSES}, 1)[0]
conditional_dependence(series.values.T, series.labels)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    return [rate(), memory()]


def shown() -> list[dict]:
    """Return the row that docs/performance.md shows."""
    return [rate()]


def rate() -> dict:
    series = simulate_series("big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1)[
        0
    ]
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    threads = numba.get_num_threads()
    conditional_dependence(series.values[:10].T, series.labels)
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(2, SQUARE, SQUARE)).astype(np.float32)

    def ours() -> None:
        conditional_dependence(series.values.T, series.labels)

    def multiply(_: int) -> None:
        product = np.empty_like(left)
        for _ in range(PRODUCTS):
            np.matmul(left, right, out=product)

    def peer() -> None:
        with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
            list(pool.map(multiply, range(threads)))

    ours_seconds, square_seconds = alternate(ours, peer)
    operations = N_FEATURES * (N_FEATURES + 1) * N_SAMPLES
    per_second = threads * PRODUCTS * 2 * SQUARE**3 / square_seconds
    peer_seconds = operations / per_second
    note = (
        f"{operations / ours_seconds / 1e9:.0f} of {per_second / 1e9:.0f} GFLOP/s, {threads} "
        f"threads; the rate is that of {SQUARE} x {SQUARE} products, one thread each"
    )
    return row(
        WORK,
        "float32 matrix multiply at this machine's rate",
        ours_seconds,
        peer_seconds,
        target=0.6,
        compiling=compile_seconds(COMPILE),
        note=note,
        shown=True,
    )


def memory() -> dict:
    run = subprocess.run(
        [sys.executable, "-c", PEAK],
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    gigabytes = int(run.stdout) * 1024 / 1e9
    note = f"peak {gigabytes:.2f} GB of a process that simulates the series and tests it"
    return row(WORK, "1.5 GB of memory", ratio=1.5 / gigabytes, note=note)
