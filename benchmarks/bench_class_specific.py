"""ClassSpecificNB against XNB, and the cross-validated path against single fits."""

import time

import numba
import numpy as np
from rows import row
from timing import alternate, compile_seconds

from xnbflow.data.dataset import DataSet
from xnbflow.naive_bayes import XNB, ClassSpecificNB, ClassSpecificNBCV
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
MOST_OF_XNB = 1.5
MOST_FITS = 15.0
#: Samples, features and classes of the paths.
PATHS = [(2000, 1000, 10), (200, 20_000, 2), (100, 2000, 5), (60, 500, 2)]
N_CELLS = 10_000
N_GENES = 100
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
    series, _ = simulate_series(
        "simulated", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )
    return [fit_row(series, compiling), *(path_row(*shape) for shape in PATHS), predict_row()]


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


def path_row(n_samples: int, n_features: int, n_classes: int) -> dict:
    """Return the processor seconds of the whole path beside those of single fits, one thread."""
    series, _ = simulate_series(
        "path", n_samples, n_features=n_features, n_classes=n_classes, seed=1
    )
    frame = series.frame()
    medians = {}
    numba.set_num_threads(1)
    for model in (ClassSpecificNBCV(), ClassSpecificNB()):
        seconds = []
        for _ in range(4):  # the first may compile
            start = time.process_time()
            model.fit(frame, series.labels)
            seconds.append(time.process_time() - start)
        medians[type(model)] = float(np.median(seconds[1:]))
    path, fit = medians.values()
    return row(
        f"ClassSpecificNBCV fit, {n_samples} x {n_features} x {n_classes}",
        f"{MOST_FITS:.0f} single fits",
        path,
        MOST_FITS * fit,
        note=f"{path / fit:.1f} single fits; processor seconds, one thread",
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
