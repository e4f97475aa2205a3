"""Shapiro-Wilk of every feature of 130 x 54,675, against SciPy."""

import numba
from benchmarks.rows import row
from benchmarks.timing import alternate, compile_seconds
from scipy import stats

from xnbflow.diagnostics import shapiro_wilk
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000}
COMPILE = """
import numpy
from xnbflow.diagnostics import shapiro_wilk
shapiro_wilk(numpy.random.default_rng(0).normal(size=(20, 2)))
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    features = simulate_series(
        "big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )[0].values
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    threads = numba.get_num_threads()
    shapiro_wilk(features[:10].T)

    def ours() -> None:
        shapiro_wilk(features.T)

    def scipy_shapiro() -> None:
        stats.shapiro(features.T, axis=0)

    work = f"Shapiro-Wilk, {N_SAMPLES} x {N_FEATURES}"
    compiling = compile_seconds(COMPILE)
    against_scipy = row(
        work,
        "scipy.stats.shapiro(axis=0)",
        *alternate(ours, scipy_shapiro),
        compiling=compiling,
        note=f"{threads} threads against 1",
    )
    return [against_scipy]
