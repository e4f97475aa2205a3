"""ClassSpecificNB against XNB, and the cross-validated path against single fits."""

import time

import numba
import numpy as np
from rows import row
from timing import alternate, compile_seconds

from xnbflow.data.dataset import DataSet
from xnbflow.data.sources.simulate import simulate_series
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV

N_SAMPLES, N_FEATURES, N_CLASSES = 130, 54_675, 5
MOST_OF_XNB, MOST_FITS = 1.5, 25.0
N_CELLS, N_GENES = 10_000, 100
COMPILE = """
import numpy
from xnbflow.naive_bayes import ClassSpecificNB
X = numpy.random.default_rng(0).normal(size=(40, 30))
y = numpy.arange(40) % 2
X[:, 0] += 9 * y
ClassSpecificNB().fit(X, y).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    compiling = compile_seconds(COMPILE)
    series, _ = simulate_series("simulated", N_SAMPLES, N_FEATURES, N_CLASSES, 1)
    return [fit_row(series, compiling), path_row(series), predict_row()]


def fit_row(series: DataSet, compiling: float) -> dict:
    frame = series.frame()

    def ours() -> None:
        ClassSpecificNB().fit(frame, series.labels)

    def peer() -> None:
        XNB(min_distance="mean").fit(frame, series.labels)

    ours()
    peer()
    return row(
        f"ClassSpecificNB fit, {N_SAMPLES} x {N_FEATURES} x {N_CLASSES}",
        "ours: XNB",
        *alternate(ours, peer),
        target=1.0 / MOST_OF_XNB,
        compiling=compiling,
        note=f"at most {MOST_OF_XNB} times XNB's",
    )


def path_row(series: DataSet) -> dict:
    frame = series.frame()

    def ours() -> None:
        ClassSpecificNBCV().fit(frame, series.labels)

    def single() -> None:
        ClassSpecificNB().fit(frame, series.labels)

    path, fit = alternate(ours, single, repeats=3)
    return row(
        f"ClassSpecificNBCV fit, {N_SAMPLES} x {N_FEATURES} x {N_CLASSES}, 30 sizes, 10 folds",
        f"{MOST_FITS:.0f} single fits",
        path,
        MOST_FITS * fit,
        note=f"{path / fit:.1f} single fits",
    )


def predict_row() -> dict:
    rng = np.random.default_rng(0)
    y = np.arange(N_CELLS) % 2
    X = rng.normal(size=(N_CELLS, N_GENES)) + 0.5 * y[:, np.newaxis]
    model = ClassSpecificNB(n_features=N_GENES).fit(X, y)
    start = time.perf_counter()
    model.predict(X)
    seconds = time.perf_counter() - start
    work = f"ClassSpecificNB predict, {N_CELLS} samples x {N_GENES} genes"
    return row(work, "1 s", seconds, 1.0, note=f"from {N_CELLS} training samples; once")
