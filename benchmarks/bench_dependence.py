"""Correlations of all pairs of 54,675 features: the share of the matrix multiply's rate."""

from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from benchmarks.rows import row
from benchmarks.timing import alternate, compile_seconds
from threadpoolctl import threadpool_limits

from xnbflow.diagnostics import conditional_dependence
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
#: Size of the square matrices and products per thread with which the machine's rate is measured.
SQUARE = 2048
PRODUCTS = 6
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000, "SQUARE": 256}
COMPILE = """
import numpy
from xnbflow.diagnostics import conditional_dependence
X = numpy.random.default_rng(0).normal(size=(20, 3))
conditional_dependence(X, numpy.arange(20) % 2)
"""


def rows() -> list[dict]:
    """Measure, and return the row of the table of benchmarks."""
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
    dependence = row(
        f"dependence, all pairs of {N_FEATURES} x {N_SAMPLES}",
        "float32 matrix multiply at this machine's rate",
        ours_seconds,
        peer_seconds,
        compiling=compile_seconds(COMPILE),
        note=note,
    )
    return [dependence]
