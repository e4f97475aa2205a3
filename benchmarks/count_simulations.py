"""Simulated counts without true differences but those planted: false genes and false verdicts.

Three kinds of studies of 30 samples and 4,000 genes: *composition* (20 strong genes 12 times higher
in tumours, which lowers the counts per million of all others threefold), *library size* (five times
the reads in tumours, no gene differs), and both. Run ``python -m benchmarks.count_simulations``;
the table is in docs/methods/counts.md.
"""

import argparse
import sys

import numpy as np
import pandas as pd

from xnbflow.core.seeds import derive_seed
from xnbflow.core.study import Design
from xnbflow.data.dataset import COUNTS, DataSet
from xnbflow.data.read_counts import expressed_features
from xnbflow.diagnostics.genes import gene_table
from xnbflow.evaluation.fitting import filled
from xnbflow.inference.label_test import label_test
from xnbflow.sources.series.intensities import transform
from xnbflow.sources.series.scales import RecognisedScale, Transform

GENES = 4000
SAMPLES = 30
PLANTED = 20
#: The planted genes' share of the reads in normal samples: 12 times it triples the library.
SHARE = 2 / 11
DISPERSION = 0.1
READS = 4e6
LEVEL = 0.05
#: Whether the variance of a gene depends on its mean, by method.
TREND = {"cpm": True, "TMM, limma-trend": True, "TMM, voom": False}
PERMUTATIONS = 99
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL = {"GENES": 200, "PERMUTATIONS": 9}
SMALL_WORDS = ("--studies", "1")


def simulate(kind: str, study: int) -> DataSet:
    """Return the counts of a study; the first genes are the planted ones."""
    rng = np.random.default_rng(derive_seed("counts", study, kind))
    tumour = np.arange(SAMPLES) >= SAMPLES // 2
    level = rng.gamma(0.5, size=GENES)
    level[:PLANTED] *= SHARE / (1 - SHARE) * level[PLANTED:].sum() / level[:PLANTED].sum()
    mean = np.repeat(level[:, None], SAMPLES, axis=1)
    if kind != "library size":
        mean[:PLANTED, tumour] *= 12
    depth = READS * rng.uniform(0.7, 1.4, SAMPLES)
    if kind != "composition":
        depth[tumour] *= 5
    mean = mean / mean.sum(axis=0) * depth
    counts = rng.poisson(mean * rng.gamma(1 / DISPERSION, DISPERSION, mean.shape)).astype(float)
    labels = np.where(tumour, "tumour", "normal")
    names = [f"g{i}" for i in range(GENES)]
    samples = [f"s{i}" for i in range(SAMPLES)]
    return DataSet(
        name="counts", values=counts, features=names, samples=samples, labels=labels, scale="counts"
    )


def normalised(series: DataSet, method: str) -> DataSet:
    """Return a series as the sheet's options make it."""
    if method == "cpm":
        values = series.values[series.values.any(axis=1)]
        features = series.features[series.values.any(axis=1)]
        transform(
            "counts",
            values,
            Transform.LOG_CPM,
            recognised=RecognisedScale.COUNTS,
            finding="",
            samples=np.arange(values.shape[1]),
        )
        return DataSet(
            name="counts",
            values=values,
            features=features,
            samples=series.samples,
            labels=series.labels,
            scale="ln",
        )
    return series


def outcomes(series: DataSet, planted: set[str], design: Design) -> dict[str, float]:
    """Return the false genes, and whether genes without a difference predict the class.

    The label test has the genes that it has in a study: of counts those with enough reads.
    """
    genes = gene_table(series, design)
    rows = genes[(genes["class"] == "tumour") & ~genes["feature"].isin(planted)]
    logarithms = filled(series)
    null = ~np.isin(series.features, list(planted))
    if series.scale == COUNTS:
        null &= expressed_features(series)
    tested = DataSet(
        name="null",
        values=logarithms.values[null],
        features=logarithms.features[null],
        samples=series.samples,
        labels=series.labels,
    )
    p = label_test(tested, n_permutations=PERMUTATIONS)["p_value"].iloc[0]
    return {
        "false genes": float((rows["fdr"] < LEVEL).sum()),
        "planted found": float(
            (genes[genes["class"] == "tumour"].set_index("feature")["fdr"].reindex(sorted(planted))
             < LEVEL).sum()
        ),
        "median t": float(rows["t"].median()),
        "false verdict": float(p <= LEVEL),
    }  # fmt: skip


def main(words: list[str]) -> None:
    """Print means over studies by kind and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20)
    studies = parser.parse_args(words).studies
    rows = []
    for kind in ("composition", "library size", "both"):
        planted = set() if kind == "library size" else {f"g{i}" for i in range(PLANTED)}
        for study in range(studies):
            series = simulate(kind, study)
            for method, trend in TREND.items():
                design = Design(trend=trend)
                shares = outcomes(normalised(series, method), planted, design)
                rows.append({"study": kind, "method": method, **shares})
    table = pd.DataFrame(rows).groupby(["study", "method"], sort=False).mean()
    print(table.round(2).to_string())


if __name__ == "__main__":
    main(sys.argv[1:])
