"""XNB's fit against the authors' program, on a simulated series.

The peer takes minutes for a series of full size. Its time is linear in the features, so that it is
measured on an evenly spaced part of them and scaled, unless XNBFLOW_BENCH_WHOLE is set. It needs a
Python of its own, named by XNBFLOW_PEER_PYTHON.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import numba
import numpy as np
from benchmarks.rows import row
from benchmarks.timing import compile_seconds, median_seconds

from xnbflow.data.dataset import DataSet
from xnbflow.naive_bayes import XNB
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
PEER_FEATURES = 1500
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000}
COMPILE = """
import numpy
from xnbflow.naive_bayes import XNB
X = numpy.random.default_rng(0).normal(size=(40, 30))
y = numpy.arange(40) % 2
X[:, 0] += 9 * y
XNB().fit(X, y).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    compiling = compile_seconds(COMPILE)
    simulated = simulate_series(
        "simulated", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )[0]
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    frame = simulated.frame()
    XNB().fit(frame, simulated.labels)
    ours = median_seconds(lambda: XNB(min_distance="mean").fit(frame, simulated.labels))
    seconds_of_peer, note = peer_seconds(simulated)
    shape = f"{simulated.n_samples} x {simulated.n_features} x {len(simulated.classes)}"
    fit = row(
        f"XNB fit, simulated {shape}",
        "xnb 0.5.1",
        ours,
        seconds_of_peer,
        compiling=compiling,
        note=note,
    )
    return [fit]


def peer_seconds(series: DataSet) -> tuple[float | None, str]:
    """Return the peer's seconds and how they were measured."""
    python = os.environ.get("XNBFLOW_PEER_PYTHON")
    if python is None:
        return None, "set XNBFLOW_PEER_PYTHON to a Python that has xnb 0.5.1"
    n_peer = series.n_features
    if "XNBFLOW_BENCH_WHOLE" not in os.environ:
        n_peer = min(n_peer, PEER_FEATURES)
    chosen = np.linspace(0, series.n_features - 1, n_peer).astype(int)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "data.npz")
        np.savez(path, features=series.values[chosen], labels=series.labels)
        program = Path(__file__).with_name("peer_xnb.py")
        run = subprocess.run(
            [python, str(program), str(path)], check=True, capture_output=True, text=True
        )
    seconds = json.loads(run.stdout.splitlines()[-1])
    if n_peer == series.n_features:
        return seconds, "peer measured once, whole"
    note = f"peer measured once on {n_peer} features ({seconds:.1f} s), scaled to all"
    return seconds * series.n_features / n_peer, note
