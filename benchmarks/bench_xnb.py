"""XNB's fit against the authors' program: the simulated series, and microarrays where there are.

The peer takes minutes for a series of full size. Its time is linear in the features, so that it is
measured on an evenly spaced part of them and scaled, unless XNBFLOW_BENCH_WHOLE is set. It needs a
Python of its own, named by XNBFLOW_PEER_PYTHON; the microarrays are looked for in XNBFLOW_DATA.
"""

import gzip
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pandas as pd
from rows import row
from timing import compile_seconds, median_seconds

from xnbflow.data.dataset import DataSet
from xnbflow.density.bandwidth import bandwidths_of
from xnbflow.density.distances import hellinger
from xnbflow.density.grid import grid_densities
from xnbflow.density.tiles import class_offsets, feature_strips, sorted_classes
from xnbflow.naive_bayes import XNB
from xnbflow.preprocessing.selection.class_features import PairSelection, pairs_of_codes
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
N_GRID = 50
PEER_FEATURES = 1500
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
    simulated = big()
    result = [*shown(), layout_row(simulated), rate_row(simulated)]
    result += [fit_row(series, 500.0) for series in microarrays()]
    return [{**row, "compile_seconds": compiling} for row in result]


def shown() -> list[dict]:
    """Return the row that docs/performance.md shows."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    simulated = big()
    XNB().fit(simulated.frame(), simulated.labels)
    return [fit_row(simulated, 1000.0, shown=True)]


def details() -> dict[str, pd.DataFrame]:
    """Return where the processor time of one fit goes, kernel by kernel."""
    return {"xnb_profile": profile(big())}


def big() -> DataSet:
    return simulate_series(
        "simulated", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1
    )[0]


def microarrays() -> Iterator[DataSet]:
    folder = Path(os.environ.get("XNBFLOW_DATA", "../shared/data"), "microarray")
    for path in sorted(folder.glob("*.csv.gz")):
        with gzip.open(path, "rt") as file:
            features = file.readline().strip().split(",")[2:]
            lines = [line.split(",", 2) for line in file]
        values = np.array([np.fromstring(line[2], sep=",") for line in lines]).T
        samples = [line[0] for line in lines]
        labels = [line[1] for line in lines]
        yield DataSet(
            name=path.name.removesuffix(".csv.gz"),
            values=values,
            features=features,
            samples=samples,
            labels=labels,
        )


def fit_row(series: DataSet, target: float, *, shown: bool = False) -> dict:
    frame = series.frame()
    ours = median_seconds(lambda: XNB(min_distance="mean").fit(frame, series.labels))
    seconds_of_peer, note = peer_seconds(series)
    work = f"XNB fit, {shape(series)}"
    return row(work, "xnb 0.5.1", ours, seconds_of_peer, target=target, note=note, shown=shown)


def layout_row(series: DataSet) -> dict:
    X = np.ascontiguousarray(series.values.T)
    ours = median_seconds(lambda: XNB(min_distance="mean").fit(X, series.labels))
    frame = series.frame()
    same = median_seconds(lambda: XNB(min_distance="mean").fit(frame, series.labels))
    work = f"XNB fit, {shape(series)}, C-ordered array"
    peer = "ours from a feature-major DataFrame"
    return row(work, peer, ours, same, target=0.5, note="with the transpose")


def rate_row(series: DataSet) -> dict:
    frame = series.frame()
    ours = median_seconds(lambda: XNB(min_distance="mean").fit(frame, series.labels))
    evaluations = series.values.size * N_GRID
    note = f"{evaluations / ours / 1e9:.2f}e9 grid-kernel evaluations per second"
    work = f"XNB fit, {shape(series)}"
    return row(work, "2e9 per second", ours, evaluations / 2e9, note=note)


def shape(series: DataSet) -> str:
    return f"{series.name} {series.n_samples} x {series.n_features} x {len(series.classes)}"


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


def profile(series: DataSet) -> pd.DataFrame:
    """Measure the processor time of the steps of one fit, as `pair_distances` takes them."""
    codes = np.unique(series.labels, return_inverse=True)[1]
    order, offsets = class_offsets(codes, N_CLASSES)
    pairs = pairs_of_codes(N_CLASSES)
    distances = np.empty((len(pairs), series.n_features))
    seconds: dict[str, float] = {}

    def timed(step: str, function: Callable, *arguments: object, **options: object) -> Any:
        start = time.thread_time()
        result = function(*arguments, **options)
        seconds[step] = seconds.get(step, 0.0) + time.thread_time() - start
        return result

    frame = series.frame()
    timed("validation", XNB()._validate_training, frame, series.labels)
    for block in feature_strips(*series.values.shape):
        values = series.values[block]
        tile = timed("sort within classes", sorted_classes, values, order, offsets)
        bandwidths = timed("bandwidths", bandwidths_of, tile, offsets, "silverman")
        densities = timed("densities on the grid", grid_densities, tile, offsets, bandwidths)
        distances[:, block] = timed("Hellinger distances", hellinger, densities, pairs)
    step = "ranking and selection"
    arguments = (distances, series.features, N_CLASSES, 0.999, "mean")
    selection = timed(step, PairSelection, *arguments)
    for code in range(N_CLASSES):
        timed(step, selection.ranked, code)
    table = pd.DataFrame({"step": seconds.keys(), "seconds": seconds.values()})
    table["share"] = table["seconds"] / table["seconds"].sum()
    table["ns_per_value"] = table["seconds"] / series.values.size * 1e9
    return table
