"""Gaussian naive Bayes, fit and predict of one fold, against scikit-learn's."""

import numba
import numpy as np
import pandas as pd
from benchmarks.rows import row
from benchmarks.timing import alternate, compile_seconds
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB

from xnbflow.naive_bayes import GaussianNB
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000}
COMPILE = """
import numpy
from xnbflow.naive_bayes import GaussianNB
X = numpy.random.default_rng(0).normal(size=(40, 30))
GaussianNB().fit(X, numpy.arange(40) % 2).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    series, _ = simulate_series(
        "big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )
    test = np.arange(N_SAMPLES) % 10 == 0
    compiling = compile_seconds(COMPILE)
    layouts = {
        "feature-major array": lambda chosen: series.frame(chosen).to_numpy(),
        "C-ordered array": lambda chosen: np.ascontiguousarray(series.values[:, chosen].T),
        "feature-major DataFrame": series.frame,
    }
    return [
        layout_row(
            name,
            compiling,
            labels=series.labels,
            test=test,
            train_X=layout(~test),
            test_X=layout(test),
        )
        for name, layout in layouts.items()
    ]


def layout_row(
    layout: str,
    compiling: float,
    labels: np.ndarray,
    test: np.ndarray,
    train_X: np.ndarray | pd.DataFrame,
    test_X: np.ndarray | pd.DataFrame,
) -> dict:
    def ours() -> None:
        GaussianNB().fit(train_X, labels[~test]).predict(test_X)

    def peer() -> None:
        ScikitGaussianNB().fit(train_X, labels[~test]).predict(test_X)

    ours()
    return row(
        f"Gaussian NB fit + predict, {N_SAMPLES} x {N_FEATURES}, {layout}",
        "scikit-learn",
        *alternate(ours, peer),
        compiling=compiling,
        note=f"{(~test).sum()} training and {test.sum()} test samples",
    )
