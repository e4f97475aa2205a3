"""Markers of simulated single cells: sparse fits at full size, and scanpy's Wilcoxon at a fraction.

Every fit has a process of its own; its peak memory is that of its data and itself. ``CELLS`` and
``GENES`` are the full size, ten types and a tenth of the values stored; ``XNBFLOW_BENCH_CELLS`` is
another number of cells. scanpy runs in this Python or in the one that ``XNBFLOW_SCANPY_PYTHON``
names, for it needs an older pandas; without it the row says so.
"""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from rows import row

CELLS = int(os.environ.get("XNBFLOW_BENCH_CELLS", "100000"))
GENES = 20_000
SECONDS = 60.0
MEGABYTES = 4000.0
#: scanpy ranks all cells of every gene: a tenth of the genes tells its rate.
FRACTION = 10
PEERS = ("scanpy", "scanpy corrected for ties")
METHODS = ("ClassSpecificNB", "XNB", "ClassSpecificNB of CSR")

#: Settings of a run that shows that the benchmark computes something.
SMALL = {"CELLS": 2000, "GENES": 200}


def rows() -> list[dict]:
    """Measure, and return the rows of the table of benchmarks."""
    measurements = []
    for method in METHODS:
        fit = measure_fit(method, CELLS, GENES)
        work = f"{method} fit, {CELLS:,} cells x {GENES:,} genes, 10 % stored"
        busy = f"{fit['processor_seconds']:.1f} processor seconds"
        measurements.append(row(work, f"{SECONDS:g} s", fit["seconds"], SECONDS, note=busy))
        note = f"{fit['peak_megabytes']:.0f} MB, of which {fit['megabytes_of_data']:.0f} are data"
        ratio = MEGABYTES / fit["peak_megabytes"]
        measurements.append(row(f"{work}, memory", f"{MEGABYTES:g} MB", ratio=ratio, note=note))
    return [*measurements, exponent(), *map(against_scanpy, PEERS)]


def details() -> dict[str, pd.DataFrame]:
    """Return the measurements behind the rows."""
    return {"cells": pd.DataFrame(_measured_fits.values())}


def exponent() -> dict:
    """Return how seconds of the processor grow over a decade of cells."""
    sizes = [CELLS // 10, CELLS // 3, CELLS]
    busy = [measure_fit("ClassSpecificNB", n, GENES)["processor_seconds"] for n in sizes]
    slope = np.polyfit(np.log(sizes), np.log(busy), 1)[0]
    note = f"exponent {slope:.2f} from {sizes[0]:,} to {sizes[-1]:,} cells, processor seconds"
    work = "ClassSpecificNB fit of sparse cells, growth exponent"
    return row(work, "exponent 1.1", ratio=1.1 / slope, note=note)


def against_scanpy(peer: str) -> dict:
    """Compare with a test of scanpy's `rank_genes_groups`, which ranks all cells of every gene."""
    genes = GENES // FRACTION
    work = f"markers of {CELLS:,} cells x {genes:,} genes"
    name = f"{peer}: rank_genes_groups, Wilcoxon"
    python = os.environ.get("XNBFLOW_SCANPY_PYTHON")
    if python is None and importlib.util.find_spec("scanpy") is None:
        return row(work, name, note="scanpy is not installed: skipped")
    of_scanpy = measure_fit(peer, CELLS, genes, python or sys.executable)
    of_xnbflow = measure_fit("ClassSpecificNB", CELLS, genes)
    busy = of_xnbflow["processor_seconds"], of_scanpy["processor_seconds"]
    note = (
        f"processor seconds; peaks {of_xnbflow['peak_megabytes']:.0f} and "
        f"{of_scanpy['peak_megabytes']:.0f} MB; scanpy's seconds grow with the genes: {FRACTION} "
        f"times as many for {GENES:,}"
    )
    return row(work, name, *busy, note=note)


_measured_fits: dict[tuple, dict] = {}


def measure_fit(method: str, n_cells: int, n_genes: int, python: str = sys.executable) -> dict:
    """Return what `simulated_cells.measure` does, in a process of its own."""
    key = method, n_cells, n_genes
    if key not in _measured_fits:
        program = Path(__file__).with_name("simulated_cells.py")
        run = subprocess.run(
            [python, "-W", "ignore", program, method, str(n_cells), str(n_genes)],
            check=True,
            capture_output=True,
            text=True,
        )
        _measured_fits[key] = json.loads(run.stdout.splitlines()[-1])
    return _measured_fits[key]
