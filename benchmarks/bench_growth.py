"""How time and memory grow with the features, samples, classes and series.

Each size runs in a process of its own, whose peak memory Linux reports. The plot of the fits of XNB
goes to results/benchmarks/growth.svg. The axes of `AXES` are those of a fit of ClassSpecificNB, in
processor seconds of one thread; series are the data sets of a study that is planned.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import planning

mpl.use("svg")
from matplotlib import pyplot as plt
from rows import row

N_SAMPLES = 130
N_CLASSES = 5
SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000]
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks"

FIT = """
import json, statistics, sys, time
from pathlib import Path
import numba, numpy as np
from xnbflow.naive_bayes import XNB
numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
m, n, k = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
features = np.empty((m, n))
for row in features:
    rng.standard_normal(out=row)
codes = np.arange(n) % k
for c in range(k):
    features[c::m // 50][:, codes == c] += 3
def peak_kilobytes():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])
XNB().fit(features[:100].T, codes)
Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew from what is in use
before = peak_kilobytes()
seconds = []
for _ in range(5):
    start = time.perf_counter()
    XNB().fit(features.T, codes)
    seconds.append(time.perf_counter() - start)
print(json.dumps([statistics.median(seconds), before / 1e3, peak_kilobytes() / 1e3]))
"""


#: Samples, features and classes of the fits along each axis of growth.
AXES = {
    "samples": [(1_000, 1_000, 2), (10_000, 1_000, 2), (100_000, 1_000, 2)],
    "features": [(100, 8_500, 2), (100, 85_000, 2), (100, 850_000, 2)],
    "classes": [(500, 500, 25), (500, 500, 50), (500, 500, 100)],
}
#: Samples, features and classes of the series whose stages are measured.
MANY_CLASSES = [(105, 20_000, 10), (1_000, 2_000, 100)]
#: Data sets of the planned studies.
SERIES = [20, 200]
#: Settings of a run that shows that the benchmark computes something.
SMALL = {
    "SIZES": [1_000, 10_000],
    "AXES": {"samples": [(100, 100, 2), (200, 100, 2)], "classes": [(100, 100, 5), (100, 100, 10)]},
    "SERIES": [2, 4],
}

CLASS_SPECIFIC_FIT = """
import json, sys, time
from pathlib import Path
import numba, numpy as np
from xnbflow.naive_bayes import ClassSpecificNB
numba.set_num_threads(1)
n, m, k = map(int, sys.argv[1:])
rng = np.random.default_rng(0)
features = np.empty((m, n))
for row in features:
    rng.standard_normal(out=row)
codes = np.arange(n) % k
for c in range(k):
    features[c::max(50, k)][:, codes == c] += 2
ClassSpecificNB().fit(features[:100].T, codes)
before = time.process_time()
ClassSpecificNB().fit(features.T, codes)
seconds = time.process_time() - before
status = Path("/proc/self/status").read_text()
print(json.dumps([seconds, int(status.split("VmHWM:")[1].split()[0]) / 1e3]))
"""


def rows() -> list[dict]:
    """Measure, plot, and return the rows of the table of benchmarks."""
    sizes = growth()
    plot(sizes)
    along = axes()
    names = along["axis"].unique()
    return [
        linear(sizes, "seconds"),
        linear(sizes, "megabytes"),
        *(exponent(along[along["axis"] == name]) for name in names),
        *stage_rows(),
    ]


def details() -> dict[str, pd.DataFrame]:
    """Return the measurements behind the plot, those along each axis, and of many classes."""
    return {"growth": growth(), "growth_axes": axes(), "growth_classes": stages()}


@cache
def stages() -> pd.DataFrame:
    """Measure the stages of a study with each of `MANY_CLASSES`, once."""
    measured = []
    for samples, features, classes in MANY_CLASSES:
        n_pairs = classes * (classes - 1) // 2
        seconds_of_stages = run_file("class_stages.py", samples, features, classes)
        for stage, seconds in seconds_of_stages.items():
            measured.append(
                {
                    "samples": samples,
                    "features": features,
                    "classes": classes,
                    "stage": stage,
                    "seconds": seconds,
                    "milliseconds_per_class": 1e3 * seconds / classes,
                    "milliseconds_per_pair": 1e3 * seconds / n_pairs,
                }
            )
    return pd.DataFrame(measured)


def stage_rows() -> list[dict]:
    """Return the rows of the stages: the last number of classes beside the first, by pair."""
    table = stages()
    result = []
    for stage, sizes in table.groupby("stage", sort=False):
        first, last = sizes.iloc[0], sizes.iloc[-1]
        parts = [
            f"{size['samples']} x {size['features']}, {size['classes']} classes: "
            f"{size['seconds']:.3g} s, {size['milliseconds_per_class']:.3g} ms a class, "
            f"{size['milliseconds_per_pair']:.3g} ms a pair"
            for size in sizes.to_dict("records")
        ]
        result.append(
            row(
                f"many classes, {stage}",
                f"the same by pair with {first['classes']} classes",
                last["seconds"],
                ratio=first["milliseconds_per_pair"] / last["milliseconds_per_pair"],
                target=0.8,
                note="; ".join(parts),
            )
        )
    return result


@cache
def axes() -> pd.DataFrame:
    """Measure a fit of each size of `AXES`, and the plan of each study of `SERIES`, once."""
    measured = []
    for axis, shapes in AXES.items():
        for samples, features, classes in shapes:
            seconds, megabytes = run(CLASS_SPECIFIC_FIT, samples, features, classes)
            shape = {"samples": samples, "features": features, "classes": classes}
            measured.append(
                {"axis": axis, "size": shape[axis], "seconds": seconds, "megabytes": megabytes}
            )
    for n_series in SERIES:
        seconds, gigabytes = planned(n_series)
        measured.append(
            {
                "axis": "series",
                "size": n_series,
                "seconds": seconds,
                "megabytes": 1e3 * gigabytes,
            }
        )
    return pd.DataFrame(measured)


def planned(n_series: int) -> tuple[float, float]:
    """Return the processor seconds and GB of memory of the plan of a study of many series."""
    with tempfile.TemporaryDirectory() as folder:
        planning.write_study(folder, n_series)
        _, _, seconds, gigabytes = planning.plan(folder, [])
    return seconds, gigabytes


def exponent(sizes: pd.DataFrame) -> dict:
    """Return the row of an axis: its exponent between the first size and the last."""
    first, last = sizes.iloc[0], sizes.iloc[-1]
    slope = np.log(last["seconds"] / first["seconds"]) / np.log(last["size"] / first["size"])
    pairs = sizes[["size", "seconds"]].itertuples(index=False)
    note = ", ".join(f"{size}: {seconds:.3g} s" for size, seconds in pairs)
    return row(
        f"growth exponent of seconds in {first['axis']}",
        "linear",
        last["seconds"],
        ratio=1 / slope,
        target=0.8,
        note=f"exponent {slope:.2f}; {note}; peak {last['megabytes']:.0f} MB",
    )


def growth() -> pd.DataFrame:
    """Measure one fit of each size, once."""
    if not _measured:
        for size in SIZES:
            seconds, before, peak = run(FIT, size, N_SAMPLES, N_CLASSES)
            data = size * N_SAMPLES * 8 / 1e6
            _measured.append(
                {
                    "features": size,
                    "seconds": seconds,
                    "megabytes": peak - before,
                    "megabytes_of_data": data,
                }
            )
    return pd.DataFrame(_measured)


_measured: list[dict] = []


def linear(sizes: pd.DataFrame, quantity: str) -> dict:
    """Compare the growth over the last tenfold step with tenfold."""
    last = sizes.iloc[-1]
    tenth = sizes[sizes["features"] == SIZES[-1] // 10].iloc[0]
    factor = last[quantity] / tenth[quantity]
    note = (
        f"{SIZES[-1] // 10} to {SIZES[-1]} features: {tenth[quantity]:.3g} to {last[quantity]:.3g}"
    )
    work = f"XNB fit, growth of {quantity}, {N_SAMPLES} samples"
    peer = "linear in features"
    return row(work, peer, last["seconds"], ratio=10 / factor, target=0.8, note=note)


def run(code: str, *arguments: int) -> list[float]:
    """Run a program in a process of its own; return the numbers that it prints."""
    return numbers_of([sys.executable, "-c", code, *map(str, arguments)])


def run_file(name: str, *arguments: int) -> dict[str, float]:
    """Run a file of this folder in a process of its own; return the numbers that it prints."""
    return numbers_of([sys.executable, str(Path(__file__).with_name(name)), *map(str, arguments)])


def numbers_of(command: list[str]) -> Any:
    """Return what a program prints in its last line as JSON."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout.splitlines()[-1])


def plot(sizes: pd.DataFrame) -> None:
    """Draw seconds and memory against the number of features."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    m = sizes["features"].to_numpy()
    for axis, quantity in zip(axes, ("seconds", "megabytes"), strict=True):
        values = sizes[quantity].to_numpy()
        axis.loglog(m, values, "o-", label="one fit")
        axis.loglog(m, values[-1] * m / m[-1], "k:", linewidth=1, label="linear")
        axis.set_xlabel(f"features ({N_SAMPLES} samples, {N_CLASSES} classes)")
        axis.set_ylabel(quantity if quantity == "seconds" else "MB beyond the data")
        axis.grid(alpha=0.3)
    axes[0].legend(frameon=False)
    figure.savefig(RESULTS / "growth.svg")
    plt.close(figure)
