"""Flexible naive Bayes, fit and predict of a fold, against scikit-learn's KernelDensity in a loop.

The loop takes minutes; it is measured on every 50th feature and scaled.
"""

import time

import numba
import numpy as np
from rows import row
from sklearn.neighbors import KernelDensity
from timing import compile_seconds, median_seconds

from xnbflow.naive_bayes import FlexibleNB
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
EVERY = 50
COMPILE = """
import numpy
from xnbflow.naive_bayes import FlexibleNB
X = numpy.random.default_rng(0).normal(size=(40, 30))
FlexibleNB().fit(X, numpy.arange(40) % 2).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the row of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    series, _ = simulate_series(
        "big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )
    test = np.arange(N_SAMPLES) % 10 == 0
    train_X = series.frame(~test)
    test_X = series.frame(test)
    labels = series.labels[~test]

    def ours() -> FlexibleNB:
        model = FlexibleNB().fit(train_X, labels)
        model.predict(test_X)
        return model

    model = ours()
    fold = row(
        f"Flexible NB fit + predict of a fold, {N_SAMPLES} x {N_FEATURES}",
        "per-class KernelDensity loop",
        median_seconds(ours),
        loop_seconds(model, series.values, test),
        target=200.0,
        compiling=compile_seconds(COMPILE),
        shown=True,
        note=f"loop measured on every {EVERY}th feature, bandwidths given, and scaled",
    )
    return [fold]


def loop_seconds(model: FlexibleNB, values: np.ndarray, test: np.ndarray) -> float:
    """Return the seconds of fitting and scoring a KernelDensity per class and feature."""
    chosen = range(0, N_FEATURES, EVERY)
    start = time.perf_counter()
    for f in chosen:
        points = values[f, test][:, None]
        for class_features, bandwidths in zip(
            model.density_.samples_, model.density_.bandwidths_, strict=True
        ):
            samples = class_features[f][:, None]
            KernelDensity(bandwidth=bandwidths[f]).fit(samples).score_samples(points)
    return (time.perf_counter() - start) * N_FEATURES / len(chosen)
