"""Simulated studies whose lists of genes have a known replication.

1,000 genes that are independent, in blocks of 10 or 200 with correlations of .5, or with five
common factors that explain half of the variance; genes are shifted in one class singly, all by
random amounts, or as a module. The *truth* is the mean replication of the lists of independent
pairs of studies of half the size. A study is called stable if the mean over ten pairs of halves is
at least `LEAST_REPLICATED`.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numba
import numpy as np
import pandas as pd
from benchmarks.simulated_studies import series_of
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from xnbflow.data.dataset import DataSet
from xnbflow.evaluation.folds import draw_folds
from xnbflow.evaluation.methods import resolved
from xnbflow.evaluation.training import train
from xnbflow.inference.halves import agreement_interval, agreement_table, halves_table
from xnbflow.inference.verdicts import LEAST_REPLICATED

__all__ = ["PATTERNS", "SIZES", "STRUCTURES", "Pattern", "list_studies"]


@dataclass(frozen=True, kw_only=True)
class Pattern:
    """Which genes are shifted, and by how many standard deviations.

    ``genes`` is "ten" or "hundred" (singly, half of them up), "all, normal" or "all, t4" (by normal
    or heavy-tailed amounts), or "module" (the first 200).
    """

    genes: str
    effect: float

    def shifts(self) -> np.ndarray:
        """Return the shift of each gene in the second class, (N_GENES,); equal in all studies."""
        if self.genes == "all, normal":
            return self.effect * np.random.default_rng(77).normal(size=N_GENES)
        if self.genes == "all, t4":
            return self.effect * np.random.default_rng(78).standard_t(4, size=N_GENES)
        shifts = np.zeros(N_GENES)
        if self.genes == "module":
            shifts[:200] = self.effect
        else:
            n_single = {"ten": 10, "hundred": 100}[self.genes]
            shifts[10 * np.arange(n_single)] = self.effect * (-1.0) ** np.arange(n_single)
        return shifts


N_GENES = 1000
#: Pairs of halves of a study, and of independent studies for the truth.
HALF_PAIRS = 10
TRUE_PAIRS = 12
SIZES = (40, 80)
STRUCTURES = ("independent", "blocks of 10", "blocks of 200", "factors")
PATTERNS = (
    Pattern(genes="ten", effect=0.0),
    Pattern(genes="ten", effect=1.2),
    Pattern(genes="ten", effect=2.0),
    Pattern(genes="hundred", effect=0.8),
    Pattern(genes="hundred", effect=1.2),
    Pattern(genes="all, normal", effect=0.3),
    Pattern(genes="all, normal", effect=0.5),
    Pattern(genes="all, t4", effect=0.3),
    Pattern(genes="module", effect=0.8),
    Pattern(genes="module", effect=1.5),
)
ENTRY = resolved({"method": "csnb_cv"})


def list_studies(structure: str, seeds: Sequence[int], jobs: int = 1) -> pd.DataFrame:
    """Return a row for each study of each size and pattern with genes of a structure.

    Each of the ``seeds`` is a study of each; ``jobs`` is the number of processes.

    The columns are ``samples``, ``shifted``, ``effect``, ``truth``, ``value``, ``stable`` (whether
    the study is called so) and ``held`` (whether its interval contains the truth).
    """
    work = Parallel(n_jobs=jobs)
    rows_of_designs = work(
        delayed(_studies_of_design)(structure, n_samples, pattern, seeds)
        for n_samples in SIZES
        for pattern in PATTERNS
    )
    return pd.DataFrame([row for rows in rows_of_designs for row in rows])


def _studies_of_design(
    structure: str, n_samples: int, pattern: Pattern, seeds: Sequence[int]
) -> list[dict[str, Any]]:
    """Return a row for each study of a size and pattern."""
    numba.set_num_threads(1)
    design = {"samples": n_samples, "shifted": pattern.genes, "effect": pattern.effect}
    rows = []
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # small classes
        truth = true_replication(structure, n_samples // 2, pattern)
        for seed in seeds:
            rng = np.random.default_rng([seed, n_samples, int(10 * pattern.effect), 3])
            series = draw_series(structure, n_samples, pattern, rng)
            rows.append(design | measured_replication(series, truth))
    return rows


def draw_series(
    structure: str, n_samples: int, pattern: Pattern, rng: np.random.Generator
) -> DataSet:
    """Return a study of two classes of equal size."""
    codes = np.arange(n_samples) % 2
    noise = draw_noise(structure, n_samples, rng)
    return series_of(noise + pattern.shifts()[:, None] * codes, codes)


def draw_noise(structure: str, n_samples: int, rng: np.random.Generator) -> np.ndarray:
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


def true_replication(structure: str, n_samples: int, pattern: Pattern) -> float:
    """Return the mean replication of the lists of pairs of independent studies of a size."""
    rng = np.random.default_rng([2 * n_samples, 9])
    replications = []
    for _ in range(TRUE_PAIRS):
        first = draw_series(structure, n_samples, pattern, rng)
        second = draw_series(structure, n_samples, pattern, rng)
        replications.append(replication_of_two(first, second))
    return float(np.mean(replications))


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
    table = agreement_table(both, selected, folds)
    return float(table.loc[table["class"] == "", "replicated"].iloc[0])


def measured_replication(series: DataSet, truth: float) -> dict[str, float | bool]:
    """Return the interval of a study from pairs of halves, and whether it is called stable."""
    table = agreement_table(series, halves_table(series, ENTRY, HALF_PAIRS))
    of_all = table[table["class"] == ""]
    interval = agreement_interval(
        of_all["replicated"].to_numpy(), float(of_all["mean_size"].mean())
    )
    return {
        "truth": truth,
        "value": interval.value,
        "stable": interval.value >= LEAST_REPLICATED,
        "held": interval.lower <= max(0.0, truth) <= interval.upper,
    }
