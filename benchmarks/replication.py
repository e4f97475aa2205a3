"""Stability of the first features: error and power of its limit, in simulated and real studies.

`python -m benchmarks.replication simulated 10` draws ten studies of each design: 1,000 genes that
are independent, in blocks of 10 or 200 with correlations of .5, or with five common factors that
explain half of the variance; genes shifted in one class singly, all by random amounts, or as a
module. The *truth* is the mean replication of the lists of 12 pairs of independent studies of half
the size. A study is called stable if the lower limit of its interval, from ten pairs of halves, is
at least `LEAST_REPLICATED`. Further words select structures, as "blocks of 200". Rows are
appended to results/benchmarks/replication.tsv.

`python -m benchmarks.replication real 9` takes a third of the samples of each large development
series (folder XNBFLOW_DATA) as a study, nine times; the truth is the mean replication of disjoint
sixths of the whole series. Rows are appended to results/benchmarks/replication_series.tsv.

`python -m benchmarks.replication page` writes the table of simulated studies to the page.
"""

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.accuracy_series import development_series
from benchmarks.conclusions import series_of
from benchmarks.performance_page import write_block

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import agreement_interval, agreement_table, halves_table
from xnbflow.inference.verdicts import LEAST_REPLICATED

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results" / "benchmarks"
PAGE = ROOT / "docs" / "methods" / "verdicts-evidence.md"
ENTRY = resolved({"method": "csnb_cv"})
N_GENES = 1000
PAIRS = 10
TRUE_PAIRS = 12
#: Samples of a series from which on thirds of it are studies.
LARGE = 60
STRUCTURES = ("independent", "blocks of 10", "blocks of 200", "factors")
#: Shifted genes, and the effect in standard deviations: ten or a hundred genes; all by normal or by
#: heavy-tailed amounts; the first 200.
PATTERNS = (
    ("ten", 0.0),
    ("ten", 1.2),
    ("ten", 2.0),
    ("hundred", 0.8),
    ("hundred", 1.2),
    ("all, normal", 0.3),
    ("all, normal", 0.5),
    ("all, t4", 0.3),
    ("module", 0.8),
    ("module", 1.5),
)
#: Settings, and words of the command, of a run that shows that it computes something.
SMALL: dict[str, object] = {"STRUCTURES": ("factors",), "PATTERNS": (("ten", 2.0),), "SIZES": (40,)}
SMALL_WORDS = ("simulated", "2")
SIZES = (40, 80)


def shifts_of(pattern: str, effect: float) -> np.ndarray:
    """Return the shift of each gene in the second class, (N_GENES,); the same in every study."""
    shifts = np.zeros(N_GENES)
    n_single = {"ten": 10, "hundred": 100}.get(pattern, 0)
    places = 10 * np.arange(n_single)
    shifts[places] = effect * (-1.0) ** np.arange(n_single)
    if pattern == "all, normal":
        shifts = effect * np.random.default_rng(77).normal(size=N_GENES)
    if pattern == "all, t4":
        shifts = effect * np.random.default_rng(78).standard_t(4, size=N_GENES)
    if pattern == "module":
        shifts[:200] = effect
    return shifts


def noise(structure: str, n_samples: int, rng: np.random.Generator) -> np.ndarray:
    """Return values of variance 1 without a class, (N_GENES, n_samples)."""
    values = rng.normal(size=(N_GENES, n_samples))
    if structure.startswith("blocks"):
        size = int(structure.rsplit(maxsplit=1)[-1])
        shared = np.repeat(rng.normal(size=(N_GENES // size, n_samples)), size, axis=0)
        return np.sqrt(0.5) * values + np.sqrt(0.5) * shared
    if structure == "factors":
        loadings = np.sqrt(0.1) * np.random.default_rng(5).normal(size=(N_GENES, 5))
        specific = np.maximum(0.1, 1 - (loadings**2).sum(axis=1))
        return loadings @ rng.normal(size=(5, n_samples)) + np.sqrt(specific)[:, None] * values
    return values


def simulated_series(
    structure: str, n_samples: int, shifts: np.ndarray, rng: np.random.Generator
) -> DataSet:
    """Return a study of two classes of equal size."""
    codes = np.arange(n_samples) % 2
    return series_of(noise(structure, n_samples, rng) + shifts[:, None] * codes, codes)


def replicated(series: DataSet, halves: pd.DataFrame) -> np.ndarray:
    """Return the replication of each pair of halves, (n_pairs,)."""
    table = agreement_table(series, halves)
    return table.loc[table["class"] == "", "replicated"].to_numpy()


def replication_of_two(first: DataSet, second: DataSet) -> float:
    """Return the replication of the lists of two independent studies of equal size."""
    both = replace(
        first,
        values=np.concatenate([first.values, second.values], axis=1),
        samples=np.array([f"s{i}" for i in range(first.n_samples + second.n_samples)]),
        labels=np.concatenate([first.labels, second.labels]),
    )
    # each study is the training set of a fold
    folds = draw_folds(both, 2, 1)[["repeat"]].assign(
        fold=np.repeat([1, 0], [first.n_samples, second.n_samples]), sample=both.samples
    )
    selected = train(both, folds, ENTRY, explain=False)["selected"]
    return float(replicated(both, selected)[0])


def row_of(series: DataSet, true_value: float) -> dict[str, float]:
    """Return the interval of a study from ten pairs of halves, and whether it is called stable."""
    halves = halves_table(series, ENTRY, PAIRS)
    table = agreement_table(series, halves)
    of_all = table[table["class"] == ""]
    interval = agreement_interval(
        of_all["replicated"].to_numpy(), float(of_all["mean_size"].mean())
    )
    return {
        "truth": true_value,
        "value": interval.value,
        "lower": interval.lower,
        "upper": interval.upper,
        "stable": interval.lower >= LEAST_REPLICATED,
        "held": interval.lower <= max(0.0, true_value) <= interval.upper,
    }


def simulated(
    n_studies: int, structures: Sequence[str] = STRUCTURES
) -> Iterator[dict[str, object]]:
    """Yield a row for each study of each design."""
    for structure in structures:
        for n_samples in SIZES:
            for pattern, effect in PATTERNS:
                shifts = shifts_of(pattern, effect)
                rng = np.random.default_rng([n_samples, 9])
                pairs = []
                for _ in range(TRUE_PAIRS):
                    size = n_samples // 2
                    first = simulated_series(structure, size, shifts, rng)
                    second = simulated_series(structure, size, shifts, rng)
                    pairs.append(replication_of_two(first, second))
                for seed in range(n_studies):
                    rng = np.random.default_rng([seed, n_samples, int(10 * effect), 3])
                    series = simulated_series(structure, n_samples, shifts, rng)
                    design = {"genes": structure, "samples": n_samples, "shifted": pattern}
                    yield design | {"effect": effect} | row_of(series, float(np.mean(pairs)))


def real(n_studies: int) -> Iterator[dict[str, object]]:
    """Yield a row for each third of each large series."""
    for name, read in development_series().items():
        values, labels = read()
        codes = np.unique(labels, return_inverse=True)[1]
        if len(codes) < LARGE:
            continue
        series = series_of(np.ascontiguousarray(values.T), codes)
        pairs = []
        for seed in range(TRUE_PAIRS):
            first, second = parts_of(series, (6, 6), seed)
            pairs.append(replication_of_two(first, second))
        for seed in range(n_studies):
            (third,) = parts_of(series, (3,), 100 + seed)
            yield {"series": name, "samples": third.n_samples} | row_of(third, np.mean(pairs))


def parts_of(series: DataSet, shares: tuple[int, ...], seed: int) -> list[DataSet]:
    """Return disjoint random parts of a series: of each class one over each share."""
    rng = np.random.default_rng(seed)
    members: list[list[int]] = [[] for _ in shares]
    for label in series.classes:
        order = rng.permutation(np.flatnonzero(series.labels == label)).tolist()
        n_class = len(order)
        for part, share in enumerate(shares):
            n_part = round(n_class / share)
            members[part] += order[:n_part]
            order = order[n_part:]
    return [
        replace(
            series,
            values=series.values[:, part],
            samples=series.samples[part],
            labels=series.labels[part],
        )
        for part in members
    ]


def block(studies: pd.DataFrame) -> str:
    """Return the table of the page: studies called stable, and coverage, by genes and truth."""
    bins = {"truth below .3": (-1, 0.3), ".3 to .5": (0.3, 0.5), ".5 to .7": (0.5, 0.7)}
    bins[".7 and above"] = (0.7, 2)
    lines = [f"| genes (designs) | {' | '.join(bins)} | interval held the truth |"]
    lines.append("|---" * (len(bins) + 2) + "|")
    parts = dict(list(studies.groupby("genes", sort=False)))
    for title, part in (parts | {"together": studies}).items():
        n_designs = len(part[["genes", "samples", "shifted", "effect"]].drop_duplicates())
        cells = [f"{title} ({n_designs})"]
        for low, high in bins.values():
            chosen = part[(part["truth"] >= low) & (part["truth"] < high)]
            cells.append(f"{chosen['stable'].sum()} of {len(chosen)}" if len(chosen) else "")
        error = np.sqrt(part["held"].mean() * (1 - part["held"].mean()) / len(part))
        lines.append(f"| {' | '.join(cells)} | {part['held'].mean():.3f} ± {error:.3f} |")
    begin = "<!-- replication: written by `python -m benchmarks.replication page` -->"
    return "\n".join([begin, *lines, "<!-- end of replication -->"])


def main(words: list[str]) -> None:
    """Measure simulated or real studies, and append their rows to the file; or write the page."""
    kind = words[0] if words else "simulated"
    if kind == "page":
        write_block(block(pd.read_csv(RESULTS / "replication.tsv", sep="\t")), PAGE)
        return
    n_studies = int(words[1]) if len(words) > 1 else 10
    file = "replication.tsv" if kind == "simulated" else "replication_series.tsv"
    RESULTS.mkdir(parents=True, exist_ok=True)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        is_simulated = kind == "simulated"
        structures = words[2:] or STRUCTURES
        for row in simulated(n_studies, structures) if is_simulated else real(n_studies):
            frame = pd.DataFrame([row])
            path = RESULTS / file
            frame.to_csv(path, sep="\t", mode="a", header=not path.exists(), index=False)
            print(frame.to_string(index=False, header=False), flush=True)
    print(f"{time.process_time() - start:.0f} processor seconds")


if __name__ == "__main__":
    main(sys.argv[1:])
