"""Simulated single cells, sparse, and what it takes to find the markers of their types.

`python simulated_cells.py METHOD N_CELLS N_GENES`, in a process of its own, prints seconds and peak
memory as JSON. The methods of this package need this package. "scanpy" is the default Wilcoxon test
of scanpy, "scanpy corrected for ties" the test that accounts for equal values, such as the zeros.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

N_TYPES = 10
DENSITY = 0.1
MARKERS = 20


def simulate(n_cells: int, n_genes: int) -> tuple[sparse.csc_array, np.ndarray]:
    """Return log counts of cells by genes, float32 with int32 indices, and types.

    A gene is seen in a share of the cells, Beta(0.5, 4.5) over genes, a tenth on average; each type
    has 20 markers, seen in seven of ten of its cells and about twice as high.
    """
    rng = np.random.default_rng(0)
    types = rng.integers(0, N_TYPES, n_cells)
    shares = rng.beta(0.5, 0.5 * (1 / DENSITY - 1), n_genes)
    marks = np.full(n_genes, -1)
    marked = rng.choice(n_genes, N_TYPES * MARKERS, replace=False)
    marks[marked] = np.arange(len(marked)) % N_TYPES
    room = int(1.01 * n_cells * (shares.sum() + 0.7 * MARKERS)) + 100_000
    cells = np.empty(room, np.int32)
    values = np.empty(room, np.float32)
    indptr = np.zeros(n_genes + 1, np.int64)
    stop = 0
    for gene in range(n_genes):
        share = np.full(n_cells, shares[gene], np.float32)
        if marks[gene] >= 0:
            share[types == marks[gene]] = 0.7
        seen = np.flatnonzero(rng.random(n_cells, np.float32) < share)
        logs = np.exp(0.4 * rng.standard_normal(len(seen), np.float32))
        if marks[gene] >= 0:
            logs[types[seen] == marks[gene]] += 1.0
        start, stop = stop, stop + len(seen)
        cells[start:stop] = seen
        values[start:stop] = logs
        indptr[gene + 1] = stop
    arrays = values[:stop], cells[:stop], indptr.astype(np.int32)
    return sparse.csc_array(arrays, shape=(n_cells, n_genes)), types


def peak_megabytes() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def measure(method: str, n_cells: int, n_genes: int) -> dict:
    """Fit once, after a small fit that compiles what is not yet compiled."""
    fit = make_scanpy_fit(method) if method.startswith("scanpy") else make_xnbflow_fit(method)
    fit(*simulate(20_000, 220))
    X, types = simulate(n_cells, n_genes)
    if method.endswith("CSR"):
        X = X.tocsr()
    Path("/proc/self/clear_refs").write_text("5")  # the peak from here on
    megabytes = (X.data.nbytes + X.indices.nbytes + X.indptr.nbytes) / 1e6
    start = time.perf_counter()
    busy = time.process_time()
    n_markers = fit(X, types)
    seconds = time.perf_counter() - start
    busy = time.process_time() - busy
    return {
        "method": method,
        "cells": n_cells,
        "genes": n_genes,
        "stored": int(X.nnz),
        "seconds": seconds,
        "processor_seconds": busy,
        "megabytes_of_data": megabytes,
        "peak_megabytes": peak_megabytes(),
        "genes_found": n_markers,
    }


def make_xnbflow_fit(method: str):
    import numba  # noqa: PLC0415

    from xnbflow.naive_bayes import XNB, ClassSpecificNB  # noqa: PLC0415

    numba.set_num_threads(min(2, numba.config.NUMBA_NUM_THREADS))
    model = XNB() if method.startswith("XNB") else ClassSpecificNB(n_features=5)

    def fit(X: sparse.sparray, types: np.ndarray) -> int:
        model.fit(X, types)
        return len({name for names in model.selected_features_.values() for name in names})

    return fit


def make_scanpy_fit(method: str):
    import anndata  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    import scanpy  # noqa: PLC0415

    def fit(X: sparse.csc_array, types: np.ndarray) -> int:
        cells = anndata.AnnData(sparse.csr_matrix(X), pd.DataFrame({"type": pd.Categorical(types)}))
        tie_correct = method.endswith("ties")
        scanpy.tl.rank_genes_groups(
            cells, "type", method="wilcoxon", tie_correct=tie_correct, n_genes=5
        )
        ranked = cells.uns["rank_genes_groups"]["names"]
        return len({name for names in ranked.tolist() for name in names})

    return fit


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
