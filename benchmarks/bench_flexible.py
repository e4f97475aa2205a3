"""Flexible naive Bayes beside scikit-learn, and one kernel density beside KDEpy.

A fold of many features is measured beside a `KernelDensity` per class and feature. That loop takes
minutes, so it is measured on every 50th feature and scaled. Many samples are measured beside
scikit-learn's Gaussian naive Bayes and gradient boosting. KDEpy runs in this Python or in the one
that ``XNBFLOW_PEER_PYTHON`` names; where it is not installed its row has no figures.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numba
import numpy as np
from benchmarks.rows import row
from benchmarks.timing import alternate, compile_seconds, median_seconds
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity

from xnbflow.density.families.kernel import Kernel
from xnbflow.naive_bayes import FlexibleNB
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
EVERY = 50
#: Samples and features of the rows of many samples.
MANY_SAMPLES = 100_000
FEW_FEATURES = 20
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 200, "MANY_SAMPLES": 3_000}
COMPILE = """
import numpy
from xnbflow.naive_bayes import FlexibleNB
X = numpy.random.default_rng(0).normal(size=(40, 30))
FlexibleNB().fit(X, numpy.arange(40) % 2).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    return [fold_beside_loop(), *many_samples(), density_beside_kdepy()]


def fold_beside_loop() -> dict:
    """Return the row of a fit and the prediction of a fold with many features."""
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
    return row(
        f"Flexible NB fit + predict of a fold, {N_SAMPLES} x {N_FEATURES}",
        "per-class KernelDensity loop",
        median_seconds(ours),
        loop_seconds(model, series.values, test),
        compiling=compile_seconds(COMPILE),
        note=f"loop measured on every {EVERY}th feature, bandwidths given, and scaled",
    )


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


def many_samples() -> list[dict]:
    """Return the rows of a fit and prediction of many samples of two classes."""
    rng = np.random.default_rng(MANY_SAMPLES)
    y = rng.integers(0, 2, MANY_SAMPLES)
    X = rng.normal(size=(MANY_SAMPLES, FEW_FEATURES))
    X[:, ::3] += 0.7 * y[:, None]
    FlexibleNB().fit(X[:3000], y[:3000]).predict(X[:100])
    work = f"Flexible NB fit + predict, {MANY_SAMPLES:,} x {FEW_FEATURES}"
    measured = []
    for peer in (GaussianNB(), HistGradientBoostingClassifier()):
        seconds = alternate(
            lambda: FlexibleNB().fit(X, y).predict(X),
            lambda: peer.fit(X, y).predict(X),  # noqa: B023
            1,
        )
        measured.append(row(work, f"scikit-learn {type(peer).__name__}", *seconds))
    return measured


def density_beside_kdepy() -> dict:
    """Compare with KDEpy's binned convolution, which evaluates at the points of its grid only."""
    work = f"one kernel density, {MANY_SAMPLES:,} samples, fit and evaluation at all of them"
    peer = "KDEpy FFTKDE and linear interpolation"
    python = os.environ.get("XNBFLOW_PEER_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import KDEpy"], capture_output=True, check=False).returncode:
        return row(work, peer, note=f"{python} has no KDEpy: skipped")
    samples = np.random.default_rng(0).normal(size=MANY_SAMPLES)
    family = Kernel()
    codes = np.zeros(MANY_SAMPLES, dtype=int)

    def ours() -> np.ndarray:
        return family.fit(samples[None], codes, 1).log_density(samples[None])[0, 0]

    log_density = ours()
    with tempfile.TemporaryDirectory() as folder:
        samples_file = Path(folder, "samples.npy")
        result_file = Path(folder, "logs.npy")
        np.save(samples_file, samples)
        program = Path(__file__).with_name("peer_kdepy.py")
        bandwidth = str(family.bandwidths_[0][0])
        command = [python, "-W", "ignore", program, samples_file, bandwidth, result_file]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        far = np.abs(np.load(result_file) - log_density).max()
    peer_seconds = json.loads(run.stdout.splitlines()[-1])
    return row(
        work, peer, median_seconds(ours), peer_seconds, note=f"logs differ by up to {far:.0e}"
    )
