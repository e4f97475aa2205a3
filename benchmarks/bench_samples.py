"""How fits and predictions grow with the samples: tabulated kernel densities and their peers.

Sizes and their targets are those of `SIZES`. KDEpy runs in this Python or in the one that
``XNBFLOW_PEER_PYTHON`` names; where it is not installed its row has no figures, and says so.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from rows import row
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.naive_bayes import GaussianNB as ScikitGaussianNB
from timing import alternate, compile_seconds, median_seconds

from xnbflow.density.families.kernel import TABULATED_FROM, Kernel
from xnbflow.naive_bayes import ClassSpecificNB, DiscretizedNB, FlexibleNB

N_FEATURES = 20
N_CLASSES = 2
#: Samples: seconds of a fit, seconds of predicting a row. The least shows the growth only.
SIZES: dict[int, tuple[float, float] | None] = {
    1_000: None,
    10_000: (0.05, 10e-6),
    100_000: (0.5, 10e-6),
    1_000_000: (5.0, 15e-6),
}
MODELS = {
    "Flexible NB": FlexibleNB(),
    "Class-specific NB": ClassSpecificNB(n_features=N_FEATURES),
}
N_PREDICTED = 20_000
#: Fits and predictions of this many samples are compared with the peers'.
PEER_SIZE = 100_000
CROSSING = (256, 512, 1024, 2048, 4096)
COMPILE = f"""
import numpy
from xnbflow.naive_bayes import FlexibleNB
X = numpy.random.default_rng(0).normal(size=({2 * TABULATED_FROM + 200}, 2))
FlexibleNB().fit(X, numpy.arange(len(X)) % 2).predict(X)
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    for model in MODELS.values():
        model.fit(*draw(3000)).predict(draw(100)[0])
    sizes = growth()
    return [
        *targets(sizes),
        *exponents(sizes),
        *against_classifiers(),
        against_kdepy(),
        discretized(),
    ]


def shown() -> list[dict]:
    """Return the rows that docs/performance.md shows, and how seconds grow."""
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    for model in MODELS.values():
        model.fit(*draw(3000)).predict(draw(100)[0])
    return [*exponents(growth()), *against_classifiers(), against_kdepy()]


def details() -> dict[str, pd.DataFrame]:
    """Return the measurements behind the rows, and where tables begin to pay."""
    return {"samples": growth(), "tabulated_from": crossing()}


def draw(n_samples: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n_samples)
    y = rng.integers(0, N_CLASSES, n_samples)
    X = rng.normal(size=(n_samples, N_FEATURES))
    X[:, ::3] += 0.7 * y[:, None]
    return X, y


def growth() -> pd.DataFrame:
    """Measure a fit and the prediction of rows at each size, once."""
    if not _measured:
        _measured.extend(measure(name, n_samples) for n_samples in SIZES for name in MODELS)
    return pd.DataFrame(_measured)


def measure(name: str, n_samples: int) -> dict:
    """Measure a model; small fits several times, the first of which may still start threads."""
    X, y = draw(n_samples)
    reset_peak()
    before = peak_megabytes()
    start = time.perf_counter()
    model = MODELS[name].fit(X, y)
    fit = time.perf_counter() - start
    megabytes = peak_megabytes() - before
    if n_samples <= PEER_SIZE:
        fit = median_seconds(lambda: model.fit(X, y), 3)
    points = draw(N_PREDICTED)[0]
    return {
        "model": name,
        "samples": n_samples,
        "fit_seconds": fit,
        "predict_seconds_per_row": median_seconds(lambda: model.predict(points), 3) / len(points),
        "megabytes": megabytes,
        "megabytes_of_data": X.nbytes / 1e6,
    }


_measured: list[dict] = []


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def targets(sizes: pd.DataFrame) -> list[dict]:
    measurements = []
    for size in sizes.itertuples(index=False):
        allowed = SIZES[size.samples]
        if allowed is None:
            continue
        fit, predict = allowed
        what = f"{size.model}, {size.samples:,} x {N_FEATURES}"
        measurements.append(row(f"{what}, fit", f"{fit:g} s", size.fit_seconds, fit))
        per_row = size.predict_seconds_per_row
        measurements.append(
            row(f"{what}, predict a row", f"{predict * 1e6:g} us", per_row, predict)
        )
    for last in sizes[sizes["samples"] == max(SIZES)].itertuples(index=False):
        what = f"{last.model}, {last.samples:,} x {N_FEATURES}, memory of the fit"
        note = f"{last.megabytes:.0f} MB beyond the {last.megabytes_of_data:.0f} MB of data"
        ratio = last.megabytes_of_data / max(last.megabytes, 0.1)
        measurements.append(row(what, "the data", ratio=ratio, note=note))
    measurements[0]["compile_seconds"] = compile_seconds(COMPILE)
    return measurements


def exponents(sizes: pd.DataFrame) -> list[dict]:
    """Return the growth exponents over the sizes, least squares in logarithms."""
    measurements = []
    quantities = (("fit_seconds", "fit"), ("predict_seconds_per_row", "predict a row"))
    for (model, of_model), (column, name) in product(
        sizes.groupby("model", sort=False), quantities
    ):
        slope = np.polyfit(np.log(of_model["samples"]), np.log(of_model[column]), 1)[0]
        allowed = 1.1 if name == "fit" else 0.2
        work = f"{model}, growth exponent of {name}"
        decades = np.log10(of_model["samples"].max() / of_model["samples"].min())
        note = f"exponent {slope:.2f} over {decades:.0f} decades of samples"
        measurements.append(
            row(work, f"exponent {allowed}", ratio=allowed / max(slope, 0.01), note=note)
        )
    return measurements


def against_classifiers() -> list[dict]:
    X, y = draw(PEER_SIZE)
    work = f"Flexible NB fit + predict, {PEER_SIZE:,} x {N_FEATURES}"
    measurements = []
    for peer in (ScikitGaussianNB(), HistGradientBoostingClassifier()):
        seconds = alternate(
            lambda: FlexibleNB().fit(X, y).predict(X),
            lambda: peer.fit(X, y).predict(X),  # noqa: B023
            1,
        )
        note = "a density with two parameters" if isinstance(peer, ScikitGaussianNB) else ""
        target = 0.1 if note else 1.0
        name = f"scikit-learn {type(peer).__name__}"
        measurements.append(row(work, name, *seconds, target=target, note=note, shown=True))
    return measurements


def against_kdepy() -> dict:
    """Compare with KDEpy's binned convolution, which evaluates at the points of its grid only."""
    n_samples = PEER_SIZE
    work = f"one kernel density, {n_samples:,} samples, fit and evaluation at all of them"
    peer = "KDEpy FFTKDE and linear interpolation"
    python = os.environ.get("XNBFLOW_PEER_PYTHON", sys.executable)
    if subprocess.run([python, "-c", "import KDEpy"], capture_output=True, check=False).returncode:
        return row(work, peer, note=f"{python} has no KDEpy: skipped")
    samples = np.random.default_rng(0).normal(size=n_samples)
    family = Kernel()
    codes = np.zeros(n_samples, dtype=int)

    def ours() -> np.ndarray:
        return family.fit(samples[None], codes, 1).log_density(samples[None])[0, 0]

    log_density = ours()
    with tempfile.TemporaryDirectory() as folder:
        samples_file = Path(folder, "samples.npy")
        result_file = Path(folder, "logs.npy")
        np.save(samples_file, samples)
        program = Path(__file__).with_name("peer_kdepy.py")
        command = [
            python,
            "-W",
            "ignore",
            program,
            samples_file,
            str(family.bandwidths_[0][0]),
            result_file,
        ]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
        far = np.abs(np.load(result_file) - log_density).max()
    seconds = median_seconds(ours), json.loads(run.stdout.splitlines()[-1])
    note = f"logs differ by up to {far:.0e}"
    return row(work, peer, *seconds, target=0.5, note=note, shown=True)


def discretized() -> dict:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 5, 100)
    X = rng.normal(size=(100, 100_000))
    X[:, ::3] += 0.8 * y[:, None]
    DiscretizedNB().fit(X[:, :10], y)
    seconds = median_seconds(lambda: DiscretizedNB().fit(X, y), 3)
    return row("Discretized NB (MDLP) fit, 100 x 100,000", "1 s", seconds, 1)


def crossing() -> pd.DataFrame:
    """Time fit and prediction of a fold with sums and with tables, at sizes of a class."""
    measurements = []
    for n_samples in CROSSING:
        X, y = draw(n_samples * N_CLASSES)
        points = X[: len(X) // 9]
        for exact in (False, True):
            with_tables_from(len(X) + 1 if exact else 0)
            try:
                seconds = median_seconds(lambda: FlexibleNB().fit(X, y).predict(points), 5)  # noqa: B023
            finally:
                with_tables_from(TABULATED_FROM)
            measurements.append({"class_samples": n_samples, "exact": exact, "seconds": seconds})
    table = pd.DataFrame(measurements).pivot_table(
        index="class_samples", columns="exact", values="seconds"
    )
    return table.set_axis(["tables", "sums"], axis=1).reset_index()


def with_tables_from(n_samples: int) -> None:
    from xnbflow.density.families import kernel  # noqa: PLC0415

    kernel.TABULATED_FROM = n_samples
