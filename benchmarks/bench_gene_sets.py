"""Gene sets of null studies, by two tests that ignore the correlation of genes and by CAMERA.

30 samples with random labels, 1,500 genes in 50 modules of 30, which are the sets; genes of a
module correlate. *Before*: over-representation among the genes with the 200 largest t (Fisher's
test) and the competitive test of independent genes (of which the preranked test is a version);
*after*: CAMERA with the correlation of residuals. A study counts if a set has an FDR below .05.
With an effect five modules are shifted by .7 standard deviations. `XNBFLOW_SET_STUDIES` sets the
number of studies of a cell (100).
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from bench_audit import figure
from bench_batches import write_each_cell
from rows import row
from scipy.stats import hypergeom

from xnbflow.diagnostics.camera import camera, camera_preranked
from xnbflow.diagnostics.false_discovery import benjamini_hochberg
from xnbflow.diagnostics.linear_models import moderated_contrasts

PAGE = Path(__file__).parents[1] / "docs" / "methods" / "verdicts-evidence.md"
RESULTS = Path(__file__).parents[1] / "results" / "benchmarks" / "gene_sets.tsv"
STUDIES = int(os.environ.get("XNBFLOW_SET_STUDIES", "100"))
#: Settings of a run that shows that the benchmark computes something.
SMALL = {"STUDIES": 2, "MODULES": 10}
N_SAMPLES = 30
#: Modules of correlated genes, which are the gene sets, and genes of each.
MODULES = 50
SIZE = 30
#: Genes with the largest t, among which over-representation is tested.
TOP = 200
#: Standard deviations by which modules are shifted in the second class, and how many modules.
SHIFT = 0.7
SHIFTED = 5


def rows() -> list[dict]:
    """Return the largest share of null studies with a set."""
    table = write_each_cell(simulated(), RESULTS)
    worst = table[table["effect"] == 0]["camera"].max()
    return [row("null studies with a gene set, CAMERA", "at most .05", ratio=worst)]


def simulated() -> Iterator[dict]:
    """Yield the shares of studies with a significant set, and the sets found."""
    for effect in (0.0, SHIFT):
        for correlation in (0.0, 0.1, 0.3):
            counts = np.array([sets_of(correlation, effect, seed) for seed in range(STUDIES)])
            has_set = counts > 0
            limits = figure("", "", has_set[:, 2])
            yield {
                "effect": effect,
                "correlation": correlation,
                "studies": STUDIES,
                "overlap": has_set[:, 0].mean(),
                "independent": has_set[:, 1].mean(),
                "camera": has_set[:, 2].mean(),
                "sets": counts[:, 2].mean(),
                "true_sets": counts[:, 3].mean(),
                "lower": limits["lower"],
                "upper": limits["upper"],
            }


def sets_of(correlation: float, effect: float, seed: int) -> list[int]:
    """Return the significant sets of each test, and the shifted ones among those of CAMERA."""
    rng = np.random.default_rng([seed, round(100 * correlation)])
    codes = rng.permutation(np.repeat([0, 1], N_SAMPLES // 2))
    shared = np.repeat(rng.normal(size=(MODULES, N_SAMPLES)), SIZE, axis=0)
    values = np.sqrt(correlation) * shared
    values += np.sqrt(1 - correlation) * rng.normal(size=values.shape)
    values[: SHIFTED * SIZE] += effect * codes
    members = [np.arange(m * SIZE, (m + 1) * SIZE) for m in range(MODULES)]
    t = moderated_contrasts(values, codes).t[1]
    top = np.argsort(-t)[:TOP]
    overlap = np.array([np.isin(top, genes_of_set).sum() for genes_of_set in members])
    p = np.asarray(hypergeom.sf(overlap - 1, len(t), SIZE, TOP))
    after = camera(values, np.eye(2)[codes], np.array([-1.0, 1.0]), members).fdr < 0.05
    return [
        int((benjamini_hochberg(p) < 0.05).sum()),
        int((camera_preranked(t, members, 0.0).fdr < 0.05).sum()),
        int(after.sum()),
        int(after[:SHIFTED].sum()),
    ]


def page() -> tuple[str, Path]:
    """Return the table, and the page that holds it."""
    table = pd.read_csv(RESULTS, sep="\t")
    heads = ["correlation, effect", "studies", "overlap", "independent genes"]
    heads += ["CAMERA (95 % limits)", "sets by CAMERA (of 5 shifted)"]
    lines = [
        "<!-- gene_sets: written by `python -m benchmarks gene_sets` -->",
        f"| {' | '.join(heads)} |",
        "|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {cell.correlation:g}, {cell.effect:g} | {cell.studies} | {cell.overlap:.2f} "
        f"| {cell.independent:.2f} | {cell.camera:.2f} ({cell.lower:.2f} to {cell.upper:.2f}) "
        f"| {cell.sets:.2f} ({cell.true_sets:.2f}) |"
        for cell in table.itertuples()
    ]
    return "\n".join([*lines, "<!-- end of gene_sets -->"]), PAGE
