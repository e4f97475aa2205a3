"""A million cells by 2,000 genes: seconds and memory of ClassSpecificNB.

Cells are simulated gene by gene, sparse. The fit runs in a process of its own, whose greatest
memory is measured, the cells included.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pandas as pd
from rows import row
from scipy.sparse import csr_array, vstack

CELLS = 1_000_000
GENES = 2_000
TYPES = 10
CHUNK = 100

#: Memory that the fit may take, in MB.
MOST = 8192.0

#: Genes of one type of cells: how much more often they are seen there.
MARKERS = 200
LIFT = 5.0

#: Share of the cells in which a gene is seen.
SEEN = 0.05


def chunks(n_cells: int, y: np.ndarray) -> Iterator[tuple[np.ndarray, csr_array]]:
    """Yield the genes' names and log counts, `CHUNK` genes at a time."""
    rng = np.random.default_rng(0)
    for start in range(0, GENES, CHUNK):
        cells = []
        values = []
        for gene in range(start, start + CHUNK):
            share = np.full(TYPES, SEEN)
            if gene < MARKERS:
                share[gene % TYPES] *= LIFT
            seen = np.flatnonzero(rng.random(n_cells, dtype=np.float32) < share[y])
            cells.append(seen.astype(np.int32))
            values.append(np.log1p(rng.geometric(0.5, len(seen))).astype(np.float32))
        ends = np.cumsum([0, *map(len, cells)]).astype(np.int32)
        arrays = np.concatenate(values), np.concatenate(cells), ends
        names = np.array([f"g{gene}" for gene in range(start, start + CHUNK)], dtype=object)
        yield names, csr_array(arrays, shape=(CHUNK, n_cells))


def measured(n_cells: int) -> None:
    """Print processor seconds of the fit, greatest memory in MB, and share right."""
    from xnbflow.naive_bayes import ClassSpecificNB  # noqa: PLC0415  what is measured

    y = np.random.default_rng(1).integers(TYPES, size=n_cells, dtype=np.int8)
    names, parts = zip(*chunks(n_cells, y), strict=True)
    cells = SimpleNamespace(  # as an AnnData
        X=vstack(parts, format="csr").T,
        obs=pd.DataFrame({"type": y}),
        var_names=np.concatenate(names),
    )
    del parts
    start = time.process_time()
    model = ClassSpecificNB(n_features=10).fit(cells, "type")
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    markers = [f"g{gene}" for gene in range(MARKERS)]
    right = np.mean(
        [n in markers for class_genes in model.selected_features_.values() for n in class_genes]
    )
    print(seconds, memory, right)


def rows() -> list[dict]:
    """Return seconds and memory of the fit."""
    command = [sys.executable, __file__, str(CELLS)]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    seconds, memory, right = map(float, output)
    work = f"ClassSpecificNB, {CELLS:,} cells x {GENES:,} genes, {TYPES} types"
    note = f"{memory:,.0f} MB at most; {right:.0%} of the selected genes are markers"
    return [row(work, "8 GB", seconds, ratio=MOST / memory, note=note)]


if __name__ == "__main__":
    measured(int(sys.argv[1]))
