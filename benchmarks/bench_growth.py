"""How time and memory of a fit grow with samples, features and classes, and a plan with series.

Each size runs in a process of its own, whose peak of memory Linux reports. Fits are those of
ClassSpecificNB, in processor seconds of one thread; a plan is a dry run of a study of simulated
series with eight classifiers.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parents[1]
#: Samples, features and classes of the fits along each axis of growth.
AXES = {
    "samples": [(1_000, 1_000, 2), (10_000, 1_000, 2), (100_000, 1_000, 2)],
    "features": [(100, 8_500, 2), (100, 85_000, 2), (100, 850_000, 2)],
    "classes": [(500, 500, 25), (500, 500, 50), (500, 500, 100)],
}
#: Data sets of the planned studies.
SERIES = [20, 200]
CLASSIFIERS = ["nb", "fnb", "xnb", "csnb", "csnb-cv", "forest", "svm", "logistic"]
#: Settings of a run that shows that the benchmark computes something.
SMALL = {
    "AXES": {"samples": [(100, 100, 2), (200, 100, 2)], "classes": [(100, 100, 5), (100, 100, 10)]},
    "SERIES": [2, 4],
}

FIT = """
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


def details() -> dict[str, pd.DataFrame]:
    """Return the measurements of each size, and the exponent of the seconds along each axis."""
    sizes = pd.DataFrame([*measured_fits(), *measured_plans()])
    exponents = [
        {"axis": axis, "exponent": exponent(of_axis), "peak_megabytes": of_axis["megabytes"].max()}
        for axis, of_axis in sizes.groupby("axis", sort=False)
    ]
    return {"growth_sizes": sizes, "growth": pd.DataFrame(exponents)}


def measured_fits() -> list[dict]:
    """Return the seconds and the peak of memory of a fit of each size of `AXES`."""
    measured = []
    for axis, shapes in AXES.items():
        for samples, features, classes in shapes:
            command = [sys.executable, "-c", FIT, *map(str, (samples, features, classes))]
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            seconds, megabytes = json.loads(run.stdout.splitlines()[-1])
            shape = {"samples": samples, "features": features, "classes": classes}
            row = {"axis": axis, "size": shape[axis], "seconds": seconds, "megabytes": megabytes}
            measured.append(row)
    return measured


def measured_plans() -> list[dict]:
    """Return the seconds and the peak of memory of the plan of each number of series."""
    measured = []
    for n_series in SERIES:
        with tempfile.TemporaryDirectory() as folder:
            write_study(Path(folder), n_series)
            seconds, megabytes = plan_cost(folder)
        row = {"axis": "series", "size": n_series, "seconds": seconds, "megabytes": megabytes}
        measured.append(row)
    return measured


def write_study(folder: Path, n_series: int) -> None:
    """Write the configuration of the study `large` to a folder."""
    names = [f"large{number:04d}" for number in range(n_series)]
    study = {"title": "Large", "datasets": names, "classifiers": CLASSIFIERS}
    configuration = {
        "run": ["large"],
        "datasets": {
            name: {
                "source": "simulate",
                "seed": i,
                "shape": {"samples": 60, "features": 2000, "classes": 3},
            }
            for i, name in enumerate(names)
        },
        "studies": {"large": {**study, "folds": ["10x10-fold"]}},
    }
    (folder / "large.yaml").write_text(json.dumps(configuration))


def plan_cost(folder: str) -> tuple[float, float]:
    """Return the processor seconds and the megabytes of memory of a dry run."""
    command = [
        *(sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "workflow/Snakefile")),
        *("--directory", folder, "--configfile", f"{folder}/large.yaml"),
        *("--cores", "1", "--dry-run", "--quiet", "rules"),
    ]
    alone = {**os.environ, "SLURM_CONF": os.devnull}  # a cluster that does not answer costs seconds
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=alone
    ) as process:
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(output)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def exponent(sizes: pd.DataFrame) -> float:
    """Return the exponent of the seconds between the first size and the last.

    Examples
    --------
    >>> exponent(pd.DataFrame({"size": [10, 100], "seconds": [1.0, 100.0]}))
    2.0
    """
    first, last = sizes.iloc[0], sizes.iloc[-1]
    return float(np.log(last["seconds"] / first["seconds"]) / np.log(last["size"] / first["size"]))
