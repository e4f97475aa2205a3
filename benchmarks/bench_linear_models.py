"""Moderated linear models of 130 x 54,675, five classes, against R's limma."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numba
import numpy as np
from benchmarks.rows import row
from benchmarks.timing import median_seconds

from xnbflow.diagnostics.linear_models import moderated_contrasts
from xnbflow.sources.simulate import simulate_series

N_SAMPLES = 130
N_FEATURES = 54_675
N_CLASSES = 5
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"N_FEATURES": 2_000}
#: The median seconds of five runs, values and design in memory; both give all p-values and rates.
LIMMA = """
suppressMessages(library(limma))
input <- commandArgs(TRUE)
values <- matrix(readBin(input[1], "double", {m} * {n}), {m}, byrow = TRUE)
class <- factor(readBin(input[2], "integer", {n}, size = 8))
seconds <- replicate(5, system.time({{
  contrasts <- diag({k}) - (1 - diag({k})) / ({k} - 1)
  fit <- eBayes(contrasts.fit(lmFit(values, model.matrix(~ 0 + class)), contrasts))
  fdr <- apply(fit$p.value, 2, p.adjust, "BH")
}})[["elapsed"]])
cat(median(seconds))
"""


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    series = simulate_series("big", N_SAMPLES, n_features=N_FEATURES, n_classes=N_CLASSES, seed=1)[
        0
    ]
    codes = np.unique(series.labels, return_inverse=True)[1]
    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    threads = numba.get_num_threads()
    moderated_contrasts(series.values[:100], codes)

    def ours() -> None:
        moderated_contrasts(series.values, codes)

    seconds = median_seconds(ours)
    work = (
        f"Moderated t, {N_CLASSES} classes, {N_SAMPLES} x {N_FEATURES}, "
        "ours also against the nearest class"
    )
    peer = "limma: lmFit, contrasts.fit, eBayes"
    if not shutil.which("Rscript"):
        return [row(work, peer, seconds, note="there is no Rscript: skipped")]
    theirs = limma_seconds(series.values, codes)
    seconds = (seconds + median_seconds(ours)) / 2
    note = f"{threads} threads against 1; ours before and after R's"
    return [row(work, peer, seconds, theirs, note=note)]


def limma_seconds(values: np.ndarray, codes: np.ndarray) -> float:
    """Return the seconds of limma in a process of R."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("values", "codes", "limma.R")]
        values.tofile(paths[0])
        codes.astype(np.int64).tofile(paths[1])
        n_features, n_samples = values.shape
        paths[2].write_text(LIMMA.format(m=n_features, n=n_samples, k=codes.max() + 1))
        command = ["Rscript", str(paths[2]), str(paths[0]), str(paths[1])]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
